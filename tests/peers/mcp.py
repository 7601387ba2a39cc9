"""The Model Context Protocol with others: real clients call the simulator, and real servers are called by our executors.

    mcp.py [WORD...]      only those whose name holds one of the words

Clients: npm's SDK 1.x and its client 2.x, once as it is and once asked to speak the newest revision, and PyPI's SDK, likewise. Servers:
filesystem, memory and everything, as processes of ours (support_execute makes the calls), and behind `ledgergate simulate --real` and `--to`. Needs what install.sh installs.

The last line is the sum: `N passed, N failed, N skipped`.
"""

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BIN = os.path.abspath(os.environ.get("LEDGERGATE_BIN") or os.path.join(ROOT, "build", "release", "ledgergate"))
EXECUTE = os.path.join(os.path.dirname(BIN), "tests", "support_execute")
PACKAGES = os.path.join(ROOT, "build", "peers-clients")
PYTHON = os.path.join(PACKAGES, "venv-mcp", "bin", "python")
SERVERS = os.path.join(PACKAGES, "node_modules", "@modelcontextprotocol")
SECONDS = 120  # only what hangs

ADA = {"user_id": "ada_1", "name": {"first_name": "Ada", "last_name": "Byron"}, "email": "ada@example.com",
       "address": {"address1": "1 Long Lane", "address2": "", "city": "Austin", "country": "USA", "state": "TX", "zip": "78701"},
       "payment_methods": {"gift_card_1": {"source": "gift_card", "id": "gift_card_1", "balance": 20}}, "orders": []}
SMALL_DB = {"orders": {}, "products": {}, "users": {"ada_1": ADA}}
CALLS = [["find_user_id_by_email", {"email": "ada@example.com"}], ["get_user_details", {"user_id": "ada_1"}],
         ["get_user_details", {"user_id": "nobody"}], ["get_user_details", {}], ["no_such_tool", {}]]
OLD, NEW = "2025-11-25", "2026-07-28"
MUST_RUN = bool(os.environ.get("CI") or os.environ.get("LEDGERGATE_CI"))

outcomes, skipped = [], []


def must(ok, sentence, detail=""):
    outcomes.append(bool(ok))
    print(f"{'ok' if ok else 'FAILED':<8}{sentence}", flush=True)
    if not ok:
        print("    | " + str(detail)[:1500])
    return ok


# --- Clients --------------------------------------------------------------------------------------


