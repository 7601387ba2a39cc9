"""Everything that must hold before a change is done; `make check` runs it.

Builds with gcc as users do, with gcc and sanitizers, and with clang and libFuzzer, warnings being
errors in all three; runs the tests in the sanitized build and those of the binary, and of large
counts, in the release build; a few are left to one of the two, see below. Fuzzes each parser for
some seconds. The last line is the sum: `N passed, N failed,
N skipped`. A build counts as one, a test as one, a fuzz target as one. A suite that a test left out
for want of shared data (it prints `skipped: NAME ...`) is counted as skipped beside the test itself.
"""

import os
import re
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

import fuzz

ROOT = fuzz.ROOT
LOGS = os.path.join(ROOT, "build", "check")
JOBS = str(os.cpu_count() or 1)
# For what hangs: no measure of how long it takes.
DEADLINE = time.monotonic() + int(os.environ.get("CHECK_SECONDS", 60 * 60))
# Minutes of Z3's work, which is the same in both builds: the sanitizers see all kinds of claims and of
# examples in e2e.prove_explain, in unit.prove.* and in conformance.prove_*.
IN_RELEASE_ONLY = r"^(conformance\.prove_agreement|e2e\.prove_(output|defects|false_claims|false_values))$"
# What these look for is what sanitizers see, and exit codes and texts that no optimization changes.
IN_SANITIZED_ONLY = r"^e2e\.long_texts$"
# Some tests mostly wait, for a timeout to come for example: one more at once than there are cores.
TESTS_AT_ONCE = str((os.cpu_count() or 1) + 1)
FUZZ_SECONDS = int(os.environ.get("FUZZ_SECONDS", 5))
TAIL_LINES = 60
# What ninja says of the steps that went well, and the command lines of those that did not.
NOISE = re.compile(r"\[\d+/\d+\] |\S*/(gcc|clang|cc|cmake) |: && ")

passed, failed, skipped = [], [], []


def say(outcome, name, note=""):
    print(f"{outcome:<8}{name}{'  ' + note if note else ''}", flush=True)


def show_tail(log):
    """Shows the end of a log, which is where compilers and sanitizers say what was wrong."""
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = [line for line in file.read().splitlines() if not NOISE.match(line)]
    for line in lines[-TAIL_LINES:]:
        print("    | " + line)
    print(f"    (all of it: {os.path.relpath(log, ROOT)})", flush=True)


def run(command, log):
    """Runs a command with its output in `log`; past the deadline, stops it and all its children."""
    with open(log, "ab") as file:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            return process.wait(max(1.0, DEADLINE - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            file.write(b"\nstopped: the time for all checks is over\n")
            return -1


def fresh_log(name):
    log = os.path.join(LOGS, name + ".log")
    open(log, "wb").close()
    return log


def build(preset):
    """Configures and builds one preset; counts as one check."""
    name, log, start = f"build.{preset}", fresh_log(f"build-{preset}"), time.monotonic()
    ok = run(["cmake", "--preset", preset], log) == 0
    ok = ok and run(["cmake", "--build", "--preset", preset, "-j", JOBS, "--", "-k", "0"], log) == 0
    (passed if ok else failed).append(name)
    say("ok" if ok else "FAILED", name, f"{time.monotonic() - start:.0f} s")
    if not ok:
        show_tail(log)
    return ok


def record(case, prefix):
    """Sorts one test of ctest's report into passed, failed or skipped."""
    name, status = prefix + case.get("name"), case.get("status")
    output = case.findtext("system-out") or ""
    if status == "run":
        passed.append(name)
        for line in re.findall(r"^skipped: (.+)$", output, re.M):
            skipped.append(f"{name}: {line.strip()}")
        return
    if status in ("notrun", "disabled") and case.find("skipped") is not None:
        reason = re.search(r"^skipped: (.+)$", output, re.M)
        skipped.append(f"{name}: {reason.group(1).strip()}" if reason else name)
        return
    failed.append(name)
    say("FAILED", name)
    for line in output.splitlines()[-TAIL_LINES:]:
        print("    | " + line)


def tests(preset, prefix="", *selection):
    """Runs ctest in one build folder, all tests or those selected."""
    name, log, start = f"tests.{preset}", fresh_log(f"tests-{preset}"), time.monotonic()
    report = os.path.join(LOGS, f"tests-{preset}.xml")
    if os.path.exists(report):
        os.remove(report)
    folder = os.path.join("build", preset)
    limits = ["--timeout", "300", "--test-output-size-passed", "1000000"]
    limits += ["--test-output-size-failed", "1000000", "--no-tests=error"]
    before = len(passed), len(failed), len(skipped)
    code = run(["ctest", "--test-dir", folder, "-j", TESTS_AT_ONCE, "--output-junit", report, *limits, *selection], log)
    cases = []
    if os.path.exists(report):
        cases = list(xml.etree.ElementTree.parse(report).getroot().iter("testcase"))
    for case in cases:
        record(case, prefix)
    # Not believing the report alone: ctest's own verdict must agree that nothing failed.
    if not cases or (code != 0 and len(failed) == before[1]):
        failed.append(name)
        say("FAILED", name, f"ctest ended with {code} and {len(cases)} results")
        show_tail(log)
    counts = [len(now) - then for now, then in zip((passed, failed, skipped), before)]
    say("ok" if counts[1] == 0 else "FAILED", name, "{} passed, {} failed, {} skipped".format(*counts)
        + f", {time.monotonic() - start:.0f} s")


def fuzz_all():
    total = 0
    for name, ok, line, log in fuzz.run_all(os.path.join(ROOT, "build", "fuzz"), FUZZ_SECONDS, LOGS):
        total += 1
        (passed if ok else failed).append(f"fuzz.{name}")
        say("ok" if ok else "FAILED", f"fuzz.{name}", line)
        if not ok:
            show_tail(log)
    if total == 0:
        failed.append("fuzz: there are no targets")


def has_binary_tests(preset):
    answer = subprocess.run(
        ["ctest", "--test-dir", os.path.join("build", preset), "-N", "-L", "e2e"],
        cwd=ROOT, capture_output=True, text=True,
    )
    return "Total Tests: 0" not in answer.stdout


def main():
    os.makedirs(LOGS, exist_ok=True)
    if build("check-release") and has_binary_tests("check-release"):
        tests("check-release", "release:", "-L", "e2e|twice", "-E", IN_SANITIZED_ONLY)
    if build("dev"):
        tests("dev", "", "-E", IN_RELEASE_ONLY)
    if build("fuzz"):
        fuzz_all()
    for title, names in (("skipped", skipped), ("FAILED", failed)):
        if names:
            print(f"\n{title}:")
            for name in names:
                print("    " + name)
    print()
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped", flush=True)
    sys.exit(1 if failed else 0)


main()
