"""The simulator where it asks others: models, real tools, recordings; and sessions that are busy meanwhile."""

import http.client
import json
import os
import sys
import threading
import time

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")
sys.path.insert(0, SUPPORT)

from _simulate import Client, Folder, McpClient, Simulator, check, done  # noqa: E402
from mcp_server import HttpServer  # noqa: E402
from scripted_model import ScriptedModel  # noqa: E402

SERVER = os.path.join(SUPPORT, "mcp_server.py")

TOOLS = {"tools": [
    {"name": "get_note", "description": "Reads a note by its id.", "annotations": {"readOnlyHint": True},
     "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
     "outputSchema": {"type": "object", "properties": {"id": {"type": "string"}, "text": {"type": "string"}},
                      "required": ["id", "text"]}},
    {"name": "create_note", "description": "Creates a note.",
     "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
     "outputSchema": {"type": "object", "properties": {"id": {"type": "string"}, "text": {"type": "string"}},
                      "required": ["id", "text"]}}]}

PACK = """pack: notes
version: 1.0.0
types:
  Note: {type: object, properties: {id: {type: string}, text: {type: string}}, required: [id, text]}
ledger: {notes.*: Note}
state: {notes.*: Note}
tools:
  get_note:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
    returns: Note
    stores: [{at: 'notes[args.id]'}]
    effects: [{fail: "Error: no such note", when: "!(args.id in state.notes)"}]
    gives: state.notes[args.id]
"""
STATE = {"notes": {"n1": {"id": "n1", "text": "real"}, "n2": {"id": "n2", "text": "too"}}}


def busy(folder):
    """While a model is asked the session and its forks are busy, and the server is not."""
    say = {"json": {"id": "n1", "text": "milk"}, "wait_s": 1.5}
    with ScriptedModel([{"say": say}]) as model, \
            Simulator(folder, "tools.json", "--responder-model", "m", "--model-url", model.url) as sim:
        client = sim.client()
        s = client.session()
        fork = client.post(f"/sessions/{s}/fork")[1]["session"]
        answers = []
        slow = threading.Thread(target=lambda: answers.append(Client(sim.port).call(s, "get_note", {"id": "n1"})))
        slow.start()
        while not model.requests:
            time.sleep(0.01)
        begun = time.monotonic()
        for one in (s, fork):
            status, answer, _ = client.get(f"/sessions/{one}/state")
            check(status == 409 and answer["error"]["code"] == "busy", f"{one} is busy", answer)
        check(client.ask("DELETE", f"/sessions/{s}")[0] == 409, "a busy session is not deleted")
        check({x["session"]: x.get("busy", False) for x in client.get("/sessions")[1]["sessions"]}[s], "the list says so")
        check(client.get(f"/sessions/{client.session()}/state")[0] == 200, "others go on")
        check(time.monotonic() - begun < 1, "and do not wait")
        slow.join()
        status, answer, _ = answers[0]
        check(answer["source"] == "model" and answer["result"] == {"id": "n1", "text": "milk"}, "the model's answer", answer)
        check(client.get(f"/sessions/{s}/history")[0] == 200, "then it is free")
        asked = len(model.requests)
        gone = Client(sim.port)
        gone.connection.request("POST", f"/sessions/{s}/calls", json.dumps({"name": "get_note", "arguments": {"id": "n2"}}))
        end = time.monotonic() + 20
        while len(model.requests) == asked and time.monotonic() < end:
            time.sleep(0.01)
        gone.close()
        while client.get(f"/sessions/{s}/history")[0] == 409 and time.monotonic() < end:
            time.sleep(0.05)
        check(client.get(f"/sessions/{s}/history")[0] == 200, "a client that leaves leaves no busy session behind")


def quick(folder):
    """A call that a pack answers exactly waits for no worker, and the end waits for no model."""
    say = {"json": {"text": "later"}, "wait_s": 30}
    more = PACK + """  guess_note:
    kind: read
    parameters: {type: object, properties: {}}
    returns: Note
"""
    folder.write("guesses/pack.yaml", more)
    with ScriptedModel([{"say": say}]) as model, \
            Simulator(folder, "--pack", "guesses", "--state", "state.json", "--workers", "1", "--responder-model", "m",
                      "--model-url", model.url) as sim:
        client = sim.client()
        slow = threading.Thread(target=lambda: leave(sim.port, client.session()))
        slow.start()
        end = time.monotonic() + 20
        while not model.requests and time.monotonic() < end:
            time.sleep(0.01)
        begun = time.monotonic()
        _, answer, _ = Client(sim.port).call("default", "get_note", {"id": "n1"})
        check(answer["source"] == "effects" and time.monotonic() - begun < 5, "what a pack says is answered meanwhile", answer)
        sim.process.terminate()
        check(sim.process.wait(timeout=20) == 0 and time.monotonic() - begun < 15, "and the end waits for no model")
        slow.join()


