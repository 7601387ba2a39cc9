"""Artefacts as `ledgergate audit` writes them (docs/audit.md), made up: lines of JSON for support_page.

    pages.py COUNT [SEED] [--before] [--hostile]

The texts are about as long, and as often the same, as those of recorded customer service.
"""

import json
import random
import sys

EVALUATORS = ["output", "transition", "forbidden_edges", "argument_groundedness", "argument", "predicted_plan", "predicted_final_state"]
TIERS = {"output": ("critical", 3), "transition": ("critical", 3), "forbidden_edges": ("important", 2), "argument_groundedness": ("important", 2),
         "argument": ("important", 2), "predicted_plan": ("critical", 3), "predicted_final_state": ("minor", 1)}
KINDS = [
    ("ungrounded_argument", "argument_groundedness", "severe", "", "The value was never returned, said or computed: {value}."),
    ("gate_block", "argument", "severe", "retail_order_of_customer", "Order {value} is not one of this customer's."),
    ("gate_revise", "argument", "moderate", "retail_refund_payment_in_order_history", "Refunds go to the original payment method or to a gift card of the customer; got {value}."),
    ("text_with_call", "output", "minor", "one_or_the_other", "A message and a call stand in one turn."),
    ("skipped_verification", "transition", "moderate", "authenticate_first", "{value} was changed before the customer was found."),
    ("promise_not_kept", "output", "severe", "", "The agent said that it would cancel {value}, and never did."),
    ("several_calls", "output", "minor", "one_call_at_a_time", "Three calls in one turn."),
    ("no_regular_ending", "output", "hint", "", "The conversation ends in the middle of a question."),
    ("loop", "transition", "moderate", "", "get_order_details was called four times with the same arguments."),
]
MODELS = [("gpt-4o", 0.55), ("claude-3.7-sonnet", 0.7), ("o4-mini", 0.62), ("qwen3-235b", 0.45)]
DOMAINS = ["retail", "airline", "telecom"]
WORDS = ("order item refund exchange delivered pending address payment card gift account email please could would like return the a "
         "of my to is was for that and with number customer policy confirm details size colour keyboard lamp bottle jacket shipped").split()


def sentence(dice, n):
    return " ".join(dice.choice(WORDS) for _ in range(n)).capitalize() + "."


def policies():
    dice = random.Random(5)
    return {domain: f"# Policy of {domain}\n\n" + "\n\n".join("- " + sentence(dice, dice.randint(8, 24)) for _ in range(70)) for domain in DOMAINS}


def order(dice, number):
    return {"order_id": f"#W{number}", "user_id": f"mia_li_{number % 997}", "status": dice.choice(["pending", "delivered", "processed"]),
            "address": {"address1": f"{dice.randint(1, 900)} Elm Street", "city": "Denver", "zip": str(dice.randint(10000, 99999))},
            "items": [{"name": dice.choice(["Lamp", "Jacket", "Keyboard"]), "item_id": str(dice.randint(10**9, 10**10)), "price": round(dice.uniform(5, 500), 2),
                       "options": {"colour": dice.choice(["black", "red"]), "size": dice.choice("SML")}} for _ in range(dice.randint(1, 6))],
            "payment_history": [{"transaction_type": "payment", "amount": round(dice.uniform(10, 900), 2), "payment_method_id": f"credit_card_{dice.randint(10**6, 10**7)}"}]}


TOOLS = [{"type": "function", "function": {"name": name, "description": sentence(random.Random(name), 20), "parameters": {
    "type": "object", "properties": {"order_id": {"type": "string", "description": "such as #W0000000, with its hash"}}, "required": ["order_id"]}}}
    for name in ("get_order_details", "get_user_details", "cancel_pending_order", "return_delivered_order_items", "exchange_delivered_order_items",
                 "modify_pending_order_address", "transfer_to_human_agents", "calculate")]


class Conversation:
    def __init__(self, dice):
        self.dice, self.events, self.turn = dice, [], 0

    def say(self, role, text):
        self.events.append({"event": len(self.events), "turn": self.turn, "kind": "message", "role": role, "text": text})
        self.turn += 1

    def call(self, tool, args, result, ledger=()):
        call = f"call_{len(self.events)}"
        self.events.append({"event": len(self.events), "turn": self.turn, "kind": "call", "role": "agent", "tool": tool, "value": args, "id": call})
        self.turn += 1
        event = {"event": len(self.events), "turn": self.turn, "kind": "result", "tool": tool, "text": result, "of": len(self.events) - 1}
        if ledger:
            event["ledger"] = [{"path": path, "value": value, "tool": tool, "turn": self.turn, "stale": False} if value is not None else {"path": path, "tool": tool, "turn": self.turn, "stale": True}
                               for path, value in ledger]
        self.events.append(event)
        self.turn += 1


