"""Tools as Hoare triples, and the derivation of calls at a state, as in appendix G.6 of ToolGate.

What is wrong with effects is not proved, but seen when a call is made: each defect here is a patch
of the example, and the derivation says at which line the step stops being safe.
"""

import json
import os

import _run
from _run import SOURCE, check

EXAMPLE = os.path.join(SOURCE, "examples", "repository")
STATE = os.path.join(EXAMPLE, "state.json")
CALLS = os.path.join(EXAMPLE, "calls.jsonl")


def source():
    with open(os.path.join(EXAMPLE, "pack.yaml"), encoding="utf-8") as file:
        return file.read()


def explain(folder, *args):
    return folder.run("prove", "--explain", *args)


# Lines that appear in this order.
DERIVATION = [
    "{P} create_file {Q}",
    "repository_cwd_known",
    "ledger.fs[ledger.cwd] is known, and not stale",
    "right_path: result.path == below(ledger.cwd, args.name)",
    "fs[path] := {'path': path, 'parent': state.cwd, 'kind': 'file', 'text': args.text}",
    "σ |= P    σ |= I    r = create_file(σ)    (σ, r) |= Q",
    "U(σ, r) |= I",
    "At ",
    '6  create_file{"name":"util.c","text":"// Useful things.\\n"}',
    'σ   ledger.cwd                         "/src"',
    "P   repository_cwd_known               holds",
    "P   repository_target_is_new           holds",
    'r   {"path":"/src/util.c","parent":"/src","kind":"file","text":"// Useful things.\\n"}',
    "Q   right_path                         holds",
    'U   state.fs["/src/util.c"]: (absent) -> ',
    "σ'  repository_cwd_is_directory        holds",
    "so  σ' = U(σ, r) is well-formed, and an extension of σ (eq. 24)",
    "7  make_directory",
    "so  P does not hold: the call is not made, and σ' = σ",
    "11 calls made, 1 not made; every step was safe, and every state well-formed (eq. 20)",
]


def derivation(folder):
    code, out, err = explain(folder, EXAMPLE, "--tool", "create_file", "--state", STATE, "--calls", CALLS)
    check(code == 0, "the example is safe: exit code 0", err)
    at = 0
    for line in DERIVATION:
        found = out.find(line, at)
        check(found >= 0, f"the derivation has, in its place: {line}", out[at:])
        at = found + len(line) if found >= 0 else at
    check("eq. 15" in out and "proved" in out, "what is not proved is called so", out)


def triples(folder):
    code, out, err = explain(folder, EXAMPLE)
    check(code == 0, "without a state: exit code 0", err)
    for tool in ("working_directory", "read_entry", "list_directory", "change_directory", "make_directory",
                 "create_file", "remove_entry"):
        check(f"{{P}} {tool} {{Q}}" in out, f"{tool} has a triple", out)
    check("At " not in out, "without a state there is no derivation", out)


NOT_EMPTY = (
    '      - fail: "{args.path}: directory not empty"\n'
    '        when: "state.fs.exists(p, p != args.path && state.fs[p].parent == args.path)"\n'
)


def call(tool, **arguments):
    words = ", ".join(f'"{key}": "{value}"' for key, value in arguments.items())
    return f'{{"name": "{tool}", "arguments": {{{words}}}}}\n'


SEEN = call("working_directory") + call("read_entry", path="/") + call("list_directory", path="/")

# (what it is, what is replaced, by what, calls, the line that says so)
DEFECTS = [
    ("a directory is removed with files in it", NOT_EMPTY, "",
     SEEN + call("read_entry", path="/src") + call("remove_entry", path="/src"),
     "σ'  repository_parent_is_directory     does not hold"),
    ("one goes into a file", "    that: ledger.fs[args.path].kind == 'directory'\n",
     "    that: ledger.fs[args.path].kind in ['directory', 'file']\n",
     call("read_entry", path="/README.md") + call("change_directory", path="/README.md"),
     "σ'  repository_cwd_is_directory        does not hold"),
    ("a left directory counts as the working directory", "stale: reread", "stale: use",
     call("working_directory") + call("read_entry", path="/src") + call("change_directory", path="/src")
     + call("read_entry", path="/src/main.c") + call("remove_entry", path="/src/main.c") + call("remove_entry", path="/src"),
     "σ'  repository_cwd_is_directory        does not hold"),
    ("an effect puts the entry under another path", "to: \"{'path': path, 'parent': state.cwd, 'kind': 'file'",
     "to: \"{'path': args.name, 'parent': state.cwd, 'kind': 'file'", SEEN + call("create_file", name="a", text=""),
     "σ'  repository_fs_by_path              does not hold"),
    ("an effect makes a file of a directory", "'kind': 'directory'}\"", "'kind': 'file'}\"",
     SEEN + call("make_directory", name="a"), "Q   is_directory                       does not hold"),
    ("an effect is in the wrong place", "'parent': state.cwd, 'kind': 'file'", "'parent': path, 'kind': 'file'",
     SEEN + call("create_file", name="a", text=""), "Q   right_place                        does not hold"),
    ("an effect is missing", "      - {set: cwd, to: args.path}\n", "      - {set: cwd, to: state.cwd}\n",
     call("read_entry", path="/src") + call("change_directory", path="/src"), "Q   is_there                           does not hold"),
    ("a read gives another entry", "    gives: state.fs[args.path]\n", "    gives: state.fs[state.fs[args.path].parent]\n",
     call("read_entry", path="/src"), "Q   right_path                         does not hold"),
]


