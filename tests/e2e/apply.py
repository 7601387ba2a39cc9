"""The verb apply: calls carried out on a state, recorded results beside ours, and the real domains."""

import hashlib
import json
import os

import _run
from _run import SOURCE, check

DATA = os.environ.get("LEDGERGATE_DATA") or os.path.join(SOURCE, "..", "shared")

PACK = """pack: bank
version: '1'
clock: 2024-05-15T15:00:00Z
types:
  Account:
    type: object
    properties: {id: {type: string}, owner: {type: string}, balance: {type: number}, note: {type: [string, 'null']}}
    required: [id, owner, balance]
state:
  accounts.*: {is: Account, key: id, at: db.accounts}
  phone: {is: {type: object, properties: {on: {type: boolean}}}, at: user_db.phone}
ledger:
  accounts.*: Account
invariants:
  - {id: never_overdrawn, that: "state.accounts.all(a, state.accounts[a].balance >= 0.0)"}
tools:
  get_account:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
    returns: Account
    stores: [{at: "accounts[args.id]"}]
    effects: [{fail: "Error: no account {args.id}", when: "!(args.id in state.accounts)"}]
    gives: state.accounts[args.id]
    ensures: [{id: right_account, that: result.id == args.id}]
  pay:
    kind: write
    parameters: {type: object, properties: {id: {type: string}, amount: {type: number}}, required: [id, amount]}
    effects:
      - set: accounts[args.id].balance
        to: state.accounts[args.id].balance - args.amount
    gives: state.accounts[args.id]
  toggle:
    kind: write
    requestor: user
    parameters: {type: object, properties: {}}
    effects: [{set: phone.on, to: "!state.phone.on"}]
    answer: "Phone is {state.phone.on ? 'ON' : 'OFF'}"
  ask: {kind: generic, parameters: {type: object}}
"""

STATE = {
    "db": {
        "accounts": [
            {"id": "B", "owner": "Bob", "balance": 5, "note": None},
            {"id": "A", "owner": "Ada", "balance": 100},
        ],
        "bank": "kept",
    },
    "user_db": {"phone": {"on": False}},
}

CALLS = [
    {"name": "get_account", "arguments": {"id": "A"}},
    {"name": "pay", "arguments": {"id": "A", "amount": 30}, "requestor": "assistant"},
    {"name": "toggle", "arguments": {}, "requestor": "user"},
    {"name": "get_account", "arguments": {"id": "Z"}},
    {"name": "ask", "arguments": {"q": "why"}},
]

OUT = """ 1  get_account(id: "A")
    {"id":"A","owner":"Ada","balance":100}
 2  pay(id: "A", amount: 30)
    {"id":"A","owner":"Ada","balance":70}
 3  user: toggle()
    Phone is ON
 4  get_account(id: "Z")
    Error: no account Z
 5  ask(q: "why")
    (the pack does not say what this tool returns)

changed
  db.accounts.A.balance: 100 -> 70
  user_db.phone.on: false -> true

5 calls, 1 error of tools, 1 not modelled
"""


def lines_of(items):
    return "".join(json.dumps(item) + "\n" for item in items)


def base(folder):
    folder.write("bank.yaml", PACK)
    folder.write("state.json", json.dumps(STATE))
    folder.write("calls.json", json.dumps(CALLS))
    return ["apply", "--pack", "bank.yaml", "--state", "state.json"]


def carried_out(folder):
    words = base(folder)
    code, out, err = folder.run(*words, "calls.json", "--out", "after.json")
    check(code == 0 and out == OUT, "calls and changes are shown", f"{code}\n{out}{err}")
    want = json.loads(json.dumps(STATE))
    want["db"]["accounts"][1]["balance"] = 70
    want["user_db"]["phone"]["on"] = True
    with open(os.path.join(folder.path, "after.json"), encoding="utf-8") as file:
        got = json.load(file)
    check(got == want and json.dumps(got) == json.dumps(want), "the state after is a file of the same shape", got)
    check(sorted(os.listdir(folder.path)) == ["after.json", "bank.yaml", "calls.json", "state.json"],
          "no file is left beside it", os.listdir(folder.path))
    # One a line, from standard input, and as an OpenAI conversation: the same.
    code, out, _ = folder.run(*words, "-", stdin=lines_of(CALLS).encode())
    check(code == 0 and out == OUT, "calls may come one a line from standard input", out)
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": str(i), "type": "function",
             "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}]}
        for i, call in enumerate(CALLS[:2])
    ]
    folder.write("chat.json", json.dumps([{"role": "user", "content": "hello"}] + messages))
    code, out, err = folder.run(*words, "chat.json", "--json")
    told = [json.loads(line) for line in out.splitlines()]
    check(code == 0 and [t.get("name") for t in told] == ["get_account", "pay", None],
          "the calls of a recording are carried out", out + err)
    check(told[-1]["summary"]["changes"] == [{"path": "db.accounts.A.balance", "old": 100, "new": 70}],
          "the summary has the changes", told[-1])
    code, out, _ = folder.run(*words, "-", stdin=b"[]")
    check(code == 0 and out == "\nnothing changed\n\n0 calls, 0 errors of tools\n", "no calls change nothing", out)


