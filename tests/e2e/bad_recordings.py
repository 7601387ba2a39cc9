"""Recordings that are missing, empty, cut, binary, deep, long, huge or of another format."""

import os

import _run
from _run import CONVERSATION, RETAIL, check

DEEP = 10000
STRING_LIMIT = 64 << 20


def replay(name, *options):
    return ("replay", "--pack", RETAIL, *options, name)


def one_message(content):
    return b'{"messages": [{"role": "user", "content": "' + content + b'"}]}'


# (sentence, content, first line of the message after the file's name)
CASES = [
    ("an empty file", "", ":1:1: the file is empty"),
    ("an object that is cut", '{"messages": [', ":1:15: expected a value, found the end of the text"),
    ("a string that is cut", '{"messages": "a', None),
    ("a comma too many", '{"messages": [],}', ":1:17: expected a key in double quotes, found `}`: remove the comma before it"),
    ("text after the value", '{"messages": []} x', None),
    ("binary", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", None),
    ("zeros", b"\x00" * 100, None),
    ("UTF-16", '{"messages": []}'.encode("utf-16"), None),
    ("10,000 lists in each other", "[" * DEEP + "]" * DEEP, ":1:257: nested deeper than the limit of 256 levels (json_depth)"),
    ("10,000 objects in each other", '{"a":' * DEEP + "1" + "}" * DEEP, None),
    ("10,000 lists in a message", '{"messages": ' + "[" * DEEP + "]" * DEEP + "}", None),
    ("10,000 lists that are never closed", "[" * DEEP, None),
    ("NaN", '{"messages": [\n  {"role": "user", "content": "a", "x": NaN}]}', ":2:41: expected a value, found `NaN`: JSON has no such number"),
    ("Infinity", '{"messages": [{"x": Infinity}]}', ":1:21: expected a value, found `Infinity`: JSON has no such number"),
    ("-Infinity", '{"messages": [{"x": -Infinity}]}', ":1:22: expected a digit after `-`, found `Infinity`: JSON has no such number"),
    ("a duplicate key", '{"messages": [],\n "messages": []}', ":2:2: duplicate key `messages`, first at line 1"),
    ("bytes that are no UTF-8", one_message(b"a\xff"), None),
    ("half a surrogate", one_message(b"\\ud800"), None),
    ("a raw line end in a string", one_message(b"a\nb"), None),
    ("a number", "42", ":1:1: not a recording of any known format: a number"),
    ("an empty object", "{}", ":1:1: not a recording of any known format: an object"),
    ("an empty list", "[]", ":1:1: an empty list is no recording"),
    ("a list of numbers", "[1, 2]", None),
    ("a terminal's commands as a key", '{"\x1b[31m": 1}', None),
]


def bad_content(folder):
    for sentence, content, message in CASES:
        folder.write("x.json", content)
        for args in (replay("x.json"), replay("x.json", "--json"), ("show", "x.json")):
            if message:
                folder.refuses(sentence, args, "x.json" + message)
                continue
            code, _, err = folder.run(*args)
            check(code == 2, f"{sentence}: exit code 2", f"got {code}\n{err}")
            parts = err.split(":")
            placed = len(parts) > 3 and parts[0] == "x.json" and parts[1].isdigit() and parts[2].isdigit()
            check(placed, f"{sentence}: the message begins with file, line and column", err)


def every_cut_of_a_recording(folder):
    """However a good recording is cut short, it is refused with a place near the cut."""
    with open(CONVERSATION, "rb") as file:
        whole = file.read().rstrip()
    for length in range(1, len(whole), max(1, len(whole) // 50)):
        folder.write("cut.json", whole[:length])
        code, _, err = folder.run(*replay("cut.json"))
        check(code == 2 and err.startswith("cut.json:"), f"a recording cut after {length} bytes is refused", f"{code}\n{err}")


def sizes(folder):
    folder.write("long.json", one_message(b"x" * (STRING_LIMIT + 1)))
    folder.refuses(
        "a string over its limit", replay("long.json"),
        "long.json:1:43: string longer than the limit of 67108864 bytes (json_string_bytes)",
    )
    huge = os.path.join(folder.path, "huge.json")
    with open(huge, "wb"):
        os.truncate(huge, (1 << 30) + 1)
    for args in (replay("huge.json"), ("show", "huge.json"), ("check", "huge.json")):
        folder.refuses(
            "a file over its limit, without reading it", args,
            "ledgergate: huge.json is larger than the limit of 1073741824 bytes (json_bytes)",
        )
    os.remove(huge)


def places(folder):
    missing = "ledgergate: cannot read none.json: No such file or directory"
    folder.refuses("a missing file", replay("none.json"), missing)
    folder.refuses("a missing file to show", ("show", "none.json"), missing)
    folder.refuses("a missing file of probes", replay(CONVERSATION, "--probe", "none.json"), missing)
    os.mkdir(os.path.join(folder.path, "empty"))
    nothing = "ledgergate: there is no conversation in empty; give recordings, or folders with .json or .jsonl files of them"
    folder.refuses("a folder without recordings", replay("empty"), nothing)
    folder.refuses(
        "standard input that is cut", replay("-"),
        "standard input:1:2: expected a key in double quotes or `}`, found the end of the text", stdin=b"{",
    )
    folder.refuses("standard input that is empty", replay("-"), "standard input:1:1: the file is empty")
    if os.geteuid() != 0:
        folder.write("secret.json", "{}")
        os.chmod(os.path.join(folder.path, "secret.json"), 0)
        folder.refuses("an unreadable file", replay("secret.json"), "ledgergate: cannot read secret.json: Permission denied")


def formats(folder):
    folder.refuses(
        "a recording of another format than asked for", replay(CONVERSATION, "--format", "vscode"),
        f"{CONVERSATION}:1:1: this looks like OpenAI messages, but vscode was asked for",
    )
    folder.refuses(
        "a format that nobody knows", replay(CONVERSATION, "--format", "csv"),
        "ledgergate: no format is called `csv`; there are gold, tau2-results, tau2-simulation, "
        "tau-bench, openai, agentdojo, claude-code, vscode, responses, messages, otel, mcp, ledgergate, ledgergate-artifact",
    )
    code, _, err = folder.run(*replay(CONVERSATION, "--format", "openai"))
    check(code == 1, "a recording of the format that was asked for is judged", err)


def folders(folder):
    """Links that lead back do not make a folder endless, and other files in it do no harm."""
    with open(CONVERSATION, "rb") as file:
        folder.write("runs/a/one.json", file.read())
    folder.write("runs/notes.txt", "no recording")
    folder.write("runs/other.json", '{"no": "recording"}')
    for name in ("again", "and-again"):
        os.symlink(".", os.path.join(folder.path, "runs", name))
    code, out, err = folder.run(*replay("runs", "--json"))
    check(code == 1, "a folder with links to itself is read once", f"{code}\n{err}")
    check('"traces":1,' in out, "and its one conversation is counted once", out[-600:])
    folder.write("runs/cut.json", "{")
    code, out, err = folder.run(*replay("runs", "--json"))
    check(code == 2 and "runs/cut.json:1:2: expected a key in double quotes or `}`, found the end of the text\n" in err,
          "a broken file in a folder is named", f"{code}\n{err}")
    check('"traces":1,' in out, "and the other is judged", out[-600:])


def probes(folder):
    for sentence, content, message in [
        ("a file without probes", "", "probes.jsonl: there is no probe in it"),
        ("a probe that is cut", '{"a":', "probes.jsonl:1:6: expected a value, found the end of the text"),
        ("a probe without a call", '\n{"a": 1}\n', "probes.jsonl:2: a probe needs `position` and `call` with name and arguments"),
        (
            "a probe of a task that is not there",
            '{"task_id": "t9", "position": 0, "call": {"name": "a", "arguments": {}}}',
            "probes.jsonl:1: none of the recordings is of task t9",
        ),
    ]:
        folder.write("probes.jsonl", content)
        folder.refuses(sentence, replay(CONVERSATION, "--probe", "probes.jsonl"), message)


with _run.Folder() as temporary:
    for test in (bad_content, every_cut_of_a_recording, sizes, places, formats, folders, probes):
        test(temporary)
_run.done()
