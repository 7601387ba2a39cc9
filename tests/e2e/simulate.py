"""The simulator's plain face and what all faces share: sessions, going back, limits, faults, who may ask."""

import json
import resource
import socket
import threading
import time

from _simulate import Client, Folder, McpClient, Simulator, check, done

# A shop whose stock and orders are its state: exact, and small.
SHOP = """pack: shop
version: 1.0.0
types:
  Item:
    type: object
    properties: {id: {type: string}, stock: {type: integer}, price: {type: number}}
    required: [id, stock, price]
ledger:
  items.*: Item
state:
  items.*: Item
tools:
  get_item:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}, required: [id], additionalProperties: false}
    returns: Item
    stores: [{at: 'items[args.id]'}]
    effects:
      - {fail: "Error: no such item", when: "!(args.id in state.items)"}
    gives: state.items[args.id]
  sell:
    kind: write
    parameters:
      type: object
      properties: {id: {type: string}, count: {type: integer, minimum: 1}}
      required: [id, count]
      additionalProperties: false
    effects:
      - {fail: "Error: no such item", when: "!(args.id in state.items)"}
      - {set: "items[args.id].stock", to: "state.items[args.id].stock - args.count"}
    gives: state.items[args.id]
rules:
  sell_what_there_is:
    tools: [sell]
    let: {i: 'ledger.items[args.id]'}
    needs: ['ledger.items[args.id]']
    that: args.count <= i.stock
    otherwise: revise
    category: state
    say: "There are {i.stock} of {args.id}."
"""
STATE = {"items": {"a": {"id": "a", "stock": 5, "price": 1.5}, "b": {"id": "b", "stock": 0, "price": 2}}}
TASK = {"task_id": "t1", "items": {"c": {"id": "c", "stock": 1, "price": 9}}}


def shop(folder, *args):
    folder.write("shop/pack.yaml", SHOP)
    folder.write("state.json", json.dumps(STATE))
    folder.write("tasks.jsonl", json.dumps(TASK) + "\n")
    return Simulator(folder, "--pack", "shop", "--state", "state.json", "--state", "tasks.jsonl", *args)


def code_of(answer):
    return answer["error"]["code"] if isinstance(answer, dict) and isinstance(answer.get("error"), dict) else None


# --- Calls and sessions -------------------------------------------------------------------------------


def calls(sim, client):
    s = client.session()
    status, answer, _ = client.call(s, "get_item", {"id": "a"})
    check(status == 200 and answer["result"] == STATE["items"]["a"], "a read is answered from the state", answer)
    check(answer["source"] == "effects" and answer["error"] is None and answer["violations"] == [] and answer["number"] == 1,
          "and says so", answer)
    _, answer, _ = client.call(s, "sell", {"id": "a", "count": 9})
    check(answer["result"]["stock"] == -4 and answer["end"] == "done", "a tool does what it does", answer)
    check([v["rule"] for v in answer["violations"]] == ["sell_what_there_is"], "what a gate would have said is told", answer)
    _, answer, _ = client.call(s, "get_item", {"id": "z"})
    check(answer["error"] == "Error: no such item" and answer["end"] == "failed", "a tool's own error", answer)
    _, answer, _ = client.call(s, "sell", {"id": "a", "count": "two"})
    check(answer["end"] == "bad_arguments" and answer["violations"][0]["path"] == "/count" and answer["source"] == "rules",
          "arguments that do not fit", answer)
    _, answer, _ = client.call(s, "steal", {})
    check(answer["end"] == "unknown_tool", "a tool that does not exist", answer)
    _, answer, _ = client.get(f"/sessions/{s}/history?from=2")
    check([c["number"] for c in answer["calls"]] == [2, 3, 4, 5] and answer["next"] is None, "the history from a call on", answer)
    check(answer["calls"][0]["arguments"] == {"id": "a", "count": 9}, "with arguments", answer)
    check([[v["rule"] for v in c["violations"]] for c in answer["calls"]][:2] == [["sell_what_there_is"], []],
          "and the rules that each call broke", answer)
    check(answer["calls"][0]["violations"][0]["message"] == "There are 5 of a." and "note" in answer["calls"][0],
          "in words", answer)


