"""`ledgergate audit --stream` and `stats` under Apache Spark: byte for byte what one process gives.

    spark.py      reads all recordings (LEDGERGATE_DATA, or ../shared), or the repository's examples where they are not there

Local mode with two workers; each partition is a process of its own (RDD.pipe). Three laws: the results are those of one process,
in order; the statistics over the partitions' files are those over one file; a process that fails fails the job.
LEDGERGATE_BIN names the program. Prints `N passed, N failed, N skipped`.
"""

import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BIN = os.path.abspath(os.environ.get("LEDGERGATE_BIN") or os.path.join(ROOT, "build", "release", "ledgergate"))
VENV = os.path.join(ROOT, "build", "peers-clients", "venv-spark")
PACKS = os.path.join(ROOT, "packs")
DATA = os.path.abspath(os.environ.get("LEDGERGATE_DATA") or os.path.join(ROOT, "..", "shared"))
RECORDINGS = os.path.join(DATA, "data", "traces")
PARTITIONS = 7  # more than workers, and no divisor of anything

outcomes = []


def must(ok, sentence, detail=""):
    outcomes.append(bool(ok))
    print(f"{'ok' if ok else 'FAILED':<8}spark: {sentence}", flush=True)
    for line in str(detail).splitlines()[:8] if not ok else ():
        print("    | " + line[:500])


def lines_of(recordings):
    """All conversations, one a line, as `convert` writes them."""
    made = subprocess.run([BIN, "convert", "--to", "artifact", recordings], capture_output=True, check=False)
    if made.returncode not in (0, 2):  # 2: a file of the folder is no recording
        sys.exit(made.stderr.decode())
    # RDD.pipe divides records at line ends alone; a record is UTF-8.
    return made.stdout.decode("utf-8").split("\n")[:-1]


def one_process(lines):
    made = subprocess.run([BIN, "audit", "--stream", "--pack", PACKS], input="\n".join(lines).encode() + b"\n", capture_output=True, check=False)
    return made.stdout.decode("utf-8").split("\n")[:-1], made.returncode


def stats_of(*files):
    made = subprocess.run([BIN, "stats", "--json", *files], capture_output=True, check=False)
    return re.sub(rb'"input":\{[^{}]*(\{[^{}]*\}[^{}]*)*\},?', b"", made.stdout)  # how many files there were


def run_spark(lines, folder):
    from pyspark import SparkConf, SparkContext

    conf = (SparkConf().setMaster("local[2]").setAppName("audit").set("spark.ui.enabled", "false")
            .set("spark.driver.bindAddress", "127.0.0.1").set("spark.driver.host", "127.0.0.1")
            .set("spark.local.dir", folder).set("spark.driver.memory", "2g"))
    context = SparkContext(conf=conf)
    context.setLogLevel("OFF")
    audit = f"{BIN} audit --stream --pack {PACKS}"
    try:
        # Exit code 1 is findings, which are no failure of the job.
        wrapped = f"sh -c '{audit}; code=$?; [ $code -le 2 ]'"
        parts = context.parallelize(lines, PARTITIONS).pipe(wrapped, env=dict(PATH="/usr/bin:/bin"), checkCode=True).glom().collect()
        failed = False
        try:
            context.parallelize(lines[:4], 2).pipe(f"{BIN} audit --stream --pack {folder}/no-pack", checkCode=True).collect()
        except Exception:  # noqa: BLE001  whatever Spark makes of it
            failed = True
    finally:
        context.stop()
    return parts, failed


def main():
    if not os.path.isdir(VENV):
        must_run = bool(os.environ.get("CI") or os.environ.get("LEDGERGATE_CI"))
        print("skipped: spark (it is not in build/peers-clients: tests/peers/install.sh says why)\n0 passed, 0 failed, 1 skipped")
        sys.exit(1 if must_run else 0)
    if not sys.prefix.startswith(VENV):
        os.execv(os.path.join(VENV, "bin", "python"), [os.path.join(VENV, "bin", "python"), "-B", __file__])
    recordings = RECORDINGS if os.path.isdir(RECORDINGS) else os.path.join(ROOT, "examples", "conversations")
    lines = lines_of(recordings)
    alone, code = one_process(lines)
    with tempfile.TemporaryDirectory(prefix="ledgergate-spark-") as folder:
        parts, failed = run_spark(lines, folder)
        together = [line for part in parts for line in part]
        must(code in (0, 1) and len(alone) == len(lines), f"one process audits all {len(lines)} conversations", f"{code}, {len(alone)} results")
        must(together == alone, f"{PARTITIONS} partitions give the same {len(alone)} results, byte for byte, in order",
             next((f"{a}\n{b}" for a, b in zip(alone, together) if a != b), f"{len(together)} results"))
        names = []
        for i, part in enumerate([alone, *parts]):
            names.append(os.path.join(folder, f"part-{i}.jsonl"))
            with open(names[-1], "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in part)
        whole = stats_of(names[0])
        must(whole and whole == stats_of(*names[1:]), "their statistics are those of one file, byte for byte")
        must(failed, "a process that fails fails the job")
    failures = outcomes.count(False)
    print(f"{len(outcomes) - failures} passed, {failures} failed, 0 skipped")
    sys.exit(1 if failures else 0)


main()
