"""What may come as a result, and what of it stands in the ledger: all of a read's stores, or none."""

import json

import _run
from _run import check

PACK = """
pack: shapes
version: '1'
types:
  R: {type: object, properties: {id: {type: string}, n: {type: integer}}, required: [id]}
ledger:
  rs.*: R
  note: {type: string}
  g.a: {type: number}
  g.b.*: {type: number}
tools:
  read:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}}
    returns: {}
    stores: [{at: note, value: "'seen'"}, {at: "rs[args.id]"}]
  list:
    kind: read
    parameters: {type: object}
    returns: {type: array}
    stores: [{each: result, at: "rs[item.id]"}]
  many:
    kind: read
    parameters: {type: object}
    returns: {}
    stores: [{at: "rs[result.k]", value: result.v}, {at: g.a, value: result.a}, {at: "g.b[result.k]", value: result.b}]
  part:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}}
    returns: {}
    stores: [{at: "rs[args.id].n", value: result.n}]
  touch: {kind: write, parameters: {type: object, properties: {id: {type: string}}}}
rules:
  three: {tools: [touch], that: "ledger.rs[args.id].n == 3.0", needs: ["ledger.rs[args.id]"], say: "not three"}
"""
KEYS = ["", "a.b", 'q"x', "#W1", "\0", "é", "*", "a]b", "'", "\\", "history", "__proto__", "A", "a", "\u202e", "x" * 300]


def read(result, **arguments):
    return call("read", result, **arguments)


def call(name, result, **arguments):
    text = result if isinstance(result, str) else json.dumps(result)
    return {"name": name, "arguments": arguments, "requestor": "assistant", "result": text, "error": False}


A = read({"id": "a", "n": 1}, id="a")
# (sentence, calls, records afterwards: path -> value, what is told of the last one, or None)
CASES = [
    ("a record", [A], {"note": "seen", "rs.a": {"id": "a", "n": 1}}, None),
    ("a record of another form: the store before it is gone as well", [read({"id": 5}, id="a")], {}, "format"),
    ("a text for a record", [read('"a"', id="a")], {}, "format"),
    ("null for a record", [read("null", id="a")], {}, "empty"),
    ("nothing", [read("", id="a")], {}, "empty"),
    ("a whole number with a fraction of zero", [read({"id": "a", "n": 3.0}, id="a")], {"note": "seen", "rs.a": {"id": "a", "n": 3.0}}, None),
    ("a fraction for an integer", [read({"id": "a", "n": 3.5}, id="a")], {}, "format"),
    ("a member twice", [read('{"id": "a", "id": "b"}', id="a")], {}, "format"),
    ("a member twice, once with an escape", [read('{"id": "a", "\\u0069d": "b"}', id="a")], {}, "format"),
    ("half a character", [read('{"id": "\\ud800"}', id="a")], {}, "format"),
    ("something after the value", [read('{"id": "a"} {}', id="a")], {}, "format"),
    ("300 lists in each other", [read("[" * 300 + "]" * 300, id="a")], {}, "format"),
    ("keys that differ by case are two", [A, read({"id": "A"}, id="A")],
     {"note": "seen", "rs.a": {"id": "a", "n": 1}, "rs.A": {"id": "A"}}, None),
    ("without its key a store is left out", [read({"id": "a"})], {"note": "seen"}, None),
    ("a key that is null is as good as none", [read({"id": "a"}, id=None)], {"note": "seen"}, None),
    ("a key that is a number", [read({"id": "a"}, id=5)], {}, "format"),
    ("a record is replaced", [A, read({"id": "a", "n": 2}, id="a")], {"note": "seen", "rs.a": {"id": "a", "n": 2}}, None),
    ("the same record twice in a list", [call("list", [{"id": "a"}, {"id": "a"}])], {"rs.a": {"id": "a"}}, None),
    ("two records for one key in a list", [call("list", [{"id": "a", "n": 1}, {"id": "a", "n": 2}])], {}, "update"),
    ("two records for one key, one of them known", [A, call("list", [{"id": "a", "n": 1}, {"id": "a", "n": 2}])],
     {"note": "seen", "rs.a": {"id": "a", "n": 1}}, "update"),
    ("a list with a record of another form", [call("list", [{"id": "a"}, {"id": "b", "n": "x"}])], {}, "format"),
    ("a list with a number in it", [call("list", [{"id": "a"}, 7])], {}, "format"),
    ("a list with null in it", [call("list", [{"id": "a"}, None])], {}, "format"),
    ("a list with a key that is a number", [call("list", [{"id": "a"}, {"id": 7}])], {}, "format"),
    ("three stores", [call("many", {"k": "a", "v": {"id": "a"}, "a": 1, "b": 2})],
     {"rs.a": {"id": "a"}, "g.a": 1.0, "g.b.a": 2.0}, None),
    ("three stores, the last of another type", [call("many", {"k": "a", "v": {"id": "a"}, "a": 1, "b": "x"})], {}, "format"),
    ("a part of a record that is not there", [call("part", {"n": 3}, id="a")], {}, "format"),
    ("a part of a record", [A, call("part", {"n": 3}, id="a")], {"note": "seen", "rs.a": {"id": "a", "n": 3.0}}, None),
    ("a part of another type", [A, call("part", {"n": "x"}, id="a")], {"note": "seen", "rs.a": {"id": "a", "n": 1}}, "format"),
    ("a part that is null", [A, call("part", {"n": None}, id="a")], {"note": "seen", "rs.a": {"id": "a", "n": 1}}, "format"),
]


def replay(folder, calls):
    folder.write("calls.jsonl", json.dumps({"domain": "d", "task_id": "1", "calls": calls}) + "\n")
    code, out, err = folder.run("replay", "--pack", "pack.yaml", "--json", "--ledger", "calls.jsonl")
    check(code in (0, 1) and not err, "the recording is read", err)
    lines = [json.loads(line) for line in out.splitlines()]
    ledger = next((line["ledger"] for line in lines if "ledger" in line), {"records": []})
    return lines, {r["path"].removeprefix("ledger."): r["value"] for r in ledger["records"]}, ledger["records"]


def cases(folder):
    for sentence, calls, wanted, category in CASES:
        lines, records, listed = replay(folder, calls)
        check(records == wanted and len(listed) == len(wanted), sentence, records)
        told = [body["category"] for line in lines for kind, body in line.items()
                if kind in ("unreadable_result", "rejected_result")]
        check(told == ([category] if category else []), f"{sentence}: its category", told)


def keys(folder):
    _, _, records = replay(folder, [read({"id": key}, id=key) for key in KEYS] * 2)
    values = [r["value"]["id"] for r in records if r["path"] != "ledger.note"]
    check(sorted(values) == sorted(KEYS), "every key is one record, whatever characters it has", values)
    paths = [r["path"] for r in records]
    check(len(set(paths)) == len(KEYS) + 1, "and has a path of its own", paths)


def large_numbers(folder):
    for number in ("123456789012345678901234567890", "1e400"):
        result = '{"id": "a", "n": %s}' % number
        lines, _, _ = replay(folder, [read(result, id="a"), call("touch", "ok", id="a")])
        decision = next(line["decision"] for line in lines if "decision" in line)
        check(decision["verdict"] == "revise" and decision["findings"][0]["cause"] == "defect",
              f"{number} is not rounded: a rule that needs it refuses", decision)


with _run.Folder() as work:
    work.write("pack.yaml", PACK)
    for test in (cases, keys, large_numbers):
        test(work)
_run.done()
