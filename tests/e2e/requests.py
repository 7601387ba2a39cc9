"""What customers ask for: a pack's `requests` and `customer`, their mistakes, `replay --requests`, and the packs of the house."""

import json
import os

import _run
from _run import SOURCE, check

DATA = os.environ.get("LEDGERGATE_DATA") or os.path.join(SOURCE, "..", "shared")
PACKS = os.path.join(SOURCE, "packs")

SOUND = """pack: shop
version: '1'
customer: ledger.user.id
ledger:
  user: {type: object, properties: {id: {type: string}}}
  orders.*: {type: object, properties: {id: {type: string}, status: {type: string}}}
tools:
  get: {kind: read, parameters: {type: object, properties: {id: {type: string}}}, stores: [{at: "orders[args.id]"}], returns: {type: object, properties: {id: {type: string}, status: {type: string}}}}
  look: {kind: read, requestor: user, parameters: {type: object, properties: {}}}
  cancel: {kind: write, parameters: {type: object, properties: {id: {type: string}, why: {type: string, enum: [late, wrong]}}, required: [id]}}
  hand_over: {kind: generic, parameters: {type: object, properties: {}}}
rules:
  is_open: {tools: [cancel], that: "ledger.orders[args.id].status == 'open'", needs: ["ledger.orders[args.id]"], otherwise: block, say: "It is not open.", because: "Only open ones."}
requests:
  cancel:
    tool: cancel
    says: sentence.contains('cancel')
    unless: [sentence.contains('keep')]
    about: ledger.orders
    likely: record.status == 'open'
    args: {id: key, why: "'late'"}
    fulfils_also: [hand_over]
"""

# (sentence, what to replace, by what, the first line of the message)
MISTAKES = [
    ("an unknown key", "likely:", "likly:", "p.yaml:20:5: unknown key `likly` in a request; did you mean `likely`?"),
    ("no tool", "    tool: cancel\n", "", "p.yaml:15:3: request `cancel` needs `tool`: the write that fulfils it"),
    ("an unknown tool", "tool: cancel", "tool: cancl", "p.yaml:16:11: no tool is called `cancl`; did you mean `cancel`?"),
    ("a read", "tool: cancel", "tool: get", "p.yaml:16:11: `get` is a read tool; what fulfils a request is a write"),
    ("a tool of the customer's own", "tool: cancel", "tool: look", "p.yaml:16:11: `look` is a tool of the customer's own"),
    ("a read that fulfils", "[hand_over]", "[get]", "p.yaml:22:20: `get` is a read tool, which fulfils nothing"),
    ("no pattern", "    says: sentence.contains('cancel')\n", "", "p.yaml:15:3: request `cancel` needs `says`: a pattern over sentences of the user"),
    ("a pattern that gives no bool", "sentence.contains('cancel')", "size(sentence)", "p.yaml:17:11: `says` must give a bool, this gives int"),
    ("a pattern that is no expression", "sentence.contains('cancel')", "sentence.matches(", "p.yaml:17:28: "),
    ("a regular expression that is none", "sentence.contains('cancel')", "sentence.matches('(')", "p.yaml:17:"),
    ("a name that a pattern does not know", "sentence.contains('cancel')", "record.status == 'open'", "p.yaml:17:11: unknown name `record`"),
    ("records that are none", "about: ledger.orders", "about: ledger.user.id", "p.yaml:19:12: `about` must give records by their keys, or a list of keys; this gives string"),
    ("an unknown field of a record", "record.status", "record.state", "p.yaml:20:20: unknown field `state`"),
    ("likely without records", "    about: ledger.orders\n", "", "p.yaml:19:13: `likely` chooses among records, and needs `about`"),
    ("an unknown argument", "{id: key,", "{idd: key,", "p.yaml:21:12: `cancel` has no argument `idd`; did you mean `id`?"),
    ("an argument of another type", "{id: key,", "{id: 'size(key)',", "p.yaml:21:16: `id` of `cancel` is string, this gives int"),
    ("an argument that never has this value", "\"'late'\"", "\"'soon'\"", "p.yaml:21:"),
    ("a customer that is no text", "customer: ledger.user.id", "customer: ledger.orders", "p.yaml:3:11: `customer` must give a string, this gives map(string, object)"),
    ("requests that are a list", "requests:\n  cancel:", "requests:\n  - cancel:", "p.yaml:"),
]


def talk(*messages):
    return json.dumps({"messages": list(messages)})


def user(text):
    return {"role": "user", "content": text}


def call(tool, order, result):
    made = {"id": tool + order, "type": "function", "function": {"name": tool, "arguments": json.dumps({"id": order})}}
    return [{"role": "assistant", "content": None, "tool_calls": [made]}, {"role": "tool", "tool_call_id": tool + order, "content": result}]


def read(order, status):
    return call("get", order, json.dumps({"id": order, "status": status}))


