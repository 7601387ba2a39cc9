"""Many clients at once while the configuration is read again and again: every answer is whole and right, no conversation meets
another, and the gateway ends with nothing left open."""

import json
import os
import random
import signal
import threading
import time

from _serve import DESK, FACES, LOOKED_UP, Folder, Gateway, Upstream, call, calls_in, check, done, request, sse

CLIENTS, ROUNDS = 8, 30


def script(upstream):
    """The last message says what the model proposes; asked again, it gives in."""

    def answer(r):
        body = r.json
        text = r.body.decode()
        face = "responses" if "input" in body else "messages" if "max_tokens" in body else "completions"
        amount = int(text.rsplit("amount:", 1)[1].split(":")[0])
        again = "is more than the" in text.rsplit("amount:", 1)[1]
        whole, events = FACES[face][1:]
        parts = ("No.", ()) if again else ("Yes.", [call("refund", {"order_id": "A1", "amount": amount}, f"c{amount}")])
        return sse(events(*parts), split=random.choice((None, 1000, 37))) if body.get("stream") else whole(*parts)

    upstream.answer = answer


def client(gate, who, wrong, counts):
    dice = random.Random(who)
    for n in range(ROUNDS):
        face, stream = dice.choice(list(FACES)), dice.random() < 0.5
        amount = dice.randrange(1, 100)
        turns = LOOKED_UP + [("user", f"client {who} round {n} amount:{amount}:")]
        try:
            answer = gate.post("/v1" + FACES[face][0], request(face, turns, stream), {"authorization": f"Bearer {who}"})
        except OSError as error:
            wrong.append(f"{who}.{n}: {error!r}")
            continue
        got = calls_in(face, answer, stream) if answer.status == 200 else answer.body
        if got != ([("refund", {"order_id": "A1", "amount": amount})] if amount <= 50 else []):
            wrong.append(f"{who}.{n} {face} {stream} {amount}: {answer.status} {got} {answer.body[:300]}")
        counts.append(amount <= 50)


def descriptors(gate):
    return len(os.listdir(f"/proc/{gate.process.pid}/fd"))


def decisions(gate):
    lines = gate.get("/metrics").body.decode().splitlines()
    return sum(int(line.rsplit(" ", 1)[1]) for line in lines if line.startswith("ledgergate_decisions_total{"))


with Folder() as folder, Upstream() as upstream:
    script(upstream)
    folder.write("pack.yaml", DESK)
    folder.write("c.yaml", f'listen: 127.0.0.1:0\nroutes: [{{path: /v1, upstream: {{url: "{upstream.url}"}}, pack: pack.yaml}}]\n'
                           "store: load.db\nloops: 3\n")
    with Gateway(folder, "--config", "c.yaml") as gate:
        gate.post("/v1/chat/completions", request("completions", [("user", "amount:1:")]))
        before = descriptors(gate)
        wrong, counts, decided = [], [], []
        threads = [threading.Thread(target=client, args=(gate, who, wrong, counts)) for who in range(CLIENTS)]
        for thread in threads:
            thread.start()
        while any(t.is_alive() for t in threads):
            gate.process.send_signal(signal.SIGHUP)
            decided.append(decisions(gate))
            time.sleep(0.05)
        for thread in threads:
            thread.join()
        check(not wrong, "every answer is right", "\n".join(wrong[:10]))
        check(decided == sorted(decided), "no reload takes back what was counted", decided)
        check(decisions(gate) >= CLIENTS * ROUNDS, "and nothing of it is lost", decisions(gate))
        check(len(counts) == CLIENTS * ROUNDS and any(counts) and not all(counts), "of calls of both kinds", len(counts))
        check(not any(line["event"] == "kept" for line in gate.lines), "every reload went well", gate.text[-5:])
        end = time.monotonic() + 20
        while descriptors(gate) > before + upstream.connections and time.monotonic() < end:
            time.sleep(0.1)
        check(descriptors(gate) <= before + upstream.connections, "and no descriptor is left open", descriptors(gate))
        text = gate.get("/metrics").body.decode()
        check("\nledgergate_requests_in_flight 0\n" in text, "nothing is in flight at the end")
    code, out, err = folder.run("log", "verify", "--store", "load.db", "--re-execute")
    check(code == 0, "the log verifies", out + err)
done()