def tools_by_name(sim, client):
    status, answer, headers = client.post("/tools/get_item", {"id": "a"})
    check(status == 200 and answer == STATE["items"]["a"], "a tool by its name returns its result", answer)
    check(headers.get("x-ledgergate-source") == "effects", "and its source stands in a header", headers)
    for args, wanted in (({"id": "z"}, 422), ({}, 400)):
        status, answer, _ = client.post("/tools/get_item", args)
        check(status == wanted and answer["error"]["message"], f"{args}: {wanted}", (status, answer))
    check(client.post("/tools/steal", {})[0] == 404, "an unknown tool is 404")
    check(client.get("/tools/get_item")[0] == 405, "GET is none of a tool's methods")
    _, answer, _ = client.get("/tools")
    check([(t["name"], t["kind"]) for t in answer["tools"]] == [("get_item", "read"), ("sell", "write")], "all tools", answer)
    _, answer, _ = client.get("/openapi.json")
    check(list(answer["paths"]) == ["/tools/get_item", "/tools/sell"], "as a document", answer)
    _, answer, _ = client.get("/sessions")
    check("default" in [s["session"] for s in answer["sessions"]], "without a header: the session `default`", answer)


def going_back(sim, client):
    s = client.session(seed=7)
    hashes = []

    def now():
        return client.get(f"/sessions/{s}/state?as=hash")[1]["hash"]

    hashes.append(now())
    client.call(s, "sell", {"id": "a", "count": 1})
    hashes.append(now())
    status, answer, _ = client.post(f"/sessions/{s}/snapshots")
    check(status == 201 and answer == {"snapshot": 1}, "a snapshot", answer)
    client.call(s, "sell", {"id": "a", "count": 2})
    _, answer, _ = client.get(f"/sessions/{s}/diff?from=1")
    check(answer == {"differences": [{"path": "items.a.stock", "before": 4, "after": 2}], "total": 1}, "since a snapshot", answer)
    _, answer, _ = client.get(f"/sessions/{s}/diff?call=1")
    check([(d["before"], d["after"]) for d in answer["differences"]] == [(5, 4)], "of a call", answer)
    client.post(f"/sessions/{s}/snapshots")
    for pair, stocks in (("from=1&to=2", (4, 2)), ("from=2&to=1", (2, 4)), ("from=0&to=1", (5, 4))):
        _, answer, _ = client.get(f"/sessions/{s}/diff?{pair}")
        check([(d["before"], d["after"]) for d in answer["differences"]] == [stocks], f"two snapshots: {pair}", answer)
    check(client.get(f"/sessions/{s}/diff?from=1&to=9")[0] == 404, "a snapshot that is none")
    check(client.get(f"/sessions/{s}/diff?to=1&call=1")[0] == 400, "a call and a snapshot")
    _, answer, _ = client.post(f"/sessions/{s}/fork")
    fork = answer["session"]
    client.call(fork, "sell", {"id": "a", "count": 2})
    stocks = [client.get(f"/sessions/{one}/state")[1]["items"]["a"]["stock"] for one in (s, fork)]
    check(stocks == [2, 0], "a fork goes on by itself", stocks)
    client.post(f"/sessions/{s}/restore", {"snapshot": 1})
    check(now() == hashes[1] != hashes[0], "a snapshot is restored")
    _, answer, _ = client.get(f"/sessions/{s}/history")
    check(len(answer["calls"]) == 1, "with the history that it had", answer)
    client.post(f"/sessions/{s}/restore", {"snapshot": 0})
    check(now() == hashes[0], "the beginning is snapshot 0")
    client.call(s, "sell", {"id": "a", "count": 1})
    _, answer, _ = client.post(f"/sessions/{s}/reset")
    check(now() == hashes[0] and answer["calls"] == 0 and answer["snapshots"] == 0, "reset forgets all", answer)
    for path, body in (("restore", {"snapshot": 9}), ("diff?from=9", None), ("diff?call=9", None)):
        method = "POST" if body else "GET"
        status, answer, _ = client.ask(method, f"/sessions/{s}/{path}", body)
        check(status == 404 and code_of(answer).startswith("unknown_"), f"{path}: 404", (status, answer))
    check(client.ask("DELETE", f"/sessions/{s}")[0] == 204, "a session is deleted")
    check(client.get(f"/sessions/{s}/state")[0] == 404, "and gone")
    _, answer, _ = client.call(fork, "get_item", {"id": "a"})
    check(answer["result"]["stock"] == 0, "its fork is not", answer)


