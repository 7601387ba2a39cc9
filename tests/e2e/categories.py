"""ToolGate's rejection table: each category from a recording, with its reason, and a ledger that stays as it was."""

import json
import os
import re

import _run
from _run import SOURCE, check

PACK = """
pack: desk
version: '1'
types:
  Order:
    type: object
    properties: {id: {type: string}, status: {type: string, enum: [open, closed]}, total: {type: number}}
    required: [id, status]
ledger:
  orders.*: Order
  note: {type: string}
tools:
  get_order:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
    returns: {anyOf: [{$ref: "#/types/Order"}, {type: "null"}, {type: array}]}
    stores: [{at: 'orders[result.id]', when: "type(result) == map"}, {at: note, value: "'read ' + args.id"}]
    ensures: [{id: right_order, that: "type(result) == map && result.id == args.id"}]
  get_note:
    kind: read
    parameters: {type: object, properties: {}}
    returns: text
    stores: [{at: note}]
    ensures: [{id: says_something, that: "result.trim() != ''"}]
  close:
    kind: write
    parameters: {type: object, properties: {id: {type: string}, why: {enum: [lost, unwanted]}}, required: [id]}
    returns: Order
    ensures:
      - {id: right_order, that: result.id == args.id}
      - {id: is_closed, that: result.status == 'closed', category: update}
      - {id: has_total, that: has(result.total), category: format}
invariants:
  - {id: no_debt, that: 'ledger.orders.all(k, !has(ledger.orders[k].total) || ledger.orders[k].total >= 0.0)'}
rules:
  id_format: {tools: [close], that: "args.id.matches('^[0-9]+$')", category: format, say: "An id is made of digits."}
  known_order: {tools: [close], that: args.id in ledger.orders, say: "No order {args.id} was seen."}
  is_open:
    tools: [close]
    when: args.id in ledger.orders
    that: ledger.orders[args.id].status == 'open'
    category: state
    say: "It is {ledger.orders[args.id].status}."
  total_known:
    tools: [close]
    when: args.id in ledger.orders
    that: ledger.orders[args.id].total >= 0.0
    needs: ["ledger.orders[args.id].total"]
    say: "It has no total."
"""


def call(name, result, error=False, **arguments):
    text = result if isinstance(result, str) else json.dumps(result)
    return {"name": name, "arguments": arguments, "requestor": "assistant", "result": text, "error": error}


def order(number, status="open", **more):
    return {"id": number, "status": status, **more}


BEFORE = [
    call("get_order", order("1", total=5), id="1"),
    call("get_order", order("2", "closed", total=5), id="2"),
    call("get_order", order("3"), id="3"),
]

