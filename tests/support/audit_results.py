"""Results of an audit by seed, in the format of docs/audit.md: for tests of what reads them.

By hand: audit_results.py COUNT [SEED] > results.jsonl
"""

import json
import random
import sys

MODELS = ("gpt-4o", "kimi", "sonnet", "o4-mini")
DOMAINS = ("airline", "retail", "telecom")
EVALUATORS = (
    "output", "transition", "forbidden_edges", "argument_groundedness", "argument", "predicted_plan",
    "predicted_final_state",
)
CLASSES = ("missed_action", "wrong_argument", "extra_action", "loop", "policy_violation", "communication", "authentication")
KINDS = {
    "text_with_call": "minor", "several_calls": "minor", "skipped_verification": "moderate",
    "unauthenticated_write": "severe", "ungrounded_argument": "severe", "promise_not_kept": "hint",
}


def evaluators(dice, good):
    for name in EVALUATORS:
        ran = name != "predicted_final_state" and dice.random() > 0.1
        score = max(0, min(100, round(dice.gauss(70 + 10 * good, 20)))) if ran else None
        yield {"name": name, "tier": "critical", "weight": 3, "score": score, "decided": None, "judged": None}


def result(dice, index, tasks, trials):
    """One result. What it should be depends on domain, model and task; a score sees a part of that."""
    # The run comes last, so that the first results are of as many tasks as there are.
    index, place = index // (len(MODELS) * len(DOMAINS)), index % (len(MODELS) * len(DOMAINS))
    model, domain = MODELS[place % len(MODELS)], DOMAINS[place // len(MODELS)]
    task, trial = index % tasks, index // tasks % trials
    hard = random.Random(f"{domain}/{task}").random()
    chance = 0.25 + 0.1 * MODELS.index(model) + 0.2 * DOMAINS.index(domain) - 0.4 * hard + 0.2
    passed = dice.random() < chance
    kinds = [k for k in KINDS if dice.random() < (0.1 if passed else 0.2)]
    outcome = min(1, max(0, dice.gauss(0.6 if passed else 0.45, 0.2)))
    has_reward = dice.random() > 0.03
    number = f"{dice.getrandbits(64):016x}"
    return {
        "version": 1, "id": number, "file": "runs/day.json", "line": index + 1, "conversation": f"{task}/{trial}",
        "task": str(task), "trial": trial, "domain": domain, "model": model,
        "customer": f"{domain}_{task // 2}" if domain != "telecom" else "john",
        "reward": (1 if passed else 0) if has_reward else None,
        "checks": {"db": int(passed), "communicate": int(passed or dice.random() < 0.5)} if has_reward else None,
        "ended": "user_stop", "pack": {"name": domain, "version": "1.0.0", "hash": "ab12"},
        "counts": {"turns": 24, "messages": 13, "calls": 7, "reads": 5, "writes": 1,
                   "carried_out": int(task % 3 > 0 and (passed or dice.random() < 0.4)), "delegated": 0},
        "scores": {"aggregate": round(dice.gauss(60 + 15 * passed, 20), 1),
                   "aggregate_once": dice.choice((None, 50, 60, 70, 85)),
                   "outcome": round(outcome, 4), "process": dice.choice((0, 25, 50, 75, 100))},
        "evaluators": list(evaluators(dice, passed)),
        "class": None if passed or dice.random() < 0.2 else dice.choice(CLASSES),
        "first_unrecoverable": None,
        "findings": [{"id": i + 1, "kind": k, "evaluator": "output", "by": "rules", "severity": KINDS[k], "event": 3,
                      "turn": 2, "message": f"{k} was found", "root": i + 1} for i, k in enumerate(kinds)],
        "undecided": [], "not_checked": [{"evaluator": "output", "part": "judged", "why": "no model was asked"}],
        "signals": {"asked_not_done": int(dice.random() < 0.2)},
    }


def results(count, seed=1, tasks=30, trials=4):
    dice = random.Random(seed)
    return [result(dice, i, tasks, trials) for i in range(count)]


def lines(values):
    return "".join(json.dumps(v) + "\n" for v in values)


if __name__ == "__main__":
    number = int(sys.argv[1])
    made = results(number, int(sys.argv[2]) if len(sys.argv) > 2 else 1, max(30, number // 48))
    sys.stdout.write(lines(made) + json.dumps({"summary": {"conversations": number}}) + "\n")
