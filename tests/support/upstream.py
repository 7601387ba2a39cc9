"""A scripted upstream: a model's API that says what it was told to say, over real sockets.

    with Upstream() as upstream:
        upstream.say(completion("Hello"))                       # one reply a request, in their order
        upstream.say(Reply(429, b'{"error": {}}', {"retry-after": "7"}))
        upstream.say(sse(completion_chunks("Hello")))
        ... ask http://127.0.0.1:{upstream.port}/v1/chat/completions ...
        upstream.requests[0].json["messages"]

Or `upstream.answer = function(request) -> Reply`. A reply's body is bytes, or a list of pieces: bytes that are sent,
and numbers that are waited for, in seconds. Standard library only.
"""

import json
import socket
import struct
import threading
import time


class Reply:
    def __init__(self, status=200, body=b"", headers=None, *, cut=None, chunked=None, before_s=0):
        """`cut`: "close" ends the connection before the body is whole, "reset" breaks it; "silent" says nothing."""
        self.status, self.headers, self.cut, self.before_s = status, dict(headers or {}), cut, before_s
        self.pieces = body if isinstance(body, list) else [body]
        self.chunked = chunked if chunked is not None else isinstance(body, list)


class Request:
    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers, self.body = method, path, headers, body
        self.fields = {name.lower(): value for name, value in headers}
        self.gone = threading.Event()  # whoever asked has hung up
        self.at = time.monotonic()

    @property
    def json(self):
        return json.loads(self.body)


class Upstream:
    def __init__(self, port=0):
        self.replies, self.requests, self.lock = [], [], threading.Lock()
        self.answer = None
        self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", port), backlog=512)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.open = set()

    def __enter__(self):
        self.accepting = threading.Thread(target=self.accept, daemon=True)
        self.accepting.start()
        return self

    def __exit__(self, *_):
        # A thread that waits in accept() keeps the port, and would answer for whoever gets it next.
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        self.accepting.join(5)
        for connection in list(self.open):
            drop(connection)

    def say(self, *replies):
        self.replies.extend(r if isinstance(r, Reply) else json_reply(r) for r in replies)

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            self.open.add(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        file = connection.makefile("rb")
        try:
            while self.serve_one(connection, file):
                pass
        except OSError:
            pass
        finally:
            self.open.discard(connection)
            file.close()
            connection.close()

    def next_reply(self, request):
        with self.lock:
            self.requests.append(request)
            if self.replies:
                return self.replies.pop(0)
        if self.answer:
            reply = self.answer(request)
            return reply if isinstance(reply, Reply) else json_reply(reply)
        return Reply(500, b'{"error": {"message": "the script has no reply left"}}')

    def serve_one(self, connection, file):
        request = read_request(file)
        if not request:
            return False
        reply = self.next_reply(request)
        if watch(connection, request, reply.before_s):
            return False
        if reply.cut == "silent":
            watch(connection, request, 3600)
            return False
        if reply.cut == "reset" and not any(reply.pieces):
            return reset(connection)
        return send(connection, request, reply)


def read_request(file):
    line = file.readline(65536)
    if not line.strip():
        return None
    method, path, _ = line.decode("latin-1").split(" ", 2)
    headers = []
    while True:
        line = file.readline(65536)
        if line in (b"\r\n", b"\n", b""):
            break
        name, _, value = line.decode("latin-1").partition(":")
        headers.append((name, value.strip()))
    fields = {name.lower(): value for name, value in headers}
    body = b""
    if "content-length" in fields:
        body = file.read(int(fields["content-length"]))
    elif fields.get("transfer-encoding") == "chunked":
        while size := int(file.readline().split(b";")[0], 16):
            body += file.read(size)
            file.readline()
        file.readline()
    return Request(method, path, headers, body)


def watch(connection, request, seconds):
    """Waits; true if whoever asked has hung up."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        connection.settimeout(min(left, 0.05))
        try:
            if connection.recv(1, socket.MSG_PEEK) == b"":
                request.gone.set()
                return True
            time.sleep(0.01)
        except TimeoutError:
            pass
        except OSError:
            request.gone.set()
            return True
        finally:
            connection.settimeout(None)
    return False


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def drop(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def send(connection, request, reply):
    headers = {"content-type": "application/json", **reply.headers}
    if reply.chunked:
        headers["transfer-encoding"] = "chunked"
    elif "content-length" not in {name.lower() for name in headers}:
        headers["content-length"] = str(sum(len(p) for p in reply.pieces if isinstance(p, bytes)))
    head = f"HTTP/1.1 {reply.status} Scripted\r\n" + "".join(f"{n}: {v}\r\n" for n, v in headers.items())
    waiting = head.encode("latin-1") + b"\r\n"
    try:
        for piece in reply.pieces:
            if not isinstance(piece, bytes):
                connection.sendall(waiting)
                waiting = b""
                if watch(connection, request, piece):
                    return False
            elif piece:
                waiting += b"%x\r\n%s\r\n" % (len(piece), piece) if reply.chunked else piece
        if reply.cut == "reset":
            connection.sendall(waiting)
            time.sleep(0.05)
            return reset(connection)
        if reply.chunked and not reply.cut:
            waiting += b"0\r\n\r\n"
        connection.sendall(waiting)
    except OSError:
        request.gone.set()
        return False
    return not reply.cut


# --- What a model says --------------------------------------------------------------------------


def json_reply(value, status=200, headers=None):
    return Reply(status, json.dumps(value).encode(), headers)


def sse(events, *, pause_s=0, cut=None, split=None):
    """A stream of (name or None, data) events. `split`: pieces of so many bytes."""
    data = b"".join(sse_event(name, value) for name, value in events)
    if split:
        pieces = [data[i : i + split] for i in range(0, len(data), split)]
    else:
        pieces = [sse_event(name, value) for name, value in events]
    if pause_s:
        pieces = [p for piece in pieces for p in (piece, pause_s)][:-1]
    return Reply(200, pieces, {"content-type": "text/event-stream; charset=utf-8"}, cut=cut)


def sse_event(name, value):
    text = value if isinstance(value, str) else json.dumps(value)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def call(tool, arguments, id="call_1"):
    return (id, tool, arguments if isinstance(arguments, str) else json.dumps(arguments))


USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def completion(text=None, calls=(), model="scripted"):
    """A chat completion."""
    message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": i, "type": "function", "function": {"name": t, "arguments": a}} for i, t, a in calls
        ]
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": USAGE,
    }


def completion_chunks(text=None, calls=(), model="scripted", done=True):
    """The same as a stream's events."""

    def chunk(delta, finish=None, **more):
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return None, {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model,
                      "choices": choices, **more}

    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({"content": word}) for word in pieces_of(text or "")]
    for n, (i, tool, arguments) in enumerate(calls):
        function = {"name": tool, "arguments": ""}
        events.append(chunk({"tool_calls": [{"index": n, "id": i, "type": "function", "function": function}]}))
        for piece in pieces_of(arguments):
            events.append(chunk({"tool_calls": [{"index": n, "function": {"arguments": piece}}]}))
    events.append(chunk({}, "tool_calls" if calls else "stop"))
    return events + ([(None, "[DONE]")] if done else [])


