"""Runs one golden case: the binary with the words of `command`, compared with `expected.txt`.

Usage: golden.py CASE-FOLDER [--update]

The binary runs in the case's own folder, so `command` names its files plainly. What is compared:
the standard output, then `[stderr]` and the error output if there is any, then `[exit N]`. With
--update the expectation is rewritten: read the difference before it is committed.
"""

import difflib
import os
import shlex
import subprocess
import sys


def transcript(folder):
    with open(os.path.join(folder, "command"), encoding="utf-8") as file:
        words = shlex.split(file.read(), comments=True)
    run = subprocess.run(
        [os.environ["LEDGERGATE_BIN"], *words], cwd=folder, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=300,
    )
    text = run.stdout.decode("utf-8", "backslashreplace")
    if run.stderr:
        text += "[stderr]\n" + run.stderr.decode("utf-8", "backslashreplace")
    return text + f"[exit {run.returncode}]\n"


def main(folder, update):
    path = os.path.join(folder, "expected.txt")
    got = transcript(folder)
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write(got)
        return 0
    if not os.path.exists(path):
        print(f"{path} is missing: run with --update and read what it says")
        return 1
    with open(path, encoding="utf-8") as file:
        wanted = file.read()
    sys.stdout.writelines(
        difflib.unified_diff(wanted.splitlines(True), got.splitlines(True), "expected.txt", "the binary")
    )
    return 0 if got == wanted else 1


sys.exit(main(sys.argv[1], "--update" in sys.argv[2:]))