def beginning(sim, client):
    s = client.session(task_id="t1")
    check(list(client.get(f"/sessions/{s}/state")[1]["items"]) == ["c"], "the state of a task")
    own = {"items": {"x": {"id": "x", "stock": 3, "price": 1}}}
    s = client.session(state=own)
    check(client.get(f"/sessions/{s}/state")[1] == own, "a state of its own")
    before = client.get("/sessions")[1]["total"]
    wrong = [
        ({"state": {"items": {"x": {"id": "x"}}}}, "a state that does not fit the pack"),
        ({"state": []}, "a state that is none"),
        ({"seed": -1}, "a seed that is none"),
        ({"task_id": {}}, "a task that is none"),
        ({"hybrid": True}, "hybrid without real tools"),
        ({"stat": {}}, "an unknown member"),
        (b"{", "no JSON"),
        (b"[]", "no object"),
        (b'{"seed": 1} 2', "more than one value"),
        (b"\xff", "no UTF-8"),
        (b"[" * 100000, "nested without end"),
    ]
    for body, sentence in wrong:
        status, answer, _ = client.post("/sessions", body)
        check(status == 400 and len(answer["error"]["message"]) > 10, f"{sentence}: 400 and a sentence", (status, answer))
    check(client.get("/sessions")[1]["total"] == before, "nothing has changed")


def judged(sim, client):
    s = client.session()
    client.call(s, "sell", {"id": "a", "count": 1})
    items = [{"description": "one is sold", "that": "state.items['a'].stock == 4"},
             {"description": "nothing else", "that": "size(calls) == 1"}]
    _, answer, _ = client.post(f"/sessions/{s}/judge", {"checklist": items})
    check(answer["status"] == "success" and answer["reward"] == 1 and len(answer["items"]) == 2, "a checklist is verified", answer)
    task = {"actions": [{"name": "sell", "arguments": {"id": "b", "count": 1}}]}
    _, answer, _ = client.post(f"/sessions/{s}/judge", {"task": task})
    check(answer["status"] == "failed" and answer["reward"] == 0 and answer["feedback"], "what was not done has failed", answer)
    done = {"actions": [{"name": "sell", "arguments": {"id": "a", "count": 1}}]}
    for since, wanted in ((0, "success"), (1, "failed")):
        _, answer, _ = client.post(f"/sessions/{s}/judge", {"task": done, "since": since})
        check(answer["status"] == wanted, "calls before the task are no evidence", answer)
    for since in (-1, "1", 1.5, None):
        status, answer, _ = client.post(f"/sessions/{s}/judge", {"task": done, "since": since})
        check(status == 400, "since is a number of a call", (since, answer))
    status, answer, _ = client.post(f"/sessions/{s}/judge", {"task": "sell one a"})
    check(status == 400, "words need a model", answer)
    check(client.get(f"/sessions/{s}/history")[1]["calls"][-1]["number"] == 1, "judging calls nothing")


