"""A simulator as a process of its own, and clients of its faces that keep their connection.

    with Folder() as folder, Simulator(folder, "--pack", RETAIL, "--state", "db.json") as sim:
        status, answer, headers = sim.client().ask("POST", "/sessions", {"seed": 1})
"""

import http.client
import json

from _serve import Folder, Gateway, check, done  # noqa: F401
from _run import BIN, RETAIL, SOURCE, is_sanitized  # noqa: F401

TYPE = {"content-type": "application/json"}
MCP = {**TYPE, "accept": "application/json, text/event-stream"}


class Client:
    """One connection, kept open."""

    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method, path, body=None, headers=None):
        """Returns (status, JSON or text or None, headers)."""
        data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
        self.connection.request(method, path, data, {**(TYPE if data is not None else {}), **(headers or {})})
        got = self.connection.getresponse()
        text = got.read()
        found = {name.lower(): value for name, value in got.getheaders()}
        if text and found.get("content-type", "").startswith(("application/json", "application/problem+json")):
            return got.status, json.loads(text), found
        return got.status, text.decode() if text else None, found

    def post(self, path, body=None, headers=None):
        return self.ask("POST", path, body, headers)

    def get(self, path, headers=None):
        return self.ask("GET", path, None, headers)

    def session(self, **words):
        status, answer, _ = self.post("/_sim/sessions", words)
        check(status == 201, "a session begins", answer)
        return answer.get("session")

    def call(self, session, name, arguments, requestor="assistant", headers=None):
        return self.post(f"/_sim/sessions/{session}/calls",
                         {"name": name, "arguments": arguments, "requestor": requestor}, headers)

    def close(self):
        self.connection.close()


class McpClient:
    """Speaks MCP as of 2025-06-18, on a session of the simulator."""

    def __init__(self, client, session=None, path="/mcp"):
        self.client, self.path, self.number = client, path, 0
        self.headers = {**MCP, **({"x-ledgergate-session": session} if session else {})}
        status, answer, headers = self.send("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
        check(status == 200 and "result" in answer, "initialize is answered", answer)
        self.session = headers.get("mcp-session-id")
        self.headers = {**MCP, "mcp-session-id": self.session, "mcp-protocol-version": "2025-06-18"}

    def send(self, method, params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        return self.client.post(self.path, message, self.headers)

    def call(self, name, arguments):
        """The result's text, and whether it is an error."""
        status, answer, _ = self.send("tools/call", {"name": name, "arguments": arguments})
        result = answer.get("result") if isinstance(answer, dict) else None
        if status != 200 or result is None:
            return f"{status}: {answer}", True
        return result["content"][0]["text"], bool(result.get("isError"))


class Simulator(Gateway):
    verb = "simulate"

    def client(self):
        return Client(self.port)
