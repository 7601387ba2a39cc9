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
    # Steps over what is not followed: they may be done, and what comes after them too.
    *[(f"a loop over a list that is not followed always fails: {each}",
       pack("{type: array, items: {type: string}}", "args.q != ''", "{each: \"%s\", as: i, set: bad, to: \"state.bad\"}, " % each), ["b", "a"], "x")
      for each in ("state.box.sort()", "state.box.sortBy(e, e)", "state.box.distinct()", "state.box.reverse()", "state.box.slice(0, 1)",
                   "[state.box].flatten()", "args.q.split(',')", "range([1].distinct()[0])", "[?optional.of(1)]", "optional.of([1]).value()",
                   "state.box.map(e, e + 'x').sort()")],
    *[(f"a step at a key that is not followed always fails: {step}",
       pack("{type: object, additionalProperties: {type: string}}", "args.q != ''", "{%s}, " % step), {"x": "y"}, "x")
      for step in ("set: \"box[[args.q].sort()[0]]\", to: args.q", "remove: \"box[[args.q].sort()[0]]\"")],
    ("what settles the state over a list that is not followed always fails",
     pack("{type: array, items: {type: string}}", "args.q != ''",
          procedures="settle: [{each: state.box.sort(), as: i, set: bad, to: state.bad}]\n"), ["b"], "x"),
    ("a listed object has its keys in the order of the schema",
     pack("{enum: [{a: 1, b: 2}]}", "state.box.map(k, k)[0] == 'b'"), {"b": 2, "a": 1}, "x"),
    # Times, and the history.
    ("it is before the year 2100", pack("{}", "now > timestamp('2101-01-01T00:00:00Z')").replace("ledger:", "clock: 2102-01-01T00:00:00Z\nledger:"),
     1, "x"),
]


# Rules that are said never to refuse, or never to be met: (what is believed, the pack, calls with the results of the
# earlier ones, the claim). The last call is refused by the rule `r`, or allowed.
NOTE = "  note: {kind: write, parameters: {type: object, properties: {n: {type: number}}}, returns: {type: object}}\n"
LOOK = ("  look: {kind: read, parameters: {type: object}, returns: {}, stores: [{at: seen, value: result}]}\n")


def judged(rule, tools="", ledger="seen: {}", q="{type: string}", more="", rules=""):
    return """pack: p
version: 1.0.0
ledger: {%s}
tools:
  act: {kind: write, parameters: {type: object, properties: {q: %s}}}
%srules: {r: {tools: [act], that: "%s", otherwise: block, say: no}%s}
%s""" % (ledger, q, tools, rule, rules, more)


