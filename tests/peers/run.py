"""Real clients, unmodified but for their base URL, through the gate: whole conversations with tools.

    run.py [WORD...]      only clients whose name holds one of the words

`browser` opens HTML pages in Chromium (browser.py, simulate_browser.py). Each client of clients/ plays shop.py's conversation against a scripted model: streamed and not; refused and asked again, mended,
or returned; after a 429 and a 400; and without a pack, where what the model's API was sent, and what it answered, must be
the same as without the gate. Needs what install.sh installs; LEDGERGATE_BIN names the program.

The last line is the sum: `N passed, N failed, N skipped`.
"""

import atexit
import collections
import concurrent.futures
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "support"))

import browser  # noqa: E402
import faces  # noqa: E402
import shop  # noqa: E402
import simulate_browser  # noqa: E402
from upstream import Reply, Upstream  # noqa: E402

BIN = os.path.abspath(os.environ.get("LEDGERGATE_BIN") or os.path.join(ROOT, "build", "release", "ledgergate"))
PACKAGES = os.path.join(ROOT, "build", "peers-clients")
PAGE = os.environ.get("LEDGERGATE_PAGE") or os.path.join(os.path.dirname(BIN), "tests", "support_page")
PACK = os.path.join(ROOT, "packs", "retail")
BROWSER = "browser"
JOB_SECONDS = 120  # only what hangs

PYTHON = ["openai-chat", "openai-responses", "openai-stored-responses", "anthropic", "agents-chat",
          "agents-responses", "langgraph-openai-chat", "langgraph-openai-responses", "langgraph-anthropic"]
NODE = ["openai-chat", "openai-responses", "anthropic"]
# Fields that belong to one connection (RFC 9110, 7.6.1), to where it leads, or say how long the body is.
OF_A_HOP = {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "proxy-connection", "host",
            "content-length", "via"}

CONFIG = """listen: 127.0.0.1:0
routes:
  - path: /v1
    upstream: {{url: "{url}"}}
    pack: {pack}
    on_refusal: return
"""


class Model:
    """The scripted model: a request names its script as its model."""

    def __init__(self):
        self.scripts, self.asked, self.lock = {}, collections.defaultdict(list), threading.Lock()
        self.kept = {}  # responses by their id, which a request may continue

    def begin(self, name, replies):
        with self.lock:
            self.scripts[name], self.asked[name] = list(replies), []

    def answer(self, request):
        name = request.json["model"]
        with self.lock:
            self.asked[name].append(request)
            number = len(self.asked[name])
            script = self.scripts.get(name)
            said = script.pop(0) if script else Reply(500, b'{"error": {"message": "the script has ended"}}',
                                                      {"x-should-retry": "false"})
        if isinstance(said, Reply):
            return said
        face = faces.face_of(request.path)
        try:
            face.validate(request.json, **({"kept": self.kept} if face.name == "responses" else {}))
        except faces.Invalid as why:
            return Reply(400, json.dumps(face.error(f"as the vendor's API would say: {why}", "invalid")).encode())
        reply = face.reply(f"{name}-{number}", *said, model=name)
        if face.name == "responses" and request.json.get("store", True):
            self.kept[reply["id"]] = reply
        if not request.json.get("stream"):
            return Reply(200, faces.dump(reply).encode(), {"x-request-id": f"req_{name}"})
        sse = face.stream(reply)
        pieces = [sse[i:i + 333] for i in range(0, len(sse), 333)]
        return Reply(200, pieces, {"content-type": "text/event-stream; charset=utf-8"}, chunked=True)


