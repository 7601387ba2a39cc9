"""Refuses calls that are unsafe, or that belong to one room, with the reason beside each list."""

import re
import sys

import tree

C_FOLDERS = ("src", "include", "examples", "tests", "fuzz", "bench")
CODE = ("src", "include")

# (functions, where the rule holds, where it does not, why)
RULES = [
    (
        "strcpy strcat stpcpy sprintf vsprintf gets strncpy strncat",
        C_FOLDERS,
        (),
        "writes without a bound, or leaves no NUL: use lg_buf or snprintf",
    ),
    ("strtok atoi atol atoll atof", C_FOLDERS, (), "hides state or errors: use the lg_str parsers"),
    ("gmtime localtime ctime asctime", C_FOLDERS, (), "returns a pointer to shared memory"),
    ("alloca rand srand system popen setlocale mktemp tmpnam", C_FOLDERS, (), "unsafe with hostile input"),
    (
        "malloc calloc realloc reallocarray free strdup strndup aligned_alloc posix_memalign",
        CODE,
        ("src/base/",),
        "memory is allocated in src/base alone: take an arena",
    ),
    (
        "printf fprintf vprintf vfprintf puts fputs putchar fputc perror exit _exit quick_exit",
        CODE,
        ("src/cli/", "src/base/"),
        "only src/cli prints and exits: return an lg_status",
    ),
    (
        "printf vprintf puts putchar perror exit _exit quick_exit",
        ("src/base",),
        (),
        "only src/cli prints and exits: return an lg_status",
    ),
    ("abort", CODE, ("src/cli/", "src/base/"), "input never aborts: LG_ASSERT is for our own mistakes"),
    (
        "time clock clock_gettime gettimeofday random getrandom getenv",
        CODE,
        # A session reads the wall clock where its host sets no time and its pack no clock; a loop sleeps by the
        # monotonic one.
        ("src/cli/", "src/base/", "src/session/events.c", "src/net/loop.c"),
        "clock, chance and environment come in as arguments, so that tests can fix them",
    ),
]


def main(root):
    findings, checked = [], 0
    compiled = [
        (re.compile(r"(?<![\w.>])(" + "|".join(names.split()) + r")\s*\("), where, spared, why)
        for names, where, spared, why in RULES
    ]
    for path in tree.files(root, (".c", ".h"), C_FOLDERS):
        checked += 1
        code = tree.code_only(tree.read(root, path))
        for pattern, where, spared, why in compiled:
            if not path.startswith(tuple(w + "/" for w in where)) or path.startswith(tuple(spared)):
                continue
            for match in pattern.finditer(code):
                findings.append(f"{path}:{tree.line_of(code, match.start())}: {match.group(1)}(): {why}")
    tree.finish(findings, checked, "files")


main(sys.argv[1])
