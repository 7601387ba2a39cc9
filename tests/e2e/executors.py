"""Executors against scripted servers: MCP over standard input and over HTTP, OpenAPI, recordings and tapes; every fault, and what
it means for whether a call happened."""

import json
import os
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

SUPPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")
sys.path.insert(0, SUPPORT)

from _run import Folder, check, done  # noqa: E402
from mcp_server import TOOLS, HttpServer  # noqa: E402

EXECUTE = os.path.abspath(os.environ["LEDGERGATE_EXECUTE"])
SERVER = os.path.join(SUPPORT, "mcp_server.py")


def stdio(*flags):
    return "stdio:" + json.dumps([sys.executable, SERVER, *flags])


class Run:
    def __init__(self, folder, spec, lines, **config):
        config = {"spec": spec, "call_ms": 20_000, **config}
        begun = time.monotonic()
        ended = subprocess.run([EXECUTE, json.dumps(config)], cwd=folder.path, capture_output=True, timeout=120,
                               input="".join(json.dumps(line) + "\n" for line in lines).encode(),
                               env={**folder.environment, "SECRET_OF_THE_PARENT": "1"})
        self.seconds = time.monotonic() - begun
        self.code, self.err = ended.returncode, ended.stderr.decode("utf-8", "replace")
        self.answers = [json.loads(line) for line in ended.stdout.decode().splitlines()]
        check("Sanitizer" not in self.err and "runtime error:" not in self.err, "no report of a sanitizer", self.err)
        check(self.code != 0 or len(self.answers) == len(lines), f"{spec}: each line is answered", self.err)


def read(folder, name):
    with open(os.path.join(folder.path, name), encoding="utf-8") as file:
        return file.read()


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def is_done(answer, value, is_error=False):
    check(answer["outcome"] == "done" and answer["is_error"] == is_error and answer["value"] == value,
          f"done with {json.dumps(value)[:60]}", json.dumps(answer)[:600])


def is_not_done(answer, outcome, *words):
    check(answer["outcome"] == outcome and answer["value"] is None and all(w in answer["why"] for w in words),
          f"{outcome}: {words}", json.dumps(answer)[:600])


def ordinary(folder, spec):
    run = Run(folder, spec, [{"list": True}, call("echo", a=[1, "ü"], b=2.0), call("fail"), call("nothing"), call("tick"), call("tick"),
                             call("noise", x=1), {"name": "echo"}])
    tools, echo, fail, nothing, first, second, noise, empty = run.answers
    check(tools["tools"] == TOOLS, "all pages of tools", tools)
    is_done(echo, {"a": [1, "ü"], "b": 2.0})
    check(echo["structured"] == echo["value"] and json.loads(echo["text"]) == echo["value"], "structured content and text", echo)
    is_done(fail, "it failed", is_error=True)
    check(nothing["outcome"] == "done" and nothing["is_error"] and "-32602" in nothing["text"], "an unknown tool", nothing)
    is_done(first, {"ticks": 1})
    is_done(second, {"ticks": 2})
    is_done(noise, {"x": 1})
    is_done(empty, {})


def over_standard_input():
    with Folder() as folder:
        for flags in ((), ("modern",)):
            ordinary(folder, stdio(*flags))
        asked, = Run(folder, stdio(), [call("ask")]).answers
        is_done(asked, {"replies": [{"jsonrpc": "2.0", "id": "p", "result": {}},
                                    {"jsonrpc": "2.0", "id": "q", "error": {"code": -32601, "message": "this client has no such method"}}]})
        run = Run(folder, stdio("count=ticks"), [call("slow", seconds=1), call("echo", a=1), call("die"), call("echo")], call_ms=400)
        slow, echo, die, after = run.answers
        is_not_done(slow, "unknown", "400 ms")
        check(echo["outcome"] in ("done", "unknown"), "the next call has its own answer", echo)
        if echo["outcome"] == "done":
            is_done(echo, {"a": 1})
        run = Run(folder, stdio("count=ticks2"), [call("die"), call("echo")])
        is_not_done(run.answers[0], "unknown", "ended", "out of luck")
        is_not_done(run.answers[1], "failed", "ended")
        with open(os.path.join(folder.path, "ticks2"), encoding="utf-8") as file:
            check(file.read() == ".", "a call that killed its server was made once")
        fine, huge, after = Run(folder, stdio(), [call("huge", bytes=50_000), call("huge", bytes=900_000), call("echo")],
                                reply_bytes=100_000).answers
        check(fine["outcome"] == "done" and len(fine["text"]) == 50_000, "a long line within the ceiling", fine["why"])
        is_not_done(huge, "unknown", "too long")
        is_not_done(after, "failed", "too long")


