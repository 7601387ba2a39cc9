"""A decision that uses up its steps: what `replay` shows of it, for people and as JSON."""

import json

import _run
from _run import check

PACK = """pack: slow
version: 1.0.0
ledger: {box: {}}
tools:
  get: {kind: read, parameters: {type: object}, returns: {}, stores: [{at: box}]}
  act: {kind: write, parameters: {type: object, properties: {n: {type: number}}}}
rules:
  pairs:
    tools: [act]
    that: "ledger.box.list.exists(x, ledger.box.list.exists(y, x + y + 0.5 == args.n))"
    offer: [args.n]
    say: "Nothing adds up to {args.n}."
"""


def conversation(size):
    def call(name, arguments):
        return {"role": "assistant", "tool_calls": [{
            "id": name, "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)}}]}
    box = json.dumps({"list": list(range(100, 100 + size))})
    return {"messages": [call("get", {}), {"role": "tool", "tool_call_id": "get", "content": box},
                         call("act", {"n": 1})]}


def replay(folder, *options):
    return folder.run("replay", "--pack", "pack.yaml", *options, "talk.json")


def decide(folder, size):
    folder.write("talk.json", json.dumps(conversation(size)))
    code, out, err = replay(folder, "--json")
    check(code == 1 and not err, f"{size} numbers: exit code {code}, {err}")
    check(replay(folder, "--json")[1] == out, f"{size} numbers: two runs give the same bytes")
    lines = [json.loads(line) for line in out.splitlines()]
    return lines[0]["decision"], lines[-1]["summary"], replay(folder)[1]


def main():
    with _run.Folder() as folder:
        folder.write("pack.yaml", PACK)
        few, summary, text = decide(folder, 8)
        check([f["cause"] for f in few["findings"]] == ["violated"], "a few: violated", few)
        check("hints_cut" not in few and "evidence_cut" not in few, "a few: nothing is cut", few)
        check("over_budget" not in summary, "a few: nothing is counted", summary)
        more, summary, text = decide(folder, 100)
        check([f["cause"] for f in more["findings"]] == ["violated"], "more: violated", more)
        check(more["hints_cut"] is True and "evidence_cut" not in more, "more: hints end first", more)
        check("ended early (decision_steps)" in text, "more: people are told", text)
        many, summary, text = decide(folder, 1000)
        check([f["cause"] for f in many["findings"]] == ["budget"], "many: no verdict", many)
        check(many["verdict"] == "revise" and "(decision_steps)" in many["message"], "many", many)
        check(summary["over_budget"] == 1 and summary["pack_errors"] == 0, "many: counted", summary)
        check("raise" not in many["message"] and "raise decision_steps" in text, "many: limits are for people, not for the model", many)
        check("decisions that ended for want of steps" in text, "many: people are told", text)
    _run.done()


main()
