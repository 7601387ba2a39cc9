"""Contracts and staleness in `replay`: what is accepted, what is stale, and what is told of it."""

import json

import _run
from _run import check

PACK = """
pack: desk
version: '1'
stale: reread
types:
  Order: {type: object, properties: {id: {type: string}, status: {type: string}, total: {type: number}}}
ledger:
  orders.*: Order
  bars: {type: number}
state:
  orders.*: Order
  phone: {type: object, properties: {on: {type: boolean}, bars: {type: number}}}
tools:
  get_order:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
    returns: Order
    stores: [{at: 'orders[args.id]'}]
    gives: state.orders[args.id]
    ensures: [{id: right_order, that: result.id == args.id, because: one gets what one asks for}]
  get_bars:
    kind: read
    parameters: {type: object, properties: {}}
    returns: {type: number}
    stores: [{at: bars}]
    gives: state.phone.bars
  close:
    kind: write
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
    returns: text
    effects: [{set: 'orders[args.id].status', to: "'closed'"}]
    ensures: [{id: says_so, that: "result.contains('closed')"}]
  switch_off:
    kind: write
    requestor: user
    parameters: {type: object, properties: {}}
    effects: [{set: phone.on, to: 'false'}]
settle:
  - {set: phone.bars, to: 'state.phone.on ? 5.0 : 0.0'}
invariants:
  - {id: no_debt, that: 'ledger.orders.all(k, ledger.orders[k].total >= 0.0)'}
rules:
  open:
    tools: [close]
    let: {o: 'ledger.orders[args.id]'}
    that: o.status == 'open'
    say: "It is {o.status}."
  has_signal:
    tools: [close]
    when: has(ledger.bars)
    that: ledger.bars > 0.0
    say: no signal
"""


def call(name, result, requestor="assistant", **arguments):
    text = result if isinstance(result, str) else json.dumps(result)
    return {"name": name, "arguments": arguments, "requestor": requestor, "result": text, "error": False}


def order(number, status="open", total=5):
    return {"id": number, "status": status, "total": total}


CALLS = [
    call("get_order", order("1"), id="1"),
    call("get_order", order("9"), id="2"),
    call("get_order", order("3", total=-1), id="3"),
    call("get_order", "null", id="4"),
    call("get_bars", 5),
    call("close", "closed", id="1"),
    call("close", "closed", id="1"),
    call("switch_off", "off", requestor="user"),
    call("get_order", order("5"), id="5"),
    call("close", "done", id="5"),
]


def rejections(lines):
    kinds = ("unreadable_result", "rejected_result", "unverified_write")
    return [(kind, line[kind]["tool"], line[kind]["category"], line[kind]["condition"])
            for line in lines for kind in kinds if kind in line]


def as_json(folder):
    code, out, err = folder.run("replay", "--pack", "pack.yaml", "--json", "--ledger", "calls.jsonl")
    check(code == 1 and not err, "calls were refused", err)
    lines = [json.loads(line) for line in out.splitlines()]
    check(rejections(lines) == [("rejected_result", "get_order", "semantic", "right_order"),
                                ("rejected_result", "get_order", "update", "no_debt"),
                                ("unreadable_result", "get_order", "empty", "returns"),
                                ("unverified_write", "close", "semantic", "says_so")],
          "what was not accepted has a category and a condition", rejections(lines))
    judged = [line["decision"] for line in lines if "decision" in line]
    decisions = [(d["verdict"], [(f["rule"], f["cause"], f.get("read")) for f in d["findings"]]) for d in judged]
    check(decisions == [("allow", []),
                        ("revise", [("open", "stale", 'get_order(id: "1")')]),
                        ("revise", [("has_signal", "stale", "get_bars()")])],
          "what may have changed is to be read again", decisions)
    ledger = next(line["ledger"] for line in lines if "ledger" in line)
    records = [(r["path"], r["type"], r["stale"], r.get("stale_tool")) for r in ledger["records"]]
    check(records == [('ledger.orders["1"]', "Order", True, "close"),
                      ("ledger.bars", "double", True, "switch_off"),
                      ('ledger.orders["5"]', "Order", True, "close")],
          "every record has its path, its type and what made it stale", records)
    check([h["outcome"] for h in ledger["history"]] == ["done", "done", "unverified"],
          "a write that could not be verified is marked", ledger["history"])
    summary = lines[-1]["summary"]
    counts = {(r["stage"], r["category"]): r["count"] for r in summary["rejections"] if r["count"]}
    check(counts == {("pre-condition", "state"): 2, ("post-condition", "semantic"): 2,
                     ("post-condition", "update"): 1, ("post-condition", "empty"): 1},
          "the summary counts by stage and category", counts)
    share = next(r["share"] for r in summary["rejections"] if r["category"] == "state")
    check(abs(share - 2 / 9) < 1e-9, "shares are of the agent's calls", share)


def as_text(folder):
    _, out, _ = folder.run("replay", "--pack", "pack.yaml", "--ledger", "calls.jsonl")
    text = out.decode() if isinstance(out, bytes) else out
    for wanted in ("rejected    the result of get_order breaks postcondition right_order",
                   "unverified  the result of close breaks postcondition says_so",
                   'ledger.orders["1"]: Order = ', "may have changed .status, read it again",
                   "Rejections by category, and their share of 9 calls",
                   "results         empty or null                              1    11.1 %"):
        check(wanted in text, f"the text says `{wanted}`", text)


def main():
    with _run.Folder() as folder:
        folder.write("pack.yaml", PACK)
        folder.write("calls.jsonl", json.dumps({"domain": "desk", "task_id": "1", "calls": CALLS}) + "\n")
        as_json(folder)
        as_text(folder)
    _run.done()


main()