# (sentence, the call, stage, category, the member of the line it stands in, rule or condition, reason)
CASES = [
    ("an order that nobody saw", call("close", "no", True, id="7"),
     "pre-condition", "entity", "decision", "known_order", "No order 7 was seen."),
    ("a tool that does not exist", call("clse", "no", True, id="1"),
     "pre-condition", "entity", "decision", "known_tool", "did you mean `close`?"),
    ("an argument of another type", call("close", "no", True, id=1),
     "pre-condition", "format", "decision", "arguments", "must be a string"),
    ("an argument that is none of the listed ones", call("close", "no", True, id="1", why="bored"),
     "pre-condition", "format", "decision", "arguments", "\"lost\", \"unwanted\""),
    ("an argument that is missing", call("close", "no", True),
     "pre-condition", "format", "decision", "arguments", "`id`"),
    ("a rule about the form", call("close", "no", True, id="x"),
     "pre-condition", "format", "decision", "id_format", "An id is made of digits."),
    ("a rule about the state", call("close", "no", True, id="2"),
     "pre-condition", "state", "decision", "is_open", "It is closed."),
    ("evidence that is missing", call("close", "no", True, id="3"),
     "pre-condition", "state", "decision", "total_known", "ledger.orders[\"3\"].total is in none of the records"),
    ("null for a record", call("get_order", None, id="4"),
     "post-condition", "empty", "rejected_result", "right_order", "postcondition right_order"),
    ("an empty list", call("get_order", [], id="4"),
     "post-condition", "empty", "rejected_result", "right_order", "postcondition right_order"),
    ("a blank text", call("get_note", " \n"),
     "post-condition", "empty", "rejected_result", "says_something", "postcondition says_something"),
    ("nothing at all", call("get_order", "", id="4"),
     "post-condition", "empty", "unreadable_result", "returns", "is not JSON"),
    ("an answer that is no JSON", call("get_order", "Order 4 is open", id="4"),
     "post-condition", "format", "unreadable_result", "returns", "is not JSON"),
    ("JSON that is cut", call("get_order", '{"id": "4", "sta', id="4"),
     "post-condition", "format", "unreadable_result", "returns", "is not JSON"),
    ("a record without what is required", call("get_order", {"id": "4"}, id="4"),
     "post-condition", "format", "unreadable_result", "returns", "is not what the pack declares"),
    ("a value that is none of the listed ones", call("get_order", order("4", "opn"), id="4"),
     "post-condition", "format", "unreadable_result", "returns", "is not what the pack declares"),
    ("two members of one name", call("get_order", '{"id": "4", "id": "4", "status": "open"}', id="4"),
     "post-condition", "format", "unreadable_result", "returns", "is not JSON"),
    ("a number that no double holds, so that the invariant cannot be told",
     call("get_order", '{"id": "4", "status": "open", "total": 1e999}', id="4"),
     "post-condition", "update", "rejected_result", "no_debt", "invariant no_debt"),
    ("another order than was asked for", call("get_order", order("1", total=9), id="4"),
     "post-condition", "semantic", "rejected_result", "right_order", "`type(result) == map && result.id == args.id`"),
    ("a debt", call("get_order", order("4", total=-1), id="4"),
     "post-condition", "update", "rejected_result", "no_debt", "invariant no_debt"),
]
# Writes have happened whatever they returned: they enter the history, marked.
WRITES = [
    ("the result of another order", call("close", order("2", "closed", total=5), id="1"), "semantic", "right_order"),
    ("an order that is still open", call("close", order("1", total=5), id="1"), "update", "is_closed"),
    ("a result that lacks its total", call("close", order("1", "closed"), id="1"), "format", "has_total"),
    ("null for the order", call("close", None, id="1"), "empty", "returns"),
    ("a text for the order", call("close", "\"done\"", id="1"), "format", "returns"),
]
STAGES = {
    "pre-condition": {"value or entity hallucination": "entity", "schema and format violation": "format",
                      "state dependency missing": "state"},
    "post-condition": {"empty or null": "empty", "schema and format violation": "format",
                       "semantic mismatch": "semantic", "state-update inconsistency": "update"},
}


def replay(folder, calls, *options):
    folder.write("calls.jsonl", json.dumps({"domain": "desk", "task_id": "1", "calls": calls}) + "\n")
    return folder.run("replay", "--pack", "pack.yaml", *options, "calls.jsonl")


def lines_of(folder, calls):
    code, out, err = replay(folder, calls, "--json", "--ledger")
    check(not err, "nothing is wrong with the recording", err)
    return code, [json.loads(line) for line in out.splitlines()]


def ledger_of(lines):
    return next(line["ledger"] for line in lines if "ledger" in line)


def counts_of(lines):
    return {(r["stage"], r["category"]): r["count"] for r in lines[-1]["summary"]["rejections"] if r["count"]}


def table_of(text):
    """The printed table: {(stage, category): count}, the sums, and how many calls there are."""
    counts, sums, stage, calls = {}, {}, None, None
    for line in text.splitlines():
        head = re.match(r"Rejections by category, and their share of (\d+) calls?", line)
        row = re.match(r"  (refused calls|results      |             )\s+(.*?)\s+(\d+) +([0-9.]+) %$", line)
        if head:
            calls = int(head.group(1))
        elif row and calls is not None:
            stage = {"refused calls": "pre-condition", "results": "post-condition"}.get(row.group(1).strip(), stage)
            share = float(row.group(4))
            check(abs(share - 100 * int(row.group(3)) / calls) < 0.051, "a share is that of the calls", line)
            if row.group(2) == "together":
                sums[stage] = int(row.group(3))
            else:
                counts[stage, STAGES[stage][row.group(2)]] = int(row.group(3))
    return counts, sums, calls


