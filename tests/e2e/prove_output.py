"""What `prove` prints: the table, JSON, SARIF; its cache, and what it makes of a damaged one."""

import json
import os
import re
import stat

import _run
from _run import SOURCE, check
from prove_defects import A_RULE, WAREHOUSE

AIRLINE = os.path.join(SOURCE, "packs", "airline")

# `cancel_order` is dead: its order would have to be open and shipped.
DEAD = WAREHOUSE.replace("that: o.status == 'open'", "that: o.status == 'open' && o.status == 'shipped'").replace(
    "tools: [ship_order, cancel_order, change_quantity]", "tools: [cancel_order]"
)
LOOSER = WAREHOUSE.replace("['post', 'courier']", "['post', 'courier', 'train']")
STRICTER = WAREHOUSE.replace("['post', 'courier']", "['post']")
RULES = "allowed,compatible,applies,violable,needed"


def prove(folder, *args):
    code, out, err = folder.run("prove", *args)
    return code, out, err


def prove_json(folder, *args):
    code, out, err = folder.run("prove", *args, "--json")
    try:
        return code, json.loads(out), err
    except ValueError:
        check(False, f"{args}: --json prints JSON", out[:200] + err)
        return code, {}, err


# --- Table --------------------------------------------------------------------------------------

TABLE = """\
ship_order         allowed, compatible  proved
  enough_in_stock  violable, needed     proved
  carrier_known    violable, needed     proved

warehouse: 6 proved, 0 refuted (0 findings), 0 assumed, 0 unknown; TIME
"""


def without_time(text):
    return re.sub(r"; (\d+\.\d s|from the cache)\n$", "; TIME\n", text)


def table(folder):
    folder.write("p.yaml", WAREHOUSE.replace("[ship_order, cancel_order, change_quantity]", "[cancel_order]"))
    code, out, err = prove(folder, "p.yaml", "--tool", "ship_order", "--only", RULES)
    check(code == 0 and without_time(out) == TABLE, "the table of a tool is this one", out + err)


def long_names(folder):
    """However long a name is, the columns stay where they are."""
    middle, long = "m" * 50, "l" * 90
    rule = "  {}:\n    tools: [ship_order]\n    that: args.carrier != 'x{}'\n    otherwise: block\n    say: No.\n"
    text = WAREHOUSE.replace(A_RULE, rule.format(middle, 1) + rule.format(long, 2) + A_RULE)
    folder.write("p.yaml", text)
    code, out, err = prove(folder, "p.yaml", "--only", RULES)
    rows = [line for line in out.splitlines() if re.search(r"  proved$|  refuted", line)]
    places = {re.search(r"  (proved|refuted)", line).start() for line in rows}
    check(len(rows) > 6 and len(places) == 1, "outcomes stand in one column", out + err)
    words = {re.search(r"(allowed|violable|applies|needed|compatible)", line).start() for line in rows}
    check(len(words) == 1, "claims stand in one column", out)
    check(any(line.strip() == long for line in out.splitlines()), "a very long name has a line of its own", out)
    check(max(len(line) for line in rows) < 120, "a long name does not widen the table", out)


def readable_examples(folder):
    folder.write("p.yaml", WAREHOUSE)
    code, out, err = prove(folder, "p.yaml", "--tool", "ship_order", "--only", "allowed", "--examples")
    check(code == 0, "--examples: exit code 0", err)
    lines = out.splitlines()
    check("      a call that is allowed, as executed by the gate:" in lines, "an example says what it is", out)
    for pattern in (r"        call      ship_order \{.*\}", r"        ledger    items\[\"", r"        verdict   allow"):
        check(any(re.match(pattern, line) for line in lines), f"an example has a line like {pattern}", out)
    check(not any("findings" in line for line in lines[:-1]), "what is empty is left out", out)
    check(all(len(line) <= 140 for line in lines), "records that are long are broken up", out)