def leave(port, session):
    try:
        Client(port).call(session, "guess_note", {})
    except (OSError, http.client.HTTPException):
        pass


def broken_models(folder):
    """Whatever a model says, the call is answered."""
    for say in ({"text": "I cannot"}, {"json": {"id": 1}}, {"fault": "malformed"}, {"status": 400, "body": "no"}):
        with ScriptedModel([{"say": say}]) as model, \
                Simulator(folder, "tools.json", "--responder-model", "m", "--model-url", model.url) as sim:
            status, answer, _ = sim.client().call("default", "get_note", {"id": "n1"})
            check(status == 200 and answer["source"] == "synthesis" and answer["note"], f"{say}: replaced, and said", answer)
            check(set(answer["result"]) == {"id", "text"}, f"{say}: by what the schema allows", answer)


def refined(folder):
    calls = {"calls": [{"name": "get_note", "arguments": {"id": "n1"}, "id": "c1"}]}
    script = [{"match": "real", "say": {"text": "It says: real."}}, {"say": calls}]  # the result stands in the last message
    with ScriptedModel(script) as model, \
            Simulator(folder, "--pack", "notes", "--state", "state.json", "--planner-model", "p", "--model-url", model.url,
                      "--retries", "0") as sim:
        client = sim.client()
        status, answer, _ = client.post("/v1/chat/completions", {
            "model": "p", "messages": [{"role": "user", "content": "What does n1 say?"}]})
        check(status == 200, "refined calls", answer)
        made = answer["choices"][0]["message"].get("tool_calls") or []
        check([(c["function"]["name"], json.loads(c["function"]["arguments"])) for c in made] == [("get_note", {"id": "n1"})],
              "are those of the attempt", answer)
        check(answer["ledgergate"]["attempts"], "with a record of it", answer)
        check(client.get("/v1/models")[1]["data"][0]["id"] == "p", "the planner is listed")