def talk(dice, number):
    c = Conversation(dice)
    c.say("user", "Hi! " + sentence(dice, 24))
    c.say("assistant", "Could you give me your order number, please? " + sentence(dice, 8))
    # The same customers come again: their records are the same texts.
    numbers = [dice.randint(0, 600) + 4410000 for _ in range(dice.randint(2, 4))]
    user = {"user_id": f"mia_li_{numbers[0] % 997}", "name": {"first": "Mia", "last": "Li"}, "email": "mia@example.com",
            "payment_methods": {f"gift_card_{i}": {"source": "gift_card", "balance": 10 * i} for i in range(3)}, "orders": [f"#W{n}" for n in numbers]}
    c.call("get_user_details", {"user_id": user["user_id"]}, json.dumps(user), [("user", user)])
    for n in numbers:
        c.say("user", f"It is #W{n}. " + sentence(dice, 14))
        got = order(random.Random(n), n)
        c.call("get_order_details", {"order_id": f"#W{n}"}, json.dumps(got), [(f'orders["#W{n}"]', got)])
        c.say("assistant", sentence(dice, dice.randint(20, 60)) + " Shall I go on?")
        c.say("user", "yes")
        if dice.random() < 0.6:
            c.call("return_delivered_order_items", {"order_id": f"#W{n}", "item_ids": ["7729835504"], "payment_method_id": "credit_card_8137740"},
                   json.dumps({**got, "status": "return requested"}), [(f'orders["#W{n}"]', None)])
            c.say("assistant", "Done. " + sentence(dice, 20))
    c.say("user", "Thank you. ###STOP###")
    return c


def finding(dice, number, c, row):
    kind, evaluator, severity, rule, message = row
    calls = [e for e in c.events if e.get("kind") == "call"]
    event = dice.choice(calls)
    value = str(event["value"].get("order_id") or event["value"].get("user_id"))
    got = {"id": number, "kind": kind, "evaluator": evaluator, "by": "rules", "severity": severity, "event": event["event"], "turn": event["turn"],
           "tool": event["tool"], "message": message.format(value=value), "root": number,
           "evidence": [{"path": "args.order_id", "value": json.dumps(value)},
                        {"path": f'ledger.orders["{value}"].status', "value": '"delivered"', "tool": "get_order_details", "turn": max(0, event["turn"] - 2), "stale": dice.random() < 0.2}],
           "suggest": f"State in the policy when {words_of(kind)} is allowed."}
    if rule:
        got |= {"rule": rule, "because": "The refund must go to the original payment method, or to an existing gift card."}
    if kind == "ungrounded_argument":
        got["key"] = "/order_id"
    return got


def words_of(kind):
    return kind.replace("_", " ")


