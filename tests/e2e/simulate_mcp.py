"""The simulator as an MCP server, over sockets: each revision begins, lists and calls; and everything that is refused."""

import http.client
import json
import os
import signal
import subprocess

from _run import BIN, SOURCE, Folder, check, done

EXAMPLE = os.path.join(SOURCE, "examples", "repository")
TYPES = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
OLD = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
NEW = "2026-07-28"
SRC = {"path": "/src", "parent": "/", "kind": "directory"}


class Simulator:
    def __init__(self, folder, *words):
        self.process = subprocess.Popen([BIN, "simulate", *words, "--listen", "127.0.0.1:0"], cwd=folder.path,
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=folder.environment)
        line = self.process.stderr.readline().decode()
        check('"listening"' in line, "the simulator listens", line)
        self.port = json.loads(line)["port"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        said = self.process.stderr.read().decode("utf-8", "replace")
        check(self.process.wait(timeout=60) == 0 and "Sanitizer" not in said, "it ends well", said)

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
        given = {**(TYPES if data is not None else {}), **{k.replace("_", "-"): v for k, v in headers.items()}}
        connection.request(method, path, data, {k: v for k, v in given.items() if v is not None})
        got = connection.getresponse()
        text = got.read()
        connection.close()
        return got.status, json.loads(text) if text else None, {k.lower(): v for k, v in got.getheaders()}


def message(method, params=None, number=1):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}


