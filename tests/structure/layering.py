"""Compares every #include with the room table, because an arrow that points up is how rooms rot.

Also: a room's `*_internal.h` is for that room and its tests, the headers in a folder of a room are for
that folder, examples see the public API alone, no header includes itself through others, no room reaches
what it is never to use, and src/CMakeLists.txt links what the table says.
"""

import re
import sys

import tree

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)

# The headers of C, POSIX and the compiler that need no permission. Everything else is a third-party library.
SYSTEM = set(
    """assert.h ctype.h errno.h float.h inttypes.h limits.h locale.h malloc.h math.h setjmp.h signal.h
    stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h
    string.h threads.h time.h dirent.h elf.h fcntl.h getopt.h link.h poll.h pthread.h strings.h unistd.h
    sys/mman.h sys/resource.h sys/stat.h sys/time.h sys/types.h sys/uio.h sys/wait.h
    emmintrin.h immintrin.h arm_neon.h sanitizer/asan_interface.h""".split()
)
NETWORK = set(
    """arpa/inet.h netdb.h netinet/in.h netinet/tcp.h sys/epoll.h sys/eventfd.h sys/signalfd.h
    sys/socket.h sys/un.h""".split()
)
ORACLE = "jansson.h"  # what we compare ourselves with; never in the product


def read_rooms(text):
    """Returns {room: (rooms used directly, third-party headers)} in the order of the file, and the
    lines `never`: (rooms, what they must not reach)."""
    rooms, never = {}, []
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, rest = (part.strip() for part in line.split(":"))
        uses, headers = (part.split() for part in rest.split("|"))
        if name == "never":
            never.append((uses, headers))
            continue
        uses = list(rooms) if uses == ["*"] else uses
        for used in uses:
            if used not in rooms:
                sys.exit(f"rooms.txt: `{name}` uses `{used}`, which does not stand above it")
        rooms[name] = (uses, set(headers))
    return rooms, never


def reachable(rooms, name):
    seen = {name}
    for used in rooms[name][0]:
        seen |= reachable(rooms, used)
    return seen


def forbidden(rooms, never):
    """Yields what is wrong with the table: a room that reaches, through whatever others, what a line
    `never` keeps from it."""
    for users, kept in never:
        for name in users + kept:
            if name not in rooms:
                yield f"rooms.txt: `never` speaks of `{name}`, which is no room"
        for name in users:
            for used in sorted(reachable(rooms, name) & set(kept)) if name in rooms else ():
                yield f"rooms.txt: `{name}` reaches `{used}`, which it is never to use"


def complaint_in_room(rooms, folder, bracket, target):
    """Returns why a file of `folder` (room, or room/folder) may not include `target`, or None."""
    room = folder.split("/")[0]
    if bracket == '"':
        other = target.split("/")[0]
        if "/" not in target or other not in rooms:
            return f'"{target}" names no room: write "room/header.h"'
        if other not in reachable(rooms, room):
            return f"`{room}` may not use `{other}`"
        if target.endswith("_internal.h") and other != room:
            return f"{target} is for files of `{other}` only"
        inside = target.rsplit("/", 1)[0]
        if inside != other and inside != folder:
            return f"{target} is for files of src/{inside} only: what others need stands in src/{other}"
        return None
    known = target in SYSTEM or target.startswith("ledgergate/") or target in rooms[room][1]
    if not known and not (target in NETWORK and room == "net"):
        return f"<{target}> is not for `{room}`"
    return None


def complaint_outside(path, bracket, target):
    """The same for public headers, examples, tests, fuzz targets and benchmarks."""
    top = path.split("/")[0]
    if top in ("include", "examples"):
        if bracket == '"' or not (target in SYSTEM or target.startswith("ledgergate/")):
            return f"{top}/ sees the public API and the standard library alone, not {target}"
    if target == ORACLE and not path.startswith(("tests/oracle/", "fuzz/", "bench/")):
        return f"<{target}> is for tests/oracle, fuzz and bench only"
    if bracket == '"' and target.count("/") > 1:
        return f"{target} is for files of its folder only"
    if bracket == '"' and target.endswith("_internal.h"):
        room = target.split("/")[0]
        own = (f"tests/unit/{room}/", f"tests/conformance/{room}_", f"tests/support/{room}_", "fuzz/")
        if not path.startswith(own):
            return f"{target} is for files and tests of its room only"
    return None


def cycles(graph):
    """Yields each chain of headers that includes itself."""
    done = set()

    def visit(path, chain):
        if path in chain:
            yield chain[chain.index(path) :] + [path]
        elif path not in done:
            for target in graph.get(path, ()):
                yield from visit(target, chain + [path])
            done.add(path)

    for path in graph:
        yield from visit(path, [])


def linked(text):
    """Returns {room: rooms used} as src/CMakeLists.txt has it."""
    found = {}
    for name, arguments in re.findall(r"^lg_room\((\w+)([^)]*)\)", text, re.M):
        uses = re.search(r"USES((?: \w+)*?)(?= LIBRARIES|$)", " ".join(arguments.split()))
        found[name] = uses.group(1).split() if uses else []
    return found


def main(root):
    rooms, never = read_rooms(tree.read(root, "tests/structure/rooms.txt"))
    findings, graph, checked = list(forbidden(rooms, never)), {}, 0
    for path in tree.files(root, (".c", ".h"), ("src", "include", "examples", "tests", "fuzz", "bench")):
        checked += 1
        text = tree.read(root, path)
        parts = path.split("/")
        if parts[0] == "src" and (len(parts) not in (3, 4) or parts[1] not in rooms):
            findings.append(f"{path}:1: lies in no room of tests/structure/rooms.txt")
            continue
        for match in INCLUDE.finditer(text):
            bracket, target = match.groups()
            if parts[0] == "src":
                why = complaint_in_room(rooms, "/".join(parts[1:-1]), bracket, target)
            else:
                why = complaint_outside(path, bracket, target)
            if why:
                findings.append(f"{path}:{tree.line_of(text, match.start(2))}: {why}")
            if path.endswith(".h"):
                folder = "include/" if target.startswith("ledgergate/") else "src/"
                graph.setdefault(path, []).append(folder + target)
    findings += ["cycle of headers: " + " -> ".join(chain) for chain in cycles(graph)]
    for name, uses in linked(tree.read(root, "src/CMakeLists.txt")).items():
        if name not in rooms or sorted(uses) != sorted(rooms[name][0]):
            wanted = " ".join(rooms[name][0]) if name in rooms else "(no such room)"
            findings.append(f"src/CMakeLists.txt: `{name}` USES {' '.join(uses)}; the table says {wanted}")
    tree.finish(findings, checked, "files")


if __name__ == "__main__":
    main(sys.argv[1])
