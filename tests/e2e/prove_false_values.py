"""Values of which a formula might say more than the evaluator does.

Each case is a pack, a state and a call. What the call does is carried out first: an invariant is broken,
or a rule refuses what is said never to be refused. Then `prove` is asked, which must not say that it
cannot be.
"""

import json

import _run
from _run import check

PACK = """pack: p
version: 1.0.0
ledger: {seen: {type: string}}
state: {box: %(box)s, bad: {type: boolean}}
tools:
  act:
    kind: write
    parameters: {type: object, properties: {q: %(q)s}, required: [q]}
    effects: [%(effects)s{set: bad, to: "true", when: "%(when)s"}]
rules: {r: {tools: [act], that: "%(rule)s", otherwise: block, say: no}}
invariants: [{id: ok, that: "!state.bad"}]
"""

ANY = "{}"
NUMBER = "{type: number}"
NUMBERS = "{type: array, items: {type: number}}"
TEXT = "{type: string}"
MAP = "{type: object, additionalProperties: {type: number}}"
MAPS = "{type: object, properties: {a: %s, b: %s}, required: [a, b]}" % (MAP, MAP)
PAIR = "{type: object, properties: {a: {type: number}, b: {type: number}}, required: [a, b], additionalProperties: false}"
HUGE = "9007199254740993"


def set_box(to):
    return '{set: box, to: "%s"}, ' % to