def values_of(ledger):
    """What the records hold, without how fresh they are: a read that was refused leaves doubt."""
    kept = ("path", "type", "value", "tool", "args", "turn")
    return [{key: record[key] for key in kept} for record in ledger["records"]]


def alone(folder):
    _, before = lines_of(folder, BEFORE)
    for sentence, one, stage, category, member, name, reason in CASES:
        code, lines = lines_of(folder, BEFORE + [one])
        check(counts_of(lines) == {(stage, category): 1}, f"{sentence}: counted as {stage}, {category}", counts_of(lines))
        check(values_of(ledger_of(lines)) == values_of(ledger_of(before)), f"{sentence}: the ledger stays as it was", ledger_of(lines))
        event = next((line for line in lines if member in line), {})
        if member == "decision":
            finding = event[member]["findings"][0]
            check(code == 1 and event[member]["category"] == category, f"{sentence}: refused with its category", event)
            check(finding["rule"] == name and reason in finding["message"], f"{sentence}: with rule and reason", finding)
        else:
            told = event.get(member, {})
            check((told.get("category"), told.get("condition")) == (category, name), f"{sentence}: told", lines[:-2])
            check(reason in told.get("message", ""), f"{sentence}: with its reason", told)


def writes(folder):
    _, before = lines_of(folder, BEFORE)
    for sentence, one, category, name in WRITES:
        _, lines = lines_of(folder, BEFORE + [one])
        check(counts_of(lines) == {("post-condition", category): 1}, f"{sentence}: counted as {category}", counts_of(lines))
        told = next((line["unverified_write"] for line in lines if "unverified_write" in line), {})
        check((told.get("category"), told.get("condition")) == (category, name), f"{sentence}: told", told)
        after = ledger_of(lines)
        values = [(r["path"], r["value"]) for r in after["records"]]
        check(values == [(r["path"], r["value"]) for r in ledger_of(before)["records"]], f"{sentence}: no record changes", values)
        check(after["history"] == [{"name": "close", "args": one["arguments"], "outcome": "unverified"}],
              f"{sentence}: it has happened, and is marked", after["history"])


def together(folder):
    calls = BEFORE + [one for _, one, *_ in CASES] + [one for _, one, *_ in WRITES]
    _, lines = lines_of(folder, calls)
    _, text, _ = replay(folder, calls)
    counts, sums, total = table_of(text)
    check({k: v for k, v in counts.items() if v} == counts_of(lines), "the printed table is that of the summary", text)
    check(set(counts) == {(s, c) for s, names in STAGES.items() for c in names.values()}, "every category has a row", text)
    check(all(counts.values()), "every category can come", counts)
    for stage in STAGES:
        check(sums[stage] == sum(v for (s, _), v in counts.items() if s == stage), f"{stage} adds up", text)
    summary = lines[-1]["summary"]
    check(total == summary["calls"] == len(calls), "the shares are of all calls", summary)
    refused = summary["revise"] + summary["block"]
    results = summary["unreadable_results"] + summary["rejected_results"] + summary["unverified_writes"]
    check(sums["pre-condition"] == refused, "every refused call has a category", summary)
    check(sums["post-condition"] == results, "every result that was not accepted has a category", summary)


def packs(folder):
    """The categories that the packs themselves give: one rule of each."""
    wanted = {"airline": {"entity", "format", "state"}, "retail": {"entity", "format", "state"},
              "telecom": {"entity", "format", "state"}}
    for name, categories in wanted.items():
        with open(os.path.join(SOURCE, "packs", name, "pack.yaml"), encoding="utf-8") as file:
            rules = file.read().split("\nrules:\n")[1]
        own = set(re.findall(r"^    category: (\w+)$", rules, re.M))
        check(own | {"entity"} == categories, f"{name}: rules of the form and of the state say so", own)


with _run.Folder() as work:
    work.write("pack.yaml", PACK)
    for test in (alone, writes, together, packs):
        test(work)
_run.done()
