"""What goes wrong between client, gateway, upstream and log: it is answered in the protocol's own form, refused calls stay
refused, and nothing passes that was not judged."""

import gzip
import http.client
import json
import os
import socket
import sqlite3
import subprocess
import threading
import time
import zlib

from _serve import (BIN, DESK, FACES, LOOKED_UP, Folder, Gateway, Reply, Upstream, call, calls_in, check, done, request, sse,
                    text_in)
from upstream import completion, completion_chunks, json_reply

FINE = call("refund", {"order_id": "A1", "amount": 20}, "call_2")
HI = [("user", "hi")]


def raw(gate, data, pieces=None, wait=10):
    """What comes back for these bytes, until the connection is closed or nothing comes for `wait` seconds."""
    with socket.create_connection(("127.0.0.1", gate.port), timeout=wait) as connection:
        got = b""
        try:
            connection.sendall(data)
            for pause, piece in pieces or []:
                time.sleep(pause)
                connection.sendall(piece)
            while more := connection.recv(65536):
                got += more
        except OSError:
            pass
        return got


def post_head(gate, *lines, path="/v1/chat/completions"):
    return "\r\n".join([f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{gate.port}", *lines, "", ""]).encode()


def is_error(answer, face):
    body = answer.json
    return isinstance(body.get("error"), dict) and bool(body["error"].get("message")) and (face != "messages" or body["type"] == "error")


def smuggled(gate, upstream):
    before = len(upstream.requests)
    hidden = b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
    for name, head in [
        ("two Content-Length", post_head(gate, "Content-Length: 3", "Content-Length: 40")),
        ("a list of them", post_head(gate, "Content-Length: 3, 40")),
        ("both codings", post_head(gate, "Content-Length: 3", "Transfer-Encoding: chunked")),
        ("another coding", post_head(gate, "Transfer-Encoding: gzip, chunked")),
        ("a sign", post_head(gate, "Content-Length: +3")),
        ("no host", b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"),
    ]:
        got = raw(gate, head + b"{}x" + hidden)
        check(got.startswith(b"HTTP/1.1 400") and b" 200 " not in got, f"{name}: 400, and nothing behind it", got)
    check(len(upstream.requests) == before, "nobody is asked for what is smuggled")


def bodies(gate, upstream):
    path = "/v1/chat/completions"
    big = json.dumps(request("completions", [("user", "x" * 200000)]))
    for face, (endpoint, _, _) in FACES.items():
        for name, body, headers, wanted in [
            ("no JSON", b"{", {}, 400), ("no object", b"[]", {}, 400), ("no messages", b'{"model": "m"}', {}, 400),
            ("not UTF-8", b'{"model": "\xff"}', {}, 400), ("nothing", b"", {}, 400), ("too large", big, {}, 413),
            ("deep", b'{"messages": ' + b"[" * 5000 + b"]" * 5000 + b"}", {}, 413),
            ("twice a key", b'{"messages": [], "messages": []}', {}, 400),
            ("compressed", gzip.compress(json.dumps(request(face, HI)).encode()), {"content-encoding": "gzip"}, 415),
        ]:
            before = len(upstream.requests)
            answer = gate.post("/v1" + endpoint, body, headers)
            check(answer.status == wanted and is_error(answer, face), f"{face}, {name}: {wanted} in its form",
                  f"{answer.status} {answer.body[:300]}")
            check(len(upstream.requests) == before, f"{face}, {name}: nobody is asked")
    got = raw(gate, post_head(gate, "Content-Length: 100") + b'{"model"', wait=8)
    check(b" 408 " in got.split(b"\r\n")[0] or got == b"", "a body that does not come: the connection ends", got)
    got = raw(gate, b"POST /v1/chat/completions HTTP/1.1\r\n", [(0.2, b"X-A: b\r\n")] * 20, wait=8)
    check(b" 408 " in got.split(b"\r\n")[0] or got == b"", "headers that drip: the connection ends", got)
    got = raw(gate, post_head(gate, "Content-Length: 100"), [(0.2, b" ")] * 20, wait=8)
    check(b" 408 " in got.split(b"\r\n")[0] or got == b"", "a body that drips: the connection ends", got)
    got = raw(gate, b"GET " + b"/" * 40000 + b" HTTP/1.1\r\n\r\n")
    check(b" 431 " in got.split(b"\r\n")[0] or b" 414 " in got.split(b"\r\n")[0] or got == b"", "a line without end", got[:100])
    check(gate.post(path, request("completions", HI)).status in (200, 500), "and the gateway goes on")


def half_closed(gate, upstream):
    """A client that has said all it has to say, and closes that side, gets its answer."""
    for face, (endpoint, whole, events) in FACES.items():
        for stream in (False, True):
            reply = sse(events("I look.", [FINE]), pause_s=0.05) if stream else json_reply(whole(None, [FINE]))
            reply.before_s = 0.3
            upstream.say(reply)
            body = json.dumps(request(face, LOOKED_UP, stream)).encode()
            with socket.create_connection(("127.0.0.1", gate.port), timeout=20) as connection:
                connection.sendall(post_head(gate, f"Content-Length: {len(body)}", path="/v1" + endpoint) + body)
                connection.shutdown(socket.SHUT_WR)
                got = b""
                while more := connection.recv(65536):
                    got += more
            check(b"HTTP/1.1 200" in got and b"call_2" in got and b'"ledgergate"' in got, f"{face}{' streamed' if stream else ''}: half-closed, answered", got)
            # In the midst of its answer, too: asked by a comment, which its reader passes over, it is there.
            if not stream:
                continue
            upstream.say(sse(events("I look for it, and that takes a while.", [FINE]), pause_s=0.2))
            with socket.create_connection(("127.0.0.1", gate.port), timeout=20) as connection:
                connection.sendall(post_head(gate, f"Content-Length: {len(body)}", path="/v1" + endpoint) + body)
                got = b""
                while b"data: " not in got:
                    got += connection.recv(65536)
                connection.shutdown(socket.SHUT_WR)
                while more := connection.recv(65536):
                    got += more
            check(b"call_2" in got and b'"ledgergate"' in got and got.endswith(b"0\r\n\r\n"), f"{face}: half-closed within a stream, answered", got)
            check(got.count(b"\n:\n\n") == 1, f"{face}: and asked once", got)
    check(not wait_for(gate, "client_gone", seconds=0), "and is not gone", gate.text[-3:])


def memory_kb(gate):
    with open(f"/proc/{gate.process.pid}/status") as file:
        return int(next(line for line in file if line.startswith("VmHWM")).split()[1])


def bombs(gate, upstream):
    """A few KB that would be 200 MB: nobody unpacks them."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = b" " * (1 << 20)
    bomb = b"".join(packer.compress(zeros) for _ in range(200)) + packer.flush()
    before = memory_kb(gate)
    for face, (endpoint, _, _) in FACES.items():
        answer = gate.post("/v1" + endpoint, bomb[:90000], {"content-encoding": "gzip"})
        check(answer.status == 415, f"{face}: a bomb of a client: 415", answer.body)
        for stream, kind in ((False, "application/json"), (True, "text/event-stream")):
            upstream.say(Reply(200, bomb, {"content-type": kind, "content-encoding": "gzip"}))
            answer = gate.post("/v1" + endpoint, request(face, HI, stream))
            check(answer.status == 502, f"{face}: a bomb of an upstream: 502", answer.body)
    check(memory_kb(gate) - before < 50000, "and no memory went for it", f"{before} {memory_kb(gate)} KB")


def upstreams(gate, upstream):
    path = "/v1/chat/completions"
    limited = Reply(429, b'{"error": {"message": "slow down", "code": "rate"}}', {"retry-after": "7", "x-ratelimit-remaining": "0"})
    for face, (endpoint, whole, events) in FACES.items():
        for stream in (False, True):
            body = request(face, LOOKED_UP, stream)
            name = f"{face}{' streamed' if stream else ''}"
            upstream.say(limited)
            answer = gate.post("/v1" + endpoint, body)
            check((answer.status, answer.headers.get("retry-after")) == (429, "7"), f"{name}: 429 with retry-after", answer.headers)
            check(answer.body == limited.pieces[0], f"{name}: as the upstream said it", answer.body)
            upstream.say(Reply(cut="reset"))
            before = len(upstream.requests)
            answer = gate.post("/v1" + endpoint, body)
            check(answer.status == 502 and is_error(answer, face), f"{name}: reset before the head: 502", answer.body)
            check(len(upstream.requests) == before + 1, f"{name}: a request is sent once", len(upstream.requests) - before)
            upstream.say(Reply(cut="silent"))
            answer = gate.post("/v1" + endpoint, body)
            check(answer.status == 504 and is_error(answer, face), f"{name}: silence: 504", answer.body)
            for what, reply in [("malformed", Reply(200, b'{"choices": [')), ("empty", Reply(200, b"")),
                                ("HTML", Reply(200, b"<html>", {"content-type": "text/html"})),
                                ("compressed", Reply(200, gzip.compress(json.dumps(whole(None, [FINE])).encode()), {"content-encoding": "gzip"}))]:
                upstream.say(reply)
                answer = gate.post("/v1" + endpoint, body)
                check(answer.status == 502 and is_error(answer, face), f"{name}: {what}: 502", f"{answer.status} {answer.body[:200]}")
        data = events("I look.", [FINE])
        for cut in range(1, len(data)):
            for how in ("close", "reset"):
                upstream.say(sse(data[:cut], cut=how))
                answer = None
                try:
                    answer = gate.post("/v1" + endpoint, request(face, LOOKED_UP, True))
                except OSError as error:
                    check(False, f"{face}, cut after event {cut}: an answer", repr(error))
                if answer:
                    check(b"call_2" not in answer.body and b'"refund"' not in answer.body.split(b'"ledgergate"')[0],
                          f"{face}, {how} after event {cut}: no held call", answer.body)
                    check(b"error" in answer.body, f"{face}, {how} after event {cut}: it says so", answer.body)
        upstream.say(sse(data[:-1]))  # ends as HTTP says, without its last event
        answer = gate.post("/v1" + endpoint, request(face, LOOKED_UP, True))
        check(b"call_2" not in answer.body, f"{face}: a stream without its last event releases no call", answer.body)
    upstream.replies.clear()


def gone(gate, upstream, folder):
    body = json.dumps(request("completions", HI, True)).encode()
    upstream.say(sse(completion_chunks("word " * 50), pause_s=0.1))
    connection = socket.create_connection(("127.0.0.1", gate.port))
    connection.sendall(post_head(gate, f"Content-Length: {len(body)}", "Content-Type: application/json") + body)
    connection.recv(1000)
    connection.close()
    check(upstream.requests[-1].gone.wait(20), "a client that hangs up cancels the upstream")
    upstream.say(Reply(cut="silent"))
    connection = socket.create_connection(("127.0.0.1", gate.port))
    connection.sendall(post_head(gate, f"Content-Length: {len(body)}", "Content-Type: application/json") + body)
    end = time.monotonic() + 20
    while len(upstream.requests) < 1 or upstream.requests[-1].gone.is_set():
        time.sleep(0.01)
        if time.monotonic() > end:
            break
    time.sleep(0.2)
    connection.close()
    check(upstream.requests[-1].gone.wait(20), "before the head as well")
    check(any(line.get("end") == "client_gone" for line in wait_for(gate, "client_gone")), "and a line says so", gate.text[-3:])


def wait_for(gate, how, seconds=10):
    end = time.monotonic() + seconds
    while True:
        found = [line for line in gate.lines if line.get("end") == how]
        if found:
            return found
        if time.monotonic() > end:
            return []
        time.sleep(0.02)


def locked(folder, upstream):
    """A log that somebody has locked: calls are refused, and it is said."""
    with Gateway(folder, "--pack", "pack.yaml", "--upstream", upstream.url, "--store", "locked.db") as gate:
        other = sqlite3.connect(os.path.join(folder.path, "locked.db"), timeout=30, isolation_level=None)
        check(gate.get("/readyz").status == 200, "it is ready before")
        other.execute("BEGIN IMMEDIATE")
        for _ in range(2):
            answer = gate.get("/readyz")
            check(answer.status == 503 and "locked.db: another program has locked the log" in answer.json["why"],
                  "a log that is locked: it is not ready, and says why", f"{answer.status} {answer.body}")
        for face, (endpoint, whole, events) in FACES.items():
            for stream in (False, True):
                upstream.answer = lambda r: sse(events(None, [FINE])) if stream else whole(None, [FINE])
                answer = gate.post("/v1" + endpoint, request(face, LOOKED_UP, stream))
                check(calls_in(face, answer, stream) == [] if answer.status == 200 else answer.status >= 500,
                      f"{face}, a log that is locked: no call passes", answer.body)
                check(b"log" in answer.body, f"{face}: and the reply says why", answer.body)
        check(gate.get("/livez").status == 200, "it is alive")
        other.execute("ROLLBACK")
        other.close()
        for face, (endpoint, whole, _) in FACES.items():
            upstream.answer = lambda r: whole(None, [FINE])
            answer = gate.post("/v1" + endpoint, request(face, LOOKED_UP))
            check(len(calls_in(face, answer, False)) == 1, f"{face}, the log is free again: the call passes", answer.body)
        check(gate.get("/readyz").status == 200, "it is ready")
        code = gate.stop()
        check(code == 0, "nothing has failed", code)
    code, out, err = folder.run("log", "verify", "--re-execute", "--store", "locked.db")
    check(code == 0 and "3 the same" in out, "the log has what passed, and nothing of what did not", out + err)


def full(folder, upstream):
    """A disk that is full: RLIMIT_FSIZE is one that every machine has."""
    import resource
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300000, limit[1]))
    try:
        gate = Gateway(folder, "--pack", "pack.yaml", "--upstream", upstream.url, "--store", "full.db")
        gate.__enter__()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    upstream.answer = lambda r: completion("x" * 2000, [FINE])
    passed = refused = 0
    for n in range(150):
        answer = gate.post("/v1/chat/completions", request("completions", LOOKED_UP + [("user", f"{n}" + "y" * 2000)]))
        got = answer.status == 200 and len(calls_in("completions", answer, False))
        passed, refused = passed + bool(got), refused + (not got)
    check(passed > 0 and refused > 0, "once the disk is full, calls are refused", f"{passed} passed, {refused} refused")
    answer = gate.post("/v1/chat/completions", request("completions", LOOKED_UP))
    check(b"log" in answer.body and (answer.status >= 500 or calls_in("completions", answer, False) == []), "and it is said", answer.body)
    check(gate.stop() == 3, "with an exit code")
    code, out, err = folder.run("log", "verify", "--store", "full.db")
    check(code == 0, "what was acknowledged is there and whole", out + err)


def killed(folder, upstream):
    """kill -9 under load: what a client has got is in the log, and the log is whole."""
    upstream.answer = lambda r: completion(None, [FINE])
    have, lock = [], threading.Lock()

    def client(gate, who):
        for n in range(10000):
            try:
                answer = gate.post("/v1/chat/completions", request("completions", LOOKED_UP + [("user", f"{who} {n}")]))
            except OSError:
                return
            if calls_in("completions", answer, False):
                with lock:
                    have.append(answer.headers["x-ledgergate-decision-id"])

    for round in range(3):
        gate = Gateway(folder, "--pack", "pack.yaml", "--upstream", upstream.url, "--store", "killed.db")
        gate.__enter__()
        threads = [threading.Thread(target=client, args=(gate, f"{round}.{i}")) for i in range(8)]
        for thread in threads:
            thread.start()
        before = len(have)
        end = time.monotonic() + 60
        while len(have) < before + 60 and time.monotonic() < end:
            time.sleep(0.01)
        gate.process.kill()
        for thread in threads:
            thread.join()
        gate.stop()
        check(len(have) > before, "calls went through before it was killed")
        code, out, err = folder.run("log", "verify", "--store", "killed.db", "--re-execute")
        check(code == 0, "the log is whole, and every decision is what is decided now", out + err)
    _, out, _ = folder.run("log", "export", "--store", "killed.db")
    lost = [id for id in have if id not in out]
    _, shown, _ = folder.run("log", "show", "--store", "killed.db", "--json")
    lost = [id for id in lost if id not in shown]
    check(not lost, f"all {len(have)} decisions that a client has got are in the log", lost[:5])


def unread(folder, upstream):
    """Nobody reads the lines: no request waits for that, and neither does the end."""
    port = socket.create_server(("127.0.0.1", 0))
    number = port.getsockname()[1]
    port.close()
    process = subprocess.Popen([BIN, "serve", "--pack", "pack.yaml", "--upstream", upstream.url, "--listen", f"127.0.0.1:{number}"],
                               cwd=folder.path, env=folder.environment, stderr=subprocess.PIPE)
    upstream.answer = lambda r: completion("hello")
    body = json.dumps(request("completions", HI))
    end = time.monotonic() + 30
    connection = http.client.HTTPConnection("127.0.0.1", number, timeout=30)
    while time.monotonic() < end:
        try:
            connection.connect()
            break
        except OSError:
            time.sleep(0.05)
    good = 0
    for _ in range(1000):  # of some 300 bytes a line: four times what a pipe holds
        connection.request("POST", "/v1/chat/completions", body)
        good += connection.getresponse().read() != b""
    connection.close()
    check(good == 1000, "lines that nobody reads hold up no request", good)
    process.terminate()
    try:
        check(process.wait(60) == 0, "nor the end", process.returncode)
    except subprocess.TimeoutExpired:
        check(False, "nor the end")
        process.kill()
    process.stderr.close()


def graceful(folder, upstream):
    with Gateway(folder, "--pack", "pack.yaml", "--upstream", upstream.url, "--store", "end.db") as gate:
        upstream.say(sse(completion_chunks("one two three four five six seven"), pause_s=0.2))
        got = []
        thread = threading.Thread(target=lambda: got.append(gate.post("/v1/chat/completions", request("completions", HI, True))))
        thread.start()
        while not upstream.requests or upstream.requests[-1].json.get("messages", [{}])[-1].get("content", "")[:2] != "hi":
            time.sleep(0.01)
        time.sleep(0.3)
        code = gate.stop()
        thread.join()
        check(code == 0 and got and text_in("completions", got[0], True) == "one two three four five six seven",
              "SIGTERM finishes what is in flight", got and got[0].body)


def early(folder):
    """An upstream that answers before it has read the request: what is sent on is the request's own bytes, or nothing."""
    server = socket.create_server(("127.0.0.1", 0))
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    got = bytearray()

    def answer():
        connection = server.accept()[0]
        with connection:
            connection.recv(2000)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
                               b"Content-Length: 1000000\r\n\r\nxxx")
            time.sleep(0.3)
            connection.settimeout(10)
            try:
                while more := connection.recv(65536):
                    got.extend(more)
            except OSError:
                pass

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
    with Gateway(folder, "--pack", "pack.yaml", "--upstream", url) as gate:
        answer = gate.post("/v1/chat/completions", request("completions", [("user", "a" * 14_000_000)]))
        check(answer.status == 502, "a reply that cannot be read: 502", answer.status)
        thread.join(30)
        odd = bytes(got).replace(b"a", b"")
        check(len(odd) < 200 and b"\0" not in odd, "nothing but the request goes up", odd[:200])
        check(gate.post("/v1/chat/completions", b"{").status == 400, "and the gateway lives")
    server.close()


def restarted(folder, upstream):
    """A conversation that goes on after a restart is the same one in the log."""
    for _ in range(2):
        with Gateway(folder, "--pack", "pack.yaml", "--upstream", upstream.url, "--store", "again.db") as gate:
            upstream.answer = lambda r: completion(None, [FINE])
            gate.post("/v1/chat/completions", request("completions", LOOKED_UP))
    code, out, err = folder.run("log", "export", "--store", "again.db")
    records = [json.loads(line) for line in out.splitlines() if '"kind"' in line]
    names = {r["payload"]["conversation"] for r in records if r["kind"] == "decision"}
    events = [r for r in records if r["kind"] == "event"]
    check(code == 0 and len(names) == 1, "one name for one conversation", err + str(names))
    check(events and len({json.dumps({**r["payload"], "previous": ""}, sort_keys=True) for r in events}) == len(events), "each event once",
          len(events))


with Folder() as folder, Upstream() as upstream:
    folder.write("pack.yaml", DESK)
    folder.write("c.yaml", f"""
listen: 127.0.0.1:0
routes: [{{path: /v1, upstream: {{url: "{upstream.url}"}}, pack: pack.yaml}}]
store: faults.db
limits: {{body_bytes: 100K}}
timeouts: {{header: 1s, body: 1s, first_byte: 700ms, idle: 5s}}
""")
    with Gateway(folder, "--config", "c.yaml") as gate:
        smuggled(gate, upstream)
        bodies(gate, upstream)
        half_closed(gate, upstream)
        bombs(gate, upstream)
        upstreams(gate, upstream)
        gone(gate, upstream, folder)
    code, out, err = folder.run("log", "verify", "--store", "faults.db", "--re-execute")
    check(code == 0, "the log verifies after all of it", out + err)
    locked(folder, upstream)
    full(folder, upstream)
    killed(folder, upstream)
    early(folder)
    restarted(folder, upstream)
    graceful(folder, upstream)
    unread(folder, upstream)
done()
