"""Conversation rules over recordings: findings, reports, obligations, exit codes, live as recorded."""

import json

import _run
from _run import check

PACK = """pack: shop
version: 1.0.0
ledger:
  orders.*: {type: object, properties: {id: {type: string}}}
tools:
  get_order:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}}
    returns: {type: object, properties: {id: {type: string}}}
    stores: [{at: "orders[args.id]"}]
  cancel: {kind: write, parameters: {type: object, properties: {id: {type: string}}}}
  refund: {kind: write, parameters: {type: object, properties: {id: {type: string}}}}
"""

RULES = """conversation:
  single_call_per_turn: {otherwise: report}
  rules:
    look_first:
      before: {first: {result: get_order, key: args.id}, then: {call: cancel, key: args.id}}
      because: policy
    refund_after_cancel:
      after: {result: cancel, key: args.id}
      must: {result: refund, key: args.id}
      within: {seconds: 60}
      say: "Refund {key}."
    never_sorry: {never: {from: {result: cancel}, to: {message: agent, when: "message.contains('sorry')"}}}
"""


def call(*calls, time=None, text=None):
    message = {"role": "assistant", "content": text, "tool_calls": [
        {"id": f"{name}-{i}", "type": "function", "function": {"name": name, "arguments": json.dumps({"id": key})}}
        for i, (name, key) in enumerate(calls)
    ]}
    return message | ({"timestamp": time} if time else {})


def result(name, i=0, key="1", time=None):
    message = {"role": "tool", "tool_call_id": f"{name}-{i}", "content": json.dumps({"id": key})}
    return message | ({"timestamp": time} if time else {})


def say(text, role="assistant"):
    return {"role": role, "content": text}


# (sentence, messages, exit code, what is found: (kind, rule, severity or verdict, state))
CASES = [
    ("nothing to say", [call(("get_order", "1")), result("get_order"), say("It is there.")], 0, []),
    ("a call that lacks what has to come first is refused",
     [call(("cancel", "1"))], 1, [("decision", "look_first", "revise", None)]),
    ("a second call of a message is reported, and that is no failure",
     [call(("get_order", "1"), ("get_order", "2")), result("get_order", 0, "1"), result("get_order", 1, "2")],
     0, [("conversation", "single_call_per_turn", "report", None)]),
    ("an obligation at the end",
     [call(("get_order", "1")), result("get_order"), call(("cancel", "1")), result("cancel")],
     1, [("obligation", "refund_after_cancel", "revise", "unmet")]),
    ("an obligation that was met",
     [call(("get_order", "1")), result("get_order"), call(("cancel", "1")), result("cancel"),
      call(("refund", "1")), result("refund")], 0, []),
    ("an obligation that was met too late",
     [call(("get_order", "1"), time="2026-01-01T00:00:00"), result("get_order", time="2026-01-01T00:00:01"),
      call(("cancel", "1"), time="2026-01-01T00:00:02"), result("cancel", time="2026-01-01T00:00:02.5"),
      call(("refund", "1"), time="2026-01-01T00:01:02"), result("refund", time="2026-01-01T00:01:02.501")],
     1, [("obligation", "refund_after_cancel", "revise", "late")]),
    ("what was said is found where it occurs",
     [call(("get_order", "1")), result("get_order"), call(("cancel", "1")), result("cancel"),
      call(("refund", "1")), result("refund"), say("I am sorry.")],
     1, [("conversation", "never_sorry", "revise", None)]),
]


ODD_RULES = """conversation:
  single_call_per_turn: true
  no_text_with_call: {otherwise: report}
  ends: {message: agent, when: "message.contains('bye')"}
  signals:
    agreed: {since: {message: user, when: "message == 'yes'"}, until: {result: writes}}
  rules:
    look_first: {before: {first: {result: get_order, key: args.id}, then: {call: cancel, key: args.id}}}
    refund_after: {after: {result: cancel, key: args.id}, must: {result: refund, key: args.id}, within: {turns: 3}}
    agreed_first: {that: agreed, at: refund}
    two_looks: {never: {from: {result: get_order}, to: {call: get_order}}, within: {events: 2}, otherwise: report}
"""
LOOK = [call(("get_order", "1")), result("get_order")]
CANCEL = LOOK + [call(("cancel", "1")), result("cancel")]
REFUND = [call(("refund", "1")), result("refund")]
OWED = ("obligation", "refund_after", "revise", "unmet")
UNLOOKED = ("decision", "look_first", "revise", None)
SECOND = ("decision", "single_call_per_turn", "revise", None)