class Simulator:
    def __init__(self, folder, *words):
        self.process = subprocess.Popen([BIN, "simulate", *words, "--listen", "127.0.0.1:0"], cwd=folder, stderr=subprocess.PIPE)
        self.port = json.loads(self.process.stderr.readline())["port"]
        self.url = f"http://127.0.0.1:{self.port}/mcp"

    def __enter__(self):
        return self

    def call(self, name, **arguments):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        body = json.dumps({"name": name, "arguments": arguments, "requestor": "assistant"})
        connection.request("POST", "/sessions/default/calls", body, {"content-type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        connection.close()
        return answer

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        must(self.process.wait(timeout=60) == 0, "the simulator ends as asked")
        self.process.stderr.close()


def ask(name, command, url, calls):
    ended = subprocess.run([*command, url, json.dumps(calls)], capture_output=True, text=True, timeout=SECONDS, check=False)
    if not must(ended.returncode == 0, f"{name} lists and calls", ended.stderr[-1500:]):
        return None
    return json.loads(ended.stdout)


def text_of(result):
    return result["content"][0]["text"] if result.get("content") else ""


def play(name, command, revision, url):
    got = ask(name, command, url, CALLS)
    if not got:
        return
    found, details, nobody, empty, unknown = got["results"]
    must(got["revision"] == revision, f"{name} speaks {revision}", got["revision"])
    must("get_user_details" in got["tools"] and "exchange_delivered_order_items" in got["tools"], f"{name} sees the tools", got["tools"])
    must(not found.get("isError") and "ada_1" in text_of(found), f"{name} gets what is there", found)
    must(not details.get("isError") and json.loads(text_of(details) or "{}") == ADA, f"{name} gets the record", details)
    must(nobody.get("isError") is True, f"{name} gets the tool's error as a result", nobody)
    must(empty.get("isError") is True and "user_id" in text_of(empty), f"{name} is told what is wrong with arguments", empty)
    must("no_such_tool" in unknown.get("thrown", ""), f"{name} is told that there is no such tool", unknown)


# With an outputSchema the clients compare what comes with it, errors too.
def play_structured(name, command, url):
    got = ask(name, command, url, [["get_weather", {"place": "Oslo"}], ["get_weather", {}]])
    if got:
        fine, wrong = got["results"]
        must(fine.get("structuredContent") == json.loads(text_of(fine) or "null"), f"{name} takes structured content", fine)
        must(wrong.get("isError") is True and "thrown" not in wrong, f"{name} takes an error of such a tool", wrong)


def clients():
    node = ["node", os.path.join(HERE, "clients", "mcp.mjs")]
    python = [PYTHON, "-B", os.path.join(HERE, "clients", "mcp_client.py")]
    return {"npm sdk 1": ([*node, "sdk", PACKAGES], OLD), "npm client 2": ([*node, "client", PACKAGES], OLD),
            "npm client 2 modern": ([*node, "client-modern", PACKAGES], NEW), "PyPI mcp": ([*python, "auto"], NEW),
            "PyPI mcp legacy": ([*python, "legacy"], OLD)}


def run_clients(wanted):
    output = {"type": "object", "properties": {"celsius": {"type": "number"}}, "required": ["celsius"], "additionalProperties": False}
    tool = {"name": "get_weather", "description": "The weather at a place", "outputSchema": output,
            "inputSchema": {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]}}
    with tempfile.TemporaryDirectory(prefix="ledgergate-mcp-") as folder:
        with open(os.path.join(folder, "small-db.json"), "w", encoding="utf-8") as file:
            json.dump(SMALL_DB, file)
        with open(os.path.join(folder, "tools.json"), "w", encoding="utf-8") as file:
            json.dump({"tools": [tool]}, file)
        with Simulator(folder, "--pack", os.path.join(ROOT, "packs", "retail"), "--state", "small-db.json") as sim:
            for name, (command, revision) in wanted.items():
                play(name, command, revision, sim.url)
        with Simulator(folder, "tools.json") as sim:
            for name, (command, _) in wanted.items():
                play_structured(name, command, sim.url)


# --- Servers --------------------------------------------------------------------------------------


def execute(server, arguments, lines, **config):
    command = ["node", os.path.join(SERVERS, f"server-{server}", "dist", "index.js"), *arguments]
    spec = json.dumps({"spec": "stdio:" + json.dumps(command), **config})
    ended = subprocess.run([EXECUTE, spec], input="".join(json.dumps(line) + "\n" for line in lines), capture_output=True, text=True,
                           timeout=SECONDS, check=False)
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    if not must(ended.returncode == 0 and len(answers) == len(lines), f"server-{server} is called", ended.stderr):
        return None
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=False).stdout
    must(f"server-{server}/dist" not in left, f"server-{server} is gone with its executor")
    return answers


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def filesystem():
    with tempfile.TemporaryDirectory(prefix="ledgergate-files-") as folder:
        folder, path = os.path.realpath(folder), os.path.join(os.path.realpath(folder), "a.txt")
        tape = os.path.join(folder, "tape.jsonl")
        got = execute("filesystem", [folder], [{"list": True}, call("write_file", path=path, content="grüße\n"), call("read_text_file", path=path),
                                               call("read_text_file", path="/etc/passwd"), call("read_text_file"), call("nothing")], record=tape)
        if not got:
            return
        listed, written, read, outside, empty, unknown = got
        must("write_file" in listed["tools"] and len(listed["tools"]) > 10, "filesystem: tools", listed)
        with open(path, encoding="utf-8") as file:
            must(written["outcome"] == "done" and file.read() == "grüße\n", "filesystem: a write", written)
        must(read["text"] == "grüße\n" and read["structured"] == {"content": "grüße\n"}, "filesystem: a read, with its structure", read)
        must(all(a["outcome"] == "done" and a["is_error"] for a in (outside, empty, unknown)), "filesystem: errors of tools",
             (outside, empty, unknown))
        with open(tape, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        must(len(lines) == 5 and lines[1]["structuredContent"] == {"content": "grüße\n"}, "filesystem: the tape", lines)
        ended = subprocess.run([EXECUTE, json.dumps({"spec": f"recorded:{tape}"})], input=json.dumps(call("read_text_file", path=path)) + "\n",
                               capture_output=True, text=True, timeout=SECONDS, check=False)
        must(json.loads(ended.stdout or "{}").get("structured") == {"content": "grüße\n"}, "filesystem: recalled from its tape", ended.stdout)


# The same server behind the simulator: reads are real and writes are not; or all is real, and written down to be recalled.
def hybrid():
    with tempfile.TemporaryDirectory(prefix="ledgergate-files-") as folder, tempfile.TemporaryDirectory(prefix="ledgergate-tape-") as other:
        folder, tape = os.path.realpath(folder), os.path.join(other, "tape.jsonl")
        old, new = os.path.join(folder, "old.txt"), os.path.join(folder, "new.txt")
        with open(old, "w", encoding="utf-8") as file:
            file.write("old")
        spec = "stdio:" + json.dumps(["node", os.path.join(SERVERS, "server-filesystem", "dist", "index.js"), folder])
        with Simulator(other, "--real", spec) as sim:
            read, written = sim.call("read_text_file", path=old), sim.call("write_file", path=new, content="new")
            must(read["source"] == "real" and read["result"] == {"content": "old"}, "hybrid: a read is real", read)
            must(written["error"] is None and written["source"] != "real", "hybrid: a write is simulated", written)
            must(os.listdir(folder) == ["old.txt"], "hybrid: nothing was written", os.listdir(folder))
        with Simulator(other, "--to", spec, "--record", tape) as sim:
            sim.call("write_file", path=new, content="new")
            live = sim.call("read_text_file", path=new)
            must(sorted(os.listdir(folder)) == ["new.txt", "old.txt"], "recording: what is called is done", os.listdir(folder))
        with Simulator(other, "--recorded", tape) as sim:
            again = sim.call("read_text_file", path=new)
            must(again["source"] == "recorded" and again["result"] == live["result"] == {"content": "new"}, "recording: is recalled", again)


def memory():
    entity = {"name": "Ada", "entityType": "person", "observations": ["counts"]}
    got = execute("memory", [], [call("create_entities", entities=[entity]), call("read_graph"), call("open_nodes", names=["Ada"]),
                                 call("add_observations", observations=[{"entityName": "Nobody", "contents": ["x"]}])])
    if got:
        _, graph, nodes, wrong = got
        must(graph["outcome"] == "done" and entity in graph["structured"]["entities"], "memory: what one call writes the next reads", graph)
        must(nodes["value"]["entities"][0]["name"] == "Ada", "memory: a search", nodes)
        must(wrong["outcome"] == "done" and wrong["is_error"], "memory: an error of the tool", wrong)


def everything():
    got = execute("everything", [], [call("echo", message="ö"), call("get-sum", a=2, b=40), call("get-structured-content", location="Chicago"),
                                     call("get-tiny-image"), call("trigger-long-running-operation", duration=1, steps=4),
                                     call("get-resource-links", count=2)])
    if got:
        echo, total, weather, image, long_one, links = got
        must("ö" in echo["text"] and "42" in total["text"], "everything: texts", (echo, total))
        must(isinstance(weather["structured"], dict) and "temperature" in weather["structured"], "everything: structure", weather)
        must("[image image/png]" in image["text"], "everything: an image stands as one", image["text"][:200])
        must(long_one["outcome"] == "done" and "completed" in long_one["text"].lower(), "everything: progress on the way", long_one)
        must("resource_link" in links["text"], "everything: links", links["text"][:300])


def is_installed():
    copies = (("package-lock.json", "installed.json"), ("requirements-mcp.txt", "requirements-mcp.txt"))
    try:
        for lock, copy in copies:
            with open(os.path.join(HERE, lock), "rb") as wanted, open(os.path.join(PACKAGES, copy), "rb") as got:
                if wanted.read() != got.read():
                    return False
    except OSError:
        return False
    return shutil.which("node") is not None and os.access(EXECUTE, os.X_OK)


def main():
    servers = {"server-filesystem": filesystem, "server-filesystem behind": hybrid, "server-memory": memory,
               "server-everything": everything}
    named = [name for name in (*clients(), *servers) if not sys.argv[1:] or any(word in name for word in sys.argv[1:])]
    if not named:
        sys.exit(f"nothing has a name with {' or '.join(sys.argv[1:])}: {', '.join((*clients(), *servers))}")
    if is_installed():
        chosen = {name: how for name, how in clients().items() if name in named}
        if chosen:
            run_clients(chosen)
        for name, run in servers.items():
            if name in named:
                run()
    else:
        skipped.extend(named)
        for name in named:
            print(f"skipped: {name} (it is not in build/peers-clients, or there is no {EXECUTE}: tests/peers/install.sh says why)")
    failures = outcomes.count(False)
    print(f"{len(outcomes) - failures} passed, {failures} failed, {len(skipped)} skipped")
    sys.exit(1 if failures or (skipped and MUST_RUN) else 0)


main()
