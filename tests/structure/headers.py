"""Compiles each header alone: one that needs another included first is a trap for its next user.

Usage: headers.py ROOT COMPILER [--public] [FLAG...]; with --public only include/. Also looks for
the guard and for the opening line `// name.h: what it is`, since a header is a short essay.
"""

import os
import subprocess
import sys

import tree


def compile_alone(root, header, command, public):
    """Returns the compiler's complaint about a file that includes this header and nothing else."""
    name = header.split("/", 1)[1]
    source = f"#include <{name}>\n" if header.startswith("include/") else f'#include "{name}"\n'
    source += "extern int lg_not_empty;\n"
    language = [] if "-x" in command else ["-x", "c"]
    paths = ["-I", "include"] + ([] if public else ["-I", "src"])
    run = subprocess.run(
        [*command, *language, "-fsyntax-only", *paths, "-"],
        input=source, cwd=root, capture_output=True, text=True,
    )
    return run.stderr.strip() if run.returncode else None


def main(root, command):
    public = "--public" in command
    command = [word for word in command if word != "--public"]
    findings, checked = [], 0
    for header in tree.files(root, (".h",), ("include",) if public else ("include", "src")):
        checked += 1
        text = tree.read(root, header)
        if not text.startswith(f"// {os.path.basename(header)}: "):
            findings.append(f"{header}:1: does not open with `// {os.path.basename(header)}: what it is`")
        if "#ifndef L" not in text:
            findings.append(f"{header}: has no include guard LG_... or LEDGERGATE_...")
        complaint = compile_alone(root, header, command, public)
        if complaint:
            findings.append(f"{header}: does not compile alone:\n{complaint}")
    tree.finish(findings, checked, "headers")


main(sys.argv[1], sys.argv[2:])
