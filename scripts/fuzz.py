"""Runs every fuzz target for some seconds, as many at once as there are cores.

Usage: fuzz.py [--build DIR] [--seconds N] [NAME...]

Finds what it may: the dictionary fuzz/NAME.dict, the seeds fuzz/seeds/NAME/. New inputs go to
build/corpus/NAME, so a later run starts where this one ended; an input that breaks a property goes
to build/findings/NAME and, once mended, belongs into the seeds: there it is replayed as a test.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

MAX_BYTES = 200_000  # two words of 70,000 bytes, and what stands around them
RUNS_MIN = 100  # of a target, seeds included
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def targets(build):
    """Returns {name: executable} of all built targets."""
    found = {}
    for path in sorted(glob.glob(os.path.join(build, "fuzz", "fuzz_*"))):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            found[os.path.basename(path)[len("fuzz_") :]] = path
    return found


def command(name, executable, seconds):
    folders = [os.path.join(ROOT, "build", kind, name) for kind in ("corpus", "findings")]
    for folder in folders:
        os.makedirs(folder, exist_ok=True)
    words = [executable, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048"]
    words += ["-print_final_stats=1", f"-artifact_prefix={folders[1]}/"]
    # Long from the first minute: by itself libFuzzer stays at the size of the largest seed, 4 KiB at
    # least, and no id or key of a hostile length comes to be.
    words += [f"-max_len={MAX_BYTES}", "-len_control=0"]
    dictionary = os.path.join(ROOT, "fuzz", name + ".dict")
    if os.path.exists(dictionary):
        words.append(f"-dict={dictionary}")
    words.append(folders[0])
    seeds = os.path.join(ROOT, "fuzz", "seeds", name)
    if os.path.isdir(seeds):
        words.append(seeds)
    return words


def run_one(name, executable, seconds, log_folder):
    """Returns (name, whether it passed, one line to say, log file)."""
    log = os.path.join(log_folder, f"fuzz-{name}.log")
    environment = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1")
    # A target that ran next to nothing has found nothing, whatever its exit code says. How many inputs a second makes is the
    # machine's affair, so it gets more seconds before that is held against it.
    for seconds in (seconds, 4 * seconds, 16 * seconds):
        with open(log, "wb") as file:
            try:
                code = subprocess.run(
                    command(name, executable, seconds), cwd=ROOT, env=environment,
                    stdout=file, stderr=subprocess.STDOUT, timeout=seconds * 2 + 120,
                ).returncode
            except subprocess.TimeoutExpired:
                return name, False, "did not end", log
        with open(log, encoding="utf-8", errors="replace") as file:
            runs = re.search(r"stat::number_of_executed_units: *(\d+)", file.read())
        count = int(runs.group(1)) if runs else 0
        if code != 0 or count >= RUNS_MIN:
            break
    return name, code == 0 and count >= RUNS_MIN, f"{count} runs in {seconds} s, exit code {code}", log


def run_all(build, seconds, log_folder, names=()):
    """Yields the result of each target as it ends."""
    chosen = {n: p for n, p in targets(build).items() if not names or n in names}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        jobs = [pool.submit(run_one, n, p, seconds, log_folder) for n, p in chosen.items()]
        for job in concurrent.futures.as_completed(jobs):
            yield job.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "fuzz"))
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    logs = os.path.join(ROOT, "build", "findings")
    os.makedirs(logs, exist_ok=True)
    failed = total = 0
    for name, ok, line, log in run_all(arguments.build, arguments.seconds, logs, arguments.names):
        total += 1
        failed += not ok
        print(f"{'ok    ' if ok else 'FAILED'} fuzz.{name}: {line}" + ("" if ok else f"; see {log}"), flush=True)
    if total == 0:
        print("no fuzz target of that name is built: try `make fuzz`")
    sys.exit(1 if failed or total == 0 else 0)


if __name__ == "__main__":
    main()