def examples_of_effects(folder):
    """The state after a call is shown by what has changed."""
    text = WAREHOUSE.replace("args.quantity >= 1.0 && ", "").replace(
        "- {set: \"orders[args.order_id].quantity\"",
        "- {remove: \"items[state.orders[args.order_id].item_id]\"}\n      - {set: \"orders[args.order_id].quantity\"",
    )
    folder.write("p.yaml", text)
    code, out, err = prove(folder, "p.yaml", "--tool", "change_quantity", "--only", "preserves")
    check(code == 1 and "        broken    " in out, "an effect that breaks an invariant is found", out + err)
    shown = out[out.find("        after     ") :].splitlines()
    shown = [line[18:] for line in shown[: next((i for i, line in enumerate(shown) if i and line[8:9] != " "), None)]]
    heads = [line for line in shown if re.match(r"\w+\[", line)]
    check(len(heads) == 2 and heads[0].startswith('orders["'), "one record has changed", shown)
    check(heads[-1:] and re.fullmatch(r'items\["[^"]+"\] is gone', heads[-1]), "and one is gone", shown)
    check(all(len(line) <= 125 for line in out.splitlines()), "records are wrapped", out)


def positions(folder):
    folder.write("p.yaml", DEAD)
    code, out, err = prove(folder, "p.yaml", "--tool", "cancel_order")
    check(code == 1, "a finding gives exit code 1", err)
    at = DEAD[: DEAD.index("  cancel_order:\n")].count("\n") + 1
    check(re.search(rf"^      p\.yaml:{at}:3: ", out, re.M), "a finding has file, line and column", out)
    check("order_is_open" in out, "the rule in the way is named", out)


# --- Choosing -----------------------------------------------------------------------------------


def choosing(folder):
    folder.write("p.yaml", WAREHOUSE)
    code, answer, err = prove_json(folder, "p.yaml", "--only", "needed, violable", "--tool", "ship_order")
    claims = answer.get("obligations", [])
    check(code == 0 and {c["obligation"] for c in claims} == {"needed", "violable"}, "--only: no other claims", err)
    _, whole, _ = prove_json(folder, "p.yaml", "--tool", "ship_order")
    for kind in sorted({c["obligation"] for c in whole.get("obligations", [])}):
        _, answer, _ = prove_json(folder, "p.yaml", "--only", kind, "--tool", "ship_order")
        only = [(c["rule"], c["outcome"]) for c in answer.get("obligations", [])]
        same = [(c["rule"], c["outcome"]) for c in whole["obligations"] if c["obligation"] == kind]
        check(only == same and only, f"--only {kind}: the same as among all", f"{only}\n{same}")
    code, out, err = prove(folder, "p.yaml", "--tool", "get_item", "--only", "allowed")
    check(code == 0 and "nothing is claimed of `get_item`" in err, "where there are no claims, that is said", err)


USAGE = "ledgergate prove: "
MISTAKES = [
    ("an unknown kind of claim", ("p.yaml", "--only", "alowed"), "--only knows no `alowed`; did you mean `allowed`?"),
    ("an empty kind of claim", ("p.yaml", "--only", "allowed,"), "--only knows no ``"),
    ("an unknown tool", ("p.yaml", "--tool", "ship_ordr"), "p.yaml has no tool `ship_ordr`; did you mean `ship_order`"),
    ("a tool of neither pack", ("--diff", "p.yaml", "p.yaml", "--tool", "ship"), "p.yaml has no tool `ship`; did you mean `ship_order`"),
    ("an unknown tool to explain", ("--explain", "p.yaml", "--tool", "shp_order"), "p.yaml has no tool `shp_order`"),
    ("an unknown relation", ("--diff", "p.yaml", "p.yaml", "--accept", "loser"), "--accept knows no `loser`; did you mean `looser`?"),
    ("--accept for one pack", ("p.yaml", "--accept", "stricter"), "--accept is about the relation of two packs: it needs --diff"),
    ("--only for two packs", ("--diff", "p.yaml", "p.yaml", "--only", "needed"), "--only is about claims of one pack: not with --diff"),
    ("two formats", ("p.yaml", "--json", "--sarif"), "--json and --sarif exclude each other"),
    ("a cache and none", ("p.yaml", "--cache", "c", "--no-cache"), "--cache and --no-cache exclude each other"),
]


def mistakes(folder):
    folder.write("p.yaml", WAREHOUSE)
    for sentence, args, message in MISTAKES:
        code, _, err = prove(folder, *args)
        check(code == 2 and err.startswith(USAGE + message), f"{sentence}: {message}", f"{code}: {err}")


# --- JSON ---------------------------------------------------------------------------------------


