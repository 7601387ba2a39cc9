"""The log beside a gateway that writes to it: what is redacted or pruned meanwhile is gone, no call is refused for it, and what
was redacted does not come back when the conversation goes on."""

import datetime
import json
import os
import subprocess
import sys
import threading

from _serve import DESK, LOOKED_UP, SOURCE, TIMEOUT_S, Folder, Gateway, Upstream, call, calls_in, check, done, request
from upstream import completion

FINE = call("refund", {"order_id": "A1", "amount": 20}, "call_2")
CARD = "4111 1111 1111 1111"
PATH = "/v1/chat/completions"
ASKED = [("user", f"My card is {CARD}."), *LOOKED_UP]


def gateway(folder, upstream):
    return Gateway(folder, "--pack", "pack.yaml", "--upstream", upstream.url, "--store", "log.db")


def ask(gate, turns):
    """The decision's id; the call has passed."""
    answer = gate.post(PATH, request("completions", turns))
    check(answer.status == 200 and len(calls_in("completions", answer, False)) == 1, "the call passes", f"{answer.status} {answer.body}")
    return answer.headers.get("x-ledgergate-decision-id")


def log(folder, *args, code=0):
    got, out, err = folder.run("log", *args, "--store", "log.db")
    check(got == code, f"log {args} exits with {code}", f"{got}\n{out}{err}")
    return out


def both_verify(folder, what):
    check("the log is whole" in log(folder, "verify", "--re-execute"), what)
    script = os.path.join(SOURCE, "scripts", "verify_log.py")
    got = subprocess.run([sys.executable, "-B", script, "log.db"], cwd=folder.path, capture_output=True, text=True, timeout=TIMEOUT_S)
    check(got.returncode == 0, f"{what}, for the other verifier", got.stdout + got.stderr)


def holds(folder, text):
    """Does any file of the log?"""
    for ending in ("", "-wal"):
        path = os.path.join(folder.path, "log.db" + ending)
        if os.path.exists(path):
            with open(path, "rb") as file:
                if text.encode() in file.read():
                    return True
    return False


def conversation_of(folder, decision):
    for line in log(folder, "show", "--json").splitlines():
        record = json.loads(line)
        if record["id"] == decision:
            return record["payload"]["conversation"]
    check(False, "the decision is in the log", decision)
    return ""


class Others:
    """Clients that ask all the time, each with a conversation of its own."""

    def __init__(self, gate, count=4):
        self.gate, self.over, self.passed = gate, threading.Event(), 0
        self.threads = [threading.Thread(target=self.run, args=(n,)) for n in range(count)]

    def run(self, who):
        n = 0
        while not self.over.is_set():
            ask(self.gate, [("user", f"I am {who}, for the {n}th time.")] + LOOKED_UP)
            n += 1
            self.passed += 1

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()


def beside(folder, upstream):
    with gateway(folder, upstream) as gate:
        first = ask(gate, ASKED)
        lone = ask(gate, [("user", "Something else.")] + LOOKED_UP)
        check(holds(folder, CARD), "what people say is in the log")
        name = conversation_of(folder, first)
        with Others(gate) as others:
            log(folder, "redact", lone)
            log(folder, "redact", "--conversation", name, "--why", "asked for")
            before = others.passed
            for _ in range(5):
                log(folder, "redact", "--conversation", name)
                both_verify(folder, "a log that is written and redacted")
            check(others.passed > before, "the gateway went on", f"{before} {others.passed}")
        ask(gate, [("user", "One more commit, so that nothing is left in the write-ahead log.")] + LOOKED_UP)
        check(not holds(folder, CARD), "what was redacted is in no file")
        ask(gate, [*ASKED, ("user", "And now?")])
        check(not holds(folder, CARD), "the next turn does not bring it back")
        check(gate.get("/readyz").status == 200, "it is ready")
        both_verify(folder, "a log that goes on")
    with gateway(folder, upstream) as gate:
        ask(gate, [*ASKED, ("user", "And now, after a restart?")])
        ask(gate, ASKED)
        check(not holds(folder, CARD), "nor after a restart, when all of it is told again")
        log(folder, "prune", "--before", (datetime.datetime.now(datetime.timezone.utc)).strftime("%Y-%m-%dT%H:%M:%SZ"))
        ask(gate, [("user", "Behind it.")] + LOOKED_UP)
        both_verify(folder, "a log that was pruned")
        ask(gate, ASKED)
        check(not holds(folder, CARD), "nor after that")
    both_verify(folder, "the end")


def one_gateway(folder, upstream):
    """A second gateway on the same log is refused."""
    with gateway(folder, upstream):
        code, out, err = folder.run("serve", "--pack", "pack.yaml", "--upstream", upstream.url, "--store", "log.db", "--listen", "127.0.0.1:0")
        check(code in (2, 3) and "another process writes to this log" in err, "one gateway a log", f"{code}\n{out}{err}")


with Folder() as folder, Upstream() as upstream:
    folder.write("pack.yaml", DESK)
    upstream.answer = lambda r: completion(None, [FINE])
    beside(folder, upstream)
    one_gateway(folder, upstream)
done()
