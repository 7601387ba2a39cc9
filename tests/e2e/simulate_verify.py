"""Data sets of tool calls: carried out in sessions of their own, and judged; by rules, by models that fail, and the gold data."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from _run import SOURCE, Folder, check, done  # noqa: E402
from scripted_model import ScriptedModel  # noqa: E402

PACK = """
pack: shop
version: '1'
types:
  Order: {type: object, properties: {status: {type: string}, total: {type: number}}}
ledger:
  orders.*: Order
state:
  orders.*: Order
tools:
  get_order:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
    returns: Order
    effects: [{fail: 'Error: no such order', when: '!(args.id in state.orders)'}]
    gives: 'state.orders[args.id]'
    stores: [{at: 'orders[args.id]'}]
  cancel:
    kind: write
    parameters: {type: object, properties: {id: {type: string}, why: {type: string}}, required: [id]}
    effects:
      - {fail: 'Error: no such order', when: '!(args.id in state.orders)'}
      - {set: 'orders[args.id].status', to: '"cancelled"'}
"""
STATE = {"orders": {"W1": {"status": "new", "total": 10}, "W2": {"status": "sent", "total": 7}}}
CANCEL = {"name": "cancel", "arguments": {"id": "W1"}}
IS_CANCELLED = {"description": "W1 is cancelled", "that": "state.orders.W1.status == 'cancelled'"}


def verify(folder, entries, *more):
    lines = [line if isinstance(line, str) else json.dumps(line) for line in entries]
    folder.write("data.jsonl", "\n".join(lines) + "\n")
    code, out, err = folder.run("simulate", "--pack", "shop.yaml", "--state", "state.json", "--verify", "data.jsonl",
                                *more, partial=True)
    printed = [json.loads(line) for line in out.splitlines()]
    return code, printed[:-1], printed[-1]["summary"] if printed else None, err


def by_rules(folder):
    code, results, summary, err = verify(folder, [
        {"id": 1, "calls": [CANCEL], "checklist": [IS_CANCELLED]},
        {"id": "2", "calls": [], "checklist": [IS_CANCELLED]},
        {"id": "3", "calls": [{"name": "cancel", "arguments": "{\"id\": \"W1\", \"why\": \"x\"}"}], "actions": [{**CANCEL, "compare_args": ["id"]}]},
        {"id": "4", "calls": [CANCEL], "actions": [CANCEL, CANCEL], "response": "It is 1,250.50", "communicate_info": ["1250.6"]},
        {"id": "5", "state": {"orders": {"W1": {"status": "odd"}}}, "calls": [],
         "checklist": [{"that": "state.orders.W1.status == 'odd'"}, {"that": "start.orders.W9.total > 1.0"}]},
        {"id": "6", "calls": [{"name": "cancel", "arguments": {}}, {"name": "buy"}, {"name": "get_order", "arguments": {"id": "W9"}}],
         "checklist": {"state": {"/orders/W1/status": "new"}, "actions": []}},
        {"id": "7", "calls": [CANCEL]},
    ])
    statuses = [(r["id"], r["status"], r["reward"]) for r in results]
    check(statuses == [("1", "success", 1), ("2", "failed", 0), ("3", "success", 1), ("4", "failed", 0), ("5", "unknown", 0),
                       ("6", "success", 1), ("7", "unknown", 0)], "each entry has its status, in order", statuses)
    check(code == 1, "failed and unknown are findings", f"{code}\n{err}")
    check([i["status"] for i in results[3]["items"]] == ["success", "failed", "failed"], "an action that is there twice is wanted twice",
          results[3])
    check("no such key: W9" in results[4]["items"][1]["reasoning"], "what cannot be evaluated says why", results[4])
    check((results[5]["calls"], results[5]["invalid"], results[5]["failed"]) == (3, 2, 1), "calls are counted", results[5])
    check(results[5]["first_invalid"].startswith("call 1: "), "and the first that is not valid is told", results[5])
    check(results[6]["items"] == [] and "no checklist" in results[6]["why"], "nothing to judge by is unknown", results[6])
    check("W1" not in results[3]["feedback"] and "1250" not in results[3]["feedback"], "feedback tells no value", results[3])
    check((summary["entries"], summary["success"], summary["failed"], summary["unknown"], summary["bad"]) == (7, 3, 2, 2, 0),
          "they are summed", summary)
    code, again, _, _ = verify(folder, [{"id": 1, "calls": [CANCEL], "checklist": [IS_CANCELLED]}] * 3)
    check(code == 0 and [r["status"] for r in again] == ["success"] * 3, "each begins in the first state, and all succeed: exit code 0")


def what_is_no_entry(folder):
    bad = [("{", "expected"), ("[]", "an entry is an object"), ({"id": 1}, "/calls: a list"),
           ({"id": 1, "calls": [], "cheklist": []}, "cheklist"),
           ({"calls": [], "checklist": [{"that": "stat.x"}]}, "/checklist/0/that: line 1, column 1"),
           ({"calls": [], "checklist": [{"that": "state.x =="}]}, "state.x =="),
           ({"calls": [], "state": {"orders": 7}}, "orders")]
    for entry, words in bad:
        code, results, summary, err = verify(folder, [entry, {"calls": [CANCEL], "checklist": [IS_CANCELLED]}])
        check(code == 2, f"{entry}: exit code 2", f"{code}\n{err}")
        check("data.jsonl:1:" in err and words in err, f"{entry}: is told with its line", err)
        check(len(results) == 1 and results[0]["status"] == "success" and summary["bad"] == 1, "the next is verified", results)
    folder.write("empty.jsonl", "\n\n")
    code, out, err = folder.run("simulate", "--pack", "shop.yaml", "--state", "state.json", "--verify", "empty.jsonl")
    check(code == 2 and "no entry" in err, "a file without entries", f"{code}\n{err}")
    code, _, err = folder.run("simulate", "--pack", "shop.yaml", "--state", "state.json", "--verify", "none.jsonl")
    check(code in (2, 3) and "none.jsonl" in err, "a file that is not there", f"{code}\n{err}")


def by_models(folder):
    entry = {"id": 1, "task": "Cancel order W1", "calls": [CANCEL], "response": "Done.", "checklist": ["it is cancelled"]}
    said = {"items": [{"index": 0, "status": "success", "reasoning": "W1 is cancelled"}]}
    with ScriptedModel([{"say": {"json": said}}]) as model:
        options = ("--judge-model", "m", "--model-url", model.url)
        code, results, summary, err = verify(folder, [entry], *options)
        question = model.texts()[0]
    check(code == 0 and results[0]["items"][0]["by"] == "model" and not results[0]["tried_again"], "a model decides", f"{results}\n{err}")
    check("<changes>" in question and "orders.W1.status" in question and "Done." in question and "cancel" in question,
          "it is shown the changes, the calls and the last words", question)
    with ScriptedModel([{"say": [{"text": "fine"}] * 3 + [{"json": said}]}]) as model:
        code, results, summary, _ = verify(folder, [entry], "--judge-model", "m", "--model-url", model.url)
    check(code == 0 and results[0]["tried_again"] and summary["tried_again"] == 1, "what it left open is asked again, and told", results)
    with ScriptedModel([{"say": {"text": "fine"}}]) as model:
        code, results, _, _ = verify(folder, [entry], "--judge-model", "m", "--model-url", model.url)
        asked = len(model.requests)
    check(code == 1 and results[0]["status"] == "unknown" and results[0]["tried_again"] and asked == 6, "once, and then it is unknown",
          (asked, results))
    made = {"items": [{"description": "cancel was called", "that": "calls.exists(c, c.name == 'cancel' && c.error == null)"}]}
    with ScriptedModel([{"say": {"json": made}}]) as model:
        code, results, _, _ = verify(folder, [{**entry, "checklist": None}], "--judge-model", "m", "--model-url", model.url,
                                     "--model-record", "r.jsonl")
    check(code == 0 and results[0]["checklist_by_model"] and results[0]["items"][0]["by"] == "rule",
          "a model makes the checklist, and a rule of it decides", results)
    code, again, _, err = verify(folder, [{**entry, "checklist": None}], "--judge-model", "m", "--model-replay", "r.jsonl")
    check(code == 0 and again == results, "replayed it is the same", f"{again}\n{err}")


def shared():
    folder = os.environ.get("LEDGERGATE_DATA", os.path.join(SOURCE, "..", "shared"))
    return os.path.join(folder, "data", "tau2") if os.path.exists(os.path.join(folder, "data", "tau2", "README.md")) else None


def gold(folder):
    if not shared():
        print("skipped: gold data sets (no shared data)")
        return
    keys = ("name", "arguments", "requestor")
    for domain, states, tasks in (("airline", "db.json", 31), ("retail", "db.json", 77), ("telecom", "initial_states.jsonl", 79)):
        entries = []
        with open(os.path.join(shared(), domain, "gold_traces.jsonl"), encoding="utf-8") as file:
            for line in file:
                trace = json.loads(line)
                calls = [{key: call[key] for key in keys} for call in trace["calls"]]
                wanted = [call for call, was in zip(calls, trace["calls"]) if was["write"] and not was["error"]]
                entries.append({"id": trace["task_id"], "calls": calls, "actions": wanted,
                                "checklist": None if wanted else [{"that": "state == start"}]})
        for what, given, status in (("with its calls", entries, "success"), ("without them", [{**e, "calls": []} for e in entries], "failed")):
            folder.write("gold.jsonl", "".join(json.dumps(entry) + "\n" for entry in given))
            code, out, err = folder.run("simulate", "--pack", os.path.join(SOURCE, "packs", domain), "--state",
                                        os.path.join(shared(), domain, states), "--verify", "gold.jsonl")
            lines = [json.loads(line) for line in out.splitlines()]
            wrong = [(r["id"], r["status"]) for r, e in zip(lines, given) if r["status"] != (status if e["actions"] else "success")]
            check(len(lines) == tasks + 1 and not wrong, f"{domain} {what}: every task is a {status}", f"{wrong[:5]}\n{err}")
            check(code == (0 if status == "success" else 1), f"{domain} {what}: the exit code", code)


def main():
    with Folder() as folder:
        folder.write("shop.yaml", PACK)
        folder.write("state.json", json.dumps(STATE))
        by_rules(folder)
        what_is_no_entry(folder)
        by_models(folder)
        gold(folder)
    done()


main()