# The same, of orders that no agent should give, but some do; the last member: issues of the import.
ODD = [
    ("a call before any message", [call(("cancel", "1"))], [UNLOOKED], 0),
    ("a result that never comes has not come", [call(("get_order", "1")), call(("cancel", "1"))], [UNLOOKED], 0),
    ("a result of an unknown call", [{"role": "tool", "tool_call_id": "zz", "content": '{"id": "1"}'}, call(("cancel", "1"))],
     [UNLOOKED], 1),
    ("a result that comes twice counts once", LOOK + [result("get_order"), call(("cancel", "1"))], [], 1),
    ("a result after other messages", [call(("get_order", "1")), say("wait"), say("ok", "user"), result("get_order"), call(("cancel", "1"))],
     [], 0),
    ("results of parallel calls in another order",
     [call(("get_order", "1"), ("get_order", "2")), result("get_order", 1, "2"), result("get_order", 0, "1"), call(("cancel", "2"))],
     [SECOND], 0),  # the second call was made before the first had answered
    ("an error is no result", [call(("get_order", "1")), result("get_order") | {"content": "Error: none"}, call(("cancel", "1"))],
     [UNLOOKED], 0),
    ("an identifier that is used again", LOOK + [call(("get_order", "2")), result("get_order", 0, "2"), call(("cancel", "2"))],
     [("conversation", "two_looks", "report", None)], 0),
    ("blanks beside a call are no text", [call(("get_order", "1"), text=" \n"), result("get_order")], [], 0),
    ("a text beside a call", [call(("get_order", "1"), text="Let me look."), result("get_order")],
     [("conversation", "no_text_with_call", "report", None)], 0),
    ("the last turn of the window", CANCEL + [say("yes", "user")] + REFUND, [], 0),
    ("a turn too late", CANCEL + [say("so"), say("well"), say("yes", "user")] + REFUND,
     [("obligation", "refund_after", "revise", "late")], 0),
    ("what ends the conversation while something is owed", CANCEL + [say("good bye")],
     [("conversation", "refund_after", "revise", None), OWED], 0),
    ("what is owed when the recording breaks off", CANCEL + [call(("refund", "1"))],
     [("decision", "agreed_first", "revise", None), OWED], 0),
    ("a system message is nobody's yes", [{"role": "system", "content": "yes"}] + REFUND,
     [("decision", "agreed_first", "revise", None)], 0),
    ("a yes in parts", [{"role": "user", "content": [{"type": "text", "text": "yes"}]}] + REFUND, [], 0),
    ("one yes is for one write", [say("yes", "user")] + REFUND + REFUND,
     [("decision", "agreed_first", "revise", None)], 0),
]


def found(lines):
    items = []
    for line in lines:
        if "decision" in line:
            items += [("decision", f["rule"], f["verdict"], None) for f in line["decision"]["findings"]]
        for kind in ("conversation", "obligation"):
            if kind in line:
                items.append((kind, line[kind]["rule"], line[kind]["severity"], line[kind].get("state")))
    return items


def odd_orders(folder):
    folder.write("odd.yaml", PACK + ODD_RULES)
    for sentence, messages, wanted, issues in ODD:
        folder.write("talk.json", json.dumps({"messages": messages}))
        _, out, err = folder.run("replay", "--pack", "odd.yaml", "--json", "talk.json")
        lines = [json.loads(line) for line in out.splitlines()]
        check(found(lines) == wanted, sentence, f"{found(lines)}\n{err}")
        check(lines[-1]["summary"]["import_errors"] == issues, f"{sentence}: {issues} issues", out)


def main():
    with _run.Folder() as folder:
        folder.write("p.yaml", PACK + RULES)
        folder.write("plain.yaml", PACK)
        for sentence, messages, wanted_code, wanted in CASES:
            folder.write("talk.json", json.dumps({"messages": messages}))
            code, out, err = folder.run("replay", "--pack", "p.yaml", "--json", "talk.json")
            lines = [json.loads(line) for line in out.splitlines()]
            check(code == wanted_code, f"{sentence}: exit code {wanted_code}", f"{code}\n{err}")
            check(found(lines) == wanted, sentence, found(lines))
            counts = lines[-1]["summary"]["conversation"]
            unmet = sum(kind == "obligation" for kind, *_ in wanted)
            check(counts["unmet"] == unmet, f"{sentence}: {unmet} in the summary", counts)
            code, out, _ = folder.run("replay", "--pack", "p.yaml", "talk.json")
            check(code == wanted_code, f"{sentence}: the same exit code for people", code)
            check(all(rule in out for _, rule, _, _ in wanted), f"{sentence}: named for people", out)
            code, out, _ = folder.run("replay", "--pack", "plain.yaml", "--json", "talk.json")
            check("conversation" not in out and code == 0, f"{sentence}: without rules nothing changes", out)
        code, out, _ = folder.run("check", "p.yaml", "--json")
        check(json.loads(out)["conversation_rules"] == 4, "check counts conversation rules", out)
        folder.write("bad.yaml", PACK + RULES.replace("result: refund", "result: refnd"))
        folder.refuses(
            "an obligation on an unknown tool", ["check", "bad.yaml"],
            "bad.yaml:21:22: no tool is called `refnd`; did you mean `refund`?",
            "      must: {result: refnd, key: args.id}", "                     ^",
        )
        odd_orders(folder)
    _run.done()


main()
