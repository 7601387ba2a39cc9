"""Every protocol, streamed and not, over real sockets: allowed calls reach the client, refused ones never do, and the
model is asked again."""

import time

from _serve import DESK, FACES, LOOKED_UP, Folder, Gateway, Upstream, call, calls_in, check, done, request, sse, text_in

FINE = call("refund", {"order_id": "A1", "amount": 20}, "call_2")
TOO_MUCH = call("refund", {"order_id": "A1", "amount": 70}, "call_2")


def say(upstream, face, stream, text=None, calls=()):
    whole, events = FACES[face][1:]
    upstream.say(sse(events(text, calls)) if stream else whole(text, calls))


def ask(gate, face, stream, turns=LOOKED_UP):
    return gate.post("/v1" + FACES[face][0], request(face, turns, stream))


def allowed(gate, upstream, face, stream, name):
    say(upstream, face, stream, "I refund it.", [FINE])
    answer = ask(gate, face, stream)
    check(answer.status == 200, f"{name}: an allowed call: 200", answer.body)
    got = calls_in(face, answer, stream)
    check(got == [("refund", {"order_id": "A1", "amount": 20})], f"{name}: an allowed call reaches the client", got)
    check(text_in(face, answer, stream) == "I refund it.", f"{name}: and so does the text beside it", answer.body)
    check("ledgergate" in answer.body.decode(), f"{name}: its verdict stands in the reply", answer.body)
    check(answer.headers.get("x-accel-buffering") == ("no" if stream else None), f"{name}: nobody holds a stream back", answer.headers)
    asked = upstream.requests[-1].body.decode()
    check("A1" in asked and asked != "" and "Ledger" in asked, f"{name}: the ledger is in the prompt", asked)


def refused(gate, upstream, face, stream, name):
    say(upstream, face, stream, None, [TOO_MUCH])
    say(upstream, face, stream, "I can refund 50 at most.")
    before = len(upstream.requests)
    answer = ask(gate, face, stream)
    check(answer.status == 200, f"{name}: a refused call: 200", answer.body)
    check(calls_in(face, answer, stream) == [], f"{name}: a refused call never reaches the client", answer.body)
    check(b"70" not in answer.body.replace(b"chatcmpl", b"").split(b"ledgergate")[0], f"{name}: nor its arguments", answer.body)
    check(len(upstream.requests) == before + 2, f"{name}: the model is asked again", len(upstream.requests) - before)
    again = upstream.requests[-1].body.decode()
    check("70 is more than the 50" in again.replace("70.0", "70").replace("50.0", "50"), f"{name}: with why", again)
    check(text_in(face, answer, stream) == "I can refund 50 at most.", f"{name}: its second reply is what comes", answer.body)


def unknown_order(gate, upstream, face, stream, name):
    say(upstream, face, stream, None, [FINE])
    say(upstream, face, stream, "Let me look it up.", [call("get_order", {"order_id": "A1"}, "call_3")])
    answer = ask(gate, face, stream, [("user", "Refund order A1")])
    got = calls_in(face, answer, stream)
    check(got == [("get_order", {"order_id": "A1"})], f"{name}: what was never looked up must be read first", got)


def slow_end(gate, upstream, face):
    """The last event is the end for the client; what the upstream does behind it is nobody's wait."""
    events = FACES[face][2]("Yes.", [FINE])
    for pause, wanted in ((0.3, 1), (30, 2)):
        connections = upstream.connections
        for _ in range(2):
            reply = sse(events)
            reply.pieces.append(pause)
            upstream.say(reply)
            answer = ask(gate, face, True)
            check(len(calls_in(face, answer, True)) == 1,
                  f"{face}: an answer is whole with its last event", answer.body)
            time.sleep(min(pause + 0.3, 2))
        check(upstream.connections - connections <= wanted, f"{face}: a connection that ends soon is used again",
              upstream.connections - connections)


with Folder() as folder, Upstream() as upstream:
    folder.write("pack.yaml", DESK)
    for store in ([], ["--store", "log.db"]):
        with Gateway(folder, "--pack", "pack.yaml", "--upstream", upstream.url, *store) as gate:
            for face in FACES:
                for stream in (False, True):
                    name = f"{face}{' streamed' if stream else ''}{' with a log' if store else ''}"
                    for what in (allowed, refused, unknown_order):
                        what(gate, upstream, face, stream, name)
                    upstream.replies.clear()
    folder.write("one.yaml", f'listen: 127.0.0.1:0\nroutes: [{{path: /v1, upstream: {{url: "{upstream.url}"}}, pack: pack.yaml}}]\nloops: 1\n')
    with Gateway(folder, "--config", "one.yaml") as gate:
        for face in FACES:
            slow_end(gate, upstream, face)
    code, out, err = folder.run("log", "verify", "--store", "log.db")
    check(code == 0, "the log verifies", out + err)
done()
