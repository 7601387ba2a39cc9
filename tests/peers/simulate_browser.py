"""The simulator's page in Debian's Chromium: two simulators, one of the retail pack and one of a hostile document."""

import contextlib
import hashlib
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SECONDS = 300  # only what hangs

ADDRESS = {"address1": "1 Way", "address2": "", "city": "Oslo", "country": "USA", "state": "NY", "zip": "10001"}


def order(number, status):
    return {"order_id": number, "user_id": "ann_lee_1", "address": ADDRESS, "status": status, "fulfillments": [],
            "items": [{"name": "Lamp", "product_id": "p1", "item_id": "i1", "price": 10.5, "options": {"colour": "red"}}],
            "payment_history": [{"transaction_type": "payment", "amount": 10.5, "payment_method_id": "credit_card_1"}]}


STATE = {
    "products": {"p1": {"name": "Lamp", "product_id": "p1", "variants": {
        "i1": {"item_id": "i1", "options": {"colour": "red"}, "available": True, "price": 10.5}}}},
    "users": {"ann_lee_1": {"user_id": "ann_lee_1", "name": {"first_name": "Ann", "last_name": "Lee"}, "address": ADDRESS,
                            "email": "ann@example.com", "orders": ["#W1000001", "#W1000002"],
                            "payment_methods": {"credit_card_1": {"source": "credit_card", "brand": "visa", "last_four": "1111", "id": "credit_card_1"}}}},
    "orders": {"#W1000001": order("#W1000001", "pending"), "#W1000002": order("#W1000002", "delivered")},
}

EVIL = "</script><img src=x onerror=globalThis.owned=1><b>bold</b>"
HOSTILE = {"tools": [
    {"name": "get_\u202eevil", "description": EVIL + "\u202e\u200b" + "x" * 5000,
     "inputSchema": {"type": "object", "properties": {EVIL: {"type": "string", "description": EVIL, "default": EVIL},
                                                      "__proto__": {"type": "integer", "default": 9223372036854775807},
                                                      "constructor": {"enum": [EVIL, "\u202e"]}}},
     "outputSchema": {"type": "object", "properties": {"text": {"const": EVIL}, "n": {"const": 9223372036854775807}}, "required": ["text", "n"]}},
    {"name": EVIL[:60], "description": "w" * 3000, "inputSchema": {"type": "object", "properties": {"a" * 300: {"type": "object"}}}},
    {"name": "__proto__", "description": "", "inputSchema": {"type": "object"}},
]}


@contextlib.contextmanager
def simulator(program, *words):
    """The address of one that serves until the block ends."""
    with subprocess.Popen([program, "simulate", *words, "--listen", "127.0.0.1:0", "--json"], stderr=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stderr:
                told = json.loads(line) if line.startswith("{") else {}
                if told.get("event") == "listening":
                    yield f"http://{told['address']}"
                    return
            raise RuntimeError("the simulator does not listen")
        finally:
            process.terminate()
            process.stderr.close()
            process.wait()


def write(folder, name, value):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file)
    return path


def run(program, packages, folder, chromium):
    """[(name, what failed or None)]; `program` is ledgergate."""
    shots = os.environ.get("LEDGERGATE_SHOTS")
    state, tools = write(folder, "state.json", STATE), write(folder, "hostile-tools.json", HOSTILE)
    token = "sha256:" + hashlib.sha256(b"open sesame").hexdigest()
    with simulator(program, "--pack", os.path.join(ROOT, "packs", "retail"), "--state", state) as url, \
            simulator(program, tools) as hostile, simulator(program, tools, "--token", token) as locked:
        words = ["node", os.path.join(HERE, "simulate_browser.mjs"), packages, url, hostile, locked, *([os.path.abspath(shots)] if shots else [])]
        done = subprocess.run(words, stdout=subprocess.PIPE, env={**os.environ, "CHROMIUM": chromium}, text=True, timeout=SECONDS)
    outcomes = [(f"browser: {line['name']}", line["why"]) for line in map(json.loads, done.stdout.splitlines())]
    if done.returncode != 0:
        outcomes.append(("browser: the simulator's page comes to its end", f"exit code {done.returncode}"))
    return outcomes
