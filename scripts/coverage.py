"""Prints the share of executed lines of each file of src/, from the counts of the coverage build.

gcov comes with gcc and writes JSON, so no further tool is needed.
"""

import collections
import glob
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def counts(build):
    """Returns {file: {line: executions}} summed over all programs that were run.

    Asks for the notes the compiler wrote, not for the counts: a file that nothing ran has no counts.
    """
    found = collections.defaultdict(lambda: collections.defaultdict(int))
    notes = glob.glob(os.path.join(build, "src", "**", "*.gcno"), recursive=True)
    for path in sorted(notes):
        answer = subprocess.run(
            ["gcov", "--stdout", "--json-format", path], cwd=build, capture_output=True, text=True
        )
        for document in filter(None, answer.stdout.splitlines()):
            for file in json.loads(document)["files"]:
                name = os.path.relpath(os.path.join(build, file["file"]), ROOT)
                if name.startswith("src/"):
                    for line in file["lines"]:
                        found[name][line["line_number"]] += line["count"]
    return found


def main():
    found = counts(os.path.join(ROOT, "build", "coverage"))
    if not found:
        sys.exit("no counts: `make coverage` builds, runs and then calls this")
    reached = total = 0
    for name, lines in sorted(found.items()):
        hit = sum(1 for count in lines.values() if count)
        reached, total = reached + hit, total + len(lines)
        print(f"{100 * hit / len(lines):6.1f} %  {hit:5} of {len(lines):5}  {name}")
    print(f"{100 * reached / total:6.1f} %  {reached:5} of {total:5}  all")


main()