def confirmed(folder):
    folder.write("p.yaml", WAREHOUSE)
    folder.write("looser.yaml", LOOSER)
    _, answer, _ = prove_json(folder, "p.yaml")
    examples = [c["example"] for c in answer.get("obligations", []) if c["example"]]
    check(len(examples) > 8 and all(e.get("confirmed") is True for e in examples), "every example was executed", answer)
    check(answer.get("file") == "p.yaml", "the file is named", answer.get("file"))
    _, answer, _ = prove_json(folder, "--diff", "p.yaml", "looser.yaml")
    examples = [t["looser"] for t in answer.get("tools", []) if t["looser"]]
    check(examples and all(e["confirmed"] is True for e in examples), "--diff: every example was executed", answer)


# --- SARIF --------------------------------------------------------------------------------------

LEVELS = {"fail": ("error", "warning", "note"), "open": ("none",), "review": ("none",), "pass": ("none",)}


def sarif(folder, *args):
    """The results, after a look at what the schema asks for."""
    code, out, err = folder.run("prove", *args, "--sarif")
    try:
        log = json.loads(out)
    except ValueError:
        check(False, f"{args}: --sarif prints JSON", out[:200] + err)
        return code, []
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    check(log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json"), f"{args}: SARIF 2.1.0", log)
    check(len({r["id"] for r in rules}) == len(rules), f"{args}: each rule once", rules)
    for r in run["results"]:
        place = r["locations"][0]["physicalLocation"]
        ok = (
            rules[r["ruleIndex"]]["id"] == r["ruleId"] and r["level"] in LEVELS[r["kind"]] and r["message"]["text"]
            and place["region"]["startLine"] > 0 and place["region"]["startColumn"] > 0
            and re.fullmatch(r"[A-Za-z0-9._~/%-]+", place["artifactLocation"]["uri"])
        )
        check(ok, f"{args}: a result is well formed", r)
    return code, run["results"]


def sarif_of_a_proof(folder):
    folder.write("a b:ü.yaml", DEAD)
    code, results = sarif(folder, "a b:ü.yaml", "--tool", "cancel_order")
    found = [r for r in results if r["level"] == "error"]
    check(code == 1 and any(r["ruleId"] == "allowed" for r in found), "a dead tool is an error", results)
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
    check(uris == {"a%20b%3A%C3%BC.yaml"}, "the file is a relative reference", uris)
    _, inner = sarif(folder, os.path.join(folder.path, "a b:ü.yaml"), "--tool", "cancel_order")
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in inner}
    check(uris == {"a%20b%3A%C3%BC.yaml"}, "so is an absolute path below the working folder", uris)
    at = DEAD[: DEAD.index("  cancel_order:\n")].count("\n") + 1
    region = [r["locations"][0]["physicalLocation"]["region"] for r in found if r["ruleId"] == "allowed"]
    check(region == [{"startLine": at, "startColumn": 3}], "the error stands at the tool", region)
    prints = [r["partialFingerprints"] for r in results]
    folder.write("a b:ü.yaml", "# moved down\n" + DEAD)
    _, moved = sarif(folder, "a b:ü.yaml", "--tool", "cancel_order")
    check(prints == [r["partialFingerprints"] for r in moved], "a finding that moved is the same finding", moved)


def sarif_of_remarks(folder):
    again = "  carrier_known_again:\n    tools: [ship_order]\n    that: \"args.carrier in ['post', 'courier', 'x']\"\n"
    folder.write("p.yaml", WAREHOUSE.replace(A_RULE, again + "    otherwise: revise\n    say: No.\n" + A_RULE))
    code, results = sarif(folder, "p.yaml", "--tool", "ship_order", "--only", "needed")
    check(code == 0 and [r["level"] for r in results] == ["note"], "a remark is a note", results)
    _, results = sarif(folder, "p.yaml", "--tool", "ship_order", "--only", "needed", "--examples")
    shown = [r for r in results if r["kind"] == "pass"]
    check(shown and all("ship_order {" in r["message"]["text"] for r in shown), "the call stands in the message", results)
    check(all(r["properties"]["example"]["args"] for r in shown), "the example stands in the properties", results)


