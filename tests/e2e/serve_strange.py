"""What upstreams, models and clients may write that is no ordinary reply: ids that are none, errors with calls beside them,
several choices, functions of before there were tools, blocks that look like ours, bodies of many megabytes."""

import json
import threading
import time

from _serve import DESK, FACES, LOOKED_UP, Folder, Gateway, Reply, Upstream, call, calls_in, check, done, request, sse, text_in


def refund(id="call_9", amount=10):
    return call("refund", {"order_id": "A1", "amount": amount}, id)


def both_ways(face, calls):
    """The same reply, whole and as a stream."""
    _, whole, events = FACES[face]
    return ((False, whole(None, calls)), (True, sse(events(None, calls))))


def ids(gate, upstream):
    odd = {"a number": 7, "an object": {"a": 1}, "a list": ["c"], "a truth": True}
    for face, (endpoint, _, _) in FACES.items():
        for name, id in odd.items():
            for stream, reply in both_ways(face, [refund(id)]):
                upstream.say(reply)
                answer = gate.post("/v1" + endpoint, request(face, LOOKED_UP, stream))
                check(b'"refund"' not in answer.body.split(b'"ledgergate"')[0] and b"its id" in answer.body,
                      f"{face} {stream}: a call whose id is {name}", answer.body)
        for stream, reply in both_ways(face, [refund("c1", 10), refund("c1", 11), refund("c2", 12)]):
            upstream.say(reply)
            answer = gate.post("/v1" + endpoint, request(face, LOOKED_UP, stream))
            got = [arguments["amount"] for _, arguments in calls_in(face, answer, stream)]
            check(got == [10, 12], f"{face} {stream}: of two calls with one id the first goes on", answer.body)


def history_of_odd_ids(gate, upstream):
    """Ids of a history pair calls and results by what they are, whatever they are: not by position."""
    def said(id, order):
        return {"id": id, "type": "function", "function": {"name": "get_order", "arguments": json.dumps({"order_id": order})}}
    for one, two in ((1, 2), (1.5, 2.5), ({"a": 1}, {"a": 2}), (True, False)):
        messages = [{"role": "user", "content": "hi"},
                    {"role": "assistant", "content": None, "tool_calls": [said(one, "A1"), said(two, "B2")]},
                    {"role": "tool", "tool_call_id": two, "content": '{"order_id": "B2", "paid": 500}'},
                    {"role": "tool", "tool_call_id": one, "content": '{"order_id": "A1", "paid": 50}'}]
        upstream.say(FACES["completions"][1](None, [refund(amount=400)]))
        answer = gate.post("/v1/chat/completions", {"model": "m", "messages": messages})
        check(calls_in("completions", answer, False) == [], f"results of {one!r} and {two!r} are not mixed up", answer.body)


def error_statuses(gate, upstream):
    for face, (endpoint, whole, _) in FACES.items():
        body = whole(None, [refund()])
        for status in (400, 404, 422, 429, 500, 503):
            for name, beside in (("an error", {"error": {"message": "no luck", "type": "odd", "extra": body}}), ("an empty error", {"error": ""}),
                                 ("none", {})):
                upstream.say(Reply(status, json.dumps({**body, **beside}).encode(), {"content-type": "application/json", "retry-after": "3"}))
                answer = gate.post("/v1" + endpoint, request(face, LOOKED_UP, False))
                told = json.dumps(json.loads(answer.body).get("error"))
                check(answer.status == status and answer.headers.get("retry-after") == "3", f"{face} {status}: as it came", answer.status)
                check(not any(k in json.loads(answer.body) for k in ("choices", "output", "content")) and '"refund"' not in told,
                      f"{face} {status}: a call beside {name} stays here", answer.body)
                check(name != "an error" or "no luck" in told, f"{face} {status}: and its words go on", answer.body)
        upstream.say(Reply(503, b"<html>down for repairs</html>", {"content-type": "text/html"}))
        answer = gate.post("/v1" + endpoint, request(face, LOOKED_UP, False))
        check(answer.status == 503 and "down for repairs" in answer.json["error"]["message"], f"{face}: a page is quoted", answer.body)
        upstream.say(Reply(500, b"", {"content-type": "text/plain"}))
        answer = gate.post("/v1" + endpoint, request(face, LOOKED_UP, False))
        check((answer.status, answer.body) == (500, b""), f"{face}: nothing stays nothing", answer.body)


def choice(index, call, text=None):
    message = {"role": "assistant", "content": text}
    if call:
        message["tool_calls"] = [{**call_of(call), "index": 0}]
    return {"index": index, "message": message, "finish_reason": "tool_calls" if call else "stop"}


