"""Simulated tools with models that answer badly: repaired within bounds, or replaced by synthesis, and marked as such."""

import http.client
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from _run import BIN, Folder, check, done  # noqa: E402
from scripted_model import ScriptedModel  # noqa: E402

RESULT = {"type": "object", "required": ["id", "price"], "additionalProperties": False,
          "properties": {"id": {"type": "string", "minLength": 1}, "price": {"type": "number", "minimum": 0}}}
TOOLS = {"tools": [
    {"name": "get_room", "description": "Looks a room up", "inputSchema": {
        "type": "object", "properties": {"id": {"type": "string", "description": "Of the room, such as R-1"},
                                         "view": {"enum": ["sea", "yard"]}}, "required": ["id"]},
     "outputSchema": RESULT, "annotations": {"readOnlyHint": True}},
    {"name": "book_room", "description": "Books a room", "outputSchema": RESULT, "annotations": {"readOnlyHint": False},
     "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}},
]}
GOOD = {"id": "R-7", "price": 80}
ATTEMPTS = 5  # of one question, when its server fails


class Simulator:
    """`ledgergate simulate` in a process of its own."""

    def __init__(self, folder, *args):
        self.process = subprocess.Popen([BIN, "simulate", *args, "--listen", "127.0.0.1:0"], cwd=folder.path,
                                        stderr=subprocess.PIPE, env=folder.environment)
        self.port = None
        while self.port is None:
            line = self.process.stderr.readline().decode()
            if not line:
                raise RuntimeError("the simulator ended")
            if line.startswith("{"):
                self.port = json.loads(line)["port"]

    def post(self, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, json.loads(text)

    def call(self, name, arguments, session=None):
        session = session or self.post("/sessions", {})[1]["session"]
        return self.post(f"/sessions/{session}/calls", {"name": name, "arguments": arguments})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        err = self.process.communicate(timeout=60)[1].decode("utf-8", "replace")
        check(self.process.returncode == 0, "the simulator ends as asked", f"{self.process.returncode}\n{err}")
        check("Sanitizer" not in err and "runtime error:" not in err, "no report of a sanitizer", err)


def is_valid(result):
    return (isinstance(result, dict) and set(result) == {"id", "price"} and isinstance(result["id"], str)
            and result["id"] != "" and isinstance(result["price"], (int, float)) and result["price"] >= 0)


# What the responder says; whether its answer is taken at last, and how often it is asked at most.
BAD = [
    ("well", [{"json": GOOD}], "model", 1),
    ("in a fence, behind a word", [{"text": "Sure:\n```json\n" + json.dumps(GOOD) + "\n```"}], "model", 1),
    ("prose, then well", [{"text": "A nice room."}, {"json": GOOD}], "model", 2),
    ("half of the JSON, wrong types, then well", [{"text": '{"id": "R-'}, {"json": {"id": 7, "price": "80"}}, {"json": GOOD}], "model", 3),
    ("prose again and again", [{"text": "A nice room."}], "synthesis", 3),
    ("half of the JSON again and again", [{"text": '{"id": "R-7", "pri'}], "synthesis", 3),
    ("wrong types again and again", [{"json": {"id": 7, "price": "80"}}], "synthesis", 3),
    ("another value than an object", [{"json": "R-7"}], "synthesis", 3),
    ("nothing", [{"text": ""}], "synthesis", 3),
    ("calls in place of an answer", [{"calls": [{"name": "x"}]}], "synthesis", 3),
    ("a refusal", [{"text": None, "refusal": "I will not"}], "synthesis", 3),
    ("400, then well without a schema", [{"status": 400, "body": {"error": {"message": "no schemas"}}}, {"json": GOOD}], "model", 2),
    ("401", [{"status": 401, "body": {"error": {"message": "who?"}}}], "synthesis", 1),
    ("429, then well", [{"status": 429, "retry_after": 0}, {"json": GOOD}], "model", 2),
    ("429 with a wait that nobody waits", [{"status": 429, "retry_after": 4000}], "synthesis", 1),
    ("500, then well", [{"status": 500}, {"json": GOOD}], "model", 2),
    ("an answer that is cut, then well", [{"json": GOOD, "fault": "close"}, {"json": GOOD}], "model", 2),
    ("broken JSON of the protocol, then well", [{"json": GOOD, "fault": "malformed"}, {"json": GOOD}], "model", 2),
    ("a page", [{"fault": "html"}], "synthesis", ATTEMPTS * 3),
    ("a hundred thousand brackets", [{"fault": "deep"}], "synthesis", ATTEMPTS * 3),
    ("no schema, and nonsense", [{"status": 400}, {"text": "A nice room."}], "synthesis", 4),
]


def responder_is_repaired_or_replaced(folder):
    for what, say, source, most in BAD:
        with ScriptedModel([{"say": say}]) as model:
            with Simulator(folder, "tools.json", "--responder-model", "m", "--model-url", model.url) as tools:
                status, answer = tools.call("get_room", {"id": "R-7"})
            asked = len(model.requests)
        check(status == 200 and answer["source"] == source and answer["error"] is None, f"{what}: answered by {source}", answer)
        check(is_valid(answer["result"]), f"{what}: what the schema allows", answer)
        check(asked <= most, f"{what}: asked at most {most} times", asked)
        note = answer.get("note") or ""
        check(("replaced by synthesis" in note) == (source == "synthesis"), f"{what}: it is marked if it was replaced", answer)
        if source == "model":
            check(answer["result"] == GOOD, f"{what}: what the model said", answer)


def a_silent_responder_ends(folder):
    with ScriptedModel([{"say": {"fault": "silent"}}]) as model:
        with Simulator(folder, "tools.json", "--responder-model", "m", "--model-url", model.url, "--model-budget", "seconds=1") as tools:
            for _ in range(2):
                status, answer = tools.call("get_room", {"id": "R-7"})
                check(status == 200 and answer["source"] == "synthesis" and is_valid(answer["result"]), "a silent responder is replaced", answer)
                check("replaced by synthesis" in (answer.get("note") or ""), "a silent responder: it is marked", answer)


def validator_finds_or_lets_through(folder):
    wrong = {"valid": False, "problems": [{"argument": "id", "reason": "it is no id of a room"},
                                          {"argument": "view", "reason": "it should be sea"},
                                          {"argument": "beds", "reason": "missing"}]}
    with ScriptedModel([{"say": {"json": wrong}}]) as model:
        with Simulator(folder, "tools.json", "--validator-model", "m", "--model-url", model.url) as tools:
            _, answer = tools.call("get_room", {"id": "the big one"})
            _, by_rules = tools.call("get_room", {"id": 7})
        asked = len(model.requests)
    check(answer["error"] and "it is no id of a room" in answer["error"] and answer["source"] == "model", "the model's reason is told", answer)
    check("sea" not in json.dumps(answer) and "beds" not in json.dumps(answer["violations"]),
          "neither the right value nor an argument that there is not", answer)
    check([v["path"] for v in answer["violations"]] == ["/id", "/view"], "each with its place", answer)
    check(by_rules["error"] and asked == 1, "what rules refuse no model is asked about", (by_rules, asked))
    for what, say in (("prose", {"text": "Looks fine!"}), ("half", {"text": '{"valid": fal'}), ("401", {"status": 401}),
                      ("silence about which", {"json": {"valid": False, "problems": []}})):
        with ScriptedModel([{"say": say}]) as model:
            with Simulator(folder, "tools.json", "--validator-model", "m", "--model-url", model.url) as tools:
                _, answer = tools.call("get_room", {"id": "R-7"})
        check(answer["error"] is None and is_valid(answer["result"]), f"a validator that says {what} finds nothing", answer)
        check(answer.get("note"), f"a validator that says {what}: and it is told", answer)


def estimator_keeps_the_state(folder):
    kept = {"rooms": {"R-7": {"price": 80}}, "runtime_state": {}}
    for what, say, after in (("a state", {"json": kept}, True), ("prose", {"text": "It is sold."}, False),
                             ("a list", {"json": [1, 2]}, False), ("500", {"status": 500}, False)):
        with ScriptedModel([{"say": say}]) as model:
            with Simulator(folder, "tools.json", "--estimator-model", "m", "--model-url", model.url) as tools:
                session = tools.post("/sessions", {})[1]["session"]
                _, answer = tools.call("book_room", {"id": "R-7"}, session)
                _, state = tools.post(f"/sessions/{session}/judge", {"checklist": [{"that": "'runtime_state' in state"}]})
        check(answer["error"] is None, f"an estimator that says {what}: the call is answered", answer)
        check(state["status"] == ("success" if after else "failed"), f"an estimator that says {what}: the state", state)
        check(("stays as it was" in (answer.get("note") or "")) == (not after), f"an estimator that says {what}: is told", answer)


def main():
    with Folder() as folder:
        folder.write("tools.json", json.dumps(TOOLS))
        responder_is_repaired_or_replaced(folder)
        a_silent_responder_ends(folder)
        validator_finds_or_lets_through(folder)
        estimator_keeps_the_state(folder)
    done()


main()
