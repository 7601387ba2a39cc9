"""Rules out of prompts, and drafts of them for a pack: a scripted model over real sockets, with everything that can go wrong."""

import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from _run import Folder, check, done  # noqa: E402
from scripted_model import ScriptedModel  # noqa: E402

PROMPT = "You help with orders. Always be polite.\nAsk for the user id before you   read an order. Never call cancel_order after refund_order."
OTHER = "You book rooms. Answer in one sentence."
TOOLS = [{"type": "function", "function": {"name": name, "description": name, "parameters": {
    "type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}}} for name in ("get_order", "cancel_order", "refund_order")]

RULES = {
    "assistant says": [{"rule": "Be polite.", "quote": "Always be polite.", "level": "must"},
                       {"rule": "be polite", "quote": "always be polite", "level": "must"},
                       {"rule": "Answer in verse.", "quote": "Answer in verse.", "level": "should"},
                       {"rule": "One sentence.", "quote": "Answer in one sentence.", "level": "should"}],
    "order of things": [{"rule": "The user id comes before the order.", "quote": "user id before you read an order", "level": "must"}],
    "pairs of tools": [{"rule": "No cancel after refund.", "quote": "Never call cancel_order after refund_order", "level": "must",
                        "from": "refund_order", "to": "cancel_order"}],
}
PLAN = {"steps": [{"tool": "get_order", "arguments": {"id": "W1"}, "expects": "pending"}]}
FINAL = {"outcome": "completed", "fields": [{"name": "W1 status", "value": "cancelled", "exact": True},
                                            {"name": "invented", "value": "W999", "exact": True}]}


def talk(name, prompt=PROMPT, said="Cancel W1: it shall be cancelled."):
    return {"id": name, "tools": TOOLS, "messages": [{"role": "system", "content": prompt}, {"role": "user", "content": said},
                                                     {"role": "assistant", "content": "Done."}]}


def write_talks(folder, *talks):
    folder.write("talks.jsonl", "".join(json.dumps(one) + "\n" for one in talks))
    return "talks.jsonl"


def key_of(request):
    system = request.json["messages"][0]["content"]
    return next((key for key in (*RULES, "You plan", "what the state must be", "entry of a pack") if key in system), None)


def answer(request):
    key = key_of(request)
    return {"json": {"rules": RULES[key]} if key in RULES else PLAN if key == "You plan" else FINAL}


class Reader(ScriptedModel):
    """Answers by what it is asked; `bad` says otherwise for some questions: one reply, or a list of them."""

    def __init__(self, **bad):
        left = {key: list(say) if isinstance(say, list) else [say] * 99 for key, say in bad.items()}
        super().__init__([{"ask": lambda request: left[key_of(request)].pop(0) if left.get(key_of(request)) else answer(request)}])


def extract(folder, model, *more):
    where = ("--model", "m", "--model-url", model.url) if model else ()
    code, out, err = folder.run("extract", *where, *more, partial=True)
    lines = [json.loads(line) for line in out.splitlines()] if "--json" in more else out
    return lines, code, out, err


def of(lines, key):
    return [line[key] for line in lines if key in line]


def rules_of(lines):
    return [rule for prompt in of(lines, "prompt") for rule in prompt["extracted"]["rules"]]


def happy(folder):
    name = write_talks(folder, talk("a"), talk("b"))
    with Reader() as model:
        lines, code, _, err = extract(folder, model, "--json", name)
        asked = len(model.requests)
    check(code == 0 and asked == 3, "two conversations of one prompt ask three questions", f"{code} {asked} {err}")
    [prompt] = of(lines, "prompt")
    got = [(rule["family"], rule["level"], rule["quote"]) for rule in prompt["extracted"]["rules"]]
    check(got == [("output", "must", "Always be polite."), ("transition", "must", "user id before you read an order"),
                  ("forbidden_edge", "must", "Never call cancel_order after refund_order")], "rules with their words", got)
    check(prompt["extracted"]["unquoted"] == 2 and prompt["extracted"]["repeated"] == 1, "invented and repeated ones are counted", prompt)
    check(prompt["conversations"] == 2 and prompt["places"][1] == {"line": 2, "column": 13}, "with their places", prompt["places"])
    [summary] = of(lines, "summary")
    check(summary["rules"] == 3 and summary["model"]["exchanges"] == 3 and summary["model"]["prompt_tokens"] > 0, "the summary counts", summary)
    check("3 questions" in err and "tokens" in err, "what it took is said", err)
    with Reader() as model:
        text, code, _, _ = extract(folder, model, name)
    check(code == 0 and "output         must   Be polite." in text and '2:13: "user id before you' in text, "for people", text)
    check("left out: 2 whose words are not in the text, 1 that say" in text, "what was left out is said", text)


def of_a_file(folder):
    folder.write("prompt.md", PROMPT)
    folder.write("tools.json", json.dumps(TOOLS))
    with Reader() as model:
        lines, code, _, err = extract(folder, model, "--json", "--prompt", "prompt.md", "--tools", "tools.json", "--out", "rules.json")
    check(code == 0 and len(rules_of(lines)) == 3, "a prompt in a file", f"{code} {err}")
    with open(os.path.join(folder.path, "rules.json"), encoding="utf-8") as file:
        rules = json.load(file)["rules"]
    check([rule["rule"] for rule in rules] == [rule["rule"] for rule in rules_of(lines)], "is written for the audit", rules)
    check(not any("prompt" in rule for rule in rules), "rules of one prompt are of every one")
    for args, word in ((("--prompt", "none.md"), "none.md"), (("--prompt", "prompt.md", "--plan"), "--plan"),
                       (("--tools", "tools.json", "prompt.md"), "--tools"), ((), "give recordings")):
        code, _, err = folder.run("extract", "--model", "m", "--model-url", "http://127.0.0.1:1", *args)
        check(code == 2 and word in err, f"{args}: a mistake", f"{code} {err}")
    code, _, err = folder.run("extract", "--prompt", "prompt.md")
    check(code == 2 and "--model" in err, "without a model there is nothing to do", err)


def several(folder):
    name = write_talks(folder, talk("a"), talk("b", OTHER), {**talk("c"), "messages": talk("c")["messages"][1:]})
    with Reader() as model:
        lines, code, _, err = extract(folder, model, "--json", "--out", "rules.json", name)
    check(code == 0 and len(of(lines, "prompt")) == 2, "each prompt once", f"{code} {err}")
    check(of(lines, "summary")[0]["conversations_without_prompt"] == 1 and "1 conversation without" in err, "one without a prompt is counted", err)
    with open(os.path.join(folder.path, "rules.json"), encoding="utf-8") as file:
        rules = json.load(file)["rules"]
    check(len({rule["prompt"] for rule in rules}) == 2 and len(rules) == 4, "rules of several prompts name theirs", rules)


def plans(folder):
    folder.write("sim.json", json.dumps({"id": "s1", "task_id": "1", "reward_info": {"reward": 1.0}, "messages": talk("a")["messages"], "task": {
        "id": "1", "user_scenario": {"instructions": "Cancel W1: cancelled."}, "initial_state": {"orders": {"W1": {"status": "pending"}}}}}))
    name = write_talks(folder, talk("a"))
    with Reader() as model:
        lines, code, _, err = extract(folder, model, "--json", "--plan", name)
    check(code == 0 and of(lines, "plan")[0]["steps"] == PLAN["steps"], "a plan", f"{code} {err} {of(lines, 'plan')}")
    check("final_state" not in of(lines, "plan")[0], "no final state without an initial one")
    with Reader(**{"You plan": {"status": 400, "body": "no"}}) as model:
        lines, code, _, err = extract(folder, model, "--json", "--plan", name)
    check(code == 1 and "why" in of(lines, "plan")[0] and of(lines, "summary")[0]["unplanned"] == 1, "one that could not be had", f"{code} {lines}")


def failures(folder):
    """One question that fails leaves the rules of the others."""
    name = write_talks(folder, talk("a"))
    cases = {
        "a refusal": {"status": 400, "body": {"error": {"message": "too long"}}},
        "no JSON": {"text": "I will not say."},
        "another form": {"json": {"rules": "none"}},
        "half of it": {"fault": "malformed"},
        "a page": {"fault": "html"},
        "the model refuses": {"text": None, "refusal": "No."},
    }
    for sentence, say in cases.items():
        with Reader(**{"assistant says": say}) as model:
            lines, code, _, err = extract(folder, model, "--json", name)
        check(code == 1 and len(rules_of(lines)) == 2, f"{sentence}: the others are there", f"{code} {err}")
        check(of(lines, "prompt")[0]["why"].startswith("output rules: "), f"{sentence}: with its reason", of(lines, "prompt"))
    with Reader(**{"assistant says": [{"status": 429, "retry_after": 0}, {"text": "{"}]}) as model:
        lines, code, _, err = extract(folder, model, "--json", name)
    check(code == 0 and len(rules_of(lines)) == 3, "after a rate limit and half an answer it is asked again", f"{code} {err}")
    with Reader(**{"assistant says": {"fault": "silent"}}) as model:
        lines, code, _, err = extract(folder, model, "--json", "--model-budget", "seconds=2", name)
    check(code == 1 and len(rules_of(lines)) == 2, "a silent server takes no more than the budget", f"{code} {err}")
    with Reader() as model:
        lines, code, _, err = extract(folder, model, "--json", "--model-budget", "calls=1", name)
    check(code == 1 and len(rules_of(lines)) == 1, "no more calls than the budget has", f"{code} {err}")


def recorded(folder):
    name = write_talks(folder, talk("a"), talk("b", OTHER))
    with Reader() as model:
        first = extract(folder, model, "--json", "--plan", "--model-record", "tape.jsonl", name)
        count = len(model.requests)
        again = extract(folder, model, "--json", "--plan", "--model-record", "tape.jsonl", name)
        check(len(model.requests) == count, "what is recorded is not asked again", len(model.requests))
    offline = extract(folder, None, "--json", "--plan", "--model", "m", "--model-replay", "tape.jsonl", name)
    check(first[1] == 0 and first[2] == again[2] == offline[2], "the same, byte for byte", offline[3])
    check("0 requests now" in offline[3], "and nothing was sent", offline[3])


def hostile(folder):
    """Texts of any kind and length are data."""
    name = write_talks(folder, talk("a"))
    rule = {"rule": "\u001b[31m\u0000\u202e" + "x" * 1_000_000, "quote": "Always be polite.", "level": "must"}
    with Reader(**{"assistant says": {"json": {"rules": [rule] * 5}}}) as model:
        lines, code, out, err = extract(folder, model, "--json", name)
    check(code == 0 and len(rules_of(lines)) == 3 and "\u001b" not in out, "a rule of a megabyte", f"{code} {err}")
    with Reader(**{"assistant says": {"json": {"rules": [rule]}}}) as model:
        text, code, _, _ = extract(folder, model, name)
    check(code == 0 and all(c == "\n" or c.isprintable() for c in text), "nothing that a terminal obeys")


# --- Drafts ---------------------------------------------------------------------------------------

PACK = """# A shop.
pack: shop
version: 1.0.0

types:
  Order:
    type: object
    properties:
      id: {type: string}
      status: {type: string}
    required: [status]

ledger:
  orders.*: Order

tools:
  get_order:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
    returns: Order
    stores:
      - at: orders[args.id]
  cancel_order:
    kind: write
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
  refund_order:
    kind: write
    parameters: {type: object, properties: {id: {type: string}, amount: {type: number}}, required: [id, amount]}

rules:
  # Money
  refunds_are_small:
    tools: [refund_order]
    that: args.amount <= 100.0
    otherwise: block
    say: "A refund is at most 100."
    because: "shop policy: refunds are small"

  # The end of the rules

# What else there is.
conversation: {}
"""
SHOP = "Cancel only pending orders. Refund only what is due. Refunds are at most 200. Refunds are at most 10. Be brief. Refund or not. Never dream."
WANTED = {
    "Only pending orders are cancelled.": "Cancel only pending orders.",
    "Nothing negative is refunded.": "Refund only what is due.",
    "At most 200.": "Refunds are at most 200.",
    "At most 10.": "Refunds are at most 10.",
    "Any amount.": "Refund or not.",
    "Be brief.": "Be brief.",
    "Never dream.": "Never dream.",
}


def entry(name, tool, that, **more):
    return {"cannot": "", "entry": {"id": name, "tools": [tool], "when": "", "that": that, "needs": [], "otherwise": "block", "say": "No.", **more}}


PENDING = entry("order_is_pending", "cancel_order", "ledger.orders[args.id].status == 'pending'", needs=["ledger.orders[args.id]"],
                say="Order {args.id} is {ledger.orders[args.id].status}.")
DRAFTS = {
    "Only pending orders are cancelled.": [PENDING],
    "Nothing negative is refunded.": [entry("no_negative", "refund_order", "args.sum > 0"), entry("no_negative", "refund_order", "args.amount > 0.0")],
    "At most 200.": [entry("at_most_200", "refund_order", "args.amount <= 200.0")],
    "At most 10.": [entry("at_most_10", "refund_order", "args.amount <= 10.0")],
    "Any amount.": [entry("any_amount", "refund_order", "args.amount < 5.0 || args.amount >= 5.0")],
    "Be brief.": [{"cannot": "It is about what is said.", "entry": None}],
    "Never dream.": [entry("never_dream", "dream", "true")] * 9,
}
SHOP_TOOLS = [{"type": "function", "function": {"name": name, "description": name, "parameters": {"type": "object"}}}
              for name in ("get_order", "cancel_order", "refund_order")]


class Drafter(ScriptedModel):
    """Reads the rules of WANTED, and drafts each by DRAFTS, one reply a round."""

    def __init__(self, drafts=None, wanted=None):
        self.drafts, self.wanted = drafts or DRAFTS, wanted or WANTED
        super().__init__([{"ask": self.say}])

    def say(self, request):
        messages = request.json["messages"]
        if key_of(request) == "assistant says":
            return {"json": {"rules": [{"rule": rule, "quote": quote, "level": "must"} for rule, quote in self.wanted.items()]}}
        if key_of(request) != "entry of a pack":
            return {"json": {"rules": []}}
        said = self.drafts[json.loads(messages[1]["content"])["rule"]]
        said = said[min(len(messages) // 2, len(said)) - 1]
        return said if "status" in said or "text" in said else {"json": said}


def call_of(number, name, **args):
    return {"role": "assistant", "content": None, "tool_calls": [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}]}


def sold(name, reward, amount, status="pending"):
    turns = [("get_order", {"id": "W1"}, json.dumps({"id": "W1", "status": status})), ("cancel_order", {"id": "W1"}, "{}"),
             ("refund_order", {"id": "W1", "amount": amount}, "{}")]
    messages = [{"role": "user", "content": "Cancel W1."}]
    for number, (tool, args, result) in enumerate(turns):
        messages += [call_of(number, tool, **args), {"role": "tool", "tool_call_id": f"c{number}", "content": result}]
    return {"id": name, "tools": SHOP_TOOLS, "messages": messages, "reward": reward}


def draft(folder, model, *more, pack=PACK, talks=None):
    folder.write("shop/pack.yaml", pack)
    folder.write("shop.md", SHOP)
    folder.write("sold.jsonl", "".join(json.dumps(one) + "\n" for one in talks or [sold("a", 1, 50), sold("b", 0, 50, "sent")]))
    return extract(folder, model, "--json", "--prompt", "shop.md", "--pack", "shop", "--try", "sold.jsonl", *more)


def fates(lines):
    return {line["rule"]: line["fate"] for line in of(lines, "draft")}


def read(folder, name):
    with open(os.path.join(folder.path, name), "rb") as file:
        return file.read().decode("utf-8")


def patched(folder, diff, sentence, pack=PACK):
    """The pack after `patch -p1` and after `git apply`, which give the same."""
    folder.write("diff", diff)
    texts = []
    for tool in (["patch", "-p1", "-s", "-i", "diff"], ["git", "apply", "diff"]):
        folder.write("shop/pack.yaml", pack)
        ended = subprocess.run(tool, cwd=folder.path, capture_output=True, text=True)
        check(ended.returncode == 0, f"{sentence}: {tool[0]} takes it", ended.stderr + diff)
        texts.append(read(folder, "shop/pack.yaml"))
    folder.write("shop/pack.yaml", pack)
    check(texts[0] == texts[1] and texts[0] != pack, f"{sentence}: and both give the same", texts)
    return texts[0]


def drafts(folder):
    with Drafter() as model:
        lines, code, out, err = draft(folder, model, "--draft", "shop.diff")
        asked = [json.loads(r.body) for r in model.requests]
    check(code == 0 and fates(lines) == {
        "Only pending orders are cancelled.": "offered", "Nothing negative is refunded.": "offered", "At most 200.": "implied",
        "At most 10.": "refuses rewarded calls", "Any amount.": "vacuous", "Be brief.": "cannot be said", "Never dream.": "does not type-check",
    }, "what becomes of each rule", f"{code} {json.dumps(of(lines, 'draft'), indent=1)} {err}")
    by = {line["rule"]: line for line in of(lines, "draft")}
    check(by["Nothing negative is refunded."]["rounds"] == 2 and by["Never dream."]["rounds"] == 3, "rounds are bounded", by)
    check(any("args.sum" in m["messages"][-1]["content"] or "`sum`" in m["messages"][-1]["content"] for m in asked if len(m["messages"]) == 4),
          "the model is told what is wrong", [m["messages"][-1]["content"] for m in asked if len(m["messages"]) == 4])
    check((by["Only pending orders are cancelled."]["newly_refused"], by["Only pending orders are cancelled."]["rewarded"]) == (1, 0), "tried on recordings", by)
    check((by["At most 10."]["newly_refused"], by["At most 10."]["rewarded"]) == (2, 1), "a rewarded call that would be refused is counted", by)
    [summary] = of(lines, "summary")
    check(summary["drafts"]["offered"] == 2 and summary["drafts"]["vacuous"] == 1, "and all is counted", summary)
    check(read(folder, "shop/pack.yaml") == PACK, "nothing is written into the pack")
    text = patched(folder, read(folder, "shop.diff"), "the patch")
    check(of(lines, "patch")[0] == read(folder, "shop.diff"), "it is in the JSON, too")
    body = read(folder, "shop.diff").splitlines()[3:]
    check(all(line[:1] in (" ", "+") for line in body), "the rest is byte for byte as it was", text)
    folder.write("after.yaml", text)
    code, out, err = folder.run("check", "after.yaml")
    check(code in (0, 1) and "order_is_pending" not in err, "the pack with it is sound", f"{code} {out} {err}")
    check('because: "shop policy: Cancel only pending orders."' in text, "the entry quotes the prompt", text)
    with Drafter() as model:
        text, code, _, _ = extract(folder, model, "--prompt", "shop.md", "--pack", "shop", "--try", "sold.jsonl", "--all")
    check("+  at_most_10:" in text and "--- a/shop/pack.yaml" in text and "newly refuses 2 recorded calls" in text, "--all offers it, on standard output", text)


def computed(folder):
    """With a pack that says what its tools do, the plan is carried out."""
    pack = PACK.replace("tools:\n  get", "state:\n  orders.*: Order\n\ntools:\n  get").replace(
        "  refund_order:", "    effects:\n      - {fail: Error: no such order, when: \"!(args.id in state.orders)\"}\n"
        "      - {set: \"orders[args.id].status\", to: \"'cancelled'\"}\n  refund_order:", 1).replace(
        "    returns: Order", "    returns: Order\n    gives: state.orders[args.id]").replace("fail: Error: no such order", 'fail: "Error: no such order"')
    folder.write("shop/pack.yaml", pack)
    folder.write("sim.json", json.dumps({"id": "s1", "task_id": "1", "reward_info": {"reward": 1.0}, "policy": SHOP, "messages": [
        {"role": "system", "content": SHOP}, {"role": "user", "content": "Cancel W1: cancelled, not lost."}], "task": {
        "id": "1", "user_scenario": {"instructions": "Cancel W1: cancelled, not lost."}, "initial_state": {"orders": {"W1": {"status": "pending"}}}}}))
    steps = [{"tool": "cancel_order", "arguments": {"id": "W1"}, "expects": "x"}, {"tool": "cancel_order", "arguments": {"id": "W9"}, "expects": "x"},
             {"tool": "dream", "expects": "x"}]
    fields = [{"name": "status", "value": "cancelled", "exact": True}, {"name": "other", "value": "lost", "exact": True}]
    with Reader(**{"You plan": {"json": {"steps": steps}}, "what the state must be": {"json": {"outcome": "completed", "fields": fields}},
                   "entry of a pack": {"json": {"cannot": "no", "entry": None}}}) as model:
        lines, code, _, err = extract(folder, model, "--json", "--plan", "--pack", "shop", "sim.json")
        text, _, _, _ = extract(folder, model, "--plan", "--pack", "shop", "sim.json")
    plans = of(lines, "plan")
    check(code == 0 and len(plans) == 1, "a plan", f"{code} {err}")
    check(plans and plans[0].get("computed") == {"changes": [{"path": 'orders.W1.status', "before": "pending", "after": "cancelled"}], "total": 1,
                                       "not_carried_out": 2, "effects_unknown": 0, "not_shown": ["other"]}, "carried out by the pack", plans)
    check("by the pack: 1 change, 2 calls not carried out" in text and "not shown by it: other = lost" in text, "for people, too", text)


def draft_layouts(folder):
    """Wherever rules stand in the file, it stays what it was but for them."""
    head = PACK[:PACK.index("rules:")]
    tail = "# Behind\ncustomer: \"'nobody'\"\n"
    cases = {"no rules": head, "no rules, and no line end": head.rstrip(), "empty rules": head + "rules: {}\n" + tail, "rules at the end": head + "rules:\n"
             "    small:\n        tools: [refund_order]\n        that: args.amount <= 100.0\n        say: A refund is at most 100.", "CRLF": PACK.replace("\n", "\r\n")}
    only = {"Only pending orders are cancelled.": "Cancel only pending orders."}
    for sentence, pack in cases.items():
        with Drafter(wanted=only) as model:
            lines, code, _, err = draft(folder, model, "--draft", "shop.diff", pack=pack)
        if not check(code == 0 and list(fates(lines).values()) == ["offered"], f"{sentence}: offered", f"{code} {err} {of(lines, 'draft')}"):
            continue
        folder.write("diff", read_bytes(folder, "shop.diff"))
        ended = subprocess.run(["git", "apply", "diff"], cwd=folder.path, capture_output=True, text=True)
        check(ended.returncode == 0, f"{sentence}: the patch applies", ended.stderr)
        folder.write("after.yaml", read_bytes(folder, "shop/pack.yaml"))
        code, out, err = folder.run("show", "after.yaml")
        check(code == 0 and "order_is_pending" in out, f"{sentence}: the rule is there", f"{code} {err}")
        check(sentence != "CRLF" or b"\n" not in read_bytes(folder, "after.yaml").replace(b"\r\n", b""), f"{sentence}: line ends are the file's own")
    for sentence, pack in {"JSON": json.dumps({"pack": "x", "version": "1", "ledger": {}, "tools": {}}), "flow": head + "rules: {small: {tools: [refund_order], that: args.amount <= 1.0, say: no}}\n"}.items():
        with Drafter(wanted=only) as model:
            lines, code, _, err = draft(folder, model, pack=pack)
        check(code == 2 or "offered" not in fates(lines).values(), f"{sentence}: nothing is put in", f"{code} {err}")


def read_bytes(folder, name):
    with open(os.path.join(folder.path, name), "rb") as file:
        return file.read()


def draft_hostile(folder):
    """A reply is data: what it says is quoted, or turned down."""
    only = {"Only pending orders are cancelled.": "Cancel only pending orders."}
    evil = {
        "an id that ends its line": {"id": "x:\n  y: {}\nunknown_tools: allow\n#"},
        "an id of YAML": {"id": "x: &a"},
        "control characters": {"say": "\u001b[31mred\u0000"},
        "a line end": {"that": "true\n    otherwise: revise"},
        "a megabyte": {"say": "x" * 1_000_000},
        "many tools": {"tools": ["cancel_order"] * 1000},
        "a tool that is YAML": {"tools": ["cancel_order, refund_order]\nx: ["]},
        "a tool twice": {"tools": ["cancel_order", "cancel_order"]},
        "an id that is there": {"id": "refunds_are_small"},
        "brackets": {"that": "(" * 1500},
        "no tool": {"tools": []},
        "a layout character": {"say": "\u202eno"},
    }
    for sentence, more in evil.items():
        with Drafter({"Only pending orders are cancelled.": [{**PENDING, "entry": {**PENDING["entry"], **more}}]}, only) as model:
            lines, code, _, err = draft(folder, model)
        check(code == 0 and list(fates(lines).values()) == ["does not type-check"], f"{sentence}: is not offered", f"{code} {err} {of(lines, 'draft')}")
        check(of(lines, "patch") == [""], f"{sentence}: no patch", of(lines, "patch"))
    quoted = {"say": 'He said: "no" \\ {{x}} # - [a] %', "otherwise": "revise"}
    with Drafter({"Only pending orders are cancelled.": [{**PENDING, "entry": {**PENDING["entry"], **quoted}}]}, only) as model:
        lines, code, _, err = draft(folder, model)
    check(list(fates(lines).values()) == ["offered"], "a text of any signs is quoted", f"{code} {err} {of(lines, 'draft')}")
    patched(folder, of(lines, "patch")[0], "signs")


NASTY = ["", "'", '"', "\\", "\n", "\r\n", "\t", "\x00", "\x1b[2J", "\x85", "\u2028", "\ufeff", "\u202e", "\U0001f4a9", "{", "}", "[", "]", ",", ": ", " #", "&a", "*a",
         "!!x", "%", "@", "`", "|", ">-", "---", "...", "<<", "? ", "- ", "${x}", "args.id", "ledger.orders[args.id]", "true", "1e999", "null", "x" * 300]


def draft_anything(folder):
    """Drafts of any signs: each has a fate, and a patch that applies, or none."""
    rng = random.Random(20)

    def text():
        return "".join(rng.choice(NASTY) for _ in range(rng.randrange(6)))

    wanted, all_drafts = {}, {}
    for number in range(60):
        more = {key: text() for key in ("id", "when", "that", "say") if rng.random() < 0.4}
        more |= {key: [text() for _ in range(rng.randrange(3))] for key in ("tools", "needs") if rng.random() < 0.3}
        name = f"Rule {number} {text()}"
        wanted[name] = "Be brief."
        plain = entry(f"rule_{number}", "cancel_order", f"args.id != 'W{number}'")
        all_drafts[name] = [{**plain, "entry": {**plain["entry"], **more}}]
    with Drafter(all_drafts, wanted) as model:
        lines, code, out, err = draft(folder, model)
    got = [line["fate"] for line in of(lines, "draft")]
    check(code == 0 and len(got) > 20 and set(got) <= {"offered", "does not type-check", "vacuous", "implied", "unproved"}, "each has its fate", f"{code} {got} {err}")
    check(got.count("offered") >= 3 and got.count("does not type-check") >= 10, "some are offered, and some are not", got)
    text = patched(folder, of(lines, "patch")[0], "whatever they say")
    folder.write("after.yaml", text)
    code, shown, err = folder.run("show", "--json", "after.yaml")
    check(code == 0, "the pack is one", err)
    check(all(c == "\n" or c.isprintable() for c in of(lines, "patch")[0]), "a patch holds nothing that a terminal obeys")


def draft_failures(folder):
    bad = {**DRAFTS, "At most 200.": [{"status": 400, "body": "no"}], "At most 10.": [{"text": "I will not."}]}
    with Drafter(bad) as model:
        lines, code, _, err = draft(folder, model, "--model-record", "tape.jsonl")
    check(code == 1 and fates(lines)["At most 200."] == fates(lines)["At most 10."] == "not drafted", "a draft that could not be had", f"{code} {fates(lines)}")
    check(fates(lines)["Only pending orders are cancelled."] == "offered", "leaves the others")
    with Drafter() as model:
        first = draft(folder, model, "--model-record", "again.jsonl")
    offline = draft(folder, None, "--model", "m", "--model-replay", "again.jsonl")
    check(first[1] == 0 and first[2] == offline[2], "all of it is repeated offline, byte for byte", offline[3])
    folder.environment["LEDGERGATE_Z3"] = "/nowhere/libz3.so"
    without = draft(folder, None, "--model", "m", "--model-replay", "again.jsonl")
    del folder.environment["LEDGERGATE_Z3"]
    check(fates(without[0])["Only pending orders are cancelled."] == "unproved" and of(without[0], "patch") == [""], "without Z3 nothing is offered", without[2])
    twice = {"One.": "Cancel only pending orders.", "Two.": "Be brief."}
    with Drafter({"One.": [PENDING], "Two.": [entry("order_is_pending", "cancel_order", "args.id != 'W0'")]}, twice) as model:
        lines, code, _, err = draft(folder, model)
    check([line["id"] for line in of(lines, "draft")] == ["order_is_pending", "order_is_pending_2"], "two of one name", of(lines, "draft"))
    with Drafter({"One.": [PENDING], "Two.": [PENDING]}, twice) as model:
        lines, code, _, err = draft(folder, model)
    check(list(fates(lines).values()) == ["offered", "implied"], "what an offered draft says needs no other", of(lines, "draft"))
    for args, word in ((("--draft", "x"), "--pack"), (("--pack", "nowhere"), "nowhere")):
        code, _, err = folder.run("extract", "--model", "m", "--model-url", "http://127.0.0.1:1", "--prompt", "shop.md", *args)
        check(code == 2 and word in err, f"{args}: a mistake", f"{code} {err}")


def main():
    for case in (happy, of_a_file, several, plans, failures, recorded, hostile, drafts, computed, draft_layouts, draft_hostile, draft_anything, draft_failures):
        with Folder() as folder:
            case(folder)
    done()


main()
