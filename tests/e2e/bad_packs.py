"""Packs with mistakes in them: each is refused with its line, its column, a caret and a remedy."""

import json
import os

import _run
from _run import CONVERSATION, check

SOUND = """pack: shop
version: 1.0.0
types:
  Order:
    type: object
    properties:
      order_id: {type: string}
      status: {type: string}
ledger:
  orders.*: Order
tools:
  get_order:
    kind: read
    parameters: {type: object, properties: {order_id: {type: string}}}
    returns: Order
    stores:
      - {at: "orders[args.order_id]"}
  cancel_order:
    kind: write
    parameters: {type: object, properties: {order_id: {type: string}}}
rules:
  pending:
    tools: [cancel_order]
    that: ledger.orders[args.order_id].status == "pending"
    otherwise: block
    say: "Order {args.order_id} is not pending."
"""
THAT = 'ledger.orders[args.order_id].status == "pending"'


# (sentence, what to replace in the sound pack, by what, the first lines of the message)
MISTAKES = [
    (
        "an unknown key, with the one that was meant", "otherwise", "otherwis",
        ["p.yaml:25:5: unknown key `otherwis` in a rule; did you mean `otherwise`?", "    otherwis: block", "    ^"],
    ),
    (
        "an unknown key that is like no other", "    say:", "    colour: red\n    say:",
        ["p.yaml:26:5: unknown key `colour` in a rule", "    colour: red", "    ^"],
    ),
    (
        "an unknown tool, with the one that was meant", "[cancel_order]", "[cancel_ordr]",
        ["p.yaml:23:13: no tool is called `cancel_ordr`; did you mean `cancel_order`?", "    tools: [cancel_ordr]", "            ^"],
    ),
    (
        "a rule for a read", "[cancel_order]", "[get_order]",
        ["p.yaml:23:13: `get_order` is a read tool; rules judge only tools of kind write"],
    ),
    (
        "an ill-typed expression", '"pending"', "3.0",
        ["p.yaml:24:47: no overload of `==` for (string, double)",
         "    that: ledger.orders[args.order_id].status == 3.0",
         "                                              ^"],
    ),
    (
        "an unknown field, with the one that was meant", "].status", "].statuss",
        ["p.yaml:24:40: unknown field `statuss` of Order; did you mean `status`?"],
    ),
    (
        "a mistake in the second line of a folded expression", THAT, '>-\n      args.order_id != ""\n      && nobody.x == 1.0',
        ["p.yaml:26:10: unknown name `nobody`", "      && nobody.x == 1.0", "         ^"],
    ),
    ("an expression that is cut", THAT, "ledger.orders[", ["p.yaml:24:25: "]),
    ("an expression that is no condition", ' == "pending"', "", ["p.yaml:24:11: `that` must give a bool, this gives string"]),
    (
        "a placeholder that names nothing", "{args.order_id} is", "{args.order_idd} is",
        ["p.yaml:26:23: unknown field `order_idd` of the arguments; did you mean `order_id`?"],
    ),
    ("a placeholder that is not closed", "{args.order_id} is", "{args.order_id is", ["p.yaml:26:10: a `{` is not closed; write `{{` for a brace"]),
    ("a kind that is none", "kind: write", "kind: writes", ["p.yaml:19:11: tool `cancel_order` needs `kind`: read, write or generic"]),
    ("a type that nobody declared", "orders.*: Order", "orders.*: Ordr", ["p.yaml:10:13: no type is called `Ordr`; did you mean `Order`?"]),
    ("a store of an undeclared path", '"orders[', '"orderz[', ["p.yaml:17:14: `orderz[args.order_id]` matches no path that `ledger` declares; did you mean `orders`?"]),
    ("a clock that is no time", "version:", "clock: noon\nversion:", ["p.yaml:2:8: `clock` must be a time like 2024-05-15T15:00:00Z"]),
    ("a version that is a number", "1.0.0", "1.0", ["p.yaml:2:10: `version` must be a text; put it in quotes"]),
    ("a duplicate key", "rules:\n", "pack: again\nrules:\n", ["p.yaml:21:1: duplicate key `pack`", "pack: again", "^"]),
    ("a duplicate rule", "rules:\n", "rules:\n  pending: {}\n", ["p.yaml:23:3: duplicate key `pending`"]),
    ("an anchor", "Order:\n", "Order: &o\n", ["p.yaml:4:10: anchors, aliases and tags are not supported: write it out, and put quotes around a text that begins with !, & or *"]),
    ("an alias", "orders.*: Order", "orders.*: *o", ["p.yaml:10:13: anchors, aliases and tags are not supported: write it out, and put quotes around a text that begins with !, & or *"]),
    ("a tag", "version: 1.0.0", "version: !!str 1", ["p.yaml:2:10: anchors, aliases and tags are not supported: write it out, and put quotes around a text that begins with !, & or *"]),
    (
        "a type that is another that is the first", "types:\n",
        'types:\n  A: {$ref: "#/types/B"}\n  B: {$ref: "#/types/A"}\n',
        ["p.yaml:5:13: type `A` is defined as itself", '  B: {$ref: "#/types/A"}', "            ^"],
    ),
    ("a type that is itself", "types:\n", 'types:\n  A: {$ref: "#/types/A"}\n', ["p.yaml:4:13: type `A` is defined as itself"]),
    (
        "two reads that store different types under one path", "  cancel_order:",
        '  get_user:\n    kind: read\n    parameters: {type: object, properties: {id: {type: string}}}\n'
        "    returns: {type: object, properties: {email: {type: string}}}\n"
        '    stores:\n      - {at: "orders[args.id]"}\n  cancel_order:',
        ["p.yaml:23:14: `orders[args.id]` would be given object, but the ledger holds Order there"],
    ),
    ("a schema that is none", "{type: object, properties: {order_id: {type: string}}}", "{type: objct}", ["p.yaml:14:24: /type: "]),
    ("a second document", "rules:", "---\nrules:", ["p.yaml:21:1: a second YAML document begins here"]),
]

