"""Rules out of prompts, and drafts of them for a pack: a scripted model over real sockets, with everything that can go wrong."""

import json
import os
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


def main():
    for case in (happy, of_a_file, several, plans, failures, recorded, hostile):
        with Folder() as folder:
            case(folder)
    done()


main()
