"""What is not known is not assumed: the time, what a call of the same message does, what came of a call that failed.

A bank of one pack, and conversations with it, each replayed; what is expected of each write is its verdict, with
the rules that refuse it and their causes.
"""

import json

from _run import Folder, check, done

PACK = """
pack: bank
version: 1.0.0
types:
  Account: {type: object, properties: {id: {type: string}, balance: {type: number}, opened: {type: string}}, required: [id, balance, opened]}
ledger: {accounts.*: Account}
state: {accounts.*: Account}
%s
tools:
  get_account:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
    returns: Account
    gives: "state.accounts[args.id]"
    stores: [{at: "accounts[args.id]"}]
  transfer:
    kind: write
    parameters:
      type: object
      properties: {from: {type: string}, to: {type: string}, amount: {type: number}}
      required: [from, to]
    effects:
      - {fail: "Error: {args.from} has too little", when: "state.accounts[args.from].balance < args.amount"}
      - {set: "accounts[args.from].balance", to: "state.accounts[args.from].balance - args.amount"}
      - {set: "accounts[args.to].balance", to: "state.accounts[args.to].balance + args.amount"}
    errors: ["Error: closed on Sundays", "Error: no more than {args.amount}"]
  freeze:
    kind: write
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
    effects: [{set: "accounts[args.id].balance", to: "0.0"}]
rules:
  covered:
    tools: [transfer]
    stale: reread
    needs: ["ledger.accounts[args.from]"]
    that: "ledger.accounts[args.from].balance >= args.amount"
    say: too little
  once:
    tools: [transfer]
    that: "!ledger.history.exists(h, h.name == 'transfer' && h.args == args)"
    otherwise: block
    say: it was made already
  young:
    tools: [freeze]
    that: "now - timestamp(ledger.accounts[args.id].opened) < duration('7200s')"
    otherwise: block
    say: too late
"""

ACCOUNT = json.dumps({"id": "a", "balance": 100.0, "opened": "2024-05-01T10:00:00Z"})
PAY = ("transfer", {"from": "a", "to": "b", "amount": 60.0})
OTHER = ("transfer", {"from": "a", "to": "c", "amount": 50.0})
FREEZE = ("freeze", {"id": "a"})
LOOK = ("get_account", {"id": "a"})
ALLOW = ("allow", [])


