"""A gateway between a scripted upstream and a client that speaks HTTP itself.

    with Folder() as folder, Upstream() as upstream, Gateway(folder, "--pack", PACK, "--upstream", upstream.url) as gate:
        answer = gate.post("/v1/chat/completions", {"model": "m", "messages": [...]})
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from _run import BIN, Folder, SOURCE, TIMEOUT_S, check, done  # noqa: E402, F401
import upstream as scripted  # noqa: E402
from upstream import Reply, Upstream, call, sse  # noqa: E402, F401

# Every protocol: where it is, what a model says in it, and where a reply has its calls.
FACES = {
    "completions": ("/chat/completions", scripted.completion, scripted.completion_chunks),
    "responses": ("/responses", scripted.response, scripted.response_events),
    "messages": ("/messages", scripted.message, scripted.message_events),
}

# A refund needs an order that was looked up, and no more than was paid.
DESK = """pack: desk
version: 1.0.0
types:
  Order:
    type: object
    properties: {order_id: {type: string}, paid: {type: number}}
    required: [order_id, paid]
ledger:
  orders.*: Order
tools:
  get_order:
    kind: read
    parameters: {type: object, properties: {order_id: {type: string}}, required: [order_id]}
    returns: Order
    stores: [{at: 'orders[args.order_id]'}]
  refund:
    kind: write
    parameters:
      type: object
      properties: {order_id: {type: string}, amount: {type: number}}
      required: [order_id, amount]
    effects: []
rules:
  refund_within_paid:
    tools: [refund]
    let: {o: 'ledger.orders[args.order_id]'}
    needs: ['ledger.orders[args.order_id]']
    that: args.amount <= o.paid
    otherwise: revise
    category: state
    say: "{args.amount} is more than the {o.paid} paid for {args.order_id}."