def call_of(c):
    return {"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": json.dumps(c["arguments"])}}


def several_choices(gate, upstream):
    """`n`: each choice is judged by itself; there is nothing like it in the other two protocols."""
    proposed = [{"id": f"c{i}", "name": "refund", "arguments": {"order_id": "A1", "amount": amount}} for i, amount in enumerate((10, 400, 20))]
    whole = {"id": "r", "object": "chat.completion", "model": "m", "choices": [choice(i, c) for i, c in enumerate(proposed)] + [choice(3, None, "Hello")]}
    body = {**request("completions", LOOKED_UP, False), "n": 4}
    upstream.say(Reply(200, json.dumps(whole).encode(), {"content-type": "application/json"}))
    answer = gate.post("/v1/chat/completions", body)
    got = {c["index"]: [json.loads(t["function"]["arguments"])["amount"] for t in c["message"].get("tool_calls") or []] for c in answer.json["choices"]}
    check(upstream.requests[-1].json["n"] == 4, "n goes upstream")
    check(got == {0: [10], 1: [], 2: [20], 3: []}, "each choice is judged by itself", answer.body)
    check(answer.json["choices"][3]["message"]["content"] == "Hello", "and a text stays", answer.body)
    check(answer.json["choices"][1]["finish_reason"] == "stop", "a choice without calls ends as one", answer.body)

    chunks = []
    for i, c in reversed(list(enumerate(proposed))):  # in another order, call by call
        chunks.append({"id": "r", "object": "chat.completion.chunk", "model": "m", "choices": [
            {"index": i, "delta": {"role": "assistant", "tool_calls": [{**call_of(c), "index": 0}]}, "finish_reason": None}]})
    chunks.append({"id": "r", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 3, "delta": {"content": "Hello"}, "finish_reason": None}]})
    for i in range(4):
        chunks.append({"id": "r", "object": "chat.completion.chunk", "model": "m", "choices": [
            {"index": i, "delta": {}, "finish_reason": "tool_calls" if i < 3 else "stop"}]})
    events = [b"data: " + json.dumps(c).encode() + b"\n\n" for c in chunks] + [b"data: [DONE]\n\n"]
    upstream.say(Reply(200, events, {"content-type": "text/event-stream"}))
    answer = gate.post("/v1/chat/completions", {**body, "stream": True})
    got, ends = {}, {}
    for line in answer.body.decode().split("\n"):
        if line.startswith("data: {"):
            for c in json.loads(line[6:])["choices"]:
                for t in c["delta"].get("tool_calls") or []:
                    got.setdefault(c["index"], []).append(json.loads(t["function"]["arguments"])["amount"])
                ends[c["index"]] = c.get("finish_reason") or ends.get(c["index"])
    check(got == {0: [10], 2: [20]}, "in a stream as well", answer.body)
    check(ends == {0: "tool_calls", 1: "stop", 2: "tool_calls", 3: "stop"}, "with its ends", answer.body)


def legacy_functions(gate, upstream):
    """`functions` and `function_call`, of chat completions alone."""
    read = {"role": "assistant", "content": None, "function_call": {"name": "get_order", "arguments": '{"order_id": "A1"}'}}
    messages = [{"role": "user", "content": "hi"}, read, {"role": "function", "name": "get_order", "content": '{"order_id": "A1", "paid": 50}'}]
    body = {"model": "m", "messages": messages, "functions": [{"name": "refund", "parameters": {"type": "object"}}], "function_call": "auto"}
    for amount, passes in ((10, True), (400, False)):
        arguments = json.dumps({"order_id": "A1", "amount": amount})
        made = {"role": "assistant", "content": None, "function_call": {"name": "refund", "arguments": arguments}}
        whole = {"id": "r", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "message": made, "finish_reason": "function_call"}]}
        halves = [{"name": "refund", "arguments": arguments[:7]}, {"arguments": arguments[7:]}]
        chunks = [{"id": "r", "object": "chat.completion.chunk", "model": "m", "choices": [{"index": 0, "delta": {"function_call": h}, "finish_reason": None}]}
                  for h in halves] + [{"id": "r", "object": "chat.completion.chunk", "model": "m",
                                       "choices": [{"index": 0, "delta": {}, "finish_reason": "function_call"}]}]
        events = [b"data: " + json.dumps(c).encode() + b"\n\n" for c in chunks] + [b"data: [DONE]\n\n"]
        for stream in (False, True):
            upstream.say(Reply(200, events, {"content-type": "text/event-stream"}) if stream
                         else Reply(200, json.dumps(whole).encode(), {"content-type": "application/json"}))
            answer = gate.post("/v1/chat/completions", {**body, "stream": stream})
            text = answer.body.decode().split('"ledgergate"')[0]
            check(('"function_call"' in text) == passes, f"a function of {amount}, streamed: {stream}", answer.body)
            check(upstream.requests[-1].json["functions"] == body["functions"], "the functions go upstream")
            check(passes or "more than the 50 paid" in answer.body.decode(), "by what the function has shown", answer.body)


