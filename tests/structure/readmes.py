"""Every room has a README of 10 to 40 lines that names each of its files, so that one can begin there.

A file is named as `name.c`, `name.h` or `name.{h,c}`, and whatever a README, CONTRIBUTING.md or
docs/architecture.md names as a file is there: beside it, in its room, in src/, or in the project. `<x>` stands for
any name. A folder of a room has a shorter README, and the room's names the folder. Two READMEs that say how to
add the same kind of thing name each other. The table of docs/architecture.md has a row for each room of src/, with
the rooms it uses as rooms.txt has them.
"""

import fnmatch
import glob
import os
import re
import sys

import layering
import tree

ROOM_LINES = (10, 40)
FOLDER_LINES = (5, 20)
TABLE = "docs/architecture.md"
TOKEN = re.compile(r"`([^`\s]+)`")
FILE = re.compile(r"[\w<>*{},/.-]*[\w>*}]\.(?:c|h|\{h,c\}|py|md|txt|yaml|json)")
ROW = re.compile(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", re.M)
KIND = re.compile(r"\b[Aa] (kind of \w+)[:,]")


def has_code(folder):
    return os.path.isdir(folder) and any(n.endswith((".c", ".h")) for n in os.listdir(folder))


def pattern_of(token):
    """`name.{h,c}` and `<x>.c` as a pattern of file names."""
    return re.sub(r"<[^>]*>", "*", token).replace("{h,c}", "[hc]")


def absent(root, path, text):
    """Names of files that `text`, which stands at `path`, gives and that are nowhere."""
    folder = os.path.dirname(path)
    places = (folder, "/".join(folder.split("/")[:2]), "src", "", "include")
    for token in sorted(set(TOKEN.findall(text))):
        if not FILE.fullmatch(token):
            continue
        if not any(glob.glob(os.path.join(root, place, pattern_of(token))) for place in places):
            yield f"{path}: there is no `{token}`"


def unnamed(folder, text):
    """The files of the room that no token names; either of a pair stands for both."""
    tokens = [pattern_of(token) for token in TOKEN.findall(text) if FILE.fullmatch(token)]
    for name in sorted(os.listdir(folder)):
        stem, suffix = os.path.splitext(name)
        if suffix in (".c", ".h") and not any(
            fnmatch.fnmatch(stem + other, token) for token in tokens for other in (".c", ".h")
        ):
            yield name


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
    folder = os.path.join(root, path)
    findings += [f"{readme}: does not mention `{name}`" for name in unnamed(folder, text)]
    findings += absent(root, readme, text)
    for name in sorted(os.listdir(folder)):
        if has_code(os.path.join(folder, name)) and f"`{name}/`" not in text:
            findings.append(f"{readme}: does not mention the folder `{name}/`")
    return findings


def check_kinds(root, readmes):
    """How to add a kind of thing may stand in two rooms, if each says so."""
    texts = {path: tree.read(root, path) for path in readmes if os.path.exists(os.path.join(root, path))}
    for path, text in texts.items():
        for other, theirs in texts.items():
            shared = set(KIND.findall(text)) & set(KIND.findall(theirs))
            if other != path and shared and other.removeprefix("src/") not in text:
                yield f"{path}: does not mention `{other}`, which tells of a {sorted(shared)[0]}, too"


def check_table(root, rooms):
    if not os.path.exists(os.path.join(root, TABLE)):
        return [f"{TABLE}: there is none"]
    wanted, _ = layering.read_rooms(tree.read(root, "tests/structure/rooms.txt"))
    rows = {name: set(re.findall(r"\w+", uses)) for name, uses in ROW.findall(tree.read(root, TABLE))}
    findings = [f"{TABLE}: no row for `{room}`" for room in rooms if room not in rows]
    for room, uses in rows.items():
        if room not in rooms:
            findings.append(f"{TABLE}: `{room}` is no room of src/")
        elif uses != {"all"} and uses != set(wanted.get(room, ((), ()))[0]):
            findings.append(f"{TABLE}: `{room}` uses other rooms than rooms.txt says")
    return findings


def main(root):
    findings, readmes, rooms = [], [], []
    for room in sorted(os.listdir(os.path.join(root, "src"))):
        path = f"src/{room}"
        if not os.path.isdir(os.path.join(root, path)):
            continue
        names = sorted(os.listdir(os.path.join(root, path)))
        folders = [f"{path}/{name}" for name in names if has_code(os.path.join(root, path, name))]
        if not folders and not has_code(os.path.join(root, path)):
            continue
        rooms.append(room)
        readmes += [f"{folder}/README.md" for folder in (path, *folders)]
        findings += check(root, path, ROOM_LINES)
        for folder in folders:
            findings += check(root, folder, FOLDER_LINES)
    findings += check_kinds(root, readmes)
    findings += check_table(root, rooms)
    for path in ("CONTRIBUTING.md", TABLE):
        if os.path.exists(os.path.join(root, path)):
            findings += absent(root, path, tree.read(root, path))
    tree.finish(findings, len(readmes), "rooms and folders")


if __name__ == "__main__":
    main(sys.argv[1])