def sarif_of_a_difference(folder):
    folder.write("old.yaml", WAREHOUSE)
    folder.write("new.yaml", LOOSER.replace("  cancel_order:\n", "  drop_order:\n").replace("cancel_order", "drop_order"))
    code, results = sarif(folder, "--diff", "old.yaml", "new.yaml")
    kinds = {r["properties"]["relation"]: r for r in results}
    check(code == 1 and set(kinds) == {"looser", "incomparable"}, "a looser tool, and one that is gone", results)
    uris = {
        r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]:
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results
    }
    check(uris == {"ship_order": "new.yaml", "drop_order": "new.yaml", "cancel_order": "old.yaml"}, "each in its pack", uris)
    _, results = sarif(folder, "--diff", "old.yaml", "new.yaml", "--accept", "looser")
    levels = {r["properties"]["relation"]: r["level"] for r in results}
    check(levels == {"looser": "note", "incomparable": "error"}, "what is accepted is a note", levels)


# --- Two packs ----------------------------------------------------------------------------------

# (what it is, new pack, accepted, relation, exit code)
GATES = [
    ("an equal pack", WAREHOUSE, (), "equal", 0),
    ("a stricter pack", STRICTER, (), "stricter", 1),
    ("a stricter pack where that is fine", STRICTER, ("--accept", "stricter"), "stricter", 0),
    ("a looser pack where only stricter ones are fine", LOOSER, ("--accept", "stricter"), "looser", 1),
    ("a looser pack where it is fine", LOOSER, ("--accept", "looser,stricter"), "looser", 0),
    ("one tool stricter and one looser, where each is fine", STRICTER.replace("args.quantity >= 1.0", "args.quantity >= 0.0"),
     ("--accept", "stricter,looser"), "incomparable", 0),
    ("one tool stricter and one looser, where one is fine", STRICTER.replace("args.quantity >= 1.0", "args.quantity >= 0.0"),
     ("--accept", "stricter,incomparable"), "incomparable", 1),
    ("a tool that is no longer judged", WAREHOUSE.replace("  cancel_order:\n    kind: write", "  cancel_order:\n    requestor: user\n    kind: write")
     .replace("[ship_order, cancel_order, change_quantity]", "[ship_order, change_quantity]")
     .replace("  reason_given:\n    tools: [cancel_order]", "  reason_given:\n    tools: [ship_order]")
     .replace("args.reason != ''", "args.carrier != ''"), ("--accept", "stricter"), "incomparable", 1),
]


def gates(folder):
    folder.write("old.yaml", WAREHOUSE)
    for sentence, text, accept, relation, wanted in GATES:
        folder.write("new.yaml", text)
        code, answer, err = prove_json(folder, "--diff", "old.yaml", "new.yaml", *accept)
        check(answer.get("relation") == relation, f"{sentence}: {relation}", err or answer)
        check(code == wanted, f"{sentence}: exit code {wanted}", f"{code}\n{err}")
    folder.write("new.yaml", LOOSER)
    _, out, _ = prove(folder, "--diff", "old.yaml", "new.yaml")
    at = LOOSER[: LOOSER.index("  ship_order:\n")].count("\n") + 1
    check(f"      new.yaml:{at}:3" in out, "a tool that differs has a position in the new pack", out)
    check('        call      ship_order {' in out and '"carrier":"train"' in out, "the call stands in a line", out)
    check("the old pack says revise, the new one allow, as executed by the gate:" in out, "and what both say", out)
    check("the verdicts of the new pack are looser than those of the old one, proved;" in out, "the last line sums it up", out)


# What differs beside the verdicts: (what it is, new pack, its name, a word of its line)
BESIDE = [
    ("a rule about the conversation", WAREHOUSE + "conversation:\n  single_call_per_turn: {otherwise: report}\n",
     "conversation", "single_call_per_turn"),
    ("what outdated records count as", WAREHOUSE.replace("stale: reread", "stale: use"), "stale of carrier_known", "tools"),
    ("where a read is stored", WAREHOUSE.replace('stores: [{at: "items[args.item_id]"}]', "stores: []"), "stores of get_item", "stores"),
    ("an effect", WAREHOUSE.replace("to: args.quantity}", "to: args.quantity + 0.0}"), "effects of change_quantity", "args.quantity"),
    ("a postcondition", WAREHOUSE.replace("- {id: labelled, that: result.label == args.carrier}", "- {id: labelled, that: result.label != ''}"), "ensures of ship_order", "right_order"),
    ("an invariant", WAREHOUSE.replace("quantity >= 1.0)\"}\n", "quantity >= 2.0)\"}\n"), "invariants", "orders_by_id"),
]


