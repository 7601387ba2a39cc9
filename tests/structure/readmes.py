"""Every room has a README of 10 to 40 lines that names each of its files, so that one can begin there.

A folder of a room has a shorter one, and the room's names the folder.
"""

import os
import sys

import tree

ROOM_LINES = (10, 40)
FOLDER_LINES = (5, 20)


def has_code(folder):
    return os.path.isdir(folder) and any(n.endswith((".c", ".h")) for n in os.listdir(folder))


def check(root, path, lines):
    """Returns what is wrong with the README of the folder `path`."""
    readme = f"{path}/README.md"
    if not os.path.exists(os.path.join(root, readme)):
        return [f"{readme}: there is none"]
    findings = []
    text = tree.read(root, readme)
    count = len(text.splitlines())
    if not lines[0] <= count <= lines[1]:
        findings.append(f"{readme}: {count} lines; {lines[0]} to {lines[1]} tell what a newcomer needs")
    for name in sorted(os.listdir(os.path.join(root, path))):
        # `lex.h`, `lex.c` and `lex.{h,c}` all name the pair; its stem is enough.
        stem, suffix = os.path.splitext(name)
        if suffix in (".c", ".h") and stem not in text:
            findings.append(f"{readme}: does not mention {name}")
        if has_code(os.path.join(root, path, name)) and f"`{name}/`" not in text:
            findings.append(f"{readme}: does not mention the folder `{name}/`")
    return findings


def main(root):
    findings, checked = [], 0
    for room in sorted(os.listdir(os.path.join(root, "src"))):
        path = f"src/{room}"
        folders = [
            f"{path}/{name}"
            for name in sorted(os.listdir(os.path.join(root, path)) if os.path.isdir(os.path.join(root, path)) else [])
            if has_code(os.path.join(root, path, name))
        ]
        if not folders and not has_code(os.path.join(root, path)):
            continue
        checked += 1 + len(folders)
        findings += check(root, path, ROOM_LINES)
        for folder in folders:
            findings += check(root, folder, FOLDER_LINES)
    tree.finish(findings, checked, "rooms and folders")


main(sys.argv[1])