def real_tools(folder):
    """A simulator of a pack stands for the real tools of another one."""
    with Simulator(folder, "--pack", "notes", "--state", "state.json") as real:
        at = f"http://127.0.0.1:{real.port}/mcp"
        with Simulator(folder, "--record", "tape.jsonl", "--to", at) as sim:
            client = sim.client()
            check([t["name"] for t in client.get("/tools")[1]["tools"]] == ["get_note"], "the real tools are listed")
            status, answer, _ = client.call("default", "get_note", {"id": "n1"})
            check(answer["source"] == "real" and answer["result"] == STATE["notes"]["n1"], "and asked", answer)
            _, answer, _ = client.call("default", "get_note", {"id": "n9"})
            check(answer["error"] == "Error: no such note", "their errors are errors", answer)
            check(answer["number"] == 2, "calls that are passed on are counted", answer)
            past = client.get("/sessions/default/history")[1]["calls"]
            check([(c["name"], c["source"], c["end"]) for c in past] == [("get_note", "real", "done"), ("get_note", "real", "failed")]
                  and past[0]["result"] == STATE["notes"]["n1"], "and are in the history", past)
            text, is_error = McpClient(client).call("get_note", {"id": "n2"})
            check(not is_error and json.loads(text)["text"] == "too", "on every face", text)
            for what, name, arguments, who, end in (("arguments that do not fit", "get_note", {"id": 1}, "assistant", "bad_arguments"),
                                                    ("a tool that there is not", "drop_all", {}, "assistant", "unknown_tool"),
                                                    ("a customer's tool", "get_note", {"id": "n1"}, "user", "unknown_tool")):
                status, answer, _ = client.call("default", name, arguments, who)
                check(status == 200 and answer["end"] == end and answer["violations"], f"{what}: not passed on", answer)
            status, answer, _ = client.post("/tools/drop_all", {})
            check(status >= 400, "on the other faces likewise", answer)
            for path, body in (("fork", {}), ("snapshots", {}), ("restore", {"snapshot": 0}), ("reset", {})):
                status, answer, _ = client.post(f"/sessions/default/{path}", body)
                check(status == 409 and "put back" in answer["error"]["message"], f"{path}: what is real stays", answer)
        with Simulator(folder, "--record", "/dev/full", "--to", at) as sim:
            for code in ("not_recorded", "real_failed", "real_failed"):
                status, answer, _ = sim.client().call("default", "get_note", {"id": "n1"})
                check(status == 502 and answer["error"]["code"] == code, "a disk that is full", answer)
        asked = real.client().get("/sessions")[1]["sessions"]
        check(sum(s["calls"] for s in asked) == 4, "of which the real tools have heard once", asked)
        with Simulator(folder, "tools.json", "--real", at) as sim:
            client = sim.client()
            s, alone = client.session(), client.session(hybrid=False)
            _, answer, _ = client.call(s, "get_note", {"id": "n1"})
            check(answer["source"] == "real" and answer["result"]["text"] == "real", "a hybrid session reads what is real", answer)
            _, answer, _ = client.call(s, "create_note", {"text": "mine"})
            check(answer["source"] == "synthesis", "and writes what is not", answer)
            _, answer, _ = client.call(alone, "get_note", {"id": "n1"})
            check(answer["source"] == "synthesis", "or is none, if it is asked to be", answer)
    with open(f"{folder.path}/tape.jsonl", "a", encoding="utf-8") as file:
        file.write('{"name": "get_no')  # a crash
    with Simulator(folder, "--recorded", "tape.jsonl") as sim:
        check(sim.client().call("default", "get_note", {"id": "n1"})[1]["source"] == "recorded", "a tape that ends within a line")
        check("left out" in "\n".join(sim.text), "is read up to it, and that is said", "\n".join(sim.text))
    with open(f"{folder.path}/tape.jsonl", encoding="utf-8") as file:
        text = file.read()
    folder.write("tape.jsonl", text[:text.rindex("\n") + 1])
    with open(f"{folder.path}/tape.jsonl", encoding="utf-8") as file:
        tape = [json.loads(line) for line in file]
    check(len(tape) == 3 and tape[0]["name"] == "get_note", "three calls are on the tape", tape)
    for args in (("--recorded", "tape.jsonl"), ("tools.json", "--recorded", "tape.jsonl")):
        with Simulator(folder, *args) as sim:
            client = sim.client()
            _, answer, _ = client.call("default", "get_note", {"id": "n1"})
            check(answer["source"] == "recorded" and answer["result"] == STATE["notes"]["n1"], f"{args}: as recorded", answer)
            _, answer, _ = client.call("default", "get_note", {"id": "n9"})
            check(answer["source"] == "recorded" and answer["error"] == "Error: no such note", f"{args}: an error", answer)
    with Simulator(folder, "tools.json", "--real", "http://127.0.0.1:9/mcp") as sim:
        status, answer, _ = sim.client().call("default", "get_note", {"id": "n1"})
        check(status == 200 and answer["note"], "real tools that nobody serves: answered otherwise, and said", answer)


def ends_soon(folder):
    """What real tools take is not waited for at the end."""
    with HttpServer() as server:
        for spec in (server.url, "stdio:" + json.dumps([sys.executable, SERVER])):
            sim = Simulator(folder, "--record", "slow.jsonl", "--to", spec)
            with sim:
                thread = threading.Thread(target=ignore, args=(Client(sim.port).call, "default", "slow", {"seconds": 9}))
                thread.start()
                while sim.client().get("/sessions/default/state")[0] != 409:
                    time.sleep(0.02)
                begun = time.monotonic()
            check(time.monotonic() - begun < 7, "a call under way is not waited for", (spec, time.monotonic() - begun))
            thread.join()


def ignore(run, *args):
    try:
        run(*args)
    except (OSError, http.client.HTTPException):
        pass


with Folder() as temporary:
    temporary.write("tools.json", json.dumps(TOOLS))
    temporary.write("notes/pack.yaml", PACK)
    temporary.write("state.json", json.dumps(STATE))
    for test in (busy, quick, broken_models, refined, real_tools, ends_soon):
        test(temporary)
done()