def beside(folder):
    """`equal` is about verdicts on single calls; whatever else differs is named."""
    folder.write("old.yaml", WAREHOUSE)
    _, answer, _ = prove_json(folder, "--diff", "old.yaml", "old.yaml")
    check(answer.get("uncompared") == [], "nothing else differs in the same pack", answer.get("uncompared"))
    for sentence, text, name, word in BESIDE:
        folder.write("new.yaml", text)
        code, answer, err = prove_json(folder, "--diff", "old.yaml", "new.yaml")
        parts = {part["what"]: part for part in answer.get("uncompared", [])}
        check(code == 1 and answer.get("relation") == "equal", f"{sentence}: verdicts are equal, and that is not all", err or answer)
        code, _, _ = prove_json(folder, "--diff", "old.yaml", "new.yaml", "--accept", "stricter")
        check(code == 1, f"{sentence}: what is not compared is not stricter", code)
        code, _, _ = prove_json(folder, "--diff", "old.yaml", "new.yaml", "--accept", "unknown")
        check(code == 0, f"{sentence}: what is not compared can be accepted", code)
        if not check(name in parts, f"{sentence}: {name} is named", parts):
            continue
        line = text.splitlines()[parts[name]["line"] - 1]
        check(word in line, f"{sentence}: with its line", line)
        _, out, _ = prove(folder, "--diff", "old.yaml", "new.yaml")
        check("these differ, too, and are not compared:" in out and f": {name}\n" in out, f"{sentence}: the table says so", out)
        _, results = sarif(folder, "--diff", "old.yaml", "new.yaml")
        check([r["kind"] for r in results] == ["review"] * len(parts), f"{sentence}: SARIF asks for a review", results)
    folder.write("new.yaml", WAREHOUSE.replace("      limit: {type: number}", "      limit: {type: integer}"))
    _, answer, err = prove_json(folder, "--diff", "old.yaml", "new.yaml")
    tools = answer.get("tools", [])
    check(tools and not any(t["proved"] for t in tools), "with another ledger nothing is proved", err or tools)
    folder.write("new.yaml", "unknown_tools: allow\n" + WAREHOUSE)
    code, answer, err = prove_json(folder, "--diff", "old.yaml", "new.yaml")
    last = answer.get("tools", [{}])[-1]
    check(code == 1 and (last.get("tool"), last.get("relation")) == ("unknown_tools", "looser"), "unknown tools are allowed now", err or last)


# --- Cache --------------------------------------------------------------------------------------


def cached(folder, *args):
    """Whether the answer came from the cache, and the answer without that."""
    code, answer, err = prove_json(folder, *args)
    return answer.pop("cached", None), (code, answer), err


def entries(folder, name="c"):
    path = os.path.join(folder.path, name)
    return [os.path.join(path, entry) for entry in sorted(os.listdir(path))] if os.path.isdir(path) else []


def caching(folder):
    folder.write("p.yaml", WAREHOUSE)
    for args in (("p.yaml",), ("p.yaml", "--tool", "ship_order"), ("--diff", "p.yaml", "p.yaml")):
        first = cached(folder, *args, "--cache", "c")
        second = cached(folder, *args, "--cache", "c")
        check(first[0] is False and second[0] is True, f"{args}: found once, then known", (first[0], second[0]))
        check(first[1] == second[1], f"{args}: the same answer", second[1])
    check(len(entries(folder)) == 3, "each question has its entry", entries(folder))
    check(all(stat.S_IMODE(os.stat(e).st_mode) == 0o600 for e in entries(folder)), "entries are one's own", "")
    for change in (("--width", "1"), ("--timeout", "900"), ("--only", RULES), ("--tool", "cancel_order")):
        check(cached(folder, "p.yaml", *change, "--cache", "c")[0] is False, f"{change} is another question")
    folder.write("p.yaml", "# a line\n" + WAREHOUSE)
    check(cached(folder, "p.yaml", "--cache", "c")[0] is False, "another text has other positions")
    folder.write("q.yaml", "# a line\n" + WAREHOUSE)
    _, answer, _ = prove_json(folder, "q.yaml", "--cache", "c")
    check(answer.get("cached") is True and answer["file"] == "q.yaml", "the same text under another name is known", answer.get("file"))
    code, out, _ = prove(folder, "p.yaml", "--cache", "c")
    check(code == 0 and out.endswith("; from the cache\n"), "the table says so", out[-200:])
    before = entries(folder)
    check(cached(folder, "p.yaml", "--no-cache")[0] is False and entries(folder) == before, "--no-cache neither reads nor keeps")