# (what is believed, box, q, effects, when, rule, the box as JSON, q as JSON): an allowed call breaks `ok`.
BROKEN = [
    # What is stored is written as JSON, and read again.
    ("an int stays an int", NUMBER, TEXT, set_box("size(args.q)"), "state.box * 2.0 == 2.0", "", "0", '"x"'),
    ("a uint stays a uint", NUMBER, NUMBER, set_box("uint(args.q)"), "state.box * 2.0 == 2.0", "", "0", "1"),
    ("an int in a list stays one", NUMBERS, TEXT, set_box("[size(args.q)]"), "state.box[0] * 2.0 == 2.0", "", "[0]", '"x"'),
    ("ints of a range stay ints", NUMBERS, TEXT, set_box("range(size(args.q))"), "state.box.all(x, x + 1.0 > 0.0)", "", "[0]", '"xy"'),
    ("an int in a map stays one", MAP, TEXT, set_box("{'k': size(args.q)}"), "state.box.k * 2.0 == 2.0", "", "{}", '"x"'),
    ("an int in a list in a map stays one", ANY, TEXT, set_box("{'k': [size(args.q)]}"), "state.box.k[0] * 2.0 == 2.0", "", "{}", '"x"'),
    ("an int that is appended stays one", NUMBERS, TEXT, '{append: box, value: "size(args.q)"}, ', "state.box[0] * 2.0 == 2.0", "", "[]", '"x"'),
    ("ints of a filter stay ints", NUMBERS, TEXT, set_box("range(size(args.q)).filter(i, i > 0)"), "state.box[0] * 2.0 == 2.0", "", "[0]", '"xy"'),
    ("ints of a map's values stay ints", MAP, TEXT, set_box("state.box.transformMap(k, v, int(v))"), "state.box.k * 2.0 == 2.0", "", '{"k": 1}', '"x"'),
    ("a time stays a time", ANY, TEXT, set_box("timestamp('2024-01-01T00:00:00Z')"), "type(state.box) == string", "", "0", '"x"'),
    ("a time is no text", ANY, TEXT, set_box("timestamp('2024-01-01T00:00:00Z')"), "state.box == '2024-01-01T00:00:00Z'", "", "0", '"x"'),
    ("a duration stays one", ANY, TEXT, set_box("duration('60s')"), "state.box == '60s'", "", "0", '"x"'),
    ("bytes stay bytes", ANY, TEXT, set_box("b'abc'"), "state.box == 'YWJj'", "", "0", '"x"'),
    ("an optional stays one", ANY, TEXT, set_box("optional.of('v')"), "state.box == 'v'", "", "0", '"x"'),
    ("none stays none", ANY, TEXT, set_box("optional.none()"), "state.box == null", "", "0", '"x"'),
    ("keys of maps stay ints", ANY, TEXT, set_box("{1: 'v'}"), "'1' in state.box", "", "0", '"x"'),
    ("a double stays one where an integer stood", NUMBER, TEXT, set_box("state.box * 10.0"), "type(state.box) == int", "", "1000000000000000", '"x"'),
    # Integers beyond 2^53 are no doubles.
    ("a number of JSON is a double", NUMBER, TEXT, "", "type(state.box) == int", "", HUGE, '"x"'),
    ("a number of JSON is no uint", NUMBER, TEXT, "", "type(state.box) == uint", "", "18446744073709551615", '"x"'),
    ("an argument is a double", NUMBER, NUMBER, "", "dyn(args.q) % 2 == 1", "", "0", HUGE),
    ("an argument of type integer is a double", NUMBER, "{type: integer}", "", "dyn(args.q) % 2 == 1", "", "0", HUGE),
    ("a number above zero is a double", NUMBER, "{type: integer, minimum: 1}", "", "dyn(args.q) % 2 == 1", "", "0", HUGE),
    ("an element is a double", NUMBERS, TEXT, "", "state.box.exists(x, type(x) == int)", "", "[%s]" % HUGE, '"x"'),
    ("a listed number is a double", "{enum: [1, %s]}" % HUGE, TEXT, "", "dyn(state.box) % 2 == 1", "", HUGE, '"x"'),
    ("a number of any value is a double", ANY, TEXT, "", "type(state.box) == int", "", HUGE, '"x"'),
    ("whole numbers count", NUMBER, "{type: integer}", "", "args.q + 1.0 == args.q", "", "0", "1e16"),
    ("whole numbers count on", NUMBER, "{type: integer}", "", "(args.q + 1.0) - args.q == 0.0", "", "0", "1e16"),
    ("whole numbers multiply", NUMBER, "{type: integer}", "", "args.q * 3.0 - args.q * 2.0 != args.q", "", "0", "9007199254740991"),
    ("an int is a double as it is", NUMBER, TEXT, "", "double(int(args.q)) == double(int(args.q) - 1)", "", "0", '"%s"' % HUGE),
    # Doubles round, and may be no finite number.
    ("NaN: not above", NUMBER, TEXT, "", "!(double(args.q) <= 100.0)", "!(double(args.q) > 100.0)", "0", '"NaN"'),
    ("NaN equals itself", NUMBER, TEXT, "", "double(args.q) != double(args.q)", "", "0", '"NaN"'),
    ("a list equals itself", NUMBER, TEXT, "", "[double(args.q)] != [double(args.q)]", "", "0", '"NaN"'),
    ("a list with a name equals itself", NUMBER, TEXT, "", "cel.bind(l, [double(args.q)], l != l)", "", "0", '"NaN"'),
    ("a map equals itself", NUMBER, TEXT, "", "cel.bind(m, {'k': double(args.q)}, m != m)", "", "0", '"NaN"'),
    ("a list contains its elements", NUMBER, TEXT, "", "cel.bind(x, double(args.q), !(x in [x]))", "", "0", '"NaN"'),
    ("doubles are ordered", NUMBER, TEXT, "", "cel.bind(x, double(args.q), !(x < 0.0) && !(x >= 0.0))", "", "0", '"nan"'),
    ("one of two is the greatest", NUMBER, TEXT, "", "cel.bind(x, double(args.q), math.greatest(x, 1.0) < 1.0 || !(math.greatest(x, 1.0) >= 1.0))", "", "0", '"NaN"'),
    ("what is read is finite", NUMBER, TEXT, "", "double(args.q) - double(args.q) != 0.0", "", "0", '"inf"'),
    ("something is larger", NUMBER, TEXT, "", "double(args.q) + 1.0 == double(args.q)", "", "0", '"inf"'),
    ("a sum is finite", NUMBER, NUMBER, "", "math.isInf(args.q + args.q)", "", "0", "1.7e308"),
    ("a product is finite", NUMBER, NUMBER, "", "args.q * 10.0 == args.q * 100.0 && args.q > 1.0", "", "0", "1.7e308"),
    ("a constant product is finite", NUMBER, TEXT, "", "1e308 * 10.0 == 1e308 * 100.0", "", "0", '"x"'),
    ("a difference of two is a number", NUMBER, NUMBER, "", "!((args.q * 10.0) - (args.q * 10.0) == 0.0)", "", "0", "1.7e308"),
    ("a division by zero fails", NUMBER, NUMBER, "", "1.0 / args.q > 100.0", "", "0", "0"),
    ("a division by zero fails: constants", NUMBER, TEXT, "", "1.0 / 0.0 > 100.0", "", "0", '"x"'),
    ("zero by zero is a number", NUMBER, NUMBER, "", "args.q / args.q != args.q / args.q", "", "0", "0"),
    ("a root is a number", NUMBER, NUMBER, "", "math.sqrt(args.q) != math.sqrt(args.q)", "", "0", "-1"),
    ("an expression is a number", NUMBER, TEXT, "", "arithmetic(args.q) != arithmetic(args.q)", "", "0", '"0/0"'),
    ("a sum of a list is finite", NUMBERS, TEXT, "", "sum(state.box) - sum(state.box) != 0.0", "", "[1.7e308, 1.7e308]", '"x"'),
    ("a sum is exact", NUMBERS, TEXT, "", "sum(state.box) != 0.6 && state.box == [0.1, 0.2, 0.3]", "", "[0.1, 0.2, 0.3]", '"x"'),
    ("sums are associative", NUMBER, NUMBER, "", "(args.q + 0.1) - args.q != 0.1", "", "0", "1e16"),
    ("quotients are exact", NUMBER, NUMBER, "", "args.q / 3.0 * 3.0 != args.q", "", "0", "7e-324"),
    ("a positive number has a positive half", NUMBER, NUMBER, "", "args.q > 0.0 && args.q / 2.0 == 0.0", "", "0", "5e-324"),
    ("the least double is zero", NUMBER, NUMBER, "", "args.q == 5e-324 && args.q > 0.0", "", "0", "5e-324"),
    ("a product of positive numbers is positive", NUMBER, NUMBER, "", "args.q > 0.0 && args.q * args.q == 0.0", "", "0", "1e-200"),
    ("the sum of a map has one order", MAPS, TEXT, "",
     "state.box.a == state.box.b && sum(state.box.a.map(k, state.box.a[k])) != sum(state.box.b.map(k, state.box.b[k]))",
     "", '{"a": {"x": 0.1, "y": 0.2, "z": 0.3}, "b": {"z": 0.3, "y": 0.2, "x": 0.1}}', '"x"'),
    # Zeros.
    ("there is one zero", NUMBER, NUMBER, "", "1.0 / args.q < 0.0 && args.q == 0.0", "", "0", "-0.0"),
    ("zeros look alike", NUMBER, NUMBER, "", "string(args.q) != string(0.0) && args.q == 0.0", "", "0", "-0.0"),
    ("zeros look alike: negated", NUMBER, NUMBER, "", "string(args.q) != string(-args.q) && args.q == 0.0", "", "0", "0"),
    # Ints and times.
    ("an int is at most 2^63 - 1", NUMBER, TEXT, "", "int(args.q) >= 9223372036854775807.0 && int(args.q) <= 9223372036854775807.0 && int(args.q) == 9223372036854775807", "", "0",
     '"9223372036854775807"'),
    ("2^63 is above every int", NUMBER, TEXT, "", "!(int(args.q) < 9223372036854775808.0)", "", "0", '"9223372036854775807"'),
    ("2^63 is above every int of JSON", NUMBER, NUMBER, "", "!(args.q < 9223372036854775808.0) && args.q != 9223372036854775808.0 && type(args.q) == int", "", "0", "9223372036854775807"),
    ("a time is no number", NUMBER, TEXT, "", "int(timestamp(args.q)) == 60", "", "0", '"1970-01-01T00:01:00Z"'),
    ("a time before 1970 is rounded up", NUMBER, TEXT, "", "int(timestamp(args.q)) == -1", "", "0", '"1969-12-31T23:59:59.5Z"'),
    ("the last second is whole", NUMBER, TEXT, "", "timestamp(args.q) > timestamp('9999-12-31T23:59:59Z')", "", "0", '"9999-12-31T23:59:59.5Z"'),
    ("a fraction below zero is no index", NUMBERS, NUMBER, "", "state.box[?dyn(args.q)].orValue(5.0) == 5.0", "", "[1]", "-0.5"),
    ("the greatest is of one type", NUMBER, NUMBER, "", "math.greatest(1, args.q) == 2.0", "", "0", "2"),
    ("the first of two equal ones is taken", NUMBER, NUMBER, "", "type(math.least(1, args.q)) == int && args.q == 1.0", "", "0", "1"),
    # Uints, bytes and types are values of their own.
    ("uint constants are one", NUMBER, NUMBER, "", "uint(args.q) == 2u", "uint(args.q) != 1u", "0", "2"),
    ("uints: one is no other", NUMBER, NUMBER, "", "[1u, 2u] != [2u, 1u]", "", "0", "2"),
    ("bytes constants are one", NUMBER, TEXT, "", "bytes(args.q) == b'b'", "bytes(args.q) != b'a'", "0", '"b"'),
    ("type constants are one", ANY, TEXT, "", "type(state.box) == bool", "type(args.q) == string", "true", '"b"'),
    ("uints have no order", NUMBER, NUMBER, "", "uint(args.q) < 2u", "", "0", "1"),
    ("uints are no numbers", NUMBER, NUMBER, "", "uint(args.q) + 1u == 2u", "", "0", "1"),
    ("a uint is no index", NUMBERS, NUMBER, "", "state.box[dyn(uint(args.q))] == 2.0", "", "[1, 2]", "1"),
    # Lists that are not followed.
    ("sort gives values of JSON", NUMBERS, TEXT, "", "state.box.map(x, int(x)).sort()[0] + 1 == 2", "", "[1]", '"x"'),
    ("reverse gives values of JSON", NUMBERS, TEXT, "", "state.box.map(x, int(x)).reverse()[0] + 1 == 2", "", "[1]", '"x"'),
    ("slice gives values of JSON", NUMBERS, TEXT, "", "state.box.map(x, int(x)).slice(0, 1)[0] + 1 == 2", "", "[1]", '"x"'),
    ("distinct gives values of JSON", NUMBERS, TEXT, "", "state.box.map(x, int(x)).distinct()[0] + 1 == 2", "", "[1]", '"x"'),
    ("flatten gives values of JSON", NUMBERS, TEXT, "", "[state.box.map(x, int(x))].flatten()[0] + 1 == 2", "", "[1]", '"x"'),
    ("sortBy gives values of JSON", NUMBERS, TEXT, "", "state.box.map(x, int(x)).sortBy(x, -x)[0] + 1 == 2", "", "[1]", '"x"'),
    ("first gives values of JSON", NUMBERS, TEXT, "", "state.box.map(x, int(x)).first().value() + 1 == 2", "", "[1]", '"x"'),
    ("sorted lists have elements", NUMBERS, TEXT, "", "state.box.map(x, int(x)).sort().exists(x, x + 1 == 2)", "", "[1]", '"x"'),
    ("sorted lists have a size", NUMBERS, TEXT, "", "size(state.box.map(x, int(x)).sort()) == 1", "", "[1]", '"x"'),
    ("lists of times sort", NUMBER, TEXT, "", "[timestamp(args.q)].sort()[0] == timestamp(0)", "", "0", '"1970-01-01T00:00:00Z"'),
    ("lists put together hold values of JSON", NUMBERS, TEXT, "", "(state.box.map(x, int(x)) + state.box.map(x, int(x)))[5] + 1 == 2", "",
     "[1, 1, 1, 1, 1, 1]", '"x"'),
    ("a filtered list holds values of JSON", NUMBERS, TEXT, "", "state.box.map(x, int(x)).filter(x, x > 0)[4] + 1 == 2", "", "[1, 1, 1, 1, 1, 1]", '"x"'),
    ("unwrap gives values of JSON", NUMBERS, TEXT, "", "optional.unwrap([optional.of(size(args.q))])[0] + 1 == 2", "", "[]", '"x"'),
    ("optional items are values of JSON", NUMBERS, TEXT, "", "[?optional.of(size(args.q))][0] + 1 == 2", "", "[]", '"x"'),
    ("optional values are values of JSON", NUMBERS, TEXT, "", "optional.of(size(args.q)).value() + 1 == 2", "", "[]", '"x"'),
    ("optMap gives values of JSON", NUMBERS, TEXT, "", "optional.of(args.q).optMap(x, size(x)).value() + 1 == 2", "", "[]", '"x"'),
    ("maps with ints as keys have none", NUMBERS, TEXT, "", "{size(args.q): 'v'}[1] == 'v'", "", "[]", '"x"'),
    ("maps with ints as keys have texts", NUMBERS, TEXT, "", "{1: size(args.q)}.exists(k, k + 1 == 2)", "", "[]", '"x"'),
    ("a map built entry by entry has texts", NUMBERS, TEXT, "", "[size(args.q)].transformMapEntry(i, v, {v: i})[1] == 0", "", "[]", '"x"'),
    ("math.least of many is a double", NUMBER, NUMBER, "", "math.least(3, 2, args.q) == 1.0", "", "0", "1"),
    ("math.sign of an int is a double", NUMBER, TEXT, "", "math.sign(size(args.q)) + 1 == 2", "", "0", '"x"'),
    ("bits give doubles", NUMBER, TEXT, "", "math.bitOr(size(args.q), 2) + 1 == 4", "", "0", '"x"'),
    ("split gives one text", NUMBER, TEXT, "", "args.q.split(',')[1] == 'b'", "", "0", '"a,b"'),
    ("format gives one text", NUMBER, TEXT, "", "'%d' .format([size(args.q)]) == '1'", "", "0", '"x"'),
    ("a range of a large number is none", NUMBER, TEXT, "", "range(size(args.q)).sort()[1] + 1 == 2", "", "0", '"xy"'),
    # The order of maps.
    ("maps with the same keys have one order", MAPS, TEXT, "",
     "state.box.a.all(k, k in state.box.b) && state.box.b.all(k, k in state.box.a) && state.box.a.map(k, k)[0] != state.box.b.map(k, k)[0]",
     "", '{"a": {"k": 1, "m": 1}, "b": {"m": 1, "k": 1}}', '"x"'),
    ("equal maps have one order", MAPS, TEXT, "", "state.box.a == state.box.b && state.box.a.map(k, k) != state.box.b.map(k, k)",
     "", '{"a": {"k": 1, "m": 1}, "b": {"m": 1, "k": 1}}', '"x"'),
    ("equal maps have one order: filtered", MAPS, TEXT, "",
     "state.box.a == state.box.b && state.box.a.filter(k, k != 'z')[0] != state.box.b.filter(k, k != 'z')[0]",
     "", '{"a": {"k": 1, "m": 1}, "b": {"m": 1, "k": 1}}', '"x"'),
    ("equal maps have one order: the last", MAPS, TEXT, "",
     "state.box.a == state.box.b && state.box.a.map(k, k)[1] != state.box.b.map(k, k)[1]",
     "", '{"a": {"k": 1, "m": 1}, "b": {"m": 1, "k": 1}}', '"x"'),
    ("equal maps have one order: joined", MAPS, TEXT, "",
     "state.box.a == state.box.b && (state.box.a.map(k, k) + ['z'])[0] != (state.box.b.map(k, k) + ['z'])[0]",
     "", '{"a": {"k": 1, "m": 1}, "b": {"m": 1, "k": 1}}', '"x"'),
    ("equal maps have one order: values", MAPS, TEXT, "",
     "state.box.a == state.box.b && state.box.a.map(k, state.box.a[k])[0] != state.box.b.map(k, state.box.b[k])[0]",
     "", '{"a": {"k": 1, "m": 2}, "b": {"m": 2, "k": 1}}', '"x"'),
    ("equal maps have one order: indices", MAPS, TEXT, "",
     "state.box.a == state.box.b && state.box.a.map(k, k).exists(i, k, i == 0 && k == 'm') != state.box.b.map(k, k).exists(i, k, i == 0 && k == 'm')",
     "", '{"a": {"k": 1, "m": 1}, "b": {"m": 1, "k": 1}}', '"x"'),
    ("members have the order of their schema", PAIR, TEXT, "", "state.box.map(k, k)[0] == 'b'", "", '{"b": 1, "a": 1}', '"x"'),
    ("a member that is set stands last", MAP, TEXT, '{set: "box[args.q]", to: 2.0}, ', "state.box.map(k, k)[0] == args.q && size(state.box) == 2", "",
     '{"k": 1, "m": 1}', '"k"'),
    # Texts.
    ("any values are joined as numbers", ANY, TEXT, "", "state.box + state.box == 'aa'", "", '"a"', '"x"'),
    ("texts are ordered by their length", NUMBER, TEXT, "", "args.q < 'b' && size(args.q) > 1", "", "0", '"aa"'),
    ("capitals are letters", NUMBER, TEXT, "", "args.q.lowerAscii() != 'k' && args.q == '\\u212a'", "", "0", '"\\u212a"'),
    ("a size is one of bytes", NUMBER, TEXT, "", "size(args.q) == 1 && size(bytes(args.q)) == 4", "", "0", '"\\ud83d\\ude00"'),
    ("code points are ordered as UTF-16 is", NUMBER, TEXT, "", "'\\uffee' < args.q && args.q < '\\U0001F601'", "", "0", '"\\ud83d\\ude00"'),
    ("a pattern is anchored", NUMBER, TEXT, "", "args.q.matches('a')", "", "0", '"bab"'),
]

