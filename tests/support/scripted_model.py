"""A scripted model behind the real protocol: chat completions (streamed or not), embeddings and rerank, over sockets.

    with ScriptedModel([{"match": "refund", "say": {"json": {"verdict": "yes"}}},
                        {"say": {"text": "Hello"}}]) as model:
        ... ask model.url ...
        model.requests[0].json["messages"]

A script is a list of rules, looked at in their order; a request takes the first that is meant for it:

    match   a text that stands in its last message (or in its query or one of its texts)
    regex   the same as a regular expression
    path    the end of its path: "/chat/completions", "/embeddings", "/rerank"
    times   so many requests, and then the rule is used up; without it any number
    say     what is said, or a list of it, one a request (the last one is said to all others)
    ask     instead of `say`: in Python a function of the request that returns it; in a file "module.py:function"

What is said, as an object:

    text, json, calls, refusal   of a message; calls are [{"name", "arguments", "id"}]
    logprobs   [["token", logprob, {"other": logprob, ...}], ...]
    finish, usage (null: none)   in place of what they would be
    vectors, scores   of embeddings and rerank; without them they are made of the words of the texts
    status, body, retry_after, headers, type   an answer of HTTP: body is text, or an object that becomes JSON.
               retry_after is a number, or "+2": a date two seconds after that of the answer
    wait_s     before anything is said; pause_s between two pieces of a stream
    fault      "reset" (before a byte), "silent" (nothing, ever), "close" (within the answer), "reset_within",
               "malformed" (half of the JSON), "html", "garbage" (broken chunks), "endless" (a body without an end),
               "no_done", "cut_event", "error_event", "held_open", "cut_behind" (of a stream), "deep" (a hundred thousand brackets)

As a program it prints its address and serves until it is stopped; every request becomes a line of the log:

    python3 scripted_model.py SCRIPT.json [--port N] [--log FILE]
"""

import hashlib
import importlib.util
import json
import os
import re
import sys
import threading
import time
from email.utils import formatdate

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import upstream  # noqa: E402
from upstream import Reply, Upstream, sse_event  # noqa: E402

STREAM = {"content-type": "text/event-stream"}
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
HTML = "<!DOCTYPE html><html><body><h1>It works!</h1></body></html>"


class ScriptedModel(Upstream):
    def __init__(self, script=(), port=0, log=None):
        super().__init__(port)
        self.rules = [Rule(rule) for rule in script]
        self.answer = self.reply_to
        self.log = open(log, "a", encoding="utf-8") if log else None
        self.turn = threading.Lock()
        self.busy, self.most_busy = 0, 0

    def serve_one(self, connection, file):
        request = upstream.read_request(file)
        if not request:
            return False
        with self.turn:
            self.busy += 1
            self.most_busy = max(self.most_busy, self.busy)
        try:
            reply = self.next_reply(request)
            if upstream.watch(connection, request, reply.before_s):
                return False
            if reply.cut == "silent":
                upstream.watch(connection, request, 3600)
                return False
            if reply.cut == "reset" and not any(reply.pieces):
                return upstream.reset(connection)
        finally:
            with self.turn:
                self.busy -= 1
        if reply.cut in ("endless", "garbage"):
            return endless(connection) if reply.cut == "endless" else garbage(connection)
        return upstream.send(connection, request, reply)

    def reply_to(self, request):
        with self.turn:
            rule = next((rule for rule in self.rules if rule.takes(request)), None)
            said = rule.next(request) if rule else {"status": 500, "body": {"error": {"message": "no rule is left"}}}
            if self.log:
                line = {"path": request.path, "headers": request.fields, "body": body_of(request), "said": str(said)}
                self.log.write(json.dumps(line) + "\n")
                self.log.flush()
        return said if isinstance(said, Reply) else reply_of(request, said)

    def texts(self):
        """The last message of each request, in the order in which they came."""
        return [last_text(body_of(request)) for request in self.requests]


class Rule:
    def __init__(self, rule):
        unknown = set(rule) - {"match", "regex", "path", "times", "say", "ask"}
        if unknown or not ("say" in rule or "ask" in rule):
            raise ValueError(f"a rule has `say` or `ask`, and no {unknown}")
        self.rule, self.used = rule, 0
        self.ask = load(rule["ask"]) if "ask" in rule else None

    def takes(self, request):
        rule, body = self.rule, body_of(request)
        return (
            self.used < rule.get("times", float("inf"))
            and request.path.split("?")[0].endswith(rule.get("path", ""))
            and rule.get("match", "") in last_text(body)
            and re.search(rule.get("regex", ""), last_text(body)) is not None
        )

    def next(self, request):
        self.used += 1
        if self.ask:
            return self.ask(request)
        say = self.rule["say"]
        return say[min(self.used, len(say)) - 1] if isinstance(say, list) else say