def told_as_json(folder):
    code, out, _ = folder.run(*base(folder), "calls.json", "--json")
    told = [json.loads(line) for line in out.splitlines()]
    check(code == 0 and len(told) == 6, "a line a call and the summary", out)
    check(told[2] == {"call": 3, "name": "toggle", "arguments": {}, "requestor": "user", "end": "done",
                      "error": False, "modelled": True, "result": "Phone is ON"}, "a call as JSON", told[2])
    check(told[3]["end"] == "failed" and told[3]["error"] is True, "a tool's error as JSON", told[3])
    check(told[4]["modelled"] is False and told[4]["result"] is None, "what is not modelled is null", told[4])
    summary = {k: v for k, v in told[5]["summary"].items() if k != "changes"}
    check(summary == {"calls": 5, "errors": 1, "faults": 0, "unmodelled": 1, "broken": 0, "changes_total": 2},
          "the summary", summary)


def findings(folder):
    words = base(folder)
    folder.write("over.json", json.dumps([
        {"name": "pay", "arguments": {"id": "B", "amount": 6}},
        {"name": "pay", "arguments": {"id": "B", "amount": 1}},
        {"name": "pay", "arguments": {"id": "Z", "amount": 1}}]))
    code, out, _ = folder.run(*words, "over.json")
    want = """ 1  pay(id: "B", amount: 6)
    {"id":"B","owner":"Bob","balance":-1,"note":null}
    invariant `never_overdrawn` does not hold
 2  pay(id: "B", amount: 1)
    {"id":"B","owner":"Bob","balance":-2,"note":null}
 3  pay(id: "Z", amount: 1)
    fault of the pack: bank.yaml:30:27: `state.accounts[args.id].balance - args.amount`: no such key: Z
"""
    check(code == 1 and out.startswith(want), "faults and broken conditions are findings", f"{code}\n{out}")
    check(out.endswith("3 calls, 0 errors of tools, 1 fault of the pack, 1 condition broken\n"),
          "and are counted", out)
    broken = json.loads(json.dumps(STATE))
    broken["db"]["accounts"][0]["balance"] = -3
    folder.write("broken.json", json.dumps(broken))
    code, out, _ = folder.run("apply", "--pack", "bank.yaml", "--state", "broken.json", "calls.json")
    start = "before the first call\n    invariant `never_overdrawn` does not hold\n 1  get_account"
    check(code == 1 and out.startswith(start), "an invariant broken at the start is told once", out)
    check(out.count("never_overdrawn") == 1, "and not again", out)