def conversation(*messages, time=None):
    """Each message: a list of (call, answer); an answer of None never comes."""
    made, events = 0, [{"role": "user", "content": "Hello."}]
    for message in messages:
        calls, answers = [], []
        for (name, args), answer in message:
            made += 1
            calls.append({"id": f"c{made}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}})
            if answer is not None:
                answers.append({"role": "tool", "tool_call_id": f"c{made}", "content": answer})
        said = {"role": "assistant", "content": None, "tool_calls": calls}
        events += [said | ({"timestamp": time} if time else {}), *answers]
    return json.dumps({"messages": events})


READ = [(LOOK, ACCOUNT)]
TIMED_OUT = "Error: the transfer timed out"

CASES = [
    ("one write after the other has answered",
     [READ, [(PAY, "done")], READ, [(OTHER, "done")]], [ALLOW, ALLOW]),
    ("a second write of the message on what the first may change",
     [READ, [(PAY, "done"), (OTHER, "done")]], [ALLOW, ("revise", [("covered", "pending")])]),
    ("a refused write of the message changes nothing",
     [READ, [(("transfer", {"from": "a", "to": "b", "amount": 600.0}), "Error: a has too little"), (OTHER, "done")]],
     [("revise", [("covered", "violated")]), ALLOW]),
    ("the same write twice in a message",
     [READ, [(PAY, "done"), (PAY, "done")]], [ALLOW, ("block", [("covered", "pending"), ("once", "violated")])]),
    ("a read beside a write may have been before it",
     [READ, [(PAY, "done"), (LOOK, ACCOUNT)], [(OTHER, "done")]], [ALLOW, ("revise", [("covered", "stale")])]),
    ("the same, the read first",
     [READ, [(LOOK, ACCOUNT), (PAY, "done")], [(OTHER, "done")]], [ALLOW, ("revise", [("covered", "stale")])]),
    ("a write that failed may have happened: nobody knows, so it is not made again",
     [READ, [(PAY, TIMED_OUT)], READ, [(PAY, "done")]], [ALLOW, ("block", [("once", "violated")])]),
    ("and what it may have changed has to be read again",
     [READ, [(PAY, TIMED_OUT)], [(OTHER, "done")]], [ALLOW, ("revise", [("covered", "stale")])]),
    ("a write whose answer never came",
     [READ, [(PAY, None)], [(PAY, "done")]], [ALLOW, ("block", [("covered", "stale"), ("once", "violated")])]),
    ("an error that its effects declare: nothing has happened",
     [READ, [(PAY, "Error: a has too little")], [(PAY, "done")]], [ALLOW, ALLOW]),
    ("an error of the list: nothing has happened",
     [READ, [(PAY, "Error: closed on Sundays")], [(PAY, "done")]], [ALLOW, ALLOW]),
    ("an error of the list with what the call gave: nothing has happened",
     [READ, [(PAY, "Error: no more than 60")], [(PAY, "done")]], [ALLOW, ALLOW]),
    ("an error of the list with what the call did not give may mean anything",
     [READ, [(("transfer", {"from": "a", "to": "b"}), "Error: no more than one, and it was made")], READ, [(("transfer", {"from": "a", "to": "b"}), "done")]],
     [("revise", [("covered", "arguments")]), ("block", [("covered", "arguments"), ("once", "violated")])]),
    ("words like the gate's are not the gate's",
     [READ, [(PAY, "Error: transfer was not carried out (yet: it is queued)")], READ, [(PAY, "done")]], [ALLOW, ("block", [("once", "violated")])]),
    ("words of the gate itself: nothing has happened",
     [READ, [(PAY, "Error: transfer was not carried out (revise).")], [(PAY, "done")]], [ALLOW, ALLOW]),
    ("a read that failed leaves doubt",
     [READ, [(LOOK, "Error: not today")], [(PAY, "done")]], [("revise", [("covered", "stale")])]),
    ("a result that is no account leaves doubt",
     [READ, [(LOOK, '{"id": 7}')], [(PAY, "done")]], [("revise", [("covered", "stale")])]),
    ("an argument that is left out switches no rule off",
     [READ, [(("transfer", {"from": "a", "to": "b"}), "done")]], [("revise", [("covered", "arguments")])]),
]


# What a write changes may be named by a record, and that record by another write that is under way.
OWNERS = """
pack: owners
version: 1.0.0
types:
  Car: {type: object, properties: {owner: {type: string}}, required: [owner]}
  Person: {type: object, properties: {points: {type: number}}, required: [points]}
ledger: {cars.*: Car, people.*: Person}
state: {cars.*: Car, people.*: Person}
tools:
  get_car: {kind: read, parameters: &id {type: object, properties: {id: {type: string}}, required: [id]}, returns: Car, gives: "state.cars[args.id]", stores: [{at: "cars[args.id]"}]}
  get_person: {kind: read, parameters: *id, returns: Person, gives: "state.people[args.id]", stores: [{at: "people[args.id]"}]}
  sell:
    kind: write
    parameters: {type: object, properties: {id: {type: string}, to: {type: string}}, required: [id, to]}
    effects: [{set: "cars[args.id].owner", to: args.to}]
  fine: {kind: write, parameters: *id, effects: [{set: "people[state.cars[args.id].owner].points", to: "0.0"}]}
  reward: {kind: write, parameters: *id, effects: []}
rules:
  has_points: {tools: [reward], needs: ["ledger.people[args.id]"], stale: reread, that: "ledger.people[args.id].points > 1.0", say: no points}
"""
CAR, BOB = ("get_car", {"id": "c"}), ("get_person", {"id": "bob"})
SEEN = [(CAR, '{"owner": "ada"}'), (BOB, '{"points": 9.0}')]
SELL, FINE, REWARD = ("sell", {"id": "c", "to": "bob"}), ("fine", {"id": "c"}), ("reward", {"id": "bob"})
OWNER_CASES = [
    ("a fine of another's car", [SEEN, [(FINE, "ok"), (REWARD, "ok")]], [ALLOW, ALLOW]),
    ("a fine of a car that is being sold", [SEEN, [(SELL, "ok"), (FINE, "ok"), (REWARD, "ok")]],
     [ALLOW, ALLOW, ("revise", [("has_points", "pending")])]),
    ("and after they have answered", [SEEN, [(SELL, "ok"), (FINE, "ok")], [(REWARD, "ok")]],
     [ALLOW, ALLOW, ("revise", [("has_points", "stale")])]),
]


def judged(f, pack, text):
    code, out, err = f.run("replay", "--json", "--pack", pack, f.write("talk.json", text))
    check(code in (0, 1), "the conversation is replayed", err)
    lines = [json.loads(line) for line in out.splitlines()]
    return [line["decision"] for line in lines if "decision" in line]


def short(decision):
    return decision["verdict"], [(finding["rule"], finding["cause"]) for finding in decision["findings"]]


with Folder() as f:
    pack = f.write("bank.yaml", PACK % "")
    f.run("check", pack)
    for sentence, messages, wanted in CASES:
        got = [short(decision) for decision in judged(f, pack, conversation(*messages))]
        check(got == wanted, sentence, f"got  {got}\nwant {wanted}")
    apart = f.write("apart.yaml", PACK % "parallel: judge")
    got = [short(d) for d in judged(f, apart, conversation(READ, [(PAY, "done"), (OTHER, "done")]))]
    check(got == [ALLOW, ALLOW], "where each is judged alone both are allowed", got)

    owners = f.write("owners.yaml", OWNERS.replace("&id ", "").replace("*id", "{type: object, properties: {id: {type: string}}, required: [id]}"))
    for sentence, messages, wanted in OWNER_CASES:
        got = [short(decision) for decision in judged(f, owners, conversation(*messages))]
        check(got == wanted, sentence, f"got  {got}\nwant {wanted}")

    # Years later it is the same hour: the recorded one.
    hour = judged(f, pack, conversation(READ, [(FREEZE, "done")], time="2024-05-01T11:00:00Z"))
    check([short(d) for d in hour] == [ALLOW], "an hour after it was opened, by the recorded time", hour)
    check(hour[0]["clock"] == "event" and hour[0]["now"] == "2024-05-01T11:00:00Z", "and it says so", hour)
    late = judged(f, pack, conversation(READ, [(FREEZE, "done")], time="2024-05-01T13:00:00Z"))
    check([d["verdict"] for d in late] == ["block"], "three hours after it is too late", late)
    none = judged(f, pack, conversation(READ, [(FREEZE, "done")]))
    check([d["clock"] for d in none] == ["host"] and "now" not in none[0], "without a time it is the host's clock", none)
    fixed = judged(f, f.write("fixed.yaml", PACK % "clock: 2024-05-01T10:30:00Z"), conversation(READ, [(FREEZE, "done")], time="2024-05-01T13:00:00Z"))
    check(short(fixed[0]) == ALLOW and fixed[0]["clock"] == "pack", "a pack's own clock goes before", fixed)
done()