class Gate:
    """`ledgergate serve` as a process; `url` is where it listens. It ends with this one, however that ends."""

    def __init__(self, *options):
        self.process = subprocess.Popen([BIN, "serve", *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
        self.lines, self.ready = [], threading.Event()
        atexit.register(self.stop)
        threading.Thread(target=self.read, daemon=True).start()
        if not self.ready.wait(60) or self.process.poll() is not None:
            raise SystemExit("ledgergate serve does not listen:\n" + "\n".join(self.lines))

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line.decode("utf-8", "replace").rstrip())
            if '"event":"listening"' in self.lines[-1]:
                self.url = f"http://127.0.0.1:{json.loads(self.lines[-1])['port']}"
                self.ready.set()
        self.ready.set()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(60)


class Client:
    """A client as a process that takes jobs."""

    def __init__(self, name):
        self.name = name
        language, _, kind = name.partition(" ")
        self.kind = kind
        if language == "npm":
            words = ["node", os.path.join(HERE, "clients", "sdk.mjs"), kind, PACKAGES]
        else:
            words = [os.path.join(PACKAGES, "venv", "bin", "python"), "-B", os.path.join(HERE, "clients", "sdk.py"), kind]
        quiet = {**os.environ, "NODE_NO_WARNINGS": "1", "PYTHONWARNINGS": "ignore"}
        for proxy in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            quiet.pop(proxy, None)
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=quiet, text=True)

    @property
    def face(self):
        if "anthropic" in self.kind:
            return faces.FACES["messages"]
        return faces.FACES["responses" if self.kind.endswith("responses") else "completions"]

    def play(self, base_url, model, stream, users):
        timer = threading.Timer(JOB_SECONDS, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(json.dumps({
                "base_url": base_url, "model": model, "stream": stream, "users": users, "system": shop.SYSTEM,
                "tools": shop.TOOLS, "results": shop.RESULTS}) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        finally:
            timer.cancel()
        return json.loads(line) if line else {"made": [], "error": "the client has ended"}

    def stop(self):
        self.process.stdin.close()
        self.process.wait(30)


# --- What must hold -------------------------------------------------------------------------------

class Failed(Exception):
    pass


def must(ok, sentence, detail=""):
    if not ok:
        raise Failed(f"{sentence}\n{detail}")


def made_of(script):
    return in_order([name, json.loads(arguments)] for _, name, arguments in shop.MADE[script])


def in_order(made):
    """Calls of one message are made in any order: LangGraph makes them at once."""
    return sorted(made, key=json.dumps)


class Test:
    """One client, streamed or not: each method is a test."""

    def __init__(self, house, client, stream):
        self.house, self.client, self.stream = house, client, stream

    def play(self, what, base_url, replies, users=shop.USERS):
        """Returns what the client did, and what the model was asked."""
        name = re.sub(r"\W+", "-", f"{self.client.name} {'streamed' if self.stream else 'whole'} {what}")
        self.house.model.begin(name, replies)
        answer = self.client.play(base_url, name, self.stream, users)
        asked = self.house.model.asked[name]
        answer["made"] = in_order(answer["made"])
        must("error" not in answer, "the client comes to its end", answer.get("error"))
        must(not self.house.model.scripts[name], "all that the model had to say was asked for",
             f"{len(asked)} requests, left: {self.house.model.scripts[name]}")
        return answer, asked

    def refused_and_asked_again(self):
        answer, asked = self.play("asked-again", self.house.ask.url, shop.SCRIPTS["asked again"])
        must(answer["made"] == made_of("asked again"), "the calls that may be made, and no other", answer["made"])
        must(answer["said"] == [shop.DECLINED, shop.DONE], "what the model said at last", answer["said"])
        must(b"retail_refund_payment_in_order_history" in asked[3].body, "asked again, the model is told the rule", asked[3].body)
        must(b"retail_refund_payment_in_order_history" in asked[5].body,
             "a call that was taken out from among others is told with the next request", asked[5].body)
        must(b"#W4410927" in asked[2].body and b"Ledger" in asked[2].body, "the ledger is in the prompt", asked[2].body)

    def refused_and_mended(self):
        answer, _ = self.play("mended", self.house.ask.url, shop.SCRIPTS["mended"])
        must(answer["made"] == made_of("mended"), "the mended call, and not the refused one", answer["made"])
        must(answer["said"] == [shop.DONE, shop.DONE], "what the model said at last", answer["said"])

    def refused_and_returned(self):
        answer, _ = self.play("returned", self.house.give_back.url, shop.SCRIPTS["returned"])
        must(answer["made"] == made_of("returned"), "the calls that may be made, and no other", answer["made"])
        must("refused" in answer["said"][0] and answer["said"][1] == shop.DONE, "the refusal is said", answer["said"])

    def too_many_requests(self):
        busy = Reply(429, json.dumps(self.client.face.error("slow down", "rate_limit_exceeded")).encode(),
                     {"retry-after": "1"})
        answer, asked = self.play("429", self.house.ask.url, [shop.READS[0], busy, (shop.DONE, [])], shop.USERS[:1])
        must(answer["said"] == [shop.DONE], "it waits and asks again", answer["said"])
        must(len(asked) == 3 and asked[1].json == asked[2].json, "the same", f"{len(asked)}")
        must(asked[2].at - asked[1].at >= 1.0, "not before the upstream's retry-after", asked[2].at - asked[1].at)

    def a_bad_request(self):
        wrong = Reply(400, json.dumps(self.client.face.error("no such thing here", "invalid_request_error")).encode())
        try:
            self.play("400", self.house.ask.url, [wrong], shop.USERS[:1])
        except Failed as told:
            must(re.search("(BadRequest|InvalidRequest)Error: .*no such thing here", str(told)), "the client's own error", told)
        else:
            raise Failed("a 400 of the upstream reaches the client")

    def a_stream_that_breaks_off(self):
        """Before its last event: what it has proposed so far must not be made."""
        face = self.client.face
        sse = face.stream(face.reply("cut", None, [shop.LOOK, shop.LOOK_AGAIN]))
        marks = [at for at in range(len(sse)) if sse.startswith((b"event:", b"data:"), at)]
        for end in (marks[-1], marks[len(marks) // 2] + 9):
            broken = Reply(200, [sse[:end]], {"content-type": "text/event-stream"}, cut="close", chunked=True)
            name = f"{self.client.name} broken {end}".replace(" ", "-")
            self.house.model.begin(name, [shop.READS[0], broken])
            answer = self.client.play(self.house.ask.url, name, True, shop.USERS[:1])
            told = answer.get("error", "")
            must(told and "the script has ended" not in told, f"the client sees that the stream was cut at byte {end} of {len(sse)}", answer)
            must(answer["made"] == [[shop.FIND[1], json.loads(shop.FIND[2])]], "and makes no call of it", answer["made"])

    def without_a_pack(self):
        url = self.house.upstream.url.removesuffix("/v1")
        direct, sent = self.play("plain", url, shop.SCRIPTS["plain"])
        through, passed = self.play("plain", self.house.plain.url, shop.SCRIPTS["plain"])
        must(direct == through, "the client does the same", f"{direct}\n{through}")
        must(direct["made"] == made_of("plain"), "all calls are made", direct["made"])
        must(len(sent) == len(passed), "as many requests", f"{len(sent)} {len(passed)}")
        for one, other in zip(sent, passed):
            must((one.method, one.path, one.body) == (other.method, other.path, other.body), "the same bytes",
                 f"{one.body}\n{other.body}")
            must(fields_of(one.headers) == fields_of(other.headers), "the same fields",
                 f"{sorted(fields_of(one.headers) - fields_of(other.headers))}\n"
                 f"{sorted(fields_of(other.headers) - fields_of(one.headers))}")
        for request in sent:
            self.same_reply(request, url)

    def same_reply(self, request, url):
        """What the model's API answers to a request of the client, directly and through the gate."""
        name = request.json["model"]
        said = shop.SCRIPTS["plain"][1]
        got = []
        for base in (url, self.house.plain.url):
            self.house.model.begin(name, [said])
            connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=60)
            sent = {key: value for key, value in request.headers if key.lower() not in OF_A_HOP}
            connection.request(request.method, request.path, request.body, sent)
            reply = connection.getresponse()
            got.append((reply.status, reply.read(), fields_of(reply.getheaders())))
            connection.close()
        must(got[0][:2] == got[1][:2], "the same reply", f"{got[0][:2]}\n{got[1][:2]}")
        lacking, more = got[0][2] - got[1][2], got[1][2] - got[0][2]
        more = {field for field in more if not field[0].startswith("x-ledgergate-") and field[0] != "date"}
        must(not lacking and not more, "the same fields of the reply", f"lacking {lacking}, more {more}")


TESTS = [Test.refused_and_asked_again, Test.refused_and_mended, Test.refused_and_returned, Test.too_many_requests,
         Test.a_bad_request, Test.without_a_pack]
STREAMED = [Test.a_stream_that_breaks_off]


def fields_of(headers):
    """Without those of one hop, and those that count attempts or name the moment."""
    return {(name.lower(), value) for name, value in headers
            if name.lower() not in OF_A_HOP and "retry-count" not in name.lower() and "idempotency" not in name.lower()}


# --- The house ------------------------------------------------------------------------------------

class House:
    """The model's API and the three gates before it."""

    def __init__(self, folder):
        self.model = Model()
        self.upstream = Upstream()
        self.upstream.answer = self.model.answer
        self.upstream.__enter__()
        config = os.path.join(folder, "return.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(url=self.upstream.url, pack=PACK))
        self.gates = []
        listen = ["--listen", "127.0.0.1:0", "--upstream", self.upstream.url]
        self.ask = self.open(*listen, "--pack", PACK, "--store", os.path.join(folder, "log.db"))
        self.give_back = self.open("--config", config)
        self.plain = self.open(*listen)

    def open(self, *options):
        self.gates.append(Gate(*options))
        return self.gates[-1]

    def close(self):
        codes = [gate.stop() for gate in self.gates]
        self.upstream.__exit__()
        return codes


def run_client(house, name):
    """All tests of one client: [(name, what failed or None)]."""
    outcomes, client = [], Client(name)
    for stream in (False, True):
        for test in TESTS + (STREAMED if stream else []):
            title = f"{name}{', streamed' if stream else ''}: {test.__name__.replace('_', ' ')}"
            try:
                test(Test(house, client, stream))
                outcomes.append((title, None))
            except (Failed, OSError, ValueError, http.client.HTTPException) as why:
                outcomes.append((title, f"{why}" if isinstance(why, Failed) else repr(why)))
    client.stop()
    return outcomes


def is_installed(name):
    """Is what the lock files name there? install.sh leaves a copy of each behind once it is."""
    if name == BROWSER and not (browser.chromium() and os.access(PAGE, os.X_OK)):
        return False
    lock, copy = ("requirements.txt", "requirements.txt") if name.startswith("PyPI") else ("package-lock.json", "installed.json")
    try:
        with open(os.path.join(HERE, lock), "rb") as wanted, open(os.path.join(PACKAGES, copy), "rb") as got:
            return wanted.read() == got.read()
    except OSError:
        return False


def show(outcomes):
    for title, why in outcomes:
        print(f"{'FAILED' if why else 'ok':<8}{title}", flush=True)
        for line in (why or "").splitlines()[:12]:
            print("    | " + line[:1500])


def main():
    begin = time.monotonic()
    names = [f"PyPI {kind}" for kind in PYTHON] + [f"npm {kind}" for kind in NODE] + [BROWSER]
    wanted = [name for name in names if not sys.argv[1:] or any(word in name for word in sys.argv[1:])]
    if not wanted:
        sys.exit(f"no client has a name with {' or '.join(sys.argv[1:])}: {', '.join(names)}")
    skipped = [name for name in wanted if not is_installed(name)]
    outcomes = play([name for name in wanted if name not in skipped and name != BROWSER])
    if BROWSER in wanted and BROWSER not in skipped:
        with tempfile.TemporaryDirectory(prefix="ledgergate-pages-") as folder:
            opened = browser.run(PAGE, PACKAGES, folder)
            opened += simulate_browser.run(BIN, PACKAGES, folder, browser.chromium())
        show(opened)
        outcomes += opened
    failed = sum(why is not None for _, why in outcomes)
    print(f"{len(wanted) - len(skipped)} clients, {time.monotonic() - begin:.0f} s")
    for name in skipped:
        more = f"; or there is no chromium, or no {PAGE}" if name == BROWSER else ""
        print(f"skipped: {name} (it is not in build/peers-clients: tests/peers/install.sh says why{more})")
    must_run = bool(os.environ.get("CI") or os.environ.get("LEDGERGATE_CI"))
    if skipped and must_run:
        print("where CI or LEDGERGATE_CI is set, no client may be skipped")
    print(f"{len(outcomes) - failed} passed, {failed} failed, {len(skipped)} skipped")
    sys.exit(1 if failed or (skipped and must_run) else 0)


def play(names):
    """All tests of these clients."""
    outcomes = []
    if not names:
        return outcomes
    with tempfile.TemporaryDirectory(prefix="ledgergate-peers-") as folder:
        house = House(folder)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for got in pool.map(lambda name: run_client(house, name), names):
                show(got)
                outcomes += got
        codes = house.close()
        outcomes.append(("SIGTERM ends the gates", None if codes == [0] * len(codes) else f"exit codes {codes}"))
        verified = subprocess.run([BIN, "log", "verify", "--store", os.path.join(folder, "log.db")], capture_output=True)
        outcomes.append(("the log verifies", None if verified.returncode == 0 else verified.stdout.decode()))
        show(outcomes[-2:])
    return outcomes


main()