class Client:
    def __init__(self, sim, revision, path="/mcp", **headers):
        self.sim, self.revision, self.path, self.headers = sim, revision, path, headers
        if revision != NEW:
            status, answer, got = sim.ask("POST", path, message("initialize", {
                "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}, "begin"), **headers)
            check(status == 200 and answer["id"] == "begin" and answer["result"]["protocolVersion"] == revision, f"{revision} begins", answer)
            self.headers["mcp_session_id"] = got.get("mcp-session-id")
            if revision > "2025-03-26":
                self.headers["mcp_protocol_version"] = revision
            status, answer, _ = self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            check((status, answer) == (202, None), "a notification is accepted", (status, answer))

    def send(self, body, **more):
        return self.sim.ask("POST", self.path, body, **{**self.headers, **more})

    def ask(self, method, params=None, **more):
        params = dict(params or {})
        if self.revision == NEW:
            params["_meta"] = {"io.modelcontextprotocol/protocolVersion": NEW, "io.modelcontextprotocol/clientCapabilities": {}}
            more = {"mcp_protocol_version": NEW, "mcp_method": method, "mcp_name": params.get("name"), **more}
        status, answer, _ = self.send(message(method, params, 7), **more)
        check(answer is None or answer.get("id", 7) == 7, "the id comes back", answer)
        return status, answer

    def call(self, tool, **arguments):
        status, answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        check(status == 200, "a call is answered", answer)
        return answer["result"]


def revisions(sim):
    for revision in (*OLD, NEW):
        headers = {}
        if revision == NEW:  # without sessions the header says which one is meant
            _, made, _ = sim.ask("POST", "/_sim/sessions", {})
            headers = {"x_ledgergate_session": made["session"]}
        client = Client(sim, revision, **headers)
        status, answer = client.ask("tools/list")
        names = [tool["name"] for tool in answer["result"]["tools"]]
        check(status == 200 and "make_directory" in names and len(names) == 7, f"{revision}: tools", names)
        found = client.call("read_entry", path="/src")
        check(found["isError"] is False and json.loads(found["content"][0]["text"]) == SRC, f"{revision}: a read", found)
        # What one call writes the next one of the session sees, and no other session does.
        client.call("make_directory", name=f"made-{revision}")
        listed = client.call("list_directory", path="/")
        check(f"made-{revision}" in listed["content"][0]["text"] and listed["content"][0]["text"].count("made-") == 1,
              f"{revision}: a write, in its session alone", listed)
        wrong = client.call("read_entry", path="/none")
        check(wrong["isError"] is True and "no such file" in wrong["content"][0]["text"], f"{revision}: a tool's error", wrong)
        bad = client.call("read_entry", path=7)
        check(bad["isError"] is True and "path" in bad["content"][0]["text"], f"{revision}: arguments that do not fit", bad)
        status, answer = client.ask("tools/call", {"name": "no_such_tool"})
        check(status == 200 and answer["error"]["code"] == -32602, f"{revision}: an unknown tool", answer)
        for method in ("resources/list", "prompts/list", "logging/setLevel"):
            status, answer = client.ask(method)
            check(status == (404 if revision == NEW else 200) and answer["error"]["code"] == -32601, f"{revision}: {method}", answer)
        batch = [message("ping", number=1), {"jsonrpc": "2.0", "method": "notifications/x"},
                 message("tools/call", {"name": "read_entry", "arguments": {"path": "/src"}}, "two")]
        more = {"mcp_protocol_version": revision} if revision != "2025-03-26" else {}
        status, answer, _ = client.send(batch, **more)
        if revision == "2025-03-26":
            check(status == 200 and [a["id"] for a in answer] == [1, "two"], "a batch", answer)
        else:
            check(status == 400 and answer["error"]["code"] == -32600, f"{revision}: no batches", answer)
        if revision != NEW:
            status, answer, _ = sim.ask("DELETE", "/mcp", mcp_session_id=client.headers["mcp_session_id"])
            check(status in (200, 204), f"{revision}: a session ends", (status, answer))
            status, _ = client.ask("tools/list")
            check(status == 404, f"{revision}: and is gone", status)


def refusals(sim):
    client = Client(sim, "2025-06-18")
    session = client.headers["mcp_session_id"]
    for sentence, wanted, headers in (
        ("no session", 400, {"mcp_session_id": None}),
        ("an unknown session", 404, {"mcp_session_id": "nothing"}),
        ("an unknown revision", 400, {"mcp_protocol_version": "1999-01-01"}),
        ("another revision than the session's", 400, {"mcp_protocol_version": "2025-11-25"}),
        ("what is no JSON", 415, {"content_type": "text/plain"}),
        ("who wants events alone", 406, {"accept": "text/event-stream"}),
    ):
        status, answer, _ = client.send(message("tools/list"), **headers)
        check(status == wanted and (not answer or "error" in answer), sentence, (status, answer))
    for body in ("", "{", "[]", "7", '{"jsonrpc":"2.0","id":null,"method":"ping"}', '{"id":1,"method":"ping"}', b"\xff\xfe"):
        status, answer, _ = client.send(body)
        check(status == 400 and answer["error"]["code"] in (-32700, -32600), f"{body!r} is no message", answer)
    status, _, headers = sim.ask("GET", "/mcp", accept="text/event-stream", mcp_session_id=session)
    check(status == 405 and "POST" in headers.get("allow", ""), "no stream of events", headers)
    new = Client(sim, NEW)
    for sentence, wanted, code, headers in (
        ("a header that is missing", 400, -32020, {"mcp_method": None}),
        ("a header that says another method", 400, -32020, {"mcp_method": "tools/call"}),
        ("another revision in the header", 400, -32020, {"mcp_protocol_version": "2025-11-25"}),
        ("no revision in the header", 400, -32020, {"mcp_protocol_version": None}),
    ):
        status, answer = new.ask("tools/list", **headers)
        check(status == wanted and answer["error"]["code"] == code, sentence, (status, answer))
    status, answer = new.ask("tools/call", {"name": "read_entry"}, mcp_name="remove_entry")
    check(status == 400 and answer["error"]["code"] == -32020, "a header that says another tool", answer)
    status, answer, _ = sim.ask("POST", "/mcp", message("server/discover", {
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}}), mcp_protocol_version="2031-01-01")
    check(status == 400 and answer["error"]["code"] == -32022 and NEW in answer["error"]["data"]["supported"], "a revision to come", answer)
    status, answer = new.ask("server/discover")
    check(status == 200 and NEW in answer["result"]["supportedVersions"], "what is spoken", answer)


def structured(folder):
    """A tool list's outputSchema: what comes back is of it, and is not told to revisions that have no word for it."""
    output = {"type": "object", "properties": {"celsius": {"type": "number"}, "place": {"type": "string"}}, "required": ["celsius", "place"]}
    folder.write("tools.json", json.dumps({"tools": [{
        "name": "get_weather", "description": "The weather at a place", "outputSchema": output,
        "inputSchema": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}}]}))
    with Simulator(folder, "tools.json") as sim:
        for revision in (*OLD, NEW):
            client = Client(sim, revision)
            _, answer = client.ask("tools/list")
            tool, = answer["result"]["tools"]
            found = client.call("get_weather", place="Oslo")
            value = json.loads(found["content"][0]["text"])
            check(isinstance(value.get("celsius"), (int, float)) and isinstance(value.get("place"), str), "made of the schema", found)
            told = revision >= "2025-06-18"
            check(("outputSchema" in tool) == told and (found.get("structuredContent") == value) == told, f"{revision}: structured", found)
            wrong = client.call("get_weather")
            check(wrong["isError"] is True and "structuredContent" not in wrong, f"{revision}: an error has no structure", wrong)


def by_stdio(folder):
    """Lines in, lines out: a simulator stands in for any server that a client starts itself."""
    words = [BIN, "simulate", "--pack", EXAMPLE, "--state", os.path.join(EXAMPLE, "state.json"), "--stdio"]
    for revision in OLD:
        process = subprocess.Popen(words, cwd=folder.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=folder.environment)

        def ask(body):
            process.stdin.write(json.dumps(body).encode() + b"\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        answer = ask(message("initialize", {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}))
        check(answer["result"]["protocolVersion"] == revision, f"stdio, {revision}: begins", answer)
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n\nno JSON\n')
        process.stdin.flush()
        broken = json.loads(process.stdout.readline())  # of the last one: the others have no answer
        check(broken["error"]["code"] == -32700, f"stdio, {revision}: a line that is no JSON", broken)
        check(len(ask(message("tools/list"))["result"]["tools"]) == 7, f"stdio, {revision}: tools")
        ask(message("tools/call", {"name": "make_directory", "arguments": {"name": "made"}}))
        answer = ask(message("tools/call", {"name": "list_directory", "arguments": {"path": "/"}}, "last"))
        check(answer["id"] == "last" and "made" in answer["result"]["content"][0]["text"], f"stdio, {revision}: a write lasts", answer)
        out, err = process.communicate(timeout=60)
        check(process.returncode == 0 and not out and not err, f"stdio, {revision}: the end of the input is the end", (out, err))
    for more in (["--listen", "127.0.0.1:0"], ["--latency", "5"]):
        ended = subprocess.run([*words, *more], cwd=folder.path, stdin=subprocess.DEVNULL, capture_output=True, env=folder.environment,
                               check=False)
        check(ended.returncode == 2 and more[0] in ended.stderr.decode(), f"stdio and {more[0]}", ended.stderr)


with Folder() as folder:
    by_stdio(folder)
    with Simulator(folder, "--pack", EXAMPLE, "--state", os.path.join(EXAMPLE, "state.json")) as sim:
        revisions(sim)
        refusals(sim)
        status, answer, _ = sim.ask("POST", "/mcp/user", message("initialize", {"protocolVersion": "2025-06-18"}))
        check(status == 200, "the customer's own tools have a place of their own", answer)
        status, _, _ = sim.ask("POST", "/mcp/other", message("ping"))
        check(status == 404, "there is no other", status)
    structured(folder)
done()