def findings_are_cached(folder):
    folder.write("p.yaml", DEAD)
    for known in (False, True):
        was, (code, answer), _ = cached(folder, "p.yaml", "--cache", "d")
        check(was is known and code == 1 and answer["summary"]["findings"] > 0, "a cached finding is a finding", answer.get("summary"))
    _, results = sarif(folder, "p.yaml", "--cache", "d")
    check(any(r["level"] == "error" for r in results), "SARIF from the cache has it", results)


def unknown_is_asked_again(folder):
    some = ("--tool", "book_reservation", "--only", "allowed,compatible")  # seconds of Z3's work, where all is a minute's
    for _ in range(2):
        was, (_, answer), _ = cached(folder, AIRLINE, *some, "--timeout", "1", "--cache", "u")
        unknown = answer.get("summary", {}).get("unknown", 0)
        check(not (was and unknown), "what was not decided in time is asked again", answer.get("summary"))
        check(bool(entries(folder, "u")) == (unknown == 0) or was, "and is not kept", entries(folder, "u"))


def spoil_with(write):
    def spoil(path):
        with open(path, "rb") as file:
            data = file.read()
        os.unlink(path)
        with open(path, "wb") as file:
            file.write(write(data))
        os.chmod(path, 0o600)
    return spoil


def make_link(path):
    os.rename(path, path + ".kept")
    os.symlink(path + ".kept", path)


def make_pipe(path):
    os.unlink(path)
    os.mkfifo(path)


def make_huge(path):
    with open(path, "r+b") as file:
        file.truncate(1 << 40)


def with_other_key(data):
    head, _, body = data.partition(b"\n")
    words = head.split(b" ")
    words[3] = words[3][::-1]
    return b" ".join(words) + b"\n" + body


def resealed(change):
    """The text is changed, and its hash with it: only the shape can tell."""
    import hashlib

    def write(data):
        head, _, body = data.partition(b"\n")
        words = head.split(b" ")
        body = change(body)
        words[4] = hashlib.sha256(body).hexdigest().encode()
        return b" ".join(words) + b"\n" + body
    return spoil_with(write)