def mistakes(folder):
    folder.write("p.yaml", SOUND)
    code, _, err = folder.run("check", "p.yaml")
    check(code == 0, "the sound pack is sound", err)
    for sentence, old, new, wanted in MISTAKES:
        check(SOUND.count(old) >= 1, f"{sentence}: there is something to replace")
        folder.write("p.yaml", SOUND.replace(old, new, 1))
        code, _, err = folder.run("check", "p.yaml")
        check(code == 2 and err.splitlines()[0].startswith(wanted), f"{sentence}: refused with its place", err)
    folder.write("p.yaml", SOUND)


def what_came_of_it(folder):
    folder.write("open.json", talk(*read("W1", "open"), user("Please cancel W1.")))
    folder.write("shut.json", talk(*read("W1", "shut"), user("Please cancel W1.")))
    folder.write("done.json", talk(*read("W1", "open"), user("Please cancel W1."), *call("cancel", "W1", "ok")))
    folder.write("none.json", talk(user("Please cancel W1.")))
    folder.write("kept.json", talk(*read("W1", "open"), user("Please cancel W1."), user("No, keep it.")))
    code, out, err = folder.run("replay", "--pack", "p.yaml", "--requests", "--json", "open.json", "shut.json", "done.json", "none.json", "kept.json")
    check(code == 0, "what was asked for is no finding", f"{code}\n{err}")
    told = [json.loads(line) for line in out.splitlines()]
    found = {r["file"]: (r["verdict"], r["how"], r.get("key"), r["args"], r.get("rule"), r.get("done"), "withdrawn" in r) for r in (line["request"] for line in told if "request" in line)}
    late = {"id": "W1", "why": "late"}
    wanted = {
        "open.json": ("permitted", "named", "W1", late, None, None, False),
        "shut.json": ("refused", "named", "W1", late, "is_open", None, False),
        "done.json": ("done", "named", "W1", late, None, 3, False),
        "none.json": ("undecided", "nothing", None, {"why": "late"}, None, None, False),
        "kept.json": ("permitted", "named", "W1", late, None, None, True),
    }
    check(found == wanted, "each by what the gate says of it", json.dumps(found, indent=1))
    check(told[-1]["summary"]["requests"] == {"done": 1, "permitted": 1, "refused": 1, "forfeited": 0, "undecided": 1}, "and counted, but for what was taken back", told[-1])
    code, out, _ = folder.run("replay", "--pack", "p.yaml", "--requests", "open.json", "done.json")
    check("request     cancel of W1: permitted, asked for and not done" in out and "permitted, and not done                                    1" in out, "for people", out)
    _, without, _ = folder.run("replay", "--pack", "p.yaml", "--json", "open.json")
    check('"request"' not in without, "nothing of it without --requests", without)


def hostile_messages(folder):
    texts = ["cancel " * 20000, "\x00\x1b[31mcancel", "cancel. " * 5000, "é" * 70000 + " cancel", " ".join(f"W{i}" for i in range(20000)) + " cancel"]
    for i, text in enumerate(texts):
        folder.write("hostile.json", talk(*read("W1", "open"), user(text)))
        code, out, err = folder.run("replay", "--pack", "p.yaml", "--requests", "hostile.json", timeout=60)
        check(code == 0, f"hostile message {i} ends", f"{code}\n{err}")
        check("\x1b" not in out, "and commands no terminal", repr(out[:500]))


def the_shared_recordings(folder):
    """Who reads what was asked for learns something: of what was permitted and never done the rewards are lower, of what was refused higher."""
    traces = os.path.join(DATA, "data", "traces")
    if not os.path.isdir(traces):
        print("skipped: the shared recordings (no shared data)")
        return
    _, shown, _ = folder.run("show", "--json", traces, partial=True)
    rewards = {(o["file"], o["trace"]): (o["domain"], o["reward"]) for o in map(json.loads, shown.splitlines()) if "trace" in o and o.get("reward") is not None}
    _, out, _ = folder.run("replay", "--pack", PACKS, "--requests", "--json", traces)
    of = {}
    for line in out.splitlines():
        request = json.loads(line).get("request")
        key = request and (request["file"], request["trace"])
        if request and key in rewards and "withdrawn" not in request:
            of.setdefault((rewards[key][0], request["verdict"]), set()).add(key)
    mean = lambda keys: sum(rewards[key][1] for key in keys) / max(1, len(keys))
    for domain in ("airline", "retail"):
        all_of = [key for key, value in rewards.items() if value[0] == domain]
        permitted, refused, forfeited = (of.get((domain, verdict), set()) for verdict in ("permitted", "refused", "forfeited"))
        told = {verdict: (len(keys), round(mean(keys), 3)) for verdict, keys in (("all", all_of), ("permitted", permitted), ("refused", refused), ("forfeited", forfeited))}
        print(domain, told)
        check(len(permitted) > 90 and mean(permitted) < mean(all_of) - 0.1, f"{domain}: what was permitted and never done", told)
        check(len(refused) > 40 and mean(refused) > mean(permitted) + 0.1, f"{domain}: what was refused", told)
        check(len(forfeited) > 8 and mean(forfeited) < mean(all_of) - 0.1, f"{domain}: what was lost by what was done", told)


with _run.Folder() as folder:
    mistakes(folder)
    what_came_of_it(folder)
    hostile_messages(folder)
    the_shared_recordings(folder)
_run.done()