def bad_input(folder):
    words = base(folder)
    help_line = "`ledgergate apply --help` tells how to use it"
    folder.refuses("no pack", ["apply", "--state", "state.json", "calls.json"],
                   "ledgergate apply: say which pack knows what the tools do: --pack PACK", help_line)
    folder.refuses("no state", ["apply", "--pack", "bank.yaml", "calls.json"],
                   "ledgergate apply: say on which state: --state FILE", help_line)
    folder.refuses("no calls", words, "ledgergate apply: give one file of calls, or --check GOLD", help_line)
    folder.refuses("--check with --out", [*words, "--check", "g", "--out", "x"],
                   "ledgergate apply: --check takes no CALLS, --out or --task", help_line)
    folder.refuses("calls without a name", [*words, "-"], '-:1:36: a call needs `name`, a text',
                   stdin=b'[{"name": "ask", "arguments": {}}, {"arguments": {}}]')
    folder.refuses("a bad requestor", [*words, "-"], '-:1:1: `requestor` is assistant or user',
                   stdin=b'{"name": "ask", "requestor": "robot"}')
    folder.write("wrong.json", '{"db": {"accounts": [{"id": "A", "owner": 7, "balance": 1}]}}')
    folder.refuses("a state of the wrong shape", ["apply", "--pack", "bank.yaml", "--state", "wrong.json", "calls.json"],
                   "wrong.json:1:1: /user_db/phone: is absent: the pack's `phone` stands here",
                   "wrong.json:1:43: /db/accounts/0/owner: `owner` must be a string; got the number 7")
    folder.write("many.jsonl", lines_of([{"task_id": "1", **STATE}, {"task_id": 2, **STATE}]))
    many = ["apply", "--pack", "bank.yaml", "--state", "many.jsonl", "calls.json"]
    folder.refuses("many states", many, "ledgergate: many.jsonl holds 2 states; choose one with --task")
    folder.refuses("no such state", [*many, "--task", "3"], "ledgergate: many.jsonl has no state for task `3`")
    code, out, _ = folder.run(*many, "--task", "2")
    check(code == 0 and out == OUT, "--task chooses the state", out)
    code, out, err = folder.run(*words, "calls.json", "--out", "no/such/folder.json")
    check(code == 3 and err == "ledgergate: cannot write no/such/folder.json: No such file or directory\n", "a file that cannot be written", err)
    code, out, err = folder.run(*words, "-", stdin=b'[{"name": "pay", "arguments": [1, "A"]}]')
    check(code == 0 and out.startswith(' 1  pay([1,"A"])\n    Error: '), "arguments that are a list are the tool's error", out + err)
    folder.write("empty.jsonl", "")
    folder.refuses("an empty recording", [*words, "--check", "empty.jsonl"],
                   "ledgergate apply: empty.jsonl holds no recorded task: nothing was checked", help_line)
    folder.refuses("changes that are a list", [*words, "--check", "-"],
                   "-:1:1: this is no recorded task: {task_id, calls: [...], changed: {...}}",
                   stdin=b'{"task_id": 1, "calls": [], "changed": [1]}')
    folder.refuses("no recording", [*words, "--check", "-"],
                   "-:1:1: this is no recorded task: {task_id, calls: [...], changed: {...}}", stdin=b'{"task_id": 1}')


def gold(folder):
    words = base(folder)
    good = {"task_id": "t1", "calls": [
        {"name": "get_account", "arguments": {"id": "A"}, "requestor": "assistant", "error": False,
         "result": json.dumps({"owner": "Ada", "id": "A", "balance": 100.0})},
        {"name": "pay", "arguments": {"id": "A", "amount": 1}, "requestor": "assistant", "error": False,
         "result": '{"id": "A", "owner": "Ada", "balance": 99}'},
        {"name": "toggle", "arguments": {}, "requestor": "user", "error": False, "result": "Phone is ON"},
        {"name": "get_account", "arguments": {"id": "Z"}, "error": True, "result": "Error: no account Z"},
        {"name": "ask", "arguments": {}, "error": False, "result": "because"},
    ], "changed": {"accounts.A.balance": 99.0}, "user_changed": {"phone.on": True}}
    folder.write("gold.jsonl", lines_of([good]))
    code, out, err = folder.run(*words, "--check", "gold.jsonl", "--json")
    told = [json.loads(line) for line in out.splitlines()]
    check(code == 0 and told[0]["identical_state"] is True and told[0]["differences"] == [],
          "numbers by value, members in any order: the same", out + err)
    summary = told[-1]["summary"]
    check(list(told[-1]) == ["summary"] and list(summary)[:4] == ["tasks", "identical_states", "calls", "identical_results"],
          "the summary's first members", told[-1])
    check([summary[k] for k in list(summary)[:4]] == [1, 1, 5, 4] and summary["unmodelled"] == 1,
          "what is not modelled is not the same, and no finding", summary)

    def differs(sentence, change, where):
        """One thing is changed in the recording; the check must find it there."""
        bad = json.loads(json.dumps(good))
        change(bad)
        folder.write("bad.jsonl", lines_of([good, bad]))
        code, out, err = folder.run(*words, "--check", "bad.jsonl", "--json")
        told = [json.loads(line) for line in out.splitlines()]
        found = [d["path"] for d in told[1]["differences"]] + [r["name"] for r in told[1]["results"]]
        check(found == where and told[0]["differences"] == [], f"{sentence}: found", found)
        check(code == (1 if where != ["toggle"] else 0), f"{sentence}: exit code", code)
        shown = folder.run(*words, "--check", "bad.jsonl")[1]
        check(where[0] in shown.splitlines()[2], f"{sentence}: shown", shown)

    unanswered = json.loads(json.dumps(good))
    del unanswered["calls"][0]["result"]
    folder.write("unanswered.jsonl", lines_of([unanswered]))
    code, out, _ = folder.run(*words, "--check", "unanswered.jsonl", "--json")
    agent = json.loads(out.splitlines()[-1])["summary"]["agent"]
    check((agent["identical_results"], agent["unrecorded"]) == (2, 1), "a result that was not recorded is not the same", agent)
    differs("a member that is null", lambda t: t["calls"][0].update(result='{"id": "A", "owner": "Ada", "balance": 100, "note": null}'), ["get_account"])
    differs("another value", lambda t: t["changed"].update({"accounts.A.balance": 98}), ["db.accounts.A.balance"])
    differs("a change that did not come", lambda t: t["changed"].update({"accounts.B.owner": "Eve"}), ["db.accounts.B.owner"])
    differs("a change that was not recorded", lambda t: t.update(user_changed={}), ["user_db.phone.on"])
    differs("a change outside of the pack's places", lambda t: t["changed"].update({"bank": "else"}), ["db.bank"])
    differs("a record too many", lambda t: t["changed"].update({"accounts.C": {"id": "C"}}), ["db.accounts.C"])
    differs("a record that went away", lambda t: t["changed"].update({"accounts.B": None}), ["db.accounts.B"])
    differs("another result", lambda t: t["calls"][0].update(result="{}"), ["get_account"])
    differs("another text", lambda t: t["calls"][3].update(result="Error: no account z"), ["get_account"])
    differs("no error", lambda t: t["calls"][3].update(error=False), ["get_account"])
    differs("another result of the customer's tool", lambda t: t["calls"][2].update(result="Phone"), ["toggle"])