def message(text=None, calls=(), model="scripted"):
    """A reply of the Messages API."""
    content = [{"type": "text", "text": text}] if text else []
    content += [{"type": "tool_use", "id": i, "name": t, "input": json.loads(a or "{}")} for i, t, a in calls]
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def message_events(text=None, calls=(), model="scripted", done=True):
    whole = message(text, calls, model)
    start = {**whole, "content": [], "stop_reason": None}
    events = [("message_start", {"type": "message_start", "message": start})]
    for index, block in enumerate(whole["content"]):
        if block["type"] == "text":
            empty, deltas = {"type": "text", "text": ""}, [{"type": "text_delta", "text": p} for p in pieces_of(text)]
        else:
            empty = {**block, "input": {}}
            deltas = [{"type": "input_json_delta", "partial_json": p} for p in pieces_of(json.dumps(block["input"]))]
        events.append(("content_block_start", {"type": "content_block_start", "index": index, "content_block": empty}))
        events += [("content_block_delta", {"type": "content_block_delta", "index": index, "delta": d}) for d in deltas]
        events.append(("content_block_stop", {"type": "content_block_stop", "index": index}))
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events.append(("message_delta", {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}}))
    return events + ([("message_stop", {"type": "message_stop"})] if done else [])


def response(text=None, calls=(), model="scripted", id="resp_1"):
    """A reply of the Responses API."""
    output = []
    if text is not None:
        part = {"type": "output_text", "text": text, "annotations": []}
        output.append({"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [part]})
    for n, (i, tool, arguments) in enumerate(calls):
        output.append({"type": "function_call", "id": f"fc_{n}", "call_id": i, "name": tool, "arguments": arguments,
                       "status": "completed"})
    return {
        "id": id, "object": "response", "created_at": 1, "status": "completed", "model": model, "output": output,
        "usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
    }


def response_events(text=None, calls=(), model="scripted", id="resp_1", done=True):
    whole = response(text, calls, model, id)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    bodies = [("response.created", {"response": begun}), ("response.in_progress", {"response": begun})]
    for index, item in enumerate(whole["output"]):
        at = {"output_index": index}
        if item["type"] == "message":
            part = {"item_id": item["id"], "content_index": 0, **at}
            empty = {"type": "output_text", "text": "", "annotations": []}
            bodies.append(("response.output_item.added", {**at, "item": {**item, "content": [], "status": "in_progress"}}))
            bodies.append(("response.content_part.added", {**part, "part": empty}))
            bodies += [("response.output_text.delta", {**part, "delta": p}) for p in pieces_of(text)]
            bodies.append(("response.output_text.done", {**part, "text": text}))
            bodies.append(("response.content_part.done", {**part, "part": item["content"][0]}))
        else:
            part = {"item_id": item["id"], **at}
            bodies.append(("response.output_item.added", {**at, "item": {**item, "arguments": "", "status": "in_progress"}}))
            bodies += [("response.function_call_arguments.delta", {**part, "delta": p}) for p in pieces_of(item["arguments"])]
            bodies.append(("response.function_call_arguments.done", {**part, "arguments": item["arguments"]}))
        bodies.append(("response.output_item.done", {**at, "item": item}))
    if done:
        bodies.append(("response.completed", {"response": whole}))
    return [(name, {"type": name, "sequence_number": n, **body}) for n, (name, body) in enumerate(bodies)]


def pieces_of(text):
    return [text[i : i + 7] for i in range(0, len(text), 7)]
