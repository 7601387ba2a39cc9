"""Claims that are false: what is carried out here breaks them, so `prove` must not call them proved.

Each case is a pack, a state, and calls. The gate allows the calls and the tools carry them out, and then
an invariant is broken (or a rule refuses what it is said never to refuse, or two packs differ). That is
checked first; then the prover is asked. It may find the case, or say that it does not know.
"""

import json

import _run
from _run import check

PACK = """pack: p
version: 1.0.0
%(types)sledger: {seen: {type: string}}
state: {box: %(box)s, bad: {type: boolean}}
%(procedures)stools:
  act:
    kind: write
    parameters: {type: object, properties: {q: %(q)s}, required: [q]}
    effects: [%(effects)s{set: bad, to: "true", when: "%(when)s"}]
%(tools)srules: {r: {tools: [act], that: "%(rule)s", otherwise: block, say: no}}
invariants: [{id: ok, that: "%(invariant)s"}]
"""


def pack(box="{}", when="false", effects="", q="{type: string}", rule="args.q == args.q", invariant="!state.bad",
         tools="", types="", procedures=""):
    return PACK % {"box": box, "when": when, "effects": effects, "q": q, "rule": rule, "invariant": invariant,
                   "tools": tools, "types": types, "procedures": procedures}


def objects(*parts):
    return "{allOf: [" + ", ".join("{type: object, properties: {%s: {}}}" % p for p in parts) + "]}"


SIDE_BY_SIDE = "{type: object, properties: {a: {type: string}}, anyOf: [{properties: {b: {type: string}}}, {required: [c]}]}"
# Members that no schema lists, and what may be said of them.
RECORD = "{type: object, properties: {a: {type: string}}, required: [a]}"