def artefact(number, seed, better=0.0):
    dice = random.Random(seed * 1000003 + number)
    domain, (model, skill) = DOMAINS[number % 3], MODELS[number % 4]
    c = talk(dice, number)
    passed = dice.random() < skill + better
    found = sorted((finding(dice, 0, c, row) for row in dice.sample(KINDS, dice.choice([0, 0, 1, 1, 2, 3] if passed else [0, 1, 1, 2, 3, 4]))), key=lambda f: f["event"])
    for i, one in enumerate(found):
        one["id"] = one["root"] = i + 1
    if len(found) > 2 and dice.random() < 0.3:
        found[-1]["root"] = 1
    hurt = {"severe": 40, "moderate": 20, "minor": 8, "hint": 0}
    scores, evaluators = [], []
    for name in EVALUATORS:
        tier, weight = TIERS[name]
        if name.startswith("predicted"):
            evaluators.append({"name": name, "tier": tier, "weight": weight, "score": None, "why": "no model was asked", "decided": None, "judged": None})
            continue
        mine = [f for f in found if f["evaluator"] == name]
        value = max(0, 100 - sum(hurt[f["severity"]] for f in mine))
        scores.append((value, weight, tier))
        evaluators.append({"name": name, "tier": tier, "weight": weight, "score": value, "decided": {"checked": 13, "violated": len(mine)}, "judged": None})
    aggregate = min([sum(v * w for v, w, _ in scores) / sum(w for _, w, _ in scores)] + [v for v, _, t in scores if t == "critical"])
    outcome = min(0.98, max(0.02, (0.7 if passed else 0.35) + dice.gauss(0, 0.2)))
    undecided = [{"kind": "owed", "event": len(c.events) - 1, "turn": c.turn - 1, "rule": "transfer_is_said", "why": "the recording ends where it would have been said"}] if dice.random() < 0.1 else []
    audit = {"version": 1, "id": f"{random.Random(seed * 7 + number).getrandbits(64):016x}", "file": f"runs/{model}.json", "line": number, "conversation": f"{number // 4}/{number % 4}",
             "task": str(number // 12), "trial": number % 4, "domain": domain, "model": model, "customer": f"mia_li_{number % 97}", "reward": int(passed),
             "checks": {"db": int(passed), "communicate": int(dice.random() < 0.8)}, "ended": "user_stop",
             "pack": {"name": domain, "version": "1.0.0", "hash": "ab12"} if domain != "telecom" else None,
             "counts": {"turns": c.turn, "messages": len(c.events), "calls": 5, "reads": 4, "writes": 1, "carried_out": 1, "delegated": 0},
             "scores": {"aggregate": round(aggregate, 2), "aggregate_once": round(aggregate, 2), "outcome": round(outcome, 3), "process": round(min(100, aggregate + 5), 1)},
             "evaluators": evaluators, "class": None if passed else dice.choice(["missed_action", "wrong_argument", "policy_violation", "communication"]),
             "first_unrecoverable": None if passed or not found else {"event": found[0]["event"], "turn": found[0]["turn"]},
             "findings": found, "undecided": undecided, "not_checked": [{"evaluator": "output", "part": "judged", "why": "no model was asked"}], "signals": {}}
    return {"conversation": {"ledgergate_artifact": 1, "prompt": POLICIES[domain], "tools": TOOLS, "request": sentence(dice, 40), "events": c.events}, "audit": audit}


HOSTILE = ['</script><img src=x onerror="window.__ran=1">', "<!-- <script>window.__ran=1</script>", "\u202egnihtyreve\u202c", "javascript:window.__ran=1",
           "{{7*7}} ${window.__ran=1} `", "\x01" + "12", "\x01=5", "\u0000\x1b[31mred", "]]>&lt;b&gt;", "\ud83d\ude00\u200d\ufeff", "a" * 100_000, "'\"><svg onload=window.__ran=1>"]


def hostile(number):
    """What a stranger may say, everywhere where they can."""
    a = artefact(number, 3)
    text = HOSTILE[number % len(HOSTILE)]
    a["audit"] |= {"id": f"{number:016x}", "conversation": text[:200], "model": text[:200], "domain": text[:200], "task": text[:200], "customer": text[:200], "class": "policy_violation"}
    event = len(a["conversation"]["events"])
    a["conversation"]["events"] += [
        {"event": event, "turn": 90, "kind": "message", "role": "user", "text": text},
        {"event": event + 1, "turn": 91, "kind": "call", "tool": text[:200], "value": {"__proto__": {"polluted": 1}, "constructor": text, "big": 9223372036854775807, text[:300]: [text]}, "id": "x"},
        {"event": event + 2, "turn": 92, "kind": "result", "tool": text[:200], "text": json.dumps({"__proto__": text, "n": 9223372036854775807}), "of": event + 1,
         "ledger": [{"path": f'orders["{text[:100]}"]', "value": {"__proto__": text}, "tool": text[:200], "turn": 92, "stale": False}]}]
    a["conversation"]["prompt"] = text
    a["audit"]["findings"].append({"id": 99, "kind": "__proto__", "evaluator": "output", "by": "rules", "severity": "severe", "event": event + 1, "turn": 91, "tool": text[:200], "rule": text[:200],
                                   "message": text, "because": text, "key": "/" + text[:50], "evidence": [{"path": text[:200], "value": text[:200], "tool": text[:200], "turn": 92}], "root": 99, "suggest": text})
    return a


POLICIES = policies()


def main():
    plain = [word for word in sys.argv[1:] if not word.startswith("--")]
    count, seed = int(plain[0]), int(plain[1]) if len(plain) > 1 else 1
    for number in range(count):
        made = hostile(number) if "--hostile" in sys.argv else artefact(number, seed, -0.08 if "--before" in sys.argv else 0.0)
        print(json.dumps(made["audit"] if "--before" in sys.argv else made, ensure_ascii=False).encode("utf-8", "replace").decode())


if __name__ == "__main__":
    main()
