"""Small things that a reader should never meet: stray blanks, unfinished notes, private words."""

import re
import sys

import tree

TEXT = (".c", ".h", ".py", ".sh", ".cmake", ".md", ".txt", ".yaml", ".yml", "Makefile", "run")
# Test inputs may hold anything: that is what they are for.
INPUTS = ("fuzz/seeds/", "tests/golden/", "tests/conformance/data/", "tests/unit/data/")

RULES = [
    (re.compile(r"[ \t]+$", re.M), "blanks at the end of the line", TEXT),
    (re.compile(r"\t"), "a tab", tuple(s for s in TEXT if s != "Makefile")),
    (re.compile(r"\r"), "a carriage return", TEXT),
    (re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b"), "an unfinished note", TEXT),
    (re.compile(r"^(<{7}|>{7}) ", re.M), "a conflict mark", TEXT),
]
# Words of one machine or one registry have no meaning for a reader of the project. The strings are
# broken up so that this file does not find itself.
PRIVATE = re.compile(
    r"/wo" r"rk/|/tmp/" r"bash|registry\.np" r"mjs|pypi\.o" r"rg|proxy\.gol" r"ang|crates\.i" r"o\b"
)


def main(root):
    findings, checked = [], 0
    for path in tree.files(root, ("",)):
        text = tree.read(root, path)
        for match in PRIVATE.finditer(text):
            findings.append(f"{path}:{tree.line_of(text, match.start())}: a word of one machine: {match.group()}")
        if path.startswith(INPUTS) or not path.endswith(TEXT):
            continue
        checked += 1
        for pattern, what, suffixes in RULES:
            if path.endswith(suffixes):
                for match in pattern.finditer(text):
                    findings.append(f"{path}:{tree.line_of(text, match.start())}: {what}")
        if text and (not text.endswith("\n") or text.endswith("\n\n")):
            findings.append(f"{path}: the file should end in exactly one newline")
    tree.finish(findings, checked, "files")


main(sys.argv[1])