LONG = "z" * 3_000_000


def long_reply(face, stream, calls):
    """Megabytes that are said, in one event of a stream, and calls behind them."""
    _, whole, events = FACES[face]
    if not stream:
        return whole(LONG, calls)
    return sse([(name, (data if isinstance(data, str) else json.dumps(data)).replace("~", LONG)) for name, data in events("~", calls)])


def long_replies(gate, upstream, aside):
    """A reply of megabytes, too: read, judged and written beside the loop. A client may leave at any moment of it."""
    for face, (endpoint, _, _) in FACES.items():
        for stream in (False, True):
            for amount in (10, 7000):
                before = aside()
                made = [refund(amount=amount)]
                upstream.say(long_reply(face, stream, made))
                answer = gate.post("/v1" + endpoint, request(face, LOOKED_UP, stream))
                passes = [("refund", {"order_id": "A1", "amount": 10})] if amount == 10 else []
                name = f"{face}{' streamed' if stream else ''}, {amount}"
                check(calls_in(face, answer, stream) == passes, f"{name}: a long reply is judged", answer.body[-300:])
                check(LONG in text_in(face, answer, stream), f"{name}: and has its text", answer.body[-300:])
                check(aside() > before, f"{name}: beside the loop", aside())

    replies = {(face, stream): long_reply(face, stream, [refund(amount=10)]) for face in FACES for stream in (False, True)}
    upstream.answer = lambda r: replies[next(f for f in FACES if r.path.endswith(FACES[f][0])), bool(r.json.get("stream"))]
    for (face, stream), _ in replies.items():
        body = json.dumps(request(face, LOOKED_UP, stream)).encode()
        for n in range(8):
            connection = gate.connect()
            connection.request("POST", "/v1" + FACES[face][0], body, {"content-type": "application/json"})
            time.sleep(0.02 * n)
            connection.close()


def long_bodies(gate, upstream):
    """A body of megabytes is read beside the loop: others are served, and a client that leaves takes nothing along."""
    def aside():
        lines = gate.get("/metrics").body.decode().split("\n")
        return sum(int(line.rsplit(" ", 1)[1]) for line in lines if line.startswith("ledgergate_aside_total"))
    for face, (endpoint, whole, _) in FACES.items():
        before = aside()
        turns = LOOKED_UP + [("user", "x" * 3_000_000)]
        upstream.say(whole(None, [refund(amount=10)]))
        answer = gate.post("/v1" + endpoint, request(face, turns, False))
        check(calls_in(face, answer, False) == [("refund", {"order_id": "A1", "amount": 10})], f"{face}: a long body is judged", answer.body)
        check(aside() > before, f"{face}: and read elsewhere", aside())
        before = aside()
        upstream.say(whole("Hello"))
        check(gate.post("/v1" + endpoint, request(face, LOOKED_UP, False)).status == 200 and aside() == before, f"{face}: a short one is not")
    long_replies(gate, upstream, aside)
    upstream.answer = lambda r: FACES["completions"][1]("Hello")
    body = json.dumps(request("completions", LOOKED_UP + [("user", "y" * 3_000_000)], False)).encode()
    for n in range(12):  # gone, at any moment of it
        connection = gate.connect()
        connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
        time.sleep(0.004 * n)
        connection.close()
    got = []
    threads = [threading.Thread(target=lambda: got.append(gate.post("/v1/chat/completions", request("completions", LOOKED_UP, False)).status))
               for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check(got == [200] * 8, "and all others are served", got)
    upstream.answer = None


with Folder() as folder, Upstream() as upstream:
    folder.write("pack.yaml", DESK)
    folder.write("c.yaml", f'listen: 127.0.0.1:0\nroutes: [{{path: /v1, upstream: {{url: "{upstream.url}"}}, pack: pack.yaml, on_refusal: return}}]\n')
    with Gateway(folder, "--config", "c.yaml") as gate:
        ids(gate, upstream)
        history_of_odd_ids(gate, upstream)
        error_statuses(gate, upstream)
        several_choices(gate, upstream)
        legacy_functions(gate, upstream)
        long_bodies(gate, upstream)
done()
