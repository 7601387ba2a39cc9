"""What schemathesis (PyPI) says of documents that `ledgergate simulate` serves.

Each document is served as a whole, and schemathesis sends it examples, its coverage of schemas, random requests and sequences of
them, valid and not, with a fixed seed. What it finds is a failure: a status, header, type or body that the document does not
allow, an invalid request that is taken or a valid one that is refused, credentials that are not looked at, a deleted thing
that is still there. Documents that name answers for errors are tested as published; of others, which name none for what
every server must refuse, as served (GET /openapi.json): nothing but answers is added there. docs/simulate-rest.md says what
cannot pass, and why. Two documents at a time.

    python3 tests/peers/rest.py [WORD ...]    only documents so named
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BIN = os.environ.get("LEDGERGATE_BIN", os.path.join(ROOT, "build", "ledgergate"))
PACKAGES = os.path.join(ROOT, "build", "peers-clients")
TOOL = os.path.join(PACKAGES, "venv-rest", "bin", "schemathesis")
DATA = os.path.join(os.environ.get("LEDGERGATE_DATA", os.path.join(ROOT, "..", "shared")), "data", "openapi")
SECRET = "secret"
SECONDS = 540  # of one document, at most, on a machine that does other things too

# (document, as published?, random requests of an operation, operationIds that are left out: docs/simulate-rest.md says why)
DOCUMENTS = [
    ("slack.json", True, 1, []),
    ("discourse.json", False, 1, []),
    ("notion.json", False, 2, ["retrieveAPage"]),
    ("museum.yaml", False, 5, []),
    ("nytimes-books.json", False, 5, []),
    ("pagerduty-mcp-integration.json", True, 20, []),
    ("oai-petstore.json", True, 20, []),
    ("oai-uspto.json", True, 20, []),
    ("oai-callback-example.json", False, 20, []),
    ("xkcd.json", False, 20, []),
]


def config_of(document):
    """The credentials of every scheme: they are one secret here."""
    lines = []
    for name, scheme in document.get("components", {}).get("securitySchemes", {}).items():
        kind, http = scheme.get("type"), scheme.get("scheme", "").lower()
        lines.append(f"[auth.openapi.{json.dumps(name)}]")
        if kind == "apiKey":
            lines.append(f'api_key = "{SECRET}"')
        elif kind == "http" and http == "basic":
            lines.append(f'username = "user"\npassword = "{SECRET}"')
        else:
            lines.append(f'bearer = "{SECRET}"')
    return "\n".join(lines) + "\n"


class Simulator:
    def __init__(self, path):
        words = [BIN, "simulate", path, "--listen", "127.0.0.1:0", "--credential", SECRET]
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        self.url = None
        for line in self.process.stderr:
            found = re.search(r'"port":(\d+)', line)
            if found:
                self.url = f"http://127.0.0.1:{found[1]}"
                break
        # What else it says is read, or it would wait for a reader.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def stop(self):
        self.process.terminate()
        return self.process.wait(30)


def command(name, published, examples, without, folder, url):
    """What runs schemathesis: its words."""
    with urllib.request.urlopen(url + "/openapi.json", timeout=60) as answer:
        served = answer.read()
    document = os.path.join(folder, "served.json")
    with open(document, "wb") as file:
        file.write(served)
    config = os.path.join(folder, "schemathesis.toml")
    with open(config, "w", encoding="utf-8") as file:
        file.write(config_of(json.loads(served)))
    words = [TOOL, "--config-file", config, "run", os.path.join(DATA, name) if published else document, "--url", url,
             "--seed", "1", "--max-examples", str(examples), "--generation-database", "none", "--no-color",
             "--warnings", "off"]
    for operation in without:
        words += ["--exclude-operation-id", operation]
    return words


def run(entry):
    """(what was found or None, requests, seconds)."""
    name, published, examples, without = entry
    begin = time.monotonic()
    simulator = Simulator(os.path.join(DATA, name))
    code, told = None, None
    with tempfile.TemporaryDirectory(prefix="ledgergate-rest-") as folder:
        try:
            quiet = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
            words = command(name, published, examples, without, folder, simulator.url)
            told = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, cwd=folder, env=quiet)
        except (OSError, TypeError) as why:  # the simulator did not begin, or has ended
            return f"no document was served: {why}", 0, time.monotonic() - begin
        except subprocess.TimeoutExpired:
            return f"it was not done within {SECONDS} s", 0, time.monotonic() - begin
        finally:
            code = simulator.stop()
    seconds = time.monotonic() - begin
    passed = re.search(r"(\d+) generated", told.stdout)
    requests = int(passed[1]) if passed else 0
    if code != 0:
        return f"the simulator ended with {code}", requests, seconds
    if told.returncode == 0 and requests > 0:
        return None, requests, seconds
    at = [told.stdout.find(word) for word in (" FAILURES ", " ERRORS ")]
    return told.stdout[max(max(at), 0):] + told.stderr, requests, seconds


def installed():
    try:
        with open(os.path.join(HERE, "requirements-rest.txt"), "rb") as wanted, \
                open(os.path.join(PACKAGES, "requirements-rest.txt"), "rb") as got:
            return wanted.read() == got.read()
    except OSError:
        return False


def main():
    begin = time.monotonic()
    wanted = [d for d in DOCUMENTS if not sys.argv[1:] or any(word in d[0] for word in sys.argv[1:])]
    why = None if installed() else "schemathesis is not in build/peers-clients: tests/peers/install.sh says why"
    why = why or (None if os.path.isdir(DATA) else f"there is no {DATA}")
    if why:
        print(f"skipped: rest ({why})")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(1 if os.environ.get("CI") or os.environ.get("LEDGERGATE_CI") else 0)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        running = {pool.submit(run, entry): entry for entry in wanted}
        for done in concurrent.futures.as_completed(running):
            name, published, _, without = running[done]
            found, requests, seconds = done.result()
            failed += found is not None
            what = f"{name} as {'published' if published else 'served'}"
            what += f", without {', '.join(without)}" if without else ""
            print(f"{'FAILED' if found else 'ok':<8}schemathesis, {what}: {requests} requests, {seconds:.0f} s", flush=True)
            for line in (found or "").splitlines()[:40]:
                print("    | " + line[:400])
    print(f"{len(wanted)} documents, {time.monotonic() - begin:.0f} s")
    print(f"{len(wanted) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