# (what is believed, the pack, the box, the argument)
BROKEN = [
    # Schemas that let more through than their first look says.
    ("a value of `allOf` is one of its parts", pack(objects("a", "b"), "has(state.box.a) && has(state.box.b)"), {"a": 1, "b": 1}, "x"),
    ("`allOf` alone lists all members", pack(objects("a", "b"), "'z' in state.box"), {"z": 1}, "x"),
    ("`anyOf` is all there is beside `properties`", pack(SIDE_BY_SIDE, "has(state.box.a) && has(state.box.b)"), {"a": "", "b": ""}, "x"),
    ("`patternProperties` name nothing",
     pack("{type: object, patternProperties: {'^x': {}}, additionalProperties: false}", "size(state.box) > 0"), {"x": 1}, "x"),
    ("`patternProperties` are as the others",
     pack("{type: object, patternProperties: {'^x': {}}, additionalProperties: {type: string}}",
          "state.box.exists(k, type(state.box[k]) != string)"), {"x": 1}, "x"),
    ("`properties` mean an object", pack("{properties: {a: {}}}", "type(state.box) == string"), "text", "x"),
    ("what is listed is all there is: `in`", pack(RECORD, "args.q in state.box && args.q != 'a'"), {"a": "", "x": 1}, "x"),
    ("what is listed is all there is: its size", pack(RECORD, "size(state.box) > 1"), {"a": "", "x": 1}, "x"),
    ("what is listed is all there is: `has`", pack("{type: object}", "has(state.box.b)"), {"b": 1}, "x"),
    ("what is listed is all there is: a key", pack(RECORD, "state.box[args.q] == 1.0"), {"a": "", "x": 1}, "x"),
    ("what is listed is all there is: keys", pack(RECORD, "state.box.map(k, k).size() == 2"), {"a": "", "x": 1}, "x"),
    ("what is listed is all there is: equality", pack(RECORD, "state.box != {'a': state.box.a}"), {"a": "", "x": 1}, "x"),
    ("what is listed is all there is: some", pack(RECORD, "state.box.exists(k, k != 'a')"), {"a": "", "x": 1}, "x"),
    ("what is listed is all there is: of a record of a list",
     pack("{type: array, items: %s}" % RECORD, "state.box.exists(r, size(r) > 1)"), [{"a": "", "x": 1}], "x"),
    ("what is listed is all there is: after it was copied",
     pack("{type: object, properties: {a: %s, b: %s}}" % (RECORD, RECORD), "state.box.b.exists(k, k != 'a')",
          "{set: box.b, to: state.box.a}, "), {"a": {"a": "", "x": 1}, "b": {"a": ""}}, "x"),
    ("`items` speak of the first elements, too",
     pack("{type: array, prefixItems: [{type: string}], items: {type: number}}", "dyn(state.box[0]) == 'x'"), ["x"], "x"),
    ("`items` are all alike", pack("{type: array, items: {type: number}, prefixItems: [{}, {type: 'null'}]}", "state.box.exists(x, dyn(x) == null)"),
     [1, None], "x"),
    ("`oneOf` is not beside `properties`",
     pack("{type: object, properties: {a: {}}, oneOf: [{required: [a]}, {required: [b]}]}", "has(state.box.a)"), {"a": 1}, "x"),
    ("`not` excludes what it names", pack("{not: {type: string}}", "state.box == 2.0"), 2, "x"),
    ("`if` is not asked for", pack("{if: {type: string}, then: {minLength: 1}, else: {type: number}}", "state.box == 2.0"), 2, "x"),
    ("an integer has no point", pack("{type: integer}", "state.box == 2.0"), 2.0, "x"),
    ("a list of types is its first", pack("{type: [string, number, 'null']}", "state.box == null"), None, "x"),
    ("what nothing meets is there",
     pack("{type: object, properties: {n: {type: number, minimum: 3, maximum: 1}}}", "!has(state.box.n)"), {}, "x"),
    ("what nothing meets is there: whole numbers",
     pack("{type: object, properties: {n: {type: integer, minimum: 0.2, maximum: 0.8}}}", "!has(state.box.n) || state.box.n > 0.0"), {}, "x"),
    ("what nothing meets is there: lists",
     pack("{type: object, properties: {n: {type: array, minItems: 3, maxItems: 1}}}", "!has(state.box.n) || size(state.box.n) > 0"), {}, "x"),
    ("a list and a map have as many",
     pack("{type: [array, object], minItems: 3}", "size(state.box) == 0"), {}, "x"),
    ("an element and a member are alike",
     pack("{type: [array, object], items: {type: string}, additionalProperties: {type: number}}",
          "type(state.box) == map && state.box.exists(k, state.box[k] == 2.0) "), {"k": 2}, "x"),
    ("a value that is listed has its keys in that order",
     pack("{enum: [{a: 1, b: 2}]}", "state.box.map(k, k)[0] == 'b'"), {"b": 2, "a": 1}, "x"),
    ("a type that is named is what it was",
     pack("{$ref: '#/types/T'}", "'y' in state.box", types="types: {T: {type: object, properties: {x: {}}}}\n"), {"y": 1}, "x"),
    ("what may be null is there", pack("{type: [string, 'null']}", "!has(state.box)"), "@absent", "x"),
    # Loops.
    ("the schema holds between two rounds",
     pack("{type: number, minimum: 0}", "false",
          "{each: \"range(size(args.q)).map(i, i == 0 ? -2.0 : 2.0)\", as: i, do: [{set: bad, to: \"true\", when: \"state.box < 0.0\"}, "
          "{set: box, to: state.box + i}]}, "), 1, "xy"),
    ("a loop does what its steps say",
     pack("{type: object, additionalProperties: {type: number}}", "!('k' in state.box)",
          "{each: \"range(size(args.q))\", as: i, do: [{set: \"box['k']\", to: 1.0, when: \"i > 5\"}]}, "), {}, "xy"),
    ("a loop removes what its steps say",
     pack("{type: object, additionalProperties: {type: number}}", "'k' in state.box",
          "{each: \"range(size(args.q))\", as: i, do: [{remove: \"box['k']\", when: \"i > 5\"}]}, "), {"k": 1}, "xy"),
    ("a loop over keys does what its steps say",
     pack("{type: object, additionalProperties: {type: number}}", "'k' in state.box",
          "{each: \"state.box.map(k, k)\", as: k, do: [{remove: \"box[k]\", when: \"k != 'k'\"}]}, "), {"k": 1, "l": 1}, "xy"),
    ("the schema holds between the rounds of a procedure",
     pack("{type: number, minimum: 0}", "false", "{each: \"range(size(args.q))\", as: i, do: [{run: step}]}, ",
          procedures="procedures: {step: [{set: bad, to: \"true\", when: \"state.box < 0.0\"}, "
                     "{set: box, to: \"state.box == 0.0 ? 1.0 : state.box == 1.0 ? 0.0 - 1.0 : 0.0\"}]}\n"), 1, "xy"),
    ("what settles afterwards keeps what a loop has left",
     pack("{type: number, minimum: 0}", "false", "{each: \"range(size(args.q))\", as: i, do: [{set: box, to: \"0.0 - 1.0\"}]}, ",
          procedures="settle: [{set: bad, to: \"true\", when: \"state.box < 0.0\"}, {set: box, to: 1.0}]\n"), 1, "xy"),
    # Times, and the history.
    ("it is before the year 2100", pack("{}", "now > timestamp('2101-01-01T00:00:00Z')").replace("ledger:", "clock: 2102-01-01T00:00:00Z\nledger:"),
     1, "x"),
]


