"""Gold conversations, answered by the simulator: every result and every end state, on each face, without a model.

Needs the shared data ($LEDGERGATE_DATA, else ../shared beside the source).
"""

import json
import os
import sys

from _simulate import Folder, McpClient, SOURCE, Simulator, check, done, is_sanitized

DATA = os.environ.get("LEDGERGATE_DATA") or os.path.join(SOURCE, "..", "shared")
TAU2 = os.path.join(DATA, "data", "tau2")
DOMAINS = {"airline": (31, "db.json"), "retail": (77, "db.json"), "telecom": (79, "initial_states.jsonl")}
SAMPLE = 4  # tasks of a domain under sanitizers, which are an order of magnitude slower


# --- What is the same -------------------------------------------------------------------------------


def as_json(text):
    try:
        return json.loads(text)
    except (ValueError, TypeError):
        return None


def equal(a, b):
    """As JSON values: numbers by value, absent as good as null."""
    if repr(a) == repr(b):  # most of a state is as it was, and this is quick
        return True
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return all(equal(a.get(key), b.get(key)) for key in {**a, **b})
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return a == b


def is_same(recorded, result):
    """Is it the recorded result: the same text, or the same value?"""
    if isinstance(recorded, str) and recorded == result:
        return True
    wanted = as_json(recorded) if isinstance(recorded, str) else recorded
    if isinstance(result, str) and not isinstance(wanted, str):
        result = as_json(result)
    return wanted is not None and equal(wanted, result)


def put(root, path, value):
    *way, last = path.split(".")
    for part in way:
        root = root.setdefault(part, {})
    root[last] = value


def expected_state(start, task):
    for key, part in (("changed", "db"), ("user_changed", "user_db")):
        for path, value in (task.get(key) or {}).items():
            put(start[part] if isinstance(start.get(part), dict) else start, path, value)
    return start


# --- The faces --------------------------------------------------------------------------------------
# Each returns a function from a call to its result, and whether it is an error.


def plain(client, session):
    def call(wanted):
        status, answer, _ = client.call(session, wanted["name"], wanted["arguments"], wanted["requestor"])
        if status != 200:
            return f"{status}: {answer}", True
        check(answer["source"] in ("effects", "rules"), f"{wanted['name']}: by the pack", answer["source"])
        return answer["result"], answer["error"] is not None
    return call


def tools(client, session):
    users = McpClient(client, session, "/mcp/user")

    def call(wanted):
        if wanted["requestor"] == "user":
            return users.call(wanted["name"], wanted["arguments"])
        status, answer, _ = client.post(f"/tools/{wanted['name']}", wanted["arguments"], {"x-ledgergate-session": session})
        return (answer, False) if status == 200 else (answer.get("result"), True)
    return call


def mcp(client, session):
    sides = {"assistant": McpClient(client, session), "user": McpClient(client, session, "/mcp/user")}

    def call(wanted):
        return sides[wanted["requestor"]].call(wanted["name"], wanted["arguments"])
    return call


# --- The conversations ------------------------------------------------------------------------------


def play(client, where, session, face, task):
    call = face(client, session)
    for number, wanted in enumerate(task["calls"], 1):
        result, is_error = call(wanted)
        sentence = f"{where}, call {number}, {wanted['name']}: as recorded"
        check(is_same(wanted["result"], result), sentence, f"{wanted['result']}\n{result}")
        check(bool(wanted["error"]) == is_error, f"{sentence}, an error or none", f"{wanted['error']} {is_error}")


def play_on_all(client, domain, task):
    """The end state is compared as a whole once; that of the other faces is the same by its hash."""
    hashes = set()
    for name, face in (("plain", plain), ("tools", tools), ("mcp", mcp)):
        where = f"{domain}, task {task['task_id']}, {name}"
        session = client.session(task_id=str(task["task_id"]))
        start = client.get(f"/sessions/{session}/state?as=view")[1] if face is plain else None
        play(client, where, session, face, task)
        if face is plain:
            _, end, _ = client.get(f"/sessions/{session}/state?as=view")
            check(equal(expected_state(start, task), end), f"{where}: ends in the recorded state")
        hashes.add(client.get(f"/sessions/{session}/state?as=hash")[1]["hash"])
        client.ask("DELETE", f"/sessions/{session}")
    check(len(hashes) == 1, f"{domain}, task {task['task_id']}: all faces end in the same state")
    return 3 * len(task["calls"])


def domain_is_simulated(folder, domain, tasks, state):
    with open(os.path.join(TAU2, domain, "gold_traces.jsonl"), encoding="utf-8") as file:
        gold = [json.loads(line) for line in file]
    check(len(gold) == tasks, f"{domain}: {len(gold)} gold conversations")
    if is_sanitized():
        gold = gold[:: max(1, len(gold) // SAMPLE)][:SAMPLE]
    args = ("--pack", os.path.join(SOURCE, "packs", domain), "--state", os.path.join(TAU2, domain, state))
    with Simulator(folder, *args) as sim:
        client = sim.client()
        calls = sum(play_on_all(client, domain, task) for task in gold)
        client.close()
    print(f"{domain}: {len(gold)} tasks, {calls} calls on three faces")


def main():
    if not os.path.isdir(TAU2):
        print(f"skipped: simulate_fidelity (no {TAU2})")
        sys.exit(77)
    with Folder() as folder:
        for domain, (tasks, state) in DOMAINS.items():
            domain_is_simulated(folder, domain, tasks, state)
    done()


main()
