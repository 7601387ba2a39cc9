#!/usr/bin/env python3
"""What each part of a rehearsal is worth: figures 4a and 5 of Gecko on the gold conversations of tau2, with a scripted planner.

    python3 -B bench/gats.py [--seeds 1] [--domains airline,retail,telecom] [--most N] [--write]

The planner is a script behind the real protocol, over real HTTP. Of each task it knows the gold calls, and gets some of them wrong, by
seed: arguments that are missing, of the wrong type, of the wrong value; tools that do not exist; writes that are left out, made
twice or in the wrong order. It mends a mistake with a certain chance, and only when it is told: by what is wrong with a call, by an
answer that is not what it should be, or by the judge. All that it knows of earlier attempts is what it is shown. An answer that
contradicts a write which it has made right makes it doubt that write, and it may make it again.

Success is decided without the judge: the calls that come out are carried out on tools with all their state, and the end has to be
that of the gold calls, by hash. `--write` puts the tables into docs/gats.md.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(SOURCE, "tests", "support"))

from upstream import Upstream, call, completion  # noqa: E402

BIN = os.environ.get("LEDGERGATE_BIN", os.path.join(SOURCE, "build", "ledgergate"))
DATA = os.path.join(os.environ.get("LEDGERGATE_DATA", os.path.join(SOURCE, "..", "shared")), "data", "tau2")
DOMAINS = ("airline", "retail", "telecom")

# How often a step goes wrong, and how; how often being told is enough.
WRITE_FAULTS = {"missing": 0.05, "type": 0.05, "tool": 0.04, "value": 0.09, "omitted": 0.07, "twice": 0.04, "order": 0.04}
READ_FAULTS = {"missing": 0.02, "type": 0.02, "tool": 0.01, "value": 0.03}
MENDS = {"error": 0.75, "answer": 0.35, "judge": 0.65}
DOUBTS = 0.25  # a write is made again whose effect an answer does not show

SETTINGS = {
    "full": ("--retries", "3"),
    "without validator": ("--retries", "3", "--without", "validator"),
    "without state": ("--retries", "3", "--without", "state"),
    "without judge": ("--retries", "3", "--without", "judge"),
    "R = 0": ("--retries", "0"),
    "R = 0, without validator": ("--retries", "0", "--without", "validator"),
    "R = 1": ("--retries", "1"),
    "R = 2": ("--retries", "2"),
}
PAPER_4A = {"full": 72.0, "without validator": 70.5, "without state": 68.0, "without judge": 61.5}


def chance(*words):
    """A number from 0 to 1 that depends on the words alone."""
    digest = hashlib.sha256(json.dumps(words).encode()).digest()
    return int.from_bytes(digest[:7], "big") / (1 << 56)


# --- Tasks ----------------------------------------------------------------------------------------


class Task:
    def __init__(self, domain, gold, seed):
        self.domain, self.id, self.seed = domain, gold["task_id"], seed
        self.name = f"{domain}/{self.id}"
        self.gold = gold["calls"]
        self.changed = gold["changed"]
        self.faults = self.draw_faults()

    def draw_faults(self):
        """By step: what goes wrong there."""
        faults = {}
        for i, step in enumerate(self.gold):
            drawn = chance(self.seed, self.name, "fault", i)
            for kind, share in (WRITE_FAULTS if step["write"] else READ_FAULTS).items():
                drawn -= share
                if drawn < 0:
                    if self.can_have(i, kind):
                        faults[i] = kind
                    break
        return faults

    def can_have(self, i, kind):
        step = self.gold[i]
        if kind in ("missing", "type", "value"):
            return bool(step["arguments"])
        return kind != "order" or any(later["write"] for later in self.gold[i + 1 :])

    def wrong(self, i):
        """The call of a step as it is when its fault is not mended: name and arguments."""
        step, kind = self.gold[i], self.faults.get(i)
        arguments = json.loads(json.dumps(step["arguments"]))
        key = sorted(arguments)[int(chance(self.seed, self.name, "key", i) * len(arguments))] if arguments else None
        if kind == "missing":
            del arguments[key]
        elif kind == "type":
            arguments[key] = {"value": arguments[key]}
        elif kind == "value":
            arguments[key] = another(arguments[key])
        elif kind == "tool":
            return step["name"].replace("_", "", 1) + "s", arguments
        return step["name"], arguments

    def plan(self, mended):
        """Steps in the order in which they are made: (number of the gold call, try)."""
        steps, held = [], []
        for i, step in enumerate(self.gold):
            kind = None if i in mended else self.faults.get(i)
            if kind == "omitted":
                continue
            if kind == "order":
                held.append(i)
                continue
            steps.append(i)
            if kind == "twice":
                steps.append(i)
            if step["write"]:
                steps += held
                held = []
        return steps + held

    def as_task(self):
        """What is done when it is done: the gold writes, and the recorded changes."""
        actions = [{"name": c["name"], "arguments": c["arguments"], "requestor": c["requestor"]}
                   for c in self.gold if c["write"] and not c["error"]]
        state, at = {}, "/db/" if self.domain == "telecom" else "/"
        for path, value in self.changed.items():
            if value is not None:
                state[at + "/".join(part.replace("~", "~0").replace("/", "~1") for part in path.split("."))] = value
        return {"task": f"Carry out the task {self.name} of the benchmark.", "task_id": self.id, "seed": self.seed, "actions": actions,
                "state": state}


def another(value):
    """A value of the same type that is another."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("7" if value[-1:] != "7" else "3") if value else "x"
    if isinstance(value, list):
        return value[:-1] if len(value) > 1 else [another(item) for item in value]
    if isinstance(value, dict):
        return {key: another(item) if i == 0 else item for i, (key, item) in enumerate(sorted(value.items()))}
    return value