def load(name):
    if callable(name):
        return name
    path, _, function = name.rpartition(":")
    spec = importlib.util.spec_from_file_location("script", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, function)


def body_of(request):
    try:
        return json.loads(request.body)
    except ValueError:
        return {}


def last_text(body):
    if body.get("messages"):
        content = body["messages"][-1].get("content")
        return content if isinstance(content, str) else json.dumps(content)
    return "\n".join([body.get("query", ""), *body.get("input", []), *body.get("documents", [])])


# --- What is said -------------------------------------------------------------------------------


def reply_of(request, said):
    said, body = dict(said), body_of(request)
    fault = said.get("fault")
    wait_s = said.get("wait_s", 0)
    if fault in ("reset", "silent", "endless", "garbage"):
        return Reply(200, b"", cut=fault, before_s=wait_s)
    if fault == "html":
        return Reply(said.get("status", 200), HTML.encode(), {"content-type": "text/html"}, before_s=wait_s)
    if fault == "deep":
        return Reply(200, b"[" * 100_000, before_s=wait_s)
    if "status" in said or "body" in said:
        return plain(said, wait_s)
    if request.path.split("?")[0].endswith("/embeddings"):
        whole = embeddings(said, body)
    elif request.path.split("?")[0].endswith("/rerank"):
        whole = ranks(said, body)
    elif body.get("stream") and fault != "malformed":
        return stream(said, body, wait_s)
    else:
        whole = completion(said, body)
    return unstreamed(whole, fault, said, wait_s)


def plain(said, wait_s):
    body = said.get("body", {"error": {"message": "as the script has it"}})
    headers = {"date": formatdate(usegmt=True), **said.get("headers", {})}
    after = said.get("retry_after")
    if isinstance(after, str) and after.startswith("+"):
        now = int(time.time())
        headers["date"] = formatdate(now, usegmt=True)
        headers["retry-after"] = formatdate(now + int(after), usegmt=True)
    elif after is not None:
        headers["retry-after"] = str(after)
    if "type" in said:
        headers["content-type"] = said["type"]
    data = body.encode("utf-8", "surrogateescape") if isinstance(body, str) else json.dumps(body).encode()
    return Reply(said.get("status", 200), data, headers, before_s=wait_s)