# (what is believed, q, rule, q as JSON): the rule refuses the call, and `violable` is not refuted.
VIOLATED = [
    ("rounding is simplified away", NUMBER, "(args.q + 0.1) - args.q == 0.1", "1e16"),
    ("rounding is simplified away: products", NUMBER, "args.q * 0.1 * 10.0 == args.q", "0.8"),
    ("rounding is simplified away: sums", NUMBER, "(args.q + 0.1) + 0.2 == args.q + (0.1 + 0.2)", "0.4"),
    ("rounding is simplified away: doubled", NUMBER, "args.q + args.q - args.q == args.q", "1.7e308"),
    ("rounding is simplified away: quotients", NUMBER, "args.q / 3.0 * 3.0 == args.q", "7e-324"),
    ("whole numbers have a successor", "{type: integer}", "args.q + 1.0 > args.q", "1e16"),
    ("a difference with itself is zero", NUMBER, "args.q * 10.0 - args.q * 10.0 == 0.0", "1.7e308"),
    ("NaN equals itself", TEXT, "double(args.q) == double(args.q)", '"NaN"'),
    ("a double is below or above", TEXT, "double(args.q) < 1.0 || double(args.q) >= 1.0", '"NaN"'),
    ("members have the order of their schema", PAIR, "args.q.map(k, k)[0] == 'a'", '{"b": 1, "a": 1}'),
    ("members have the order of their schema: pairs", PAIR, "args.q.map(k, k) == ['a', 'b']", '{"b": 1, "a": 1}'),
    ("a number is a double", NUMBER, "type(args.q) == double", HUGE),
    ("there is one zero", NUMBER, "args.q != 0.0 || string(args.q) == '0'", "-0.0"),
    ("two zeros look alike", PAIR, "args.q.a != args.q.b || string(args.q.a) == string(args.q.b)", '{"a": 0, "b": -0.0}'),
    ("every int is a double", TEXT, "int(double(int(args.q))) == int(args.q)", '"%s"' % HUGE),
    ("uint constants are one", NUMBER, "uint(args.q) != 1u || uint(args.q) == 2u", "1"),
    ("sums of maps have one order", "{type: object, properties: {a: %s, b: %s}, required: [a, b]}" % (MAP, MAP),
     "args.q.a != args.q.b || sum(args.q.a.map(k, args.q.a[k])) == sum(args.q.b.map(k, args.q.b[k]))",
     '{"a": {"x": 0.1, "y": 0.2, "z": 0.3}, "b": {"z": 0.3, "y": 0.2, "x": 0.1}}'),
]