def processes():
    with Folder() as folder:
        for spec, words in (("stdio:", "command"), ("stdio:no-such-command-here x", "no-such-command-here"), ("stdio:'half", "quote"),
                            ("stdio:[1]", "list"), ("stdio:[]", "command"), ("ftp://x", "names no tools"), ("recorded:nothing", "nothing"),
                            ("openapi:http://127.0.0.1:1", "document"), ("stdio:/dev/null", "cannot be run"), ("stdio:true", "ended")):
            run = Run(folder, spec, [])
            check(run.code == 2 and words in run.err, f"{spec}: refused", run.err)
        is_done(Run(folder, stdio("modern", "late=5.5"), [call("echo", a=1)]).answers[0], {"a": 1})  # it begins slowly
        run = Run(folder, stdio("mute"), [], connect_ms=300)
        check(run.code == 2 and "300 ms" in run.err and run.seconds < 30, "a server that says nothing", run.err)
        # A shell would make a file of this, and an environment that is passed on would be told.
        script = folder.write("told.sh", "#!/bin/sh\necho \"$* $(env | cut -d= -f1 | sort | tr '\\n' ' ')\" >told; sleep 60 & cat >/dev/null\n")
        os.chmod(os.path.join(folder.path, script), 0o700)
        run = Run(folder, "stdio:./told.sh 'a b' >made $(touch made)", [], connect_ms=500)
        with open(os.path.join(folder.path, "told"), encoding="utf-8") as file:
            told = file.read()
        check(told.startswith("a b >made $(touch made)") and "SECRET_OF_THE_PARENT" not in told, "no shell, and no environment", told)
        check(not os.path.exists(os.path.join(folder.path, "made")), "no shell has seen the command")
        left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=False).stdout
        check("told.sh" not in left, "nothing of the process is left", left)


def over_http():
    with Folder() as folder:
        for flags in ((), ("plain",), ("modern",), ("events",), ("events", "sessions"), ("sessions",), ("events", "open"), ("modern", "events")):
            with HttpServer(*flags) as server:
                ordinary(folder, server.url)
                headers, bodies, connections = zip(*server.requests)
                calls = [h for h, b, _ in server.requests if b.get("method") == "tools/call"]
                version = "2026-07-28" if "modern" in flags else "2025-06-18"
                check(all(h.get("MCP-Protocol-Version") == version for h in calls), "the revision's header", calls[0])
                check(len(calls) == 7, f"{flags}: each call was made once", len(calls))
                if "modern" in flags:
                    check(calls[0].get("Mcp-Method") == "tools/call" and calls[0].get("Mcp-Name") == "echo", "headers of 2026-07-28", calls[0])
                if "sessions" in flags:
                    check(all(h.get("Mcp-Session-Id") == "s-1" for h in calls), "the session's header", calls[0])
                    check({"method": "DELETE", "session": "s-1"} in server.script.heard, "the session is ended", server.script.heard)
                check(all(h.get("Accept") == "application/json, text/event-stream" for h in headers), "what is accepted")
        with HttpServer("events") as server:
            asked, = Run(folder, server.url, [call("ask")]).answers
            check(asked["outcome"] == "done", "a server that asks within a stream", asked)
            check(any(m.get("id") == "q" and m["error"]["code"] == -32601 for m in server.script.heard), "is answered beside it",
                  server.script.heard)
        with HttpServer("events", "nagging") as server:
            is_done(Run(folder, server.url, [call("echo", a=1)]).answers[0], {"a": 1})
            heard = sum(str(m.get("id", "")).startswith("n") for m in server.script.heard)
            check(heard <= 100, "a server that asks again and again is answered no more", heard)
        is_done(Run(folder, stdio("nagging"), [call("echo", a=1)]).answers[0], {"a": 1})
        with HttpServer() as server:
            slow, die, echo = Run(folder, server.url, [call("slow", seconds=2), call("die"), call("echo", a=1)], call_ms=500).answers
            is_not_done(slow, "unknown")
            is_not_done(die, "unknown")
            is_done(echo, {"a": 1})
            check(server.script.ticks == 1, "a call whose connection broke was made once", server.script.ticks)
        with HttpServer("events", "cut") as server:
            is_not_done(Run(folder, server.url, [call("echo")]).answers[0], "unknown")
        for status, outcome in ((400, "failed"), (401, "failed"), (302, "unknown"), (303, "unknown"), (500, "unknown"), (503, "unknown")):
            with HttpServer(f"status={status}") as server:
                is_not_done(Run(folder, server.url, [call("echo")]).answers[0], outcome, str(status))
        with HttpServer() as server:
            is_not_done(Run(folder, server.url, [call("huge", bytes=500_000)], reply_bytes=100_000).answers[0], "unknown")
        is_not_done(Run(folder, "http://127.0.0.1:1/mcp", [call("echo")]).answers[0], "failed")


