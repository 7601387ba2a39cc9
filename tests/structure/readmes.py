"""Every room has a README of 10 to 30 lines that names each of its files, so that one can begin there."""

import os
import sys

import tree


def main(root):
    findings, checked = [], 0
    for room in sorted(os.listdir(os.path.join(root, "src"))):
        folder = os.path.join(root, "src", room)
        if not os.path.isdir(folder) or not any(n.endswith((".c", ".h")) for n in os.listdir(folder)):
            continue
        checked += 1
        readme = f"src/{room}/README.md"
        if not os.path.exists(os.path.join(root, readme)):
            findings.append(f"{readme}: there is none")
            continue
        text = tree.read(root, readme)
        count = len(text.splitlines())
        if not 10 <= count <= 40:
            findings.append(f"{readme}: {count} lines; 10 to 30 tell what a newcomer needs")
        # `lex.h`, `lex.c` and `lex.{h,c}` all name the pair; its stem is enough.
        for name in sorted(os.listdir(folder)):
            stem, suffix = os.path.splitext(name)
            if suffix in (".c", ".h") and stem not in text:
                findings.append(f"{readme}: does not mention {name}")
    tree.finish(findings, checked, "rooms")


main(sys.argv[1])
