"""A scripted MCP server, over standard input and output or Streamable HTTP: of old and new revisions, and with every fault.

    python3 mcp_server.py [FLAG...]        over standard input and output
    with HttpServer(flags) as server: ...  over HTTP, at server.url

Tools: `echo` returns its arguments, `fail` an error, `tick` counts how often it was called (the count goes to the file of the flag
count=FILE), `slow` waits `seconds`, `die` ends the process (or the connection) after it has counted, `huge` says a line of `bytes`,
`noise` prints garbage, complaints and a notification first, `ask` asks the client for something before it answers.
"""

import json
import os
import socketserver
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler

TOOLS = ["echo", "fail", "tick", "slow", "die", "huge", "noise", "ask"]


class Script:
    def __init__(self, flags=()):
        self.flags = set(flags)
        self.count_file = next((f[6:] for f in flags if f.startswith("count=")), None)
        self.ticks = 0
        self.heard = []  # messages that were no requests
        self.lock = threading.Lock()

    def tick(self):
        with self.lock:
            self.ticks += 1
            if self.count_file:
                with open(self.count_file, "a", encoding="utf-8") as file:
                    file.write(".")
            return self.ticks

    def answer(self, message):
        """The answer to a request of any revision; None to what is none."""
        method, params = message.get("method"), message.get("params", {})
        if "id" not in message or method is None:
            with self.lock:
                self.heard.append(message)
            return None
        is_modern = "io.modelcontextprotocol/protocolVersion" in params.get("_meta", {})
        if method == "server/discover" and "modern" in self.flags:
            result = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"}
        elif method == "initialize" and "modern" not in self.flags:
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
        elif method == "tools/list":
            at = int(params.get("cursor", 0))
            result = {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in TOOLS[at:at + 3]]}
            if at + 3 < len(TOOLS):
                result["nextCursor"] = str(at + 3)
            if is_modern:
                result.update(ttlMs=0, cacheScope="private")
        elif method == "tools/call":
            return self.call(message["id"], params["name"], params.get("arguments", {}), is_modern)
        else:
            return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": f"no {method}"}}
        if is_modern:
            result["resultType"] = "complete"
        return {"result": result, "jsonrpc": "2.0", "id": message["id"]}

    def call(self, number, name, args, is_modern):
        if name not in TOOLS:
            return {"jsonrpc": "2.0", "id": number, "error": {"code": -32602, "message": f"unknown tool: {name}"}}
        text = json.dumps(args)
        if name == "tick":
            text = json.dumps({"ticks": self.tick()})
        elif name == "slow":
            time.sleep(args.get("seconds", 1))
        result = {"content": [{"type": "text", "text": "it failed" if name == "fail" else text}]}
        if name == "fail":
            result["isError"] = True
        elif name == "echo":
            result["structuredContent"] = args
        elif name == "huge":
            result["content"][0]["text"] = "x" * args["bytes"]
        if is_modern:
            result["resultType"] = "complete"
        return {"jsonrpc": "2.0", "id": number, "result": result}


def wanted(message, name):
    return message.get("method") == "tools/call" and message["params"]["name"] == name


def serve_lines(script):
    def say(message):
        sys.stdout.write(message if isinstance(message, str) else json.dumps(message) + "\n")
        sys.stdout.flush()

    time.sleep(next((float(f[5:]) for f in script.flags if f.startswith("late=")), 0))
    if "mute" in script.flags:
        time.sleep(60)
    if "environment" in script.flags:
        sys.stderr.write(" ".join(sorted(os.environ)) + "\n")
    for line in sys.stdin:
        message = json.loads(line)
        if wanted(message, "die"):
            script.tick()
            sys.stderr.write("out of luck\n")
            os._exit(3)
        if wanted(message, "noise"):
            sys.stderr.write("complaint " * 20000)  # more than a pipe holds
            sys.stderr.flush()
            say("listening on nothing\n\n{\"half\": \n[1,2]\n\x00\x01\n")
            say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}})
            say({"jsonrpc": "2.0", "id": 999999, "result": {}})
        for number in range(5000 if "nagging" in script.flags and message.get("method") == "tools/call" else 0):
            say({"jsonrpc": "2.0", "id": f"n{number}", "method": "ping"})
        if wanted(message, "ask"):
            say({"jsonrpc": "2.0", "id": "q", "method": "roots/list"})
            say({"jsonrpc": "2.0", "id": "p", "method": "ping"})
            replies = [json.loads(sys.stdin.readline()) for _ in range(2)]
            message["params"]["arguments"] = {"replies": sorted(replies, key=lambda r: r["id"])}
        answer = script.answer(message)
        if answer:
            say(answer)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, body=b"", kind="application/json", **headers):
        self.send_response(status)
        if body:
            self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def event(self, message):
        self.wfile.write(b"event: message\r\nid: 7\r\ndata: " + json.dumps(message).encode() + b"\r\n\r\n")
        self.wfile.flush()

    def do_DELETE(self):
        self.server.script.heard.append({"method": "DELETE", "session": self.headers.get("Mcp-Session-Id")})
        self.send(200)

    def do_POST(self):
        script = self.server.script
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with script.lock:
            self.server.requests.append((dict(self.headers), message, id(self.connection)))
        status = next((int(f[7:]) for f in script.flags if f.startswith("status=")), 0)
        if status and message.get("method") == "tools/call":
            return self.send(status, b"<p>no</p>", "text/html")
        if "sessions" in script.flags and message.get("method") not in ("initialize", "server/discover"):
            if self.headers.get("Mcp-Session-Id") != "s-1":
                return self.send(404)
        if wanted(message, "die"):
            script.tick()
            self.close_connection = True
            return self.connection.close()
        answer = script.answer(message)
        if answer is None:
            return self.send(202)
        if message["method"] == "server/discover" and "modern" not in script.flags and "plain" in script.flags:
            return self.send(400, b"Bad Request", "text/plain")
        headers = {"Mcp_Session_Id": "s-1"} if "sessions" in script.flags and message["method"] == "initialize" else {}
        if "events" in script.flags:
            return self.stream(message, answer, headers)
        return self.send(200, json.dumps(answer).encode(), **headers)

    def stream(self, message, answer, headers):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b": hello\n\ndata\n\n")
        if wanted(message, "noise"):
            self.wfile.write(b"data: {no json\n\n")
            self.event({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})
        if wanted(message, "ask"):
            self.event({"jsonrpc": "2.0", "id": "q", "method": "roots/list"})
            until = time.monotonic() + 5
            while time.monotonic() < until and not any(m.get("id") == "q" for m in self.server.script.heard):
                time.sleep(0.01)
        if "nagging" in self.server.script.flags and message["method"] == "tools/call":
            for number in range(5000):
                self.event({"jsonrpc": "2.0", "id": f"n{number}", "method": "ping"})
        if "cut" in self.server.script.flags and message["method"] == "tools/call":
            self.wfile.write(b"data: {\"jsonrpc\"")
        else:
            self.event(answer)
            if "open" in self.server.script.flags:
                time.sleep(2)  # who has the answer does not wait for the end
        self.close_connection = True


class HttpServer:
    def __init__(self, *flags):
        class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
            allow_reuse_address = True
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.script = self.script = Script(flags)
        self.server.requests = self.requests = []
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/mcp"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


if __name__ == "__main__":
    serve_lines(Script(sys.argv[1:]))
