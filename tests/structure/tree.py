"""What the structure checks share: finding files, blanking comments, reporting.

Every check works on the files as they lie there, not on what git knows, so that a new file is
checked before it is committed. Build folders and version control are passed over.
"""

import os
import re
import sys

SKIP_FOLDERS = {".git", "__pycache__", "build"}  # in a worktree .git is a file


def files(root, suffixes, folders=("",)):
    """Yields the path of every file below root/folder that ends in one of `suffixes`, sorted."""
    for folder in folders:
        for path, names, found in os.walk(os.path.join(root, folder)):
            names[:] = sorted(n for n in names if n not in SKIP_FOLDERS and not n.startswith("build-"))
            for name in sorted(found):
                if name not in SKIP_FOLDERS and name.endswith(tuple(suffixes)):
                    yield os.path.relpath(os.path.join(path, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


# A comment, a string or a character; the first alternative that starts earliest wins, so a quote
# in a comment and a slash in a string are both taken for what they are.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def code_only(text):
    """Blanks comments and the insides of strings, and keeps every line and column in place."""

    def blank(match):
        token = match.group()
        inner = re.sub(r"[^\n]", " ", token[1:-1])
        if token[0] in "\"'":
            return token[0] + inner + token[-1]
        return " " + inner + " "

    return TOKEN.sub(blank, text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def finish(findings, checked, what):
    """Prints the findings and ends the program. Having looked at nothing is a finding too."""
    for finding in findings:
        print(finding)
    if checked == 0:
        print(f"no {what} were found to check: is the source folder right?")
    print(f"{checked} {what}, {len(findings)} findings")
    sys.exit(1 if findings or checked == 0 else 0)