DOMAINS = {
    "airline": ("db.json", 31, 162, 0),
    "retail": ("db.json", 77, 566, 0),
    "telecom": ("initial_states.jsonl", 79, 308, 266),
}


def hashes(folder, domain, at, state):
    """The states that are written have the recorded SHA-256: of the JSON text with sorted keys."""
    with open(os.path.join(at, "gold_traces.jsonl"), encoding="utf-8") as file:
        tasks = [json.loads(line) for line in file][::12]
    for task in tasks:
        folder.write("calls.json", json.dumps([{k: c[k] for k in ("name", "arguments", "requestor")} for c in task["calls"]]))
        chosen = ["--task", task["task_id"]] if domain == "telecom" else []
        folder.run("apply", "--pack", os.path.join(SOURCE, "packs", domain), "--state", os.path.join(at, state),
                   "calls.json", "--out", "after.json", *chosen)
        with open(os.path.join(folder.path, "after.json"), encoding="utf-8") as file:
            after = json.load(file)
        for part, key in (("db", "db_sha256_after"), ("user_db", "user_db_sha256_after")):
            if key not in task:
                continue
            text = json.dumps(after.get(part, after), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            check(hashlib.sha256(text.encode()).hexdigest() == task[key], f"{domain} {task['task_id']}: {part} has its hash")


def real_domains(folder):
    if not os.path.isdir(os.path.join(DATA, "data", "tau2")):
        print("skipped: real domains (no shared data)")
        return
    for domain, (state, tasks, agent, user) in DOMAINS.items():
        at = os.path.join(DATA, "data", "tau2", domain)
        words = ["apply", "--pack", os.path.join(SOURCE, "packs", domain), "--state", os.path.join(at, state),
                 "--check", os.path.join(at, "gold_traces.jsonl"), "--json"]
        code, out, err = folder.run(*words)
        told = [json.loads(line) for line in out.splitlines()]
        s = told[-1]["summary"]
        wrong = [t["task_id"] for t in told[:-1] if not t["identical_state"]]
        check(code == 0 and not wrong, f"{domain}: every recorded state is reached", f"{wrong}{err}")
        check((s["tasks"], s["identical_states"]) == (tasks, tasks), f"{domain}: all tasks", s)
        check((s["agent"]["calls"], s["user"]["calls"]) == (agent, user), f"{domain}: all calls", s)
        for side in ("agent", "user"):
            same = s[side]["identical_results"] == s[side]["calls"]
            check(same, f"{domain}: every result of the {side}'s tools is the recorded one", s[side])
        if domain != "airline":  # there the environment writes 346 where a sum of doubles is 346.0
            hashes(folder, domain, at, state)
        check(s["faults"] + s["broken"] == 0, f"{domain}: no faults, and every condition holds", s)


with _run.Folder() as work:
    carried_out(work)
for case in (told_as_json, findings, bad_input, gold, real_domains):
    with _run.Folder() as work:
        case(work)
_run.done()