# (what is so, box, q, effects, when): it is still proved.
PROVED = [
    ("what is above five is not below three", NUMBER, NUMBER, "", "args.q > 5.0 && args.q < 3.0"),
    ("a sum of what is not negative is not", NUMBER, "{type: number, minimum: 0, maximum: 1000000}", "", "args.q + args.q < 0.0"),
    ("small whole numbers count", NUMBER, "{type: integer, minimum: 0, maximum: 100}", "", "args.q + 1.0 == args.q"),
    ("an int that is stored is a number", NUMBER, TEXT, set_box("1 + 1"), "state.box != 2.0"),
    ("keys of a map are in it", MAP, TEXT, "", "state.box.map(k, k).exists(k, !(k in state.box))"),
    ("the first key of a map is in it", MAP, TEXT, "", "size(state.box) > 0 && !(state.box.map(k, k)[0] in state.box)"),
    ("uints are what they are", NUMBER, TEXT, "", "1u + 1u != 2u"),
]


def pack(box, q, effects="", when="false", rule=""):
    return PACK % {"box": box, "q": q, "effects": effects, "when": when.replace('"', '\\"').replace("\\u", "\\\\u").replace("\\U", "\\\\U"),
                   "rule": rule or "args.q == args.q || true"}


def judged(folder, q):
    """The verdict of the gate on the call."""
    call = {"id": "1", "type": "function", "function": {"name": "act", "arguments": '{"q": %s}' % q}}
    messages = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    folder.write("conversation.json", json.dumps({"messages": messages}))
    _, out, err = folder.run("replay", "--pack", "p.yaml", "conversation.json", "--json")
    lines = [json.loads(line)["decision"] for line in out.splitlines() if '"decision"' in line]
    return (lines[0] if lines else {}), out + err