def strange_requests(sim, client):
    s = client.session()
    wrong = [
        ("POST", f"/sessions/{s}/calls", {"name": 1}, 400),
        ("POST", f"/sessions/{s}/calls", {"arguments": {}}, 400),
        ("POST", f"/sessions/{s}/calls", {"name": "get_item", "requestor": "me"}, 400),
        ("POST", f"/sessions/{s}/calls", {"name": "get_item", "args": {}}, 400),
        ("POST", f"/sessions/{s}/snapshots", {"name": "x"}, 400),
        ("POST", f"/sessions/{s}/restore", {}, 400),
        ("POST", f"/sessions/{s}/restore", {"snapshot": -1}, 400),
        ("GET", f"/sessions/{s}/state?as=poem", None, 400),
        ("GET", f"/sessions/{s}/history?from=x", None, 400),
        ("GET", f"/sessions/{s}/diff?from=1&call=1", None, 400),
        ("GET", f"/sessions/{s}/poem", None, 404),
        ("GET", f"/sessions/{s}/state/x", None, 404),
        ("GET", "/sessions/s999", None, 404),
        ("GET", "/sessions/s01", None, 404),
        ("GET", "/sessions/s99999999999999999999999", None, 404),
        ("GET", "/sessions/%00", None, 404),
        ("GET", "/a/b/c/d/e/f/g/h", None, 404),
        ("GET", "/", None, 404),
        ("PUT", "/sessions", {}, 405),
        ("DELETE", f"/sessions/{s}/state", None, 405),
        ("GET", "/ui/../../etc/passwd", None, 404),
        ("GET", "/v1/chat", None, 404),
        ("POST", "/v1/chat/completions", {}, 501),
    ]
    for method, path, body, wanted in wrong:
        status, answer, headers = client.ask(method, path, body)
        check(status == wanted and code_of(answer), f"{method} {path}: {wanted}", (status, answer))
        if wanted == 405:
            check("allow" in headers, f"{method} {path}: says what it takes", headers)
    check(client.ask("OPTIONS", "/sessions")[2].get("allow") == "GET, HEAD, POST", "OPTIONS says what a path takes")
    status, text, _ = client.ask("HEAD", "/healthz")
    check(status == 200 and not text, "HEAD has no body", text)
    check(client.get("/_sim/healthz")[1]["status"] == "ok", "/_sim/ leads to the same")
    check(client.get(f"/sessions/{s}/history")[1]["calls"] == [], "nothing was called")


def who_may_ask(sim, client):
    for headers, wanted, sentence in [
        ({"host": "evil.example"}, 403, "another host"),
        ({"host": f"localhost:{sim.port}"}, 200, "this machine by name"),
        ({"origin": "http://evil.example"}, 403, "a page of another origin"),
        ({"origin": "null"}, 403, "a page of no origin"),
        ({"origin": f"http://127.0.0.1:{sim.port}"}, 200, "its own page"),
    ]:
        status, answer, _ = client.get("/sessions", headers)
        check(status == wanted, f"{sentence}: {wanted}", (status, answer))


def over_mcp(sim, client):
    mcp = McpClient(client)
    text, is_error = mcp.call("sell", {"id": "a", "count": 2})
    check(not is_error and json.loads(text)["stock"] == 3, "a call over MCP", text)
    state = client.get(f"/sessions/{mcp.session}/state")[1]
    check(state["items"]["a"]["stock"] == 3, "is in the session of the same id", state)
    s = client.session()
    bound = McpClient(client, s)
    check(bound.session == s, "initialize takes the session that a header names", bound.session)
    text, is_error = bound.call("get_item", {"id": "z"})
    check(is_error and text == "Error: no such item", "a tool's error", text)
    check(client.ask("DELETE", "/mcp", None, mcp.headers)[0] in (200, 204), "a session of MCP ends")
    check(client.get(f"/sessions/{mcp.session}/state")[0] == 404, "and what it had made")
    client.ask("DELETE", "/mcp", None, bound.headers)
    check(client.get(f"/sessions/{s}/state")[0] == 200, "what it was bound to stays")