def state_text(box):
    if box == "@absent":
        return '{"bad": false}'
    number = box[1:] if isinstance(box, str) and box[:1] == "@" else json.dumps(box)
    return '{"box": %s, "bad": false}' % number


def conversation(calls):
    """Calls of the assistant, each answered but the last."""
    messages = [{"role": "user", "content": "hello"}]
    for i, (name, args, *result) in enumerate(calls):
        call = {"id": str(i), "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        if result:
            messages.append({"role": "tool", "tool_call_id": str(i), "content": result[0]})
    return json.dumps({"messages": messages})


def verdicts(folder, name, calls):
    folder.write("conversation.json", conversation(calls))
    _, out, err = folder.run("replay", "--pack", name, "conversation.json", "--json")
    return [json.loads(line) for line in out.splitlines() if '"verdict"' in line], err


def claims(folder, name, *args):
    code, out, err = folder.run("prove", name, "--no-cache", "--json", *args)
    try:
        return code, json.loads(out)
    except ValueError:
        check(False, f"prove {name} answers", err)
        return code, {"obligations": []}


def outcomes(answer, kind, rule=None):
    """Of the claims of a kind, of a rule or of none."""
    return [o["outcome"] for o in answer["obligations"] if o["obligation"] == kind and (rule is None or o["rule"] in (rule, ""))]


def broken(folder, sentence, text, box, q, before=()):
    calls = [*before, ("act", {"q": q})]
    folder.write("p.yaml", text)
    folder.write("s.json", state_text(box))
    folder.write("c.jsonl", "".join(json.dumps({"name": n, "arguments": a}) + "\n" for n, a in calls))
    _, out, err = folder.run("apply", "--pack", "p.yaml", "--state", "s.json", "c.jsonl", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    broke = [b["id"] for line in lines if "call" in line for b in line.get("broken", [])]
    if not check("ok" in broke, f"{sentence}: it is not so", out + err):
        return
    judged, err = verdicts(folder, "p.yaml", calls)
    check(judged and all(j["verdict"] == "allow" for j in judged), f"{sentence}: the gate allows it", f"{judged}{err}")
    _, answer = claims(folder, "p.yaml")
    for kind in ("preserves", "sequence"):
        found = outcomes(answer, kind, "ok")
        check(found and (kind == "preserves" or before or "proved" not in found) and ("proved" not in found or len(found) > 1),
              f"{sentence}: `{kind}` is not proved", json.dumps(answer["obligations"], indent=1))


def main():
    with _run.Folder() as folder:
        for case in BROKEN:
            broken(folder, *case)
    _run.done()


main()
