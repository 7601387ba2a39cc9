"""Ten thousand exchanges of every kind, and neither memory nor descriptors grow: allowed and refused calls, streams, errors of both
sides, clients and upstreams that hang up in the midst, reloads."""

import json
import os
import signal
import socket
import threading

from _serve import DESK, FACES, LOOKED_UP, Folder, Gateway, Reply, Upstream, call, check, done, request, sse

EXCHANGES, WARM, CLIENTS = 10000, 4000, 4
GROWTH_KB = 12000  # of 6,000 exchanges: two KB each would be a leak that shows
KINDS = ("fine", "refused", "text", "error", "cut", "reset", "broken", "gone", "malformed", "streamed", "streamed cut", "streamed gone")
FINE, REFUSED = (call("refund", {"order_id": "A1", "amount": n}, "call_2") for n in (20, 80))


def answer(asked):
    """As the request's model says; the second time, where the model is asked again, it has nothing more to say."""
    body = json.loads(asked.body)
    face = next(f for f, (path, _, _) in FACES.items() if asked.path.endswith(path))
    _, whole, events = FACES[face]
    kind = body["model"]
    if kind == "refused":
        return whole("I cannot.", []) if b"is more than" in asked.body else whole(None, [REFUSED])
    if kind == "error":
        return Reply(429, b'{"error": {"message": "slow down"}}', {"retry-after": "1"})
    if kind == "broken":
        return Reply(200, b'{"choices": [', {"content-type": "application/json"})
    if kind == "reset":
        return Reply(cut="reset")
    if kind == "cut":
        return Reply(200, b'{"id": ', {"content-length": "1000"}, cut="close")
    if kind.startswith("streamed"):
        pieces = events("I look.", [FINE])
        return sse(pieces[:-2], cut="close") if kind == "streamed cut" else sse(pieces)
    return whole("Hello." if kind == "text" else None, [] if kind == "text" else [FINE])


class Client:
    """Keeps its connection as long as the gateway does."""

    def __init__(self, gate, who):
        self.gate, self.who, self.connection, self.wrong = gate, who, None, []

    def one(self, n):
        kind, face = KINDS[n % len(KINDS)], list(FACES)[n // len(KINDS) % 3]
        turns = LOOKED_UP + [("user", f"{self.who} {n} " + "x" * 300)]
        body = {**request(face, turns, kind.startswith("streamed")), "model": kind}
        text = json.dumps(body)
        if kind == "malformed":
            text = text[:-5]
        self.connection = self.connection or self.gate.connect()
        self.connection.request("POST", "/v1" + FACES[face][0], text, {"content-type": "application/json"})
        if kind.endswith("gone"):
            self.connection.sock.shutdown(socket.SHUT_RDWR)
            self.connection.close()
            self.connection = None
            return
        try:
            got = self.connection.getresponse()
            data = got.read()
        except OSError as problem:
            self.connection.close()
            self.connection, data = None, repr(problem).encode()
            got = None
        passed = bool(got) and got.status == 200 and b"call_2" in data.split(b'"ledgergate"')[0]
        if passed != (kind in ("fine", "streamed")):
            self.wrong.append(f"{n} {kind} {face}: {got and got.status} {data[:300]}")

    def run(self, numbers):
        for n in numbers:
            self.one(n)


def descriptors(gate):
    return len(os.listdir(f"/proc/{gate.process.pid}/fd"))


def memory_kb(gate):
    with open(f"/proc/{gate.process.pid}/status") as file:
        return int(next(line for line in file if line.startswith("VmRSS")).split()[1])


def drive(gate, first, last):
    clients = [Client(gate, who) for who in range(CLIENTS)]
    threads = [threading.Thread(target=c.run, args=(range(first + c.who, last, CLIENTS),)) for c in clients]
    for thread in threads:
        thread.start()
    while any(t.is_alive() for t in threads):
        gate.process.send_signal(signal.SIGHUP)
        gate.get("/metrics")
        threads[0].join(2)
    wrong = [line for c in clients for line in c.wrong]
    check(not wrong, "every answer is right", "\n".join(wrong[:10]))
    for c in clients:
        if c.connection:
            c.connection.close()


with Folder() as folder, Upstream() as upstream:
    upstream.answer = answer
    folder.write("pack.yaml", DESK)
    folder.write("c.yaml", f'listen: 127.0.0.1:0\nroutes: [{{path: /v1, upstream: {{url: "{upstream.url}"}}, pack: pack.yaml}}]\n'
                           "store: flat.db\nloops: 2\nlimits: {sessions: 64, upstream_connections: 16}\nlog: {only_problems: true}\n")
    # A sanitizer keeps what was freed for a while: that is no growth of ours.
    with Gateway(folder, "--config", "c.yaml", environment={"ASAN_OPTIONS": "quarantine_size_mb=1:thread_local_quarantine_size_kb=64"}) as gate:
        drive(gate, 0, WARM)
        memory, open_files = memory_kb(gate), descriptors(gate)
        drive(gate, WARM, EXCHANGES)
        grown = memory_kb(gate) - memory
        check(grown < GROWTH_KB, f"memory is flat after {EXCHANGES} exchanges", f"{memory} KB and {grown} more")
        check(descriptors(gate) <= open_files + 16, "descriptors are", f"{open_files} {descriptors(gate)}")
        print(f"{memory} KB after {WARM} exchanges, {grown} KB more after {EXCHANGES}; descriptors {open_files}, {descriptors(gate)}")
        text = gate.get("/metrics").body.decode()
        check("\nledgergate_requests_in_flight 0\n" in text, "nothing is in flight at the end", text)
    code, out, err = folder.run("log", "verify", "--store", "flat.db")
    check(code == 0, "the log verifies", out + err)
done()
