"""`ledgergate audit` of what somebody made to hurt it: work that grows with a product, folders with traps."""

import json
import os
import subprocess
import time

import _run
from _run import check


def call(name, args, number):
    function = {"name": name, "arguments": json.dumps(args)}
    return [
        {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": "ok"},
    ]


def dates(count):
    """Each call asks for a day that was never spoken of, among many that were."""
    said = " ".join(f"2024-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in range(20000))
    messages = [{"role": "user", "content": said}]
    for i in range(count):
        messages += call("pay", {"on": f"19{i % 99:02}-{i % 12 + 1:02}-{i % 28 + 1:02}"}, i)
    return {"messages": messages}


def bounded_work(folder):
    folder.write("dates.json", json.dumps(dates(4000)))
    before = time.monotonic()
    _, out, _ = folder.run("audit", "--json", "dates.json")
    check(time.monotonic() - before < 60, "calls that each may take long take a bounded time together")
    why = [item["why"] for item in json.loads(out.splitlines()[0])["undecided"]]
    check("the calls before it took all the steps of a conversation" in why, "what was not searched is undecided", why[-3:])


def counted_items(folder):
    folder.write("nested.json", json.dumps({"messages": [{"role": "user", "content": "go"}] + call("pay", {"x": [[7]] * 30000}, 0)}))
    before = time.monotonic()
    code, out, _ = folder.run("audit", "--json", "nested.json")
    check(time.monotonic() - before < 30, "lists among lists are counted in a bounded time")
    check(code in (0, 1) and json.loads(out.splitlines()[0])["undecided"], "and what was not counted is undecided", code)


def told_in_part(folder):
    folder.write("part.json", json.dumps({"messages": [{"role": "user", "content": "x"}, {"role": "alien", "content": 3}, 5]}))
    code, _, err = folder.run("audit", "part.json", partial=True)
    check(code == 2 and "part.json:1:" in err and "/messages/2" in err, "people are told what was left out of a conversation", err)


SMALL = {"messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day!"}]}


def traps(folder):
    folder.write("small.json", json.dumps(SMALL))
    folder.write("victim", "precious")
    victim = os.path.join(folder.path, "victim")
    out = os.path.join(folder.path, "out")
    os.mkdir(out)
    for name in ("results.jsonl.part", "junit.xml.part"):
        os.symlink(victim, os.path.join(out, name))
    os.mkfifo(os.path.join(out, "audit.sarif.part"))
    folder.run("audit", "--out", "out", "small.json", partial=True)
    with open(victim) as file:
        check(file.read() == "precious", "a link in the folder is not written through")
    check(not os.path.islink(os.path.join(out, "results.jsonl")), "nor does it become the result")


def two_at_once(folder):
    for side in "ab":
        for i in range(60):
            talk = {"messages": [{"role": "user", "content": f"{side} {i} " + side * 5000}, {"role": "assistant", "content": "Good day!"}]}
            folder.write(f"{side}/{i:02}.json", json.dumps(talk))
    binary = _run.BIN
    runs = [subprocess.Popen([binary, "audit", "--out", "both", side], cwd=folder.path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for side in "ab"]
    said = [run.communicate(timeout=100)[1] for run in runs]
    check([run.returncode in (0, 1) for run in runs] == [True, True], "two audits into one folder both end well", said)
    with open(os.path.join(folder.path, "both", "results.jsonl")) as file:
        sides = [json.loads(line)["file"][0] for line in file]
    check(len(sides) == 60 and len(set(sides)) == 1, "and the results are those of one of them", sides)


def main():
    for case in (bounded_work, counted_items, told_in_part, traps, two_at_once):
        with _run.Folder() as folder:
            case(folder)
    _run.done()


main()