def claims(folder, sentence):
    _, out, err = folder.run("prove", "p.yaml", "--no-cache", "--json")
    try:
        return json.loads(out)["obligations"]
    except ValueError:
        check(False, f"{sentence}: prove answers", out + err)
        return []


def broken(folder, sentence, box, q, effects, when, rule, state, arg):
    folder.write("p.yaml", pack(box, q, effects, when, rule))
    folder.write("s.json", '{"box": %s, "bad": false}' % state)
    folder.write("c.jsonl", '{"name": "act", "arguments": {"q": %s}}\n' % arg)
    _, out, err = folder.run("apply", "--pack", "p.yaml", "--state", "s.json", "c.jsonl", "--json")
    broke = [b["id"] for line in out.splitlines() for b in json.loads(line).get("broken", [])]
    if not check("ok" in broke, f"{sentence}: it is not so", out + err):
        return
    verdict, shown = judged(folder, arg)
    check(verdict.get("verdict") == "allow", f"{sentence}: the gate allows it", shown)
    found = [o for o in claims(folder, sentence) if o["obligation"] in ("preserves", "sequence")]
    check(found and all(o["outcome"] != "proved" for o in found), f"{sentence}: it is not proved",
          json.dumps(found, indent=1))


def violated(folder, sentence, q, rule, arg):
    folder.write("p.yaml", pack("{}", q, rule=rule))
    verdict, shown = judged(folder, arg)
    if not check(verdict.get("verdict") == "block", f"{sentence}: the gate refuses it", shown):
        return
    found = [o for o in claims(folder, sentence) if o["obligation"] in ("violable", "needed")]
    check(found and all(o["outcome"] != "refuted" for o in found), f"{sentence}: it is not refuted",
          json.dumps(found, indent=1))


def proved(folder, sentence, box, q, effects, when):
    folder.write("p.yaml", pack(box, q, effects, when))
    found = [o for o in claims(folder, sentence) if o["obligation"] == "preserves"]
    check(found and all(o["outcome"] == "proved" for o in found), f"{sentence}: it is proved", json.dumps(found, indent=1))


def main():
    with _run.Folder() as folder:
        for case in BROKEN:
            broken(folder, *case)
        for case in VIOLATED:
            violated(folder, *case)
        for case in PROVED:
            proved(folder, *case)
    _run.done()


main()