def unstreamed(whole, fault, said, wait_s):
    data = json.dumps(whole).encode()
    headers = {"content-type": said.get("type", "application/json"), **said.get("headers", {})}
    if fault == "malformed":
        return Reply(200, data[: len(data) // 2], headers, before_s=wait_s)
    if fault in ("close", "reset_within"):
        headers["content-length"] = str(len(data))
        cut = "close" if fault == "close" else "reset"
        return Reply(200, data[: len(data) // 2], headers, cut=cut, before_s=wait_s)
    return Reply(200, data, headers, before_s=wait_s)


def garbage(connection):
    """Says that chunks come, and sends what are none."""
    connection.sendall(HEAD + b"zz\r\nthis is no chunk\r\n")
    return False


def endless(connection):
    connection.sendall(HEAD)
    try:
        while True:
            connection.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
    except OSError:
        return False


def message_of(said):
    text = json.dumps(said["json"]) if "json" in said else said.get("text")
    message = {"role": "assistant", "content": text}
    if "refusal" in said:
        message["refusal"] = said["refusal"]
    if said.get("calls"):
        message["tool_calls"] = [
            {"id": call.get("id", f"call_{n}"), "type": "function",
             "function": {"name": call["name"], "arguments": arguments_of(call)}}
            for n, call in enumerate(said["calls"])
        ]
    return message


def arguments_of(call):
    arguments = call.get("arguments", {})
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def tokens_of(said):
    if "logprobs" not in said:
        return None
    return {"content": [
        {"token": token, "logprob": logprob, "bytes": None,
         "top_logprobs": [{"token": t, "logprob": p, "bytes": None} for t, p in (rest[0] if rest else {}).items()]}
        for token, logprob, *rest in said["logprobs"]
    ]}


def usage_of(said, body, text):
    if "usage" in said:
        return said["usage"]
    prompt, completion = len(json.dumps(body)) // 4, len(text or "") // 4 + 1
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def finish_of(said, message):
    return said.get("finish", "tool_calls" if message.get("tool_calls") else "stop")


def completion(said, body):
    message = message_of(said)
    choice = {"index": 0, "message": message, "logprobs": tokens_of(said), "finish_reason": finish_of(said, message)}
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body.get("model"), "choices": [choice]}
    usage = usage_of(said, body, message["content"])
    return whole if usage is None else {**whole, "usage": usage}


def chunks(said, body):
    message, tokens = message_of(said), tokens_of(said)

    def chunk(delta, finish=None, logprobs=None, **more):
        choices = [{"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": finish}]
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body.get("model"),
                "choices": choices, **more}

    yield chunk({"role": "assistant", **({"content": ""} if message["content"] is not None else {})})
    for piece in upstream.pieces_of(message["content"] or ""):
        yield chunk({"content": piece})
    for token in (tokens or {"content": []})["content"]:
        yield chunk({}, logprobs={"content": [token]})
    if "refusal" in message:
        yield chunk({"refusal": message["refusal"]})
    for n, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        begin = {"index": n, "id": call["id"], "type": "function", "function": {"name": function["name"], "arguments": ""}}
        yield chunk({"tool_calls": [begin]})
        for piece in upstream.pieces_of(function["arguments"]):
            yield chunk({"tool_calls": [{"index": n, "function": {"arguments": piece}}]})
    yield chunk({}, finish_of(said, message))
    usage = usage_of(said, {k: v for k, v in body.items() if not k.startswith("stream")}, message["content"])
    if usage is not None and body.get("stream_options", {}).get("include_usage"):
        yield {**chunk({}), "choices": [], "usage": usage}


def stream(said, body, wait_s):
    fault, pause_s = said.get("fault"), said.get("pause_s", 0)
    pieces = [sse_event(None, event) for event in chunks(said, body)]
    cut = None
    if fault in ("close", "reset_within", "no_done", "cut_event", "error_event"):
        pieces = pieces[: len(pieces) // 2]
        cut = {"close": "close", "reset_within": "reset"}.get(fault)
    else:
        pieces.append(b"data: [DONE]\n\n")
    if fault == "cut_event":
        pieces[-1] = pieces[-1][: len(pieces[-1]) // 2]
    if fault == "error_event":
        pieces.append(sse_event(None, {"error": {"message": "the model has stopped"}}))
    if pause_s:
        pieces = [p for piece in pieces for p in (piece, pause_s)]
    if fault == "held_open":
        pieces.append(3600)
    cut = "close" if fault == "cut_behind" else cut
    return Reply(200, pieces, {**STREAM, **said.get("headers", {})}, cut=cut, before_s=wait_s)


# --- Embeddings and rerank ----------------------------------------------------------------------

DIMENSIONS = 8


def vector_of(text):
    """The same text has the same vector, and texts with words in common similar ones."""
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()) or [""]:
        digest = hashlib.sha256(word.encode()).digest()
        vector = [v + (digest[i] - 127.5) / 127.5 for i, v in enumerate(vector)]
    length = sum(v * v for v in vector) ** 0.5 or 1.0
    return [round(v / length, 6) for v in vector]


def embeddings(said, body):
    vectors = said.get("vectors") or [vector_of(text) for text in body["input"]]
    data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
    usage = said.get("usage", {"prompt_tokens": len(json.dumps(body)) // 4, "total_tokens": len(json.dumps(body)) // 4})
    return {"object": "list", "data": data[:: -1], "model": body.get("model"), "usage": usage}


def ranks(said, body):
    words = set(re.findall(r"\w+", body["query"].lower()))
    scores = said.get("scores") or [
        round(len(words & set(re.findall(r"\w+", text.lower()))) / (len(words) or 1), 6) for text in body["documents"]]
    order = sorted(range(len(scores)), key=lambda i: (-scores[i], i))[: body.get("top_n", len(scores))]
    return {"id": "rerank-1", "model": body.get("model"),
            "results": [{"index": i, "relevance_score": scores[i]} for i in order],
            "usage": said.get("usage", {"total_tokens": len(json.dumps(body)) // 4})}


def main():
    import argparse

    parser = argparse.ArgumentParser(description="A scripted model over HTTP.")
    parser.add_argument("script")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log")
    args = parser.parse_args()
    with open(args.script, encoding="utf-8") as file:
        script = json.load(file)
    with ScriptedModel(script, args.port, args.log) as model:
        print(model.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
