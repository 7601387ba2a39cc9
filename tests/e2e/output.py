"""Output: exit codes of verdicts, the same bytes twice, JSON lines, full disks, closed pipes."""

import json
import os

import _run
from _run import CONVERSATION, RETAIL, SOURCE, check

AIRLINE = os.path.join(SOURCE, "packs", "airline")
CANCEL = os.path.join(SOURCE, "examples", "conversations", "airline-cancel-blocked.json")
FULL = "/dev/full"
UNWRITTEN = "ledgergate: the output could not be written in full\n"

EVERY_OUTPUT = [
    ("--help",),
    ("--version",),
    ("check", "--help"),
    ("show", "--help"),
    ("replay", "--help"),
    ("check", RETAIL),
    ("check", RETAIL, "--json"),
    ("show", RETAIL),
    ("show", RETAIL, "--json"),
    ("show", CONVERSATION),
    ("show", CONVERSATION, "--events", "--json"),
    ("replay", "--pack", RETAIL, CONVERSATION),
    ("replay", "--pack", RETAIL, CONVERSATION, "--json"),
    ("replay", "--pack", RETAIL, CONVERSATION, "--quiet"),
    ("replay", "--pack", RETAIL, CONVERSATION, "--reads", "--ledger"),
]


def verdicts_give_exit_codes(folder):
    for pack, recording, name, count in ((RETAIL, CONVERSATION, "revise", 1), (AIRLINE, CANCEL, "block", 1)):
        code, out, err = folder.run("replay", "--pack", pack, recording, "--json")
        check(code == 1, f"{recording}: refusals give exit code 1", f"{code}\n{err}")
        lines = [json.loads(line) for line in out.splitlines()]
        summary = lines[-1].get("summary", {})
        judged = [line for line in lines if "decision" in line]
        decisions = [line["decision"] for line in judged]
        check(summary.get(name) == count, f"{recording}: {count} calls get {name}", summary)
        check(summary.get("calls", 0) > 0 and summary.get("pack_errors") == 0, f"{recording}: its sum", summary)
        check(all(d.get("decided_by") == "rules" for d in judged), f"{recording}: decided by rules", judged)
        check(
            all(d["message"] and d["findings"] and d["evidence"] for d in decisions if d["verdict"] != "allow"),
            f"{recording}: every refusal has words, findings and evidence", decisions,
        )
    # Without the refused calls nothing is left to find.
    with open(CONVERSATION, encoding="utf-8") as file:
        messages = json.load(file)["messages"]
    folder.write("talk.json", json.dumps({"messages": [m for m in messages if m["role"] in ("system", "user")]}))
    code, _, err = folder.run("replay", "--pack", RETAIL, "talk.json")
    check(code == 0, "a conversation without calls gives exit code 0", f"{code}\n{err}")


def the_same_input_gives_the_same_bytes(folder):
    for args in EVERY_OUTPUT:
        first = folder.run(*args)
        second = folder.run(*args)
        check(first == second and first[1] != "", f"{args}: twice the same bytes", first[1][:200])
    examples = os.path.join(SOURCE, "examples", "conversations")
    first = folder.run("replay", "--pack", RETAIL, examples, "--json")
    second = folder.run("replay", "--pack", RETAIL, examples, "--json")
    check(first == second and first[1].count("\n") > 2, "a folder gives the same bytes twice", first[1][:200])


def json_is_json(folder):
    for args in EVERY_OUTPUT:
        if "--json" in args:
            _, out, _ = folder.run(*args)
            check(out.endswith("\n") and not out.endswith("\n\n"), f"{args}: ends in one line end", out[-20:])
            for line in out.splitlines():
                try:
                    ok = isinstance(json.loads(line), dict)
                except ValueError:
                    ok = False
                check(ok, f"{args}: every line is one object", line)
            check("\x1b" not in out, f"{args}: no colours", out)


def a_full_disk_is_told(folder):
    if not os.path.exists(FULL):
        print("skipped: output to a full disk (no /dev/full)")
        return
    for args in EVERY_OUTPUT:
        with open(FULL, "wb") as full:
            code, err = folder.run_into(full, *args)
        check(code == 3 and err.endswith(UNWRITTEN), f"{args}: a full disk gives exit code 3", f"{code}\n{err}")


def a_closed_pipe_ends_it(folder):
    """By the signal, as everywhere; where the host ignores that, as output that was not written."""
    for args in EVERY_OUTPUT:
        for ignored in (False, True):
            reader, writer = os.pipe()
            os.close(reader)
            code, err = folder.run_into(writer, *args, ignore_pipe=ignored)
            os.close(writer)
            ok = code == 3 and err.endswith(UNWRITTEN) if ignored else _run.killed_by_pipe(code)
            check(ok, f"{args}: a closed pipe ends it (signal ignored: {ignored})", f"{code}\n{err}")


def commands_for_the_terminal_are_not_passed_on(folder):
    text = "\x1b[2J\x07\x9b31m\x7f red"
    call = {"id": "1", "function": {"name": f"cancel{text}", "arguments": json.dumps({"a": text})}}
    messages = [{"role": "user", "content": text}, {"role": "assistant", "tool_calls": [call]}]
    folder.write("escape.json", json.dumps({"messages": messages}))
    for code_wanted, args in (
        (0, ("show", "--events", "escape.json")),
        (1, ("replay", "--pack", RETAIL, "--reads", "escape.json")),
        (1, ("replay", "--pack", RETAIL, "--ledger", "escape.json")),
    ):
        code, out, err = folder.run(*args)
        check(code == code_wanted, f"{args}: exit code {code_wanted}", f"{code}\n{err}")
        check(not any(c in out for c in "\x1b\x07\x9b\x7f"), f"{args}: no control characters", repr(out))
    _, out, _ = folder.run("show", "--events", "escape.json")
    check("?[2J??31m? red" in out, "the rest of the text is shown", repr(out))
    _, out, _ = folder.run("replay", "--pack", RETAIL, "--json", "escape.json")
    line = json.loads(out.splitlines()[0])
    check((line["tool"], line["args"]) == (f"cancel{text}", {"a": text}), "JSON keeps every character", out)


with _run.Folder() as temporary:
    for test in (
        verdicts_give_exit_codes,
        the_same_input_gives_the_same_bytes,
        json_is_json,
        a_full_disk_is_told,
        a_closed_pipe_ends_it,
        commands_for_the_terminal_are_not_passed_on,
    ):
        test(temporary)
_run.done()