# (what is there instead of the entry, how it gets there)
DAMAGES = [
    ("an empty file", spoil_with(lambda data: b"")),
    ("half of it", spoil_with(lambda data: data[: len(data) // 2])),
    ("one byte less", spoil_with(lambda data: data[:-1])),
    ("a byte more", spoil_with(lambda data: data + b" ")),
    ("a changed letter", spoil_with(lambda data: data.replace(b'"proved"', b'"provet"', 1))),
    ("an outcome that was turned round", spoil_with(lambda data: data.replace(b'"refuted"', b'"proved"', 1))),
    ("noise", spoil_with(lambda data: bytes(range(256)) * 64)),
    ("zeros", spoil_with(lambda data: b"\0" * 4096)),
    ("one long line", spoil_with(lambda data: b"x" * 100000)),
    ("another key", spoil_with(with_other_key)),
    ("JSON that is no answer", resealed(lambda body: b'{"obligations": 7}')),
    ("an answer whose sum is wrong", resealed(lambda body: body.replace(b'"findings":', b'"findings":9', 1))),
    ("an answer without a finding it counts", resealed(lambda body: body.replace(b'"finding":true', b'"finding":false'))),
    ("an answer with an unknown outcome", resealed(lambda body: body.replace(b'"outcome":"refuted"', b'"outcome":"fine"'))),
    ("JSON that is nested deeply", resealed(lambda body: b"[" * 100000)),
    ("a link", make_link),
    ("a pipe", make_pipe),
    ("a huge file", make_huge),
    ("a file that others can write", lambda path: os.chmod(path, 0o666)),
]


def damage(folder):
    folder.write("p.yaml", DEAD)
    args = ("p.yaml", "--tool", "cancel_order", "--cache", "e")
    for sentence, spoil in DAMAGES:
        cached(folder, *args)
        was, wanted, _ = cached(folder, *args)
        check(was is True, f"{sentence}: known before", was)
        path = [e for e in entries(folder, "e") if e.endswith(".ledgergate")][0]
        spoil(path)
        was, (code, answer), err = cached(folder, *args)
        check(was is False and code == 1, f"{sentence}: not believed", (was, code, err))
        claims = [(c["obligation"], c["outcome"]) for c in answer.get("obligations", [])]
        check(claims == [(c["obligation"], c["outcome"]) for c in wanted[1]["obligations"]], f"{sentence}: found again", answer)
        check(cached(folder, *args)[0] is True, f"{sentence}: and kept again", err)
        check(os.path.isfile(path) and not os.path.islink(path), f"{sentence}: the entry is a file", path)
        if os.path.exists(path + ".kept"):
            os.unlink(path + ".kept")
    check(len(entries(folder, "e")) == 1, "nothing is left lying about", entries(folder, "e"))


def old_entries(folder):
    """The folder does not grow for ever, and what is not an entry stays."""
    folder.write("p.yaml", WAREHOUSE)
    names = [f"{i:064x}.ledgergate" for i in range(520)]
    others = ["README", "0" * 64, "0" * 63 + ".ledgergate", "g" * 64 + ".ledgergate", "0" * 64 + ".ledgergates"]
    for age, name in enumerate(names + others):
        folder.write(f"o/{name}", "x")
        os.utime(os.path.join(folder.path, "o", name), (1e9 - age, 1e9 - age))
    os.makedirs(os.path.join(folder.path, "o", "f" * 64 + ".ledgergate"))
    cached(folder, "p.yaml", "--tool", "ship_order", "--cache", "o")
    left = {os.path.basename(e) for e in entries(folder, "o")}
    check(set(others) <= left and "f" * 64 + ".ledgergate" in left, "what is not an entry is left alone", sorted(left)[:9])
    kept = left & set(names)
    check(len(kept) == 249 and kept == set(names[:249]), "of the entries the newest are kept", len(kept))
    check(cached(folder, "p.yaml", "--tool", "ship_order", "--cache", "o")[0] is True, "the new one among them")


def folders_that_cannot_be(folder):
    """An answer that cannot be kept is an answer all the same."""
    folder.write("p.yaml", WAREHOUSE)
    folder.write("file", "")
    os.makedirs(os.path.join(folder.path, "taken"), exist_ok=True)
    for place in ("file", "file/below", "/proc/none", "x" * 300, "y/" * 2500):
        was, (code, _), err = cached(folder, "p.yaml", "--tool", "ship_order", "--cache", place)
        said = err.startswith("ledgergate: the answer could not be cached in ") or len(place) > 4096
        check(code == 0 and was is False and said, f"--cache {place[:30]}: a note, and the answer", f"{code}: {err}")
    for name in ("XDG_CACHE_HOME", "HOME"):
        folder.environment.pop(name, None)
    code, _, err = prove(folder, "p.yaml", "--tool", "ship_order")
    check(code == 0 and err == "", "without a home there is no cache, and no word of it", err)
    folder.environment["HOME"] = os.path.join(folder.path, "home")
    prove(folder, "p.yaml", "--tool", "ship_order")
    check(len(entries(folder, "home/.cache/ledgergate/prove")) == 1, "the cache is below the home", "")
    folder.environment["XDG_CACHE_HOME"] = os.path.join(folder.path, "xdg")
    prove(folder, "p.yaml", "--tool", "ship_order")
    check(len(entries(folder, "xdg/ledgergate/prove")) == 1, "or where the environment says", "")


def main():
    tests = (
        table, long_names, readable_examples, examples_of_effects, positions, choosing, mistakes, confirmed, sarif_of_a_proof,
        sarif_of_remarks, sarif_of_a_difference, gates, beside, caching, findings_are_cached, unknown_is_asked_again,
        damage, old_entries, folders_that_cannot_be,
    )
    with _run.Folder() as folder:
        for test in tests:
            test(folder)
    _run.done()


if __name__ == "__main__":
    main()