def without_bounds(folder):
    for args in (("--listen", "0.0.0.0:0"), ("--listen", "[::]:0"), ("--token", "abc")):
        code, _, err = folder.run("simulate", "--pack", "shop", "--state", "state.json", *args)
        check(code == 2 and err.startswith("ledgergate simulate: "), f"{args}: refused", (code, err))
    mistakes = [
        ((), "say what to simulate"), (("--pack", "shop", "x.json"), "a pack or a document"),
        (("--pack", "shop", "--latency", "9..1"), "--latency"), (("--pack", "shop", "--fault-rate", "2"), "--fault-rate"),
        (("--pack", "shop", "--fault-rate", "1", "--fault-status", "200"), "--fault-status"),
        (("--pack", "shop", "--memory", "lots"), "--memory"), (("--pack", "shop", "--sessions", "0"), "--sessions"),
        (("--pack", "shop", "--record", "x"), "go together"),
    ]
    for args, words in mistakes:
        code, _, err = folder.run("simulate", *args)
        check(code == 2 and words in err, f"{args}: refused", (code, err))


# --- Limits -------------------------------------------------------------------------------------------


def limits(folder):
    with shop(folder, "--sessions", "3", "--history", "5", "--snapshots", "2", "--body", "2000") as sim:
        client = sim.client()
        made = [client.session() for _ in range(3)]
        status, answer, _ = client.post("/sessions", {})
        check(status == 429 and code_of(answer) == "limit", "one session too many", answer)
        check(client.post(f"/sessions/{made[0]}/fork")[0] == 429, "a fork is one, too")
        client.ask("DELETE", f"/sessions/{made[2]}")
        client.session()
        for _ in range(9):
            client.call(made[0], "get_item", {"id": "a"})
        _, answer, _ = client.get(f"/sessions/{made[0]}/history")
        check(answer["dropped"] + len(answer["calls"]) == 9 and 5 <= len(answer["calls"]) < 9, "old calls are dropped, and counted", answer)
        statuses = [client.post(f"/sessions/{made[0]}/snapshots")[0] for _ in range(3)]
        check(statuses == [201, 201, 429], "one snapshot too many", statuses)
        big = Client(sim.port)
        status, answer, _ = big.post("/tools/get_item", {"id": "a" * 3000})
        check(status == 413, "a body that is too long", answer)
    with shop(folder, "--memory", "20000") as sim:
        client = sim.client()
        statuses = [client.call(client.session(), "sell", {"id": "a", "count": 1})[0]]
        for _ in range(60):
            statuses.append(client.post("/sessions", {})[0])
            statuses.append(client.call("s1", "get_item", {"id": "a"})[0])
        held = client.get("/healthz")[1]["held_bytes"]
        check(statuses[-2:] == [429, 429], f"all sessions together have a ceiling: {held} bytes", statuses[-4:])
        client.ask("DELETE", "/sessions/s1")
        check(client.post("/sessions", {})[0] == 201, "and below it all goes on")


