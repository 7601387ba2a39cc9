"""Runs clang-format over every .c and .h. Its output differs between versions, so it must be 14."""

import re
import shutil
import subprocess
import sys

import tree

VERSION = 14


def find():
    for name in (f"clang-format-{VERSION}", "clang-format"):
        if shutil.which(name):
            answer = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {VERSION}\.", answer):
                return name
    return None


def main(root):
    tool = find()
    if not tool:
        print(f"skipped: structure.format (no clang-format {VERSION})")
        sys.exit(77)
    folders = ("src", "include", "examples", "tests", "fuzz", "bench")
    paths = list(tree.files(root, (".c", ".h"), folders))
    findings = []
    if paths:
        run = subprocess.run(
            [tool, "--dry-run", "-Werror", *paths], cwd=root, capture_output=True, text=True
        )
        findings = sorted(set(re.findall(r"^(\S+:\d+):\d+: error", run.stderr, re.M)))
        findings = [f"{place}: not as clang-format has it (`make format`)" for place in findings]
        if run.returncode and not findings:
            findings = [run.stderr.strip()]
    tree.finish(findings, len(paths), "files")


main(sys.argv[1])