NEVER = [
    ("what a write gave is what it should be", judged("!ledger.history.exists(h, h.outcome == 'unverified')", NOTE),
     [("note", {"n": 1}, "[1]"), ("act", {"q": "x"})], "violable", "block"),
    ("no write is unverified", judged("ledger.history.exists(h, h.outcome == 'unverified')", NOTE),
     [("note", {"n": 1}, "[1]"), ("act", {"q": "x"})], "allowed", "allow"),
    ("past writes had arguments that fit", judged("!ledger.history.exists(h, h.name == 'note' && dyn(h.args.n) == 'many')", NOTE),
     [("note", {"n": "many"}, "{}"), ("act", {"q": "x"})], "violable", "block"),
    ("past writes had arguments that are listed", judged("!ledger.history.exists(h, h.name == 'note' && 'm' in h.args)", NOTE),
     [("note", {"m": 1}, "{}"), ("act", {"q": "x"})], "violable", "block"),
    ("a record that is stored in parts is never there",
     judged("has(ledger.seen)", "  look: {kind: read, parameters: {type: object}, returns: {}, stores: [{at: seen.a, value: result}]}\n",
            "seen: {type: object, properties: {a: {}}}"),
     [("look", {}, "1"), ("act", {"q": "x"})], "reachable", "allow"),
    ("a record has the members that are listed", judged("!has(ledger.seen) || size(ledger.seen) == 1", LOOK,
     "seen: {type: object, properties: {a: {}}, required: [a]}"), [("look", {}, '{"a": 1, "b": 2}'), ("act", {"q": "x"})], "violable", "block"),
    ("of two members that are not listed one is there", judged("!('x' in args.q && 'y' in args.q)", q="{type: object, properties: {a: {}}}"),
     [("act", {"q": {"x": 1, "y": 2}})], "violable", "block"),
    ("a member that is required, and not listed, is absent", judged("!(dyn(args.q).k['a'] in [1.0])", q="{type: object, properties: {a: {}}, required: [k]}"),
     [("act", {"q": {"k": {"a": 1}}})], "violable", "block"),
    ("more members are there than were looked at, once the map was made anew",
     judged("!('a' in args.q && 'b' in args.q && 'c' in args.q.transformMap(k, v, v) && 'd' in args.q.transformMap(k, v, v))", q="{type: object}"),
     [("act", {"q": {"a": 1, "b": 2, "c": 3, "d": 4}})], "violable", "block"),
    ("more members are there than were looked at", judged("!('a' in args.q && 'b' in args.q && 'c' in args.q && 'd' in args.q)", q="{type: object}"),
     [("act", {"q": {"a": 1, "b": 2, "c": 3, "d": 4}})], "violable", "block"),
    ("an argument that is an object has the members that are listed", judged("size(args.q) <= 1", q="{type: object, properties: {a: {}}}"),
     [("act", {"q": {"a": 1, "b": 2}})], "violable", "block"),
    ("arguments of a schema put together are listed in one of them",
     judged("!has(args.q.b)", q="{allOf: [{type: object, properties: {a: {}}}, {type: object, properties: {b: {}}}]}"),
     [("act", {"q": {"a": 1, "b": 2}})], "violable", "block"),
]

# Two packs that judge a call differently: (what is believed, the argument's schema before and after, the rule
# before and after, a call, which direction is not proved to be none).
Q = "{type: string}"
DIFFERENT = [
    ("a pattern without its anchors is the same", "{type: string, pattern: '^a$'}", "{type: string, pattern: 'a'}", "true", "true", "xax", "looser"),
    ("a pattern with anchors is the same", "{type: string, pattern: 'a'}", "{type: string, pattern: '^a$'}", "true", "true", "xax", "stricter"),
    ("a longer text is no other", "{type: string, maxLength: 3}", "{type: string, maxLength: 4}", "true", "true", "xxxx", "looser"),
    ("a value more is no other", "{type: string, enum: [a]}", "{type: string, enum: [a, b]}", "true", "true", "b", "looser"),
    ("a value less is no other", "{type: string, enum: [a, b]}", "{type: string, enum: [a]}", "true", "true", "b", "stricter"),
    ("another type is no other", "{type: string}", "{type: [string, number]}", "true", "true", 1, "looser"),
    ("a bound is only stricter", "{type: number, maximum: 5}", "{type: number, maximum: 6}", "true", "args.q > 1.0", 6, "looser"),
    ("a member more is no other", "{type: object, properties: {a: {}}, additionalProperties: false}",
     "{type: object, properties: {a: {}, b: {}}, additionalProperties: false}", "true", "true", {"b": 1}, "looser"),
    ("a member that is required is no other", "{type: object, properties: {a: {}}}", "{type: object, properties: {a: {}}, required: [a]}",
     "true", "true", {}, "stricter"),
    ("an exclusion is no other", "{type: string}", "{type: string, not: {const: x}}", "true", "true", "x", "stricter"),
    ("an alternative less is no other", "{anyOf: [{type: string}, {type: number}]}", "{anyOf: [{type: string}]}", "true", "true", 1, "stricter"),
]

# Premises that contradict each other: (what it is, the pack, the claim that is a finding, words of its reason).
FAILS = "{fail: 'never', when: 'true'}, "
VACUOUS = [
    ("an invariant that no state has", pack("{type: number}", "state.box > 1.0", invariant="!state.bad && state.bad"), "satisfiable", "ok"),
    ("an invariant that its schema excludes", pack("{type: number, minimum: 3}", "state.box > 1.0", invariant="state.box < 2.0"), "satisfiable", "ok"),
    ("effects that always fail", pack("{type: number}", "state.box > 1.0", FAILS), "effective", "all of them fail"),
    ("effects that always fail for what is stored", pack("{type: object, additionalProperties: false}", "true",
                                                         "{remove: \"box['x']\"}, "), "effective", "all of them fail"),
]

