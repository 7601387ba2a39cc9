"""Finds functions that nothing in src/ calls: code that only tests use is tested for nobody's sake.

A function that a header of src/ declares, and a file defines, has to be named a third time under src/, or
be part of the public API (include/). What only tests call belongs to tests/support. And what a header
declares, some file but its own has to name: else it is static.
"""

import re
import sys
from collections import Counter

import tree

DEFINITION = re.compile(r"^[A-Za-z_][\w *()]*?\b([a-z_]\w*)\([^;{}]*\)\s*\n\{", re.M)
WORD = re.compile(r"[A-Za-z_]\w*")
STATIC = re.compile(r"^#\s*define\s+(\w+)\s+(?:\w+ )*static\b", re.M)  # `INLINE bool f(void)`
PASTED = re.compile(r"\b([A-Za-z_]\w*)##")  # `lg_cel_fn_##name` names them all

# What tests and benchmarks alone call, and why it stands in src/ all the same.
TOLD = {
    "lg_llm_submit": "who acts on one reply while others are awaited is to come",
    "lg_alloc_fail_at": "makes an allocation fail: it has to be where memory is allocated",
    "lg_alloc_count": "counts what only the allocator sees",
    "lg_cel_env_declare_function": "the CEL suite has functions of its own",
    "lg_cel_env_set_container": "the CEL suite resolves names in containers",
    "lg_cel_env_set_unchecked": "the CEL suite evaluates what was not checked",
    "lg_cel_make_map": "the CEL suite binds maps with keys that JSON has not",
    "lg_json_doc_free": "a value that owns its text, as tests hold it: src/ parses into arenas",
    "lg_json_parse": "likewise",
    "lg_json_root": "likewise",
    "lg_origin_fork": "what a gate and a page will ask of a room that the audit uses today",
    "lg_origin_is_whole": "likewise",
    "lg_origin_kind_name": "likewise",
    "lg_origin_operation_name": "likewise",
    "lg_origin_pointer": "likewise",
    "lg_origin_verdict_name": "likewise",
    "lg_mock_answer": "a request without sockets, for the fuzz target and the tests of faces",
    "lg_executor_of_session": "whoever acts on tools of any kind, rehearsed or real, is to come",
    "lg_ledger_observe": "a call and its answer at once, for tests of the ledger without a session",
}


def main(root):
    code = {p: tree.code_only(tree.read(root, p)) for p in tree.files(root, (".c", ".h"), ("src", "include"))}
    named, public, pasted, static = Counter(), set(), set(), {"static"}
    files = Counter()  # that name it, but headers
    for path in tree.files(root, (".c", ".h"), ("tests", "fuzz", "bench", "examples")):
        files.update(set(WORD.findall(tree.code_only(tree.read(root, path)))))
    for path, text in code.items():
        pasted.update(PASTED.findall(text))
        static.update(STATIC.findall(text))
        if path.startswith("include/"):
            public.update(WORD.findall(text))
        else:
            named.update(WORD.findall(text))
        if path.endswith(".c"):
            files.update(set(WORD.findall(text)))
        elif path.startswith("src/"):
            files.update(word for word, times in Counter(WORD.findall(text)).items() if times > 1)
    findings, checked = [], 0
    for path, text in code.items():
        if not path.startswith("src/") or not path.endswith(".c"):
            continue
        for match in DEFINITION.finditer(text):
            name = match.group(1)
            if static.intersection(WORD.findall(match.group()[: match.group().index("(")])):
                continue  # the compiler sees to those
            checked += 1
            called = named[name] > 2 or name in public or name == "main" or name.startswith(tuple(pasted))
            line = tree.line_of(text, match.start())
            if not called and name not in TOLD:
                findings.append(f"{path}:{line}: {name}() is called by nothing in src/")
            elif called and files[name] == 1 and name not in public and not name.startswith(("main", *pasted)):
                findings.append(f"{path}:{line}: {name}() is called by this file alone: make it static")
            if called and name in TOLD:
                findings.append(f"{path}:{line}: {name}() is called: take it from the list in unused.py")
    tree.finish(findings, checked, "functions")


main(sys.argv[1])