# (sentence, whole content, the first line of the message after the file's name)
WHOLES = [
    ("an empty pack", "", ":1:1: the file is empty"),
    ("a pack of comments", "# nothing\n", ":1:1: the file is empty"),
    ("a list", "- a\n", ":1:1: the pack must be a map"),
    ("a word", "hello\n", ":1:1: the pack must be a map"),
    ("what is not YAML", "pack: [shop\nversion: }\n", ":2:8: not well-formed YAML: did not find expected ',' or ']', while parsing a flow sequence; within { } and [ ], a text with any of [ ] { } , : # needs quotes"),
    ("a tab", "pack: x\n\tversion: 1\n", ":2:1: not well-formed YAML: found a tab character that violates indentation, while scanning a plain scalar; lines are indented with blanks, not with tabs"),
    ("a tab before a key", "pack: x\ntools:\n\ta:\n", ":3:1: not well-formed YAML: found character that cannot start any token, while scanning for the next token; lines are indented with blanks, not with tabs"),
    ("a text that begins with a placeholder", "rules:\n  a:\n    say: {b.title} is for adults.\n", ":3:20: not well-formed YAML: did not find expected key, while parsing a block mapping; a text that begins with {, [ or a quote needs quotes around all of it"),
    ("a sentence that begins with a placeholder", "say:\n  - {b.title} is for adults.\n", ":2:15: not well-formed YAML: did not find expected '-' indicator, while parsing a block collection; a text that begins with {, [ or a quote needs quotes around all of it"),
    ("an expression that begins with a quote", "that: 'a' in b\n", ":1:11: not well-formed YAML: did not find expected key, while parsing a block mapping; a text that begins with {, [ or a quote needs quotes around all of it"),
    ("a colon in a text", "say: Loan: x\n", ":1:10: not well-formed YAML: mapping values are not allowed in this context; a text with a colon and a blank in it needs quotes"),
    ("a negation in a list", "needs: [!ledger.x]\n", ":1:18: not well-formed YAML: did not find expected whitespace or line break, while scanning a tag; put quotes around a text that begins with !, & or *"),
    ("a sign that begins nothing", "say: @user\n", ":1:6: not well-formed YAML: found character that cannot start any token, while scanning for the next token; put quotes around a text that begins with @, % or a backtick"),
    ("a text that a comma cuts", "let: {m: all.filter(k, k == f(1, 2), 3)}\n", ":1:34: `2)` is the end of a text that a comma has cut: within { } a text with a comma needs quotes"),
    ("a NUL", b"pack: x\nversion: a\0b\n", ":2:11: not well-formed YAML: control characters are not allowed"),
    ("bytes that are no UTF-8", b"pack: x\nversion: \xff\xfe\n", ":2:10: not valid UTF-8; is it a text file?"),
    ("10,000 lists in each other", "pack: " + "[" * 10000 + "]" * 10000, ":1:262: nested deeper than the limit of 256 levels (json_depth)"),
    ("3,000 maps in each other", "".join(" " * i + "a:\n" for i in range(3000)), ":257:257: nested deeper than the limit of 256 levels (json_depth)"),
    ("10,000 lists in each other as JSON", '{"pack": ' + "[" * 10000 + "]" * 10000 + "}", ":1:265: nested deeper than the limit of 256 levels (json_depth)"),
    ("JSON with a comma too many", '{"pack": "x",}', ":1:14: expected a key in double quotes, found `}`: remove the comma before it"),
    ("a pack without tools", '{"pack": "x", "version": "1", "tools": {}}', ":1:40: a pack needs `tools`: a map from names to tools"),
    ("10,000 unknown keys", "".join(f"k{i}: 1\n" for i in range(10000)), ":1:1: unknown key `k0` in the pack"),
]