def tapes():
    with Folder() as folder:
        calls = [call("echo", a=1), call("tick"), call("tick"), call("fail"), call("die")]
        live = Run(folder, stdio(), calls, record="tape.jsonl").answers
        with open(os.path.join(folder.path, "tape.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        check([line["name"] for line in lines] == ["echo", "tick", "tick", "fail"], "what was answered is recorded", lines)
        check(lines[0] == {"name": "echo", "arguments": {"a": 1}, "result": {"a": 1}, "error": False, "structuredContent": {"a": 1}},
              "a line", lines[0])
        again = Run(folder, "recorded:tape.jsonl", [*calls, call("tick"), call("echo", a=2), {"list": True}]).answers
        for was, now in zip(live[:4], again[:4]):
            check({**was, "text": None} == {**now, "text": None}, "the recording answers as the server did", (was, now))
        is_not_done(again[4], "failed", "no answer")
        is_done(again[5], {"ticks": 2})
        is_not_done(again[6], "failed")
        check(again[7]["tools"] == ["echo", "tick", "fail"], "its tools", again[7])
        full = Run(folder, stdio(), [call("echo", a=1)], record="/dev/full")
        check("carried out" in full.err + json.dumps(full.answers), "a tape that is full: the call was made all the same", (full.err, full.answers))
        folder.write("tape.jsonl", json.dumps(lines[0]) + "\n" + json.dumps(lines[1])[:20])
        is_done(Run(folder, "recorded:tape.jsonl", [call("echo", a=1)]).answers[0], {"a": 1})
        Run(folder, stdio(), [call("echo", a=1)], record="tape.jsonl")
        check(read(folder, "tape.jsonl") == 2 * (json.dumps(lines[0], separators=(",", ":")) + "\n") or
              [json.loads(line)["name"] for line in read(folder, "tape.jsonl").splitlines()] == ["echo", "echo"],
              "half a line, which a crash left, is cut before another is written", read(folder, "tape.jsonl"))
        limited = subprocess.run(["sh", "-c", 'ulimit -f 1; trap "" XFSZ; exec "$0" "$1"', EXECUTE,
                                  json.dumps({"spec": stdio(), "call_ms": 20_000, "record": "small.jsonl"})],
                                 cwd=folder.path, capture_output=True, timeout=60, env=folder.environment,
                                 input="".join(json.dumps(call("echo", a="x" * 100)) + "\n" for _ in range(9)).encode())
        whole = read(folder, "small.jsonl")
        check(limited.returncode != 0 and b"carried out" in limited.stderr and whole.endswith("\n") and
              all(json.loads(line) for line in whole.splitlines()), "a line that does not fit is taken back", (limited.stderr, whole))
        for text, words in (("{", "line 1"), ('{"name":"a","result":1}\n\n{"result":1}\n', "line 3"), ('{"name":"a"}', "result")):
            folder.write("broken.jsonl", text)
            run = Run(folder, "recorded:broken.jsonl", [])
            check(run.code == 2 and words in run.err, f"a broken recording: {text[:30]!r}", run.err)


class Pets(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.seen.append((self.command, self.path, self.headers.get("Accept")))
        known = self.path.startswith("/v1/pets/7")
        body = json.dumps({"id": 7, "name": "Rex"} if known else {"error": "none"}).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def services():
    document = {"openapi": "3.1.0", "info": {"title": "pets", "version": "1"}, "paths": {"/pets/{id}": {"get": {
        "operationId": "getPet", "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
                                                {"name": "full", "in": "query", "schema": {"type": "boolean"}}],
        "responses": {"200": {"description": "a pet", "content": {"application/json": {"schema": {"type": "object"}}}}}}}}}
    with Folder() as folder, HTTPServer(("127.0.0.1", 0), Pets) as server:
        server.seen = []
        Thread(target=server.serve_forever, daemon=True).start()
        folder.write("pets.json", json.dumps(document))
        base = f"openapi:http://127.0.0.1:{server.server_address[1]}/v1"
        tools, found, none, wrong, unknown = Run(folder, base, [{"list": True}, call("getPet", id=7, full=True), call("getPet", id=8),
                                                                call("getPet"), call("other")], catalogue="pets.json").answers
        check(tools["tools"] == ["getPet"], "the operations", tools)
        is_done(found, {"id": 7, "name": "Rex"})
        is_done(none, {"error": "none"}, is_error=True)
        is_not_done(wrong, "failed", "id")
        is_not_done(unknown, "failed", "operation")
        check([path for _, path, _ in server.seen] == ["/v1/pets/7?full=true", "/v1/pets/8"], "what was asked", server.seen)
        server.shutdown()
        down, = Run(folder, "openapi:http://127.0.0.1:1", [call("getPet", id=7)], catalogue="pets.json").answers
        is_not_done(down, "failed")


over_standard_input()
processes()
over_http()
tapes()
services()
done()