NUMBERS = "{type: object, additionalProperties: {type: number}}"
LIST = "{type: array, items: {type: number}}"

# Cases of steps and of keywords, each of which the formulas must let happen.
POSSIBLE = [
    ("two keys are two", pack(NUMBERS,"state.box['k'] == 2.0", "{set: \"box['k']\", to: 1.0}, {set: \"box[args.q]\", to: 2.0}, "), {}, "k"),
    ("two keys are two: what is removed", pack(NUMBERS,"!('k' in state.box)", "{set: \"box['k']\", to: 1.0}, {remove: \"box[args.q]\"}, "), {}, "k"),
    ("loop appends", pack(LIST,"size(state.box) == 3", "{each: \"range(size(args.q))\", as: i, do: [{append: box, value: 1.0}]}, "), [1], "xy"),
    ("loop sets item keys", pack(NUMBERS,"state.box.exists(k, state.box[k] == 7.0)", "{each: \"[args.q, args.q + 'a']\", as: k, do: [{set: \"box[k]\", to: 7.0}]}, "), {}, "xy"),
    ("loop over keys sets", pack(NUMBERS,"state.box.all(k, state.box[k] == 7.0) && size(state.box) > 1", "{each: \"state.box.map(k, k)\", as: k, do: [{set: \"box[k]\", to: 7.0}]}, "), {"a":1,"b":2}, "xy"),
    ("loop over keys removes all", pack(NUMBERS,"size(state.box) == 0", "{each: \"state.box.map(k, k)\", as: k, do: [{remove: \"box[k]\"}]}, "), {"a":1,"b":2}, "xy"),
    ("loop with let", pack("{type: number}", "state.box == 13.0", "{each: \"range(size(args.q))\", as: i, let: {d: state.box * 2.0}, do: [{set: box, to: d + 1.0}]}, "), .75, "xyz"),
    ("nested loops", pack("{type: number}", "state.box == 4.0", "{each: \"range(size(args.q))\", as: i, do: [{each: \"range(size(args.q))\", as: j, do: [{set: box, to: state.box + 1.0}]}]}, "), 0, "xy"),
    ("loop fail in later", pack("{type: number}", "state.box == 2.0", "{each: \"range(size(args.q))\", as: i, do: [{set: box, to: state.box + 1.0}, {fail: 'x', when: \"state.box > 2.0\"}]}, "), 0, "xy"),
    ("fail loop only for some", pack(LIST,"true", "{each: state.box, as: x, do: [{fail: 'x', when: x < 0.0}]}, "), [1,2], "xy"),
    ("loop sets nested record", pack("{type: array, items: {type: object, properties: {n: {type: number}}}}", "state.box.all(r, r.n == 3.0) && size(state.box) == 2", "{each: \"range(size(state.box))\", as: i, do: [{set: \"box[i].n\", to: 3.0}]}, "), [{"n":1},{"n":2}], "xy"),
    ("loop sets new member of record", pack("{type: array, items: {type: object, properties: {n: {type: number}}}}", "state.box.all(r, has(r.n)) && size(state.box) == 2", "{each: \"range(size(state.box))\", as: i, do: [{set: \"box[i].n\", to: 3.0}]}, "), [{},{}], "xy"),
    ("remove from list shifts", pack(LIST,"state.box[0] == 2.0", "{remove: \"box[0]\"}, "), [1,2], "xy"),
    ("procedure twice", pack("{type: number}", "state.box == 2.0", "{run: inc}, {run: inc}, ",procedures="procedures: {inc: [{set: box, to: state.box + 1.0}]}\n"), 0,"x"),
    ("loop of procedure", pack("{type: number}", "state.box == 2.0", "{each: \"range(size(args.q))\", as: i, do: [{run: inc}]}, ",procedures="procedures: {inc: [{set: box, to: state.box + 1.0}]}\n"), 0,"xy"),
    ("settle loop", pack("{type: array, items: {type: number}}", "size(state.box) == 1", "",procedures="settle: [{each: state.box, as: x, do: [{set: bad, to: \"true\", when: \"x < 0.0\"}]}]\n"), [-1],"x"),
    ("state invariant over undeclared", pack("{type: object, properties: {a: {type: number}}}", "size(state.box) == 2", "{set: \"box[args.q]\", to: 1.0}, "), {"a":1},"z"),
    ("set key in record", pack("{type: object, properties: {a: {type: number}}}", "state.box.a == 5.0", "{set: \"box[args.q]\", to: 5.0}, "), {"a":1},"a"),
    ("swap", pack("{type: object, properties: {a: {type: number}, b: {type: number}}, required: [a,b]}", "state.box.a == 2.0 && state.box.b == 2.0", "{set: box.a, to: state.box.b}, {set: box.b, to: state.box.a}, "), {"a":1,"b":2},"a"),
    ("each over a filtered list", pack(LIST, "size(state.box.filter(x, x > 1.0)) == 1 && state.box.filter(x, x > 1.0)[0] == 2.0"), [1,2],"a"),
    ("list in list", pack("{type: array, items: {type: array, items: {type: number}}}", "state.box[0] == [1.0, 2.0]", "{append: \"box[0]\", value: 2.0}, "), [[1]],"a"),
    ("unicode key", pack(NUMBERS,"state.box['ü'] == 1.0", "{set: \"box[args.q]\", to: 1.0}, "), {},"ü"),
    ("null member", pack("{type: object, properties: {a: {type: [number,'null']}}}", "has(state.box.a) && state.box.a == null", "{set: box.a, to: 'null'}, "), {},"ü"),
    ("enum member", pack("{enum: [1, 'a', null, [1], {a: 1}]}", "state.box == {'a': 1.0}", ""), {"a":1},"ü"),
    ("const 1.0", pack("{const: 1}", "state.box == 1.0", ""), 1.0,"ü"),
    ("nullable draft", pack("{type: string, nullable: true}", "size(state.box) == 1", ""), "a", "ü"),
    ("minLength in code points", pack("{type: string, minLength: 2, maxLength: 2}", "size(state.box) == 2", ""), "éü", "ü"),
    ("dependentRequired", pack("{type: object, properties: {a: {}, b: {}}, dependentRequired: {a: [b]}}", "has(state.box.b) && !has(state.box.a)", ""), {"b":1},"x"),
    ("contains", pack("{type: array, contains: {const: 3}}", "size(state.box) == 2", ""), [1,3],"x"),
    ("uniqueItems", pack("{type: array, items: {type: number}, uniqueItems: true}", "state.box == [1.0, 2.0]", ""), [1,2],"x"),
    ("items false", pack("{type: array, prefixItems: [{type: number}], items: false}", "size(state.box) == 1 && dyn(state.box[0]) == 1.0", ""), [1],"x"),
    ("bool schema member", pack("{type: object, properties: {a: true}}", "state.box.a == [1.0]", ""), {"a":[1]},"x"),
    ("propertyNames", pack("{type: object, propertyNames: {pattern: '^a'}}", "'ab' in state.box", ""), {"ab":[1]},"x"),
    ("big loop", pack("{type: number}", "state.box == 40.0", "{each: \"range(size(args.q))\", as: i, do: [{set: box, to: state.box + 1.0}]}, "), 0, "x"*40),
    ("exists one", pack(LIST,"state.box.exists_one(x, x == 2.0)", ""), [1,2],"x"),
    ("a loop puts what is there", pack("{}", "type(state.box) == string", "{each: \"range(size(args.q))\", as: i, do: [{set: box, to: \"i == 0 ? dyn('a') : dyn(state.box)\"}]}, "), 0,"xy"),
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
    return [json.loads(line)["decision"] for line in out.splitlines() if '"decision"' in line], err


def claims(folder, name, *args):
    operands = args if "--diff" in args else (name, *args)
    code, out, err = folder.run("prove", *operands, "--no-cache", "--json")
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


# Sequences of allowed calls that break an invariant: (what is believed, the pack, the state, calls with the results
# of reads and earlier writes).
SETTLES = """pack: p
version: 1.0.0
stale: reread
ledger: {b: {type: string}}
state: {a: {type: string}, b: {type: string}, bad: {type: boolean}}
settle: [{set: b, to: state.a}]
tools:
  get_b: {kind: read, parameters: {type: object}, returns: {type: string}, stores: [{at: b}], gives: state.b}
  act: {kind: write, parameters: {type: object}, effects: [{set: bad, to: "true", when: "state.b != 'x'"}]}
rules: {r: {tools: [act], that: "ledger.b == 'x'", needs: [ledger.b], otherwise: block, say: no}}
invariants: [{id: ok, that: "!state.bad"}]
"""
SEQUENCES = [
    ("a state was settled before", SETTLES, {"a": "y", "b": "x", "bad": False}, [("get_b", {}, '"x"'), ("act", {})]),
]


def sequence(folder, sentence, text, state, calls):
    folder.write("p.yaml", text)
    folder.write("s.json", json.dumps(state))
    folder.write("c.jsonl", "".join(json.dumps({"name": c[0], "arguments": c[1]}) + "\n" for c in calls))
    _, out, err = folder.run("apply", "--pack", "p.yaml", "--state", "s.json", "c.jsonl", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    broke = [b["id"] for line in lines if "call" in line for b in line.get("broken", [])]
    decided, more = verdicts(folder, "p.yaml", calls)
    if not check("ok" in broke and decided and all(d["verdict"] == "allow" for d in decided), f"{sentence}: it is not so", out + err + more):
        return
    _, answer = claims(folder, "p.yaml")
    check("proved" not in outcomes(answer, "sequence", "ok"), f"{sentence}: `sequence` is not proved", json.dumps(answer, indent=1))


def claimed(folder, sentence, text, calls, kind, wanted):
    folder.write("p.yaml", text)
    judged_calls, err = verdicts(folder, "p.yaml", calls)
    last = judged_calls[-1] if judged_calls else {}
    if not check(last.get("verdict") == wanted, f"{sentence}: it is not so", f"{last}{err}"):
        return
    _, answer = claims(folder, "p.yaml", "--tool", "act")
    found = outcomes(answer, kind)
    check("refuted" not in found, f"{sentence}: `{kind}` is not refuted", json.dumps(answer["obligations"], indent=1))


def different(folder, sentence, schema, new_schema, rule, new_rule, q, missed):
    seen = []
    for name, own, that in (("old.yaml", schema, rule), ("new.yaml", new_schema, new_rule)):
        folder.write(name, judged(that, q=own))
        decisions, err = verdicts(folder, name, [("act", {"q": q})])
        seen.append(("allow", "revise", "block").index(decisions[0]["verdict"]) if decisions else err)
    if not check(seen[0] < seen[1] if missed == "stricter" else seen[0] > seen[1], f"{sentence}: it is not so", seen):
        return
    code, answer = claims(folder, "new.yaml", "--diff", "old.yaml", "new.yaml", "--accept", "stricter" if missed == "looser" else "looser")
    wrong = ("equal", "stricter" if missed == "looser" else "looser")
    check(code == 1 and answer.get("relation") not in wrong, f"{sentence}: not accepted, and not {' or '.join(wrong)}", f"{code} {answer}")
    tools = answer.get("tools", [])
    check(all(t["proved"] or t["relation"] == "unknown" for t in tools), f"{sentence}: what is not proved is unknown", tools)


def vacuous(folder, sentence, text, kind, words):
    folder.write("p.yaml", text)
    code, answer = claims(folder, "p.yaml")
    found = [o for o in answer["obligations"] if o["obligation"] == kind]
    check(code == 1 and found and found[0]["finding"] and words in found[0]["why"], f"{sentence}: a finding", found)
    for other in ("preserves", "ensures", "sequence"):
        check("proved" not in outcomes(answer, other), f"{sentence}: `{other}` is not proved by it", json.dumps(answer["obligations"], indent=1))


# A record that repeats its key, in a field with a pattern.
PATTERNED = """pack: p
version: 1.0.0
types:
  Order: {type: object, properties: {id: {type: string, pattern: '^#W[0-9]{7}$'}, open: {type: boolean}}, required: [id, open]}
ledger: {orders.*: Order}
tools:
  get: {kind: read, parameters: {type: object, properties: {q: {type: string}}, required: [q]}, returns: Order, stores: [{at: 'orders[args.q]'}]}
  act: {kind: write, parameters: {type: object, properties: {q: {type: string}}, required: [q]}}
rules: {r: {tools: [act], that: "ledger.orders[args.q].open", needs: ['ledger.orders[args.q]'], otherwise: block, say: no}}
invariants: [{id: by_id, that: "ledger.orders.all(k, ledger.orders[k].id == k)"}]
"""


def keys_of_a_pattern(folder):
    folder.write("p.yaml", PATTERNED)
    code, answer = claims(folder, "p.yaml")
    found = [(o["obligation"], o["outcome"]) for o in answer["obligations"]]
    check(code == 0 and {o for _, o in found} == {"proved"}, "keys that a field with a pattern repeats are found", found)


# Equality of values of which nothing is known: more cases than anyone can follow.
ENDLESS = judged("ledger.seen.a['x'] == ledger.m['a']", ledger="seen: {}, m.*: {}")


def limits(folder):
    folder.write("p.yaml", ENDLESS)
    code, answer = claims(folder, "p.yaml", "--max-seconds", "1")
    # How far it comes is the machine's: what it has reached was carried out, and the last is never reached.
    found = [(o["outcome"], (o["example"] or {}).get("confirmed")) for o in answer["obligations"]]
    check(code == 0 and found[-1] == ("unknown", None) and set(found) <= {("unknown", None), ("proved", True)},
          "what is not reached within the run's time is unknown", found)
    code, out, _ = folder.run("prove", "p.yaml", "--max-seconds", "1", "--no-cache")
    check(code == 0 and "--max-seconds" in out.splitlines()[-1], "and what to do is said at the end", out)
    code, _ = claims(folder, "p.yaml", "--max-seconds", "1", "--require", "proved")
    check(code == 1, "and not what is required", code)
    code, answer = claims(folder, "p.yaml", "--max-memory", "64", "--tool", "act")
    beyond = [o for o in answer["obligations"] if "MB of memory" in o["why"]]
    check(code == 0 and beyond and all(o["outcome"] == "unknown" for o in beyond), "nor within its memory", answer)
    rest = [o for o in answer["obligations"] if o["outcome"] != "unknown"]
    check(all(o["outcome"] == "proved" and o["example"] for o in rest), "and what is proved then was carried out", answer)
    folder.write("p.yaml", judged("args.q != 'x'"))
    code, answer = claims(folder, "p.yaml", "--require", "proved")
    open_ones = [o for o in answer["obligations"] if o["outcome"] in ("assumed", "unknown")]
    check(code == 0 and not open_ones, "where all is proved, nothing is missing", answer)
    for args, words in (
        (("--max-seconds", "0"), "--max-seconds is a number from 1"),
        (("--max-memory", "1"), "--max-memory is a number of megabytes"),
        (("--require", "assumed"), "--require knows no `assumed`"),
        (("--diff", "p.yaml", "--require", "proved"), "--require is about the claims of one pack"),
    ):
        code, _, err = folder.run("prove", "p.yaml", *args)
        check(code == 2 and words in err, f"{' '.join(args)} is refused", err)


def main():
    with _run.Folder() as folder:
        for case in BROKEN + POSSIBLE:
            broken(folder, *case)
        for case in NEVER:
            claimed(folder, *case)
        for case in DIFFERENT:
            different(folder, *case)
        for case in VACUOUS:
            vacuous(folder, *case)
        for case in SEQUENCES:
            sequence(folder, *case)
        keys_of_a_pattern(folder)
        limits(folder)
    _run.done()


main()