def mistakes(folder):
    for sentence, old, new, wanted in MISTAKES:
        check(old in SOUND, f"{sentence}: the case replaces something")
        folder.write("p.yaml", SOUND.replace(old, new, 1))
        code, _, err = folder.run("check", "p.yaml")
        lines = err.splitlines()
        check(code == 2, f"{sentence}: exit code 2", f"got {code}\n{err}")
        same = len(lines) > len(wanted) and all(l == w or (w.endswith(": ") and l.startswith(w)) for l, w in zip(lines, wanted))
        check(same, f"{sentence}: its message", err + "\nwant:\n" + "\n".join(wanted))
        caret = len(lines) > 2 and lines[2].strip() == "^" and lines[2].index("^") == int(lines[0].split(":")[2]) - 1
        check(caret, f"{sentence}: the caret stands under its column", err)
        check(err.rstrip().endswith(("error", "errors")), f"{sentence}: the errors are counted", err)


def wholes(folder):
    for sentence, content, message in WHOLES:
        folder.write("p.yaml", content)
        folder.refuses(sentence, ("check", "p.yaml"), "p.yaml" + message)
        folder.refuses(sentence, ("show", "p.yaml"), "p.yaml" + message)
        folder.refuses(sentence, ("replay", "--pack", "p.yaml", CONVERSATION), "p.yaml" + message)


def places(folder):
    folder.refuses("a missing pack", ("check", "none.yaml"), "ledgergate: cannot read none.yaml: No such file or directory")
    os.mkdir(os.path.join(folder.path, "nothing"))
    folder.refuses("a folder without a pack", ("check", "nothing"), "ledgergate: cannot read nothing/pack.yaml: No such file or directory")
    folder.write("mine/pack.yaml", SOUND)
    code, out, err = folder.run("check", "mine")
    check(code == 0 and "shop 1.0.0: sound" in out, "a pack in a folder is found", out + err)


def many_mistakes_at_once(folder):
    folder.write("p.yaml", SOUND.replace("otherwise", "otherwis").replace("].status", "].statuss").replace("version", "verson"))
    code, _, err = folder.run("check", "p.yaml")
    check(code == 2, "a pack with many mistakes is refused", err)
    for wanted in ("`verson`", "`version` is missing", "`otherwis`", "`statuss`", "p.yaml: 4 errors"):
        check(wanted in err, f"one run tells of {wanted}", err)


def errors_as_json(folder):
    folder.write("p.yaml", SOUND.replace("otherwise", "otherwis"))
    code, out, err = folder.run("check", "p.yaml", "--json")
    check(code == 2, "with --json a bad pack gives exit code 2", err)
    try:
        result = json.loads(out)
    except ValueError:
        result = {}
    problem = (result.get("problems") or [{}])[0]
    check(result.get("errors") == 1, "the errors are counted", out)
    check(
        (problem.get("file"), problem.get("line"), problem.get("column")) == ("p.yaml", 25, 5),
        "an error has file, line and column", out,
    )
    check("otherwise" in problem.get("message", ""), "an error has its message", out)


with _run.Folder() as temporary:
    for test in (mistakes, wholes, places, many_mistakes_at_once, errors_as_json):
        test(temporary)
_run.done()