def read_tasks(domain, seed, most):
    with open(os.path.join(DATA, domain, "gold_traces.jsonl"), encoding="utf-8") as file:
        tasks = [Task(domain, json.loads(line), seed) for line in file]
    return [task for task in tasks if any(step["write"] and not step["error"] for step in task.gold)][:most]


# --- The planner ----------------------------------------------------------------------------------


def same(got, step):
    if step["error"]:
        return "rror" in got
    try:
        return loose(json.loads(got)) == loose(json.loads(step["result"]))
    except ValueError:
        return got.strip() == step["result"].strip()


def loose(value):
    """Numbers by value, nothing else changed."""
    if isinstance(value, dict):
        return {key: loose(item) for key, item in value.items()}
    if isinstance(value, list):
        return [loose(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def is_error(text):
    """Does an answer read as one that says what is wrong? Tools of the benchmark return JSON, or a short word."""
    return text.startswith("Error") or ("`" in text and not text.lstrip().startswith(("{", "[")))


class Planner:
    """What it says follows from the messages, the task and the seed alone."""

    def __init__(self, tasks):
        self.tasks = {task.name: task for task in tasks}

    def answer(self, request):
        messages = request.json["messages"]
        shown = next(m["content"] for m in messages if m["role"] == "user")
        task = self.tasks[re.match(r"Carry out the task (.*) of the benchmark\.", shown).group(1)]
        made = [(c["id"], m) for m, c in made_calls(messages)]
        said = completion(*self.next(task, shown, made))
        # As many tokens as one would count: a token each four bytes.
        size = len(request.body) // 4
        out = len(json.dumps(said["choices"][0]["message"])) // 4
        said["usage"] = {"prompt_tokens": size, "completion_tokens": out, "total_tokens": size + out}
        return said

    def next(self, task, shown, made):
        attempt, mended, repeats = self.remember(task, shown)
        plan = task.plan(mended)
        place, tries, is_right, doubted = self.replay(task, attempt, plan, made)
        if doubted is not None:
            return self.make(task, doubted, True, f"d{len(made)}")
        if place >= len(plan):
            tail = [i for i, step in enumerate(task.gold) if step["write"]][-1:] if repeats else []
            if tail and not any(id.startswith("t") for id, _ in made):
                return self.make(task, tail[0], True, f"t{len(made)}")
            return ("The task is done.", ())
        step = plan[place]
        return self.make(task, step, step in mended or is_right, f"s{place}x{tries}")

    def make(self, task, step, is_right, id):
        name, arguments = (task.gold[step]["name"], task.gold[step]["arguments"]) if is_right else task.wrong(step)
        return (None, [call(name, arguments, id)])

    def remember(self, task, shown):
        """What the last attempt's calls and the judge say: the attempt, mended faults, and whether to do the last write again."""
        found = re.search(r"Attempt (\d+) at this task did not succeed", shown)
        if not found:
            return 0, set(), False
        attempt, mended = int(found.group(1)), set()
        feedback = shown[shown.rfind("Judged:") :]
        for i in task.faults:
            told = f"`{task.gold[i]['name']}`" in feedback or (task.faults[i] in ("twice", "order") and "the state is right" in feedback)
            if self.was_right(task, i, shown) or (told and chance(task.seed, task.name, "judge", i, attempt) < MENDS["judge"]):
                mended.add(i)
        named = any(f"`{step['name']}`" in feedback for step in task.gold)
        doubts = not named and "the state is right" in feedback and not set(task.faults) - mended
        return attempt, mended, doubts and chance(task.seed, task.name, "tail", attempt) < DOUBTS

    def was_right(self, task, i, shown):
        """Do the last attempt's calls have the step as it should be?"""
        places = [m.start() for m in re.finditer(re.escape(line_of(task.gold[i])), shown)]
        if task.faults[i] == "twice":
            return len(places) == 1
        if task.faults[i] == "order":
            later = [line_of(step) for step in task.gold[i + 1 :] if step["write"]]
            return bool(places) and any(places[0] < shown.find(line) for line in later)
        return bool(places)

    def replay(self, task, attempt, plan, made):
        """Where the plan stands after the calls that are shown, how often its step was tried and whether it is mended now, and a
        write that is doubted."""
        place, tries, is_right, doubted = 0, 0, False, None
        for n, (id, answer) in enumerate(made):
            if id[0] != "s":
                continue
            place, tries = (int(part) for part in id[1:].split("x"))
            step = plan[place]
            was_right = (answer.name, answer.arguments) == (task.gold[step]["name"], json.dumps(task.gold[step]["arguments"]))
            kind, doubted, is_right = "error" if is_error(answer) else "answer", None, False
            if not same(answer, task.gold[step]) and not was_right and tries < 2:
                is_right = chance(task.seed, task.name, kind, step, attempt, tries) < MENDS[kind]
                if is_right or kind == "error":
                    tries += 1
                    continue
            elif not same(answer, task.gold[step]) and n == len(made) - 1 and not any(other[0] == "d" for other, _ in made):
                before = [i for i in plan[:place] if task.gold[i]["write"]]
                if before and chance(task.seed, task.name, "doubt", step, attempt) < DOUBTS:
                    doubted = before[-1]
            place, tries = place + 1, 0
        return place, tries, is_right, doubted


def line_of(step):
    """A call as the list of an earlier attempt's calls shows it, which cuts what is long."""
    return f"{step['name']} {json.dumps(step['arguments'])[:900]}"


class Answer(str):
    """An answer, with the call that it is to."""


def made_calls(messages):
    answers = {m["tool_call_id"]: m["content"] for m in messages if m["role"] == "tool"}
    for message in messages:
        for made in message.get("tool_calls") or ():
            answer = Answer(answers.get(made["id"], ""))
            answer.name, answer.arguments = made["function"]["name"], made["function"]["arguments"]
            yield answer, made


# --- Runs -----------------------------------------------------------------------------------------


def state_of(domain):
    return os.path.join(DATA, domain, "initial_states.jsonl" if domain == "telecom" else "db.json")


def refine(folder, domain, lines, planner_url, *options):
    path = os.path.join(folder, "tasks.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    ended = subprocess.run(
        [BIN, "refine", "--pack", os.path.join(SOURCE, "packs", domain), "--state", state_of(domain), "--tasks", path, "--json", "--user-tools",
         "--planner-model", "scripted", "--model-url", planner_url, *options],
        capture_output=True, text=True, check=False)
    if ended.returncode not in (0, 1):
        sys.exit(f"ledgergate refine ended with {ended.returncode}:\n{ended.stderr}")
    return [json.loads(line) for line in ended.stdout.splitlines()][:-1]


def ends(folder, domain, sequences):
    """Carries sequences of calls out on tools with all their state: the hash of each end. `sequences`: {task id: calls}."""

    def play(request):
        messages = request.json["messages"]
        name = next(m["content"] for m in messages if m["role"] == "user")
        calls = sequences[name]
        if messages[-1]["role"] == "tool" or not calls:
            return completion("Done.")
        return completion(None, [call(c["name"], c["arguments"], f"c{i}") for i, c in enumerate(calls)])

    with Upstream() as upstream:
        upstream.answer = play
        lines = [{"task": id, "task_id": id} for id in sequences]
        records = refine(folder, domain, lines, upstream.url, "--retries", "0", "--without", "judge", "--calls", "200")
    return {record["task"]: record["attempts"][0]["end_hash"] for record in records}


def measure(folder, tasks_by_domain, options, gold_ends):
    sums = {"tasks": 0, "success": 0, "judged": 0, "attempts": 0, "calls": 0, "tokens": 0, "seconds": 0.0}
    for (domain, seed), tasks in tasks_by_domain.items():
        with Upstream() as upstream:
            upstream.answer = Planner(tasks).answer
            records = refine(folder, domain, [task.as_task() for task in tasks], upstream.url, *options)
        reached = ends(folder, domain, {record["task_id"]: record["calls"] for record in records})
        for record in records:
            costs = record["costs"]
            sums["tasks"] += 1
            sums["success"] += reached[record["task_id"]] == gold_ends[domain][record["task_id"]]
            sums["judged"] += record["status"] == "success"
            sums["attempts"] += len(record["attempts"])
            sums["calls"] += costs["calls"]
            sums["tokens"] += sum(costs[part][kind] for part in ("planner", "simulator", "judge") for kind in ("prompt_tokens", "completion_tokens"))
            sums["seconds"] += costs["seconds"]
    return sums


def row(name, sums, paper=""):
    n = sums["tasks"]
    return (f"| {name} | {100 * sums['success'] / n:.1f} % | {100 * sums['judged'] / n:.1f} % | {sums['attempts'] / n:.2f} | {sums['calls'] / n:.1f} "
            f"| {1000 * sums['seconds'] / n:.0f} | {sums['tokens'] / n:,.0f} | {paper} |")


def tables(results):
    head = "| | success | judged a success | attempts | calls | ms | tokens | the paper |\n|---|---:|---:|---:|---:|---:|---:|---:|"
    four = [row(name, results[name], f"{PAPER_4A[name]:.1f}") for name in PAPER_4A]
    papers = {"R = 0": "92.25", "R = 3": "96.50"}
    five = [row(name, results["full" if name == "R = 3" else name], papers.get(name, "")) for name in ("R = 0", "R = 1", "R = 2", "R = 3", "R = 0, without validator")]
    return "\n".join(["Figure 4a: one part left out, R = 3", "", head, *four, "", "Figure 5: retries", "", head, *five])


def write(text, said):
    path = os.path.join(SOURCE, "docs", "gats.md")
    with open(path, encoding="utf-8") as file:
        page = file.read()
    begin, end = "<!-- measured -->", "<!-- end -->"
    machine = f"{said}; {time.strftime('%Y-%m-%d')}, {os.cpu_count()} processors."
    page = page[: page.index(begin) + len(begin)] + f"\n\n{machine}\n\n{text}\n\n" + page[page.index(end) :]
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", default="1", help="each draws other mistakes")
    parser.add_argument("--domains", default=",".join(DOMAINS))
    parser.add_argument("--most", type=int, default=1000, help="tasks of a domain")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if not os.path.isdir(DATA):
        print("skipped: gats (the data of tau2 is not beside the checkout)")
        return 77
    domains, seeds = given.domains.split(","), [int(seed) for seed in given.seeds.split(",")]
    tasks = {(domain, seed): read_tasks(domain, seed, given.most) for seed in seeds for domain in domains}
    count = sum(len(each) for each in tasks.values())
    faults = sum(bool(task.faults) for each in tasks.values() for task in each)
    said = f"{count // len(seeds)} tasks, mistakes by seed {given.seeds}: {count} runs a row, {faults} of them planned with a mistake"
    print(said)
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        gold = {domain: ends(folder, domain, {task.id: task.gold for task in tasks[domain, seeds[0]]}) for domain in domains}
        for name, options in SETTINGS.items():
            results[name] = measure(folder, tasks, options, gold)
            print(row(name, results[name]), flush=True)
    text = tables(results)
    print("\n" + text)
    if given.write:
        write(text, said)
    return 0


if __name__ == "__main__":
    sys.exit(main())
