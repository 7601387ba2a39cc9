"""Keeps functions to a screen and files to one idea.

clang-format puts a function's braces in the first column, so a function is what lies between them.
More than 100 lines is for a dispatch loop or a flat switch, and a comment above must say which.
"""

import re
import sys

import tree

FUNCTION_LINES = 100
FILE_LINES = 1200
P90_LINES = 60
ENOUGH = 100  # functions; a share of fewer says nothing
EXCUSE = re.compile(r"dispatch loop|flat switch", re.I)


def functions(lines):
    """Yields (line of the opening brace, length, the lines above it) of every function."""
    start = None
    for number, line in enumerate(lines):
        if line == "{":
            start = number
        elif line == "}" and start is not None:
            yield start + 1, number - start - 1, lines[max(0, start - 20) : start]
            start = None


def excused(above):
    """Looks for the excuse in the comment that ends right before this function's own head."""
    block = []
    for line in reversed(above):
        if line in ("}", "};") or (block and not line.strip()):
            break
        block.append(line)
    return EXCUSE.search("\n".join(block)) is not None


def main(root):
    findings, lengths, checked = [], [], 0
    folders = ("src", "include", "examples", "tests", "fuzz", "bench")
    for path in tree.files(root, (".c", ".h", ".py", ".sh"), folders + ("scripts",)):
        checked += 1
        lines = tree.read(root, path).splitlines()
        if len(lines) > FILE_LINES:
            findings.append(f"{path}: {len(lines)} lines, more than {FILE_LINES}: find its second idea")
        if not path.endswith((".c", ".h")):
            continue
        for number, length, above in functions(lines):
            if path.startswith("src/"):
                lengths.append(length)
            if length > FUNCTION_LINES and not excused(above):
                findings.append(
                    f"{path}:{number}: a function of {length} lines: split it, or say above it that it "
                    "is a dispatch loop or a flat switch"
                )
    if lengths:
        lengths.sort()
        median, p90 = lengths[len(lengths) // 2], lengths[len(lengths) * 9 // 10]
        print(f"functions of src/: {len(lengths)}, median {median}, p90 {p90}, longest {lengths[-1]} lines")
        if p90 > P90_LINES and len(lengths) >= ENOUGH:
            findings.append(f"one function in ten of src/ has more than {P90_LINES} lines (aim for 45)")
    tree.finish(findings, checked, "files")


main(sys.argv[1])