def held_back(folder):
    """Answers that wait are bounded: what is beyond is refused, and not carried out."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096 if hard == resource.RLIM_INFINITY else min(4096, hard), hard))
    with shop(folder) as sim:
        body = b'{"id": "a"}'
        request = (b"POST /tools/get_item HTTP/1.1\r\nHost: localhost\r\nx-ledgergate-latency: 60000\r\n"
                   b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        waiting = []
        try:
            for _ in range(1000):
                waiting.append(socket.create_connection(("127.0.0.1", sim.port), timeout=60))
                waiting[-1].sendall(request)
            client, end = sim.client(), time.monotonic() + 30
            while client.get("/sessions/default/history?from=1000")[1]["calls"] == [] and time.monotonic() < end:
                time.sleep(0.05)
            status, answer, _ = client.post("/tools/get_item", {"id": "a"}, {"x-ledgergate-latency": "1"})
            check(status == 503 and answer["error"]["code"] == "limit", "one answer too many to hold back", answer)
            check(client.post("/tools/get_item", {"id": "a"})[0] == 200, "who does not wait is answered")
        finally:
            for one in waiting:
                one.close()


def idle(folder):
    with shop(folder, "--idle", "1") as sim:
        client = sim.client()
        s = client.session()
        end = time.monotonic() + 20
        while client.get("/healthz")[1]["sessions"] and time.monotonic() < end:
            time.sleep(0.2)
        check(client.get(f"/sessions/{s}")[0] == 404, "a session that nobody uses is gone")


# --- Faults -------------------------------------------------------------------------------------------


def outcome(port, headers=None):
    """The status of a call, or how it broke."""
    client = Client(port)
    try:
        return client.post("/tools/get_item", {"id": "a"}, headers)[0]
    except (ConnectionError, OSError) as error:
        return type(error).__name__
    finally:
        client.close()


def faults(folder):
    seen = []
    for seed in ("1", "1", "2"):
        with shop(folder, "--fault-rate", "0.5", "--fault-status", "500,429,reset", "--fault-seed", seed) as sim:
            client = sim.client()
            check(all(client.get("/sessions")[0] == 200 for _ in range(20)), "administration meets no fault")
            seen.append([outcome(sim.port) for _ in range(40)])
    check(seen[0] == seen[1], "the same seed, the same faults", seen[:2])
    check(seen[0] != seen[2], "another seed, others")
    check({200, 500, 429} < set(seen[0]) and len(set(seen[0])) == 4, "all kinds are met", seen[0])
    with shop(folder) as sim:
        client = sim.client()
        for word in ("503", "400"):
            status, answer, headers = client.post("/tools/sell", {"id": "a", "count": 1}, {"x-ledgergate-fault": word})
            check(status == int(word) and headers.get("x-ledgergate-fault") == "injected", f"a request asks for {word}", answer)
        check(client.post("/tools/sell", {"id": "a", "count": 1}, {"prefer": "code=418"})[0] == 418, "or prefers it")
        check(client.post("/tools/get_item", {"id": "a"}, {"x-ledgergate-fault": "soon"})[0] == 400, "what is no fault is refused")
        check(isinstance(outcome(sim.port, {"x-ledgergate-fault": "reset"}), str), "a reset")
        check(client.post("/tools/get_item", {"id": "a"})[1]["stock"] == 5, "nothing was carried out")
        lost = Client(sim.port)
        try:
            lost.post("/tools/sell", {"id": "a", "count": 1}, {"x-ledgergate-fault": "lost"})
            check(False, "an answer that is lost does not come")
        except (ConnectionError, OSError):
            pass
        check(client.post("/tools/get_item", {"id": "a"})[1]["stock"] == 4, "but its call was carried out")


def latency(folder):
    with shop(folder, "--latency", "150..200") as sim:
        client = sim.client()
        begun = time.monotonic()
        client.get("/sessions")
        check(time.monotonic() - begun < 0.1, "administration does not wait")
        begun = time.monotonic()
        waiting = [threading.Thread(target=outcome, args=(sim.port,)) for _ in range(10)]
        for thread in waiting:
            thread.start()
        client.get("/sessions")
        for thread in waiting:
            thread.join()
        took = time.monotonic() - begun
        check(0.15 <= took < 1.2, "ten calls wait at the same time, and the loop does not", took)
        begun = time.monotonic()
        check(outcome(sim.port, {"x-ledgergate-latency": "0"}) == 200, "a request may ask for its own latency")
        check(time.monotonic() - begun < 0.14, "and gets it")
        hurried = socket.create_connection(("127.0.0.1", sim.port))
        hurried.sendall(b"POST /tools/get_item HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{\"id\":\"a\"}")
        hurried.close()
        check(outcome(sim.port) == 200, "a client that leaves while it waits harms nobody")


with Folder() as temporary:
    with shop(temporary) as simulator:
        one = simulator.client()
        for test in (calls, tools_by_name, going_back, beginning, judged, strange_requests, who_may_ask, over_mcp):
            test(simulator, one)
    for test in (without_bounds, limits, held_back, idle, faults, latency):
        test(temporary)
done()