def defects(folder):
    for sentence, old, new, calls, line in DEFECTS:
        text = source()
        if not check(old in text, f"{sentence}: the patch fits", old):
            continue
        folder.write("p.yaml", text.replace(old, new, 1))
        folder.write("calls.jsonl", calls)
        code, out, err = explain(folder, "p.yaml", "--tool", "read_entry", "--state", STATE, "--calls", "calls.jsonl")
        check(code == 1, f"{sentence}: exit code 1", f"{code}\n{err}\n{out}")
        check(line in out, f"{sentence}: the derivation names it", out)
        check("not safe" in out and "not every step was safe" in out, f"{sentence}: the step is not safe", out)
        folder.write("p.yaml", text)
        code, out, _ = explain(folder, "p.yaml", "--tool", "read_entry", "--state", STATE, "--calls", "calls.jsonl")
        check(code == 0, f"{sentence}: not so before the patch", out)


def for_programs(folder):
    """--json: a line for the invariants, one a tool, then one for the state, one a call, and the sum."""
    code, out, err = explain(folder, EXAMPLE, "--tool", "create_file", "--state", STATE, "--calls", CALLS, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    check(code == 0 and len(lines) == 3 + 12 + 1, "--json: a line for each", err + out[:300])
    check({c["id"] for c in lines[0]["I"]["state"]} >= {"repository_fs_by_path"}, "--json: the invariants", lines[0])
    tool = lines[1]
    check([r["id"] for r in tool["P"]][0] == "repository_cwd_known" and tool["P"][0]["stale"] == "reread", "--json: P", tool)
    check([c["id"] for c in tool["Q"]["ensures"]][0] == "is_file" and tool["U"]["effects"], "--json: Q and U", tool)
    step = next(line for line in lines if line.get("name") == "create_file")
    of = [item["of"] for item in step["lines"]]
    check(of == sorted(of, key=["σ", "P", "r", "Q", "U", "σ'"].index), "--json: the lines of a step in their order", of)
    change = next(item for item in step["lines"] if item["of"] == "U")
    check(change["id"] == 'state.fs["/src/util.c"]' and change["old"] is None and change["new"]["kind"] == "file", "--json: a change", change)
    check(step["safe"] is True and "extension" in step["so"], "--json: the step is safe", step)
    check(lines[-1] == {"summary": {"made": 11, "not_made": 1, "unsafe": 0}}, "--json: the sum", lines[-1])
    folder.write("p.yaml", source().replace("'kind': 'directory'}\"", "'kind': 'file'}\"", 1))
    folder.write("calls.jsonl", SEEN + call("make_directory", name="a"))
    code, out, err = explain(folder, "p.yaml", "--state", STATE, "--calls", "calls.jsonl", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    check(code == 1 and lines[-1]["summary"]["unsafe"] == 1 and lines[-2]["safe"] is False, "--json: a step that is not", lines[-2:])


def mistakes(folder):
    for sentence, args, message in (
        ("a state without calls", ("--explain", EXAMPLE, "--state", STATE), "a derivation needs both --state and --calls"),
        ("calls without a state", ("--explain", EXAMPLE, "--calls", CALLS), "a derivation needs both --state and --calls"),
        ("calls without --explain", (EXAMPLE, "--state", STATE, "--calls", CALLS), "--state and --calls are for a derivation: they need --explain"),
        ("SARIF of a tool", ("--explain", EXAMPLE, "--sarif"), "--explain shows tools, not claims: not with --sarif or --only"),
    ):
        folder.refuses(sentence, ("prove", *args), "ledgergate prove: " + message)


def main():
    with _run.Folder() as folder:
        for test in (derivation, triples, defects, for_programs, mistakes):
            test(folder)
        folder.refuses("a state that is not there",
                       ("prove", "--explain", EXAMPLE, "--state", "none.json", "--calls", CALLS),
                       "ledgergate: cannot read none.json: No such file or directory")
    _run.done()


main()