"""


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def events(self):
        """(name, data) of a stream."""
        found = []
        for block in self.body.decode().replace("\r\n", "\n").split("\n\n"):
            lines = [line.partition(":") for line in block.split("\n") if line and not line.startswith(":")]
            fields = {name: value.strip() for name, _, value in lines}
            if "data" in fields:
                data = fields["data"]
                found.append((fields.get("event"), data if data == "[DONE]" else json.loads(data)))
        return found


class Gateway:
    """`ledgergate serve` as a process of its own; its lines on standard error are read as they come."""

    verb = "serve"

    def __init__(self, folder, *args, listen="127.0.0.1:0", environment=None):
        self.folder, self.args = folder, list(args)
        self.listen, self.environment = listen, {**folder.environment, **(environment or {})}
        self.lines, self.text = [], []
        self.port = self.admin_port = None

    def __enter__(self):
        args = self.args if "--config" in self.args else [*self.args, "--listen", self.listen]
        self.process = subprocess.Popen(
            [BIN, self.verb, *args], cwd=self.folder.path, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        line = self.wait_line("listening")
        check(line is not None, "the gateway listens", "\n".join(self.text))
        if line:
            self.port, self.admin_port = line["port"], line.get("admin_port")
        return self

    def read(self):
        for raw in self.process.stderr:
            text = raw.decode("utf-8", "replace").rstrip("\n")
            self.text.append(text)
            if text.startswith("{"):
                self.lines.append(json.loads(text))

    def wait_line(self, event, count=1, seconds=60):
        """The `count`-th line of this event, or None."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = [line for line in self.lines if line["event"] == event]
            if len(found) >= count:
                return found[count - 1]
            if self.process.poll() is not None and not self.reader.is_alive():
                return None
            time.sleep(0.01)
        return None

    def connect(self, port=None):
        return http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=60)

    def ask(self, method, path, body=None, headers=None, port=None):
        connection = self.connect(port)
        try:
            data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
            sent = {"content-type": "application/json", **(headers or {})} if body is not None else headers or {}
            connection.request(method, path, data, sent)
            got = connection.getresponse()
            return Answer(got.status, {n.lower(): v for n, v in got.getheaders()}, got.read())
        finally:
            connection.close()

    def post(self, path, body, headers=None):
        return self.ask("POST", path, body, headers)

    def get(self, path, headers=None, port=None):
        return self.ask("GET", path, None, headers, port)

    def stop(self, how=signal.SIGTERM):
        """The exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            code = self.process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = None
        self.reader.join(30)
        return code

    def __exit__(self, *_):
        running = self.process.poll() is None
        code = self.stop()
        self.process.stdout.close()
        text = "\n".join(self.text)
        check("Sanitizer" not in text and "runtime error:" not in text, "no report of a sanitizer", text)
        if running:
            check(code == 0, "SIGTERM ends the gateway with exit code 0", f"got {code}\n{text}")


def request(face, turns, stream=False):
    """A request of this protocol: turns are ("user", text), ("call", id, tool, arguments) or ("result", id, text)."""
    body = {"model": "scripted", **({"stream": True} if stream else {})}
    if face == "messages":
        body["max_tokens"] = 100
    return {**body, ("input" if face == "responses" else "messages"): [turn_of(face, turn) for turn in turns]}


def turn_of(face, turn):
    kind = turn[0]
    if kind == "user":
        return {"role": "user", "content": turn[1]}
    if face == "completions" and kind == "call":
        function = {"name": turn[2], "arguments": json.dumps(turn[3])}
        return {"role": "assistant", "content": None,
                "tool_calls": [{"id": turn[1], "type": "function", "function": function}]}
    if face == "completions":
        return {"role": "tool", "tool_call_id": turn[1], "content": turn[2]}
    if face == "responses" and kind == "call":
        return {"type": "function_call", "call_id": turn[1], "name": turn[2], "arguments": json.dumps(turn[3])}
    if face == "responses":
        return {"type": "function_call_output", "call_id": turn[1], "output": turn[2]}
    if kind == "call":
        block = {"type": "tool_use", "id": turn[1], "name": turn[2], "input": turn[3]}
        return {"role": "assistant", "content": [block]}
    block = {"type": "tool_result", "tool_use_id": turn[1], "content": turn[2]}
    return {"role": "user", "content": [block]}


LOOKED_UP = [
    ("user", "Refund order A1, please."),
    ("call", "call_1", "get_order", {"order_id": "A1"}),
    ("result", "call_1", json.dumps({"order_id": "A1", "paid": 50})),
]


def calls_in(face, answer, stream):
    """(tool, arguments) of every call that reached the client."""
    return (stream_calls if stream else whole_calls)(face, answer)


def whole_calls(face, answer):
    body = answer.json
    if face == "completions":
        found = [c["function"] for choice in body["choices"] for c in choice["message"].get("tool_calls") or []]
        return [(f["name"], json.loads(f["arguments"])) for f in found]
    if face == "responses":
        return [(i["name"], json.loads(i["arguments"])) for i in body["output"] if i["type"] == "function_call"]
    return [(b["name"], b["input"]) for b in body["content"] if b["type"] == "tool_use"]


def stream_calls(face, answer):
    events, found = answer.events, {}
    for _, event in events:
        if event == "[DONE]":
            continue
        if face == "completions":
            for choice in event["choices"]:
                for c in choice["delta"].get("tool_calls") or []:
                    entry = found.setdefault((choice["index"], c["index"]), ["", ""])
                    entry[0] += c["function"].get("name") or ""
                    entry[1] += c["function"].get("arguments") or ""
        elif face == "responses" and event["type"] == "response.function_call_arguments.done":
            found[event["output_index"]][1] = event["arguments"]
        elif face == "responses" and event["type"] == "response.output_item.added":
            if event["item"]["type"] == "function_call":
                found[event["output_index"]] = [event["item"]["name"], ""]
        elif face == "messages" and event["type"] == "content_block_start":
            if event["content_block"]["type"] == "tool_use":
                found[event["index"]] = [event["content_block"]["name"], ""]
        elif face == "messages" and event["type"] == "content_block_delta":
            if event["delta"]["type"] == "input_json_delta":
                found[event["index"]][1] += event["delta"]["partial_json"]
    return [(name, json.loads(arguments or "{}")) for name, arguments in found.values()]


def text_in(face, answer, stream):
    if stream:
        events = [e for _, e in answer.events if e != "[DONE]"]
        if face == "completions":
            return "".join(c["delta"].get("content") or "" for e in events for c in e["choices"])
        if face == "responses":
            return "".join(e["delta"] for e in events if e["type"] == "response.output_text.delta")
        return "".join(e["delta"].get("text", "") for e in events if e["type"] == "content_block_delta")
    body = answer.json
    if face == "completions":
        return "".join(c["message"].get("content") or "" for c in body["choices"])
    if face == "responses":
        return "".join(p["text"] for i in body["output"] if i["type"] == "message" for p in i["content"])
    return "".join(b["text"] for b in body["content"] if b["type"] == "text")
