#!/usr/bin/env python3
"""Writes the conversations that bench_load holds, a turn a line, out of the gold conversations of retail.

    bench/load/make_work.py OUT [--share 0.3] [--prompt]
    bench/load/make_work.py OUT --turn 50

Each gold conversation is one: a user's sentence, then what the agent called and what came back. Where the agent wrote
something, the model's reply has this call, which retail's pack judges, and allows; everywhere else it has a text. Of the
turns with a text just so many are asked that `--share` of all replies have a gated call. `--prompt`: with the shop's
policy as the system's message and its tools, as an agent would send them.

`--turn`: long conversations instead, from 18 turns before this one (or the first) to as many behind it, in each of which an
order of the shop has been looked up. All replies are texts.
"""

import argparse
import json
import os
import random
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))

import faces  # noqa: E402
import recorded  # noqa: E402

FACE = faces.FACES["completions"]
SEED = 1987654321  # stands where the request's number goes: a field that every proxy passes on
TEXT = "I have looked that up for you. Shall I go on with it as we said, or is there anything that you want otherwise?"


def dump(body):
    return json.dumps(body, ensure_ascii=False).replace(str(SEED), "@number@@@", 1)


def marked(conversation):
    """With a place for the number of the conversation, so that each is another one."""
    opening = [dict(m) for m in conversation]
    first = next(m for m in opening if m["role"] == "user")
    first["text"] = f"(customer @subject@@) {first['text']}"
    return opening


def turns_of(trace, tools, policy):
    writes = {f"call_{n}" for n, c in enumerate(c for c in trace["calls"] if recorded.is_agents(c)) if c["write"] and not c["error"]}
    for number, turn in enumerate(recorded.gold_turns(trace)):
        gated = any(call_id in writes for call_id, _, _ in turn.calls)
        if turn.calls and not gated and any(c["write"] for c in trace["calls"] if c["name"] == turn.calls[0][1]):
            continue  # a write that the shop itself refuses
        before = marked(turn.before)
        before[0]["text"] = policy or before[0]["text"]
        body = {"model": "bench", "seed": SEED, **FACE.request(before, tools)}
        reply = FACE.reply(f"{trace['task_id']}-{number}", None if gated else TEXT, turn.calls if gated else (), model="bench")
        expect = json.dumps(turn.calls[0][2])[1:60] if gated else "I have looked that up"
        yield {"gated": gated, "request": dump(body), "reply": json.dumps(reply), "expect": expect}


def conversations(data, with_prompt):
    domain = recorded.Domain(data, "retail")
    tools, policy = [], None
    if with_prompt:
        tools = domain.tools
        with open(os.path.join(data, "data", "tau2", "retail", "policy.md"), encoding="utf-8") as file:
            policy = file.read()
    return [list(turns_of(trace, tools, policy)) for trace in domain.gold]


def with_share(talks, share):
    """As many turns without a gated call as the share says, here and there."""
    dice = random.Random(1)
    gated = sum(t["gated"] for talk in talks for t in talk)
    plain = [(i, j) for i, talk in enumerate(talks) for j, t in enumerate(talk) if not t["gated"]]
    wanted = round(gated * (1 - share) / share)
    kept = set(dice.sample(plain, min(wanted, len(plain))))
    chosen = [[t for j, t in enumerate(talk) if t["gated"] or (i, j) in kept] for i, talk in enumerate(talks)]
    return [talk for talk in chosen if talk]


def long_conversations(data, middle):
    """In each turn one more order has been looked up."""
    with open(os.path.join(data, "data", "tau2", "retail", "db.json"), encoding="utf-8") as file:
        orders = list(json.load(file)["orders"].items())
    span = min(middle - 1, 18)
    for number in range(8):
        conversation = marked([{"role": "system", "text": "You serve customers."}, {"role": "user", "text": "What have I bought?"}])
        talk = []
        for turn in range(1, middle + span + 1):
            if turn >= middle - span:
                body = {"model": "bench", "seed": SEED, **FACE.request(conversation)}
                talk.append({"gated": False, "request": dump(body),
                             "reply": json.dumps(FACE.reply(f"{number}-{turn}", TEXT, model="bench")), "expect": "I have looked that up"})
            order_id, order = orders[(number * 100 + turn) % len(orders)]
            call = {"name": "get_order_details", "arguments": {"order_id": order_id}, "result": json.dumps(order)}
            conversation = recorded.exchange(conversation, [(turn, call)])
        yield talk


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--share", type=float, default=0.3)
    parser.add_argument("--prompt", action="store_true")
    parser.add_argument("--turn", type=int)
    args = parser.parse_args()
    data = os.environ.get("LEDGERGATE_DATA") or os.path.join(ROOT, "..", "shared")
    if not recorded.Domain.is_here(data, "retail"):
        sys.exit("make_work.py: there is no shared data")
    talks = list(long_conversations(data, args.turn)) if args.turn else with_share(conversations(data, args.prompt), args.share)
    turns = [t for talk in talks for t in talk]
    with open(args.out, "w", encoding="utf-8") as file:
        for number, talk in enumerate(talks):
            for turn in talk:
                file.write(json.dumps({"talk": number, **turn}, ensure_ascii=False) + "\n")
    gated = sum(t["gated"] for t in turns)
    print(json.dumps({"talks": len(talks), "turns": len(turns), "gated": gated,
                      "request_bytes": round(sum(len(t["request"]) for t in turns) / len(turns))}))


main()
