"""What the load goes through, each started for itself: a process or a few, with their processor time and memory.

    with Relay(spot) as proxy: proxy.address, proxy.path, proxy.pids(), proxy.resident_mb()
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "build/load"  # on a disk, not tmpfs: the log is there
START_S = 90

NGINX = """worker_processes {workers};
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_max_body_size 64m;
    client_body_buffer_size 64k;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    keepalive_requests 100000000;
    upstream model {{ server 127.0.0.1:{upstream}; keepalive 256; keepalive_requests 100000000; }}
    server {{
        listen 127.0.0.1:{port} backlog=1024;
        location / {{
            proxy_pass http://model;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
        }}
    }}
}}
"""

LITELLM = """model_list:
  - model_name: bench
    litellm_params: {{model: openai/bench, api_base: "http://127.0.0.1:{upstream}/v1", api_key: bench}}
litellm_settings: {{num_retries: 0, telemetry: false}}
"""

GATE = """listen: 127.0.0.1:{port}
routes:
  - path: /v1
    upstream: {{url: "http://127.0.0.1:{upstream}/v1"}}
{route}
{store}
loops: {workers}
log: {{only_problems: true}}
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def children_of(pid):
    found = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += children_of(int(child))
    return found


class Proxy:
    """Runs on processors of its own, where there are enough."""

    name, why_not = None, None
    path = "/v1/chat/completions"
    environment = {}

    def __init__(self, upstream, cpus):
        self.port, self.upstream, self.cpus = free_port(), upstream, cpus
        self.address = f"127.0.0.1:{self.port}"

    def fill(self, text, **more):
        return text.format(port=self.port, upstream=self.upstream, workers=len(self.cpus), folder=FOLDER, **more)

    def command(self):
        raise NotImplementedError

    def __enter__(self):
        self.log = open(FOLDER / f"{self.name}.out", "wb")
        self.process = subprocess.Popen(
            self.command(), cwd=FOLDER, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={**os.environ, **self.environment}, preexec_fn=lambda: os.sched_setaffinity(0, self.cpus))
        end = time.monotonic() + START_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.__exit__()
                    raise SystemExit(f"{self.name} does not start; see {self.log.name}")
                time.sleep(0.1)

    def pids(self):
        return children_of(self.process.pid)

    def resident_mb(self):
        """What several processes share counts once."""
        sum_kb = 0
        for pid in self.pids():
            rows = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            sum_kb += sum(int(row.split()[1]) for row in rows if row.startswith("Pss:"))
        return sum_kb / 1024

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()


class Direct(Proxy):
    """None: the generator asks itself."""

    name = "direct"

    def __init__(self, upstream, cpus):
        super().__init__(upstream, cpus)
        self.address = f"127.0.0.1:{upstream}"

    def __enter__(self):
        return self

    def pids(self):
        return []

    def __exit__(self, *_):
        pass


class Relay(Proxy):
    name = "bare relay"

    def command(self):
        return [ROOT / "build/release/bench/bench_relay", "--listen", self.address, "--upstream",
                f"http://127.0.0.1:{self.upstream}", "--loops", str(len(self.cpus))]


class Nginx(Proxy):
    name = "nginx"
    program = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    why_not = None if program else "nginx is not installed (Debian: nginx-light)"

    def command(self):
        (FOLDER / "nginx.conf").write_text(self.fill(NGINX))
        return [self.program, "-c", FOLDER / "nginx.conf", "-p", FOLDER]


class LiteLLM(Proxy):
    name = "LiteLLM"
    program = ROOT / "build/peers/load/venv/bin/litellm"
    why_not = None if program.exists() else "LiteLLM is not installed (bench/peers/install.sh load)"
    environment = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR", "NO_DOCS": "True"}

    def command(self):
        (FOLDER / "litellm.yaml").write_text(self.fill(LITELLM))
        return [self.program, "--config", FOLDER / "litellm.yaml", "--host", "127.0.0.1", "--port", str(self.port),
                "--num_workers", str(len(self.cpus)), "--telemetry", "False"]


class Gate(Proxy):
    name = "ledgergate serve"
    route, store = f'    pack: "{ROOT / "packs/retail"}"', "store: gate.db"

    def __enter__(self):
        for old in FOLDER.glob("gate.db*"):
            old.unlink()
        return super().__enter__()

    def command(self):
        (FOLDER / "gate.yaml").write_text(self.fill(GATE, route=self.route, store=self.store))
        return [ROOT / "build/release/ledgergate", "serve", "--config", FOLDER / "gate.yaml"]

    def metrics(self):
        """Numbers without labels, and the sum of all decisions."""
        with socket.create_connection(("127.0.0.1", self.port), 5) as s:
            s.sendall(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            text = b"".join(iter(lambda: s.recv(1 << 16), b"")).decode()
        rows = [row.rsplit(" ", 1) for row in text.splitlines() if row.startswith("ledgergate_") and " " in row]
        numbers = {name: float(value) for name, value in rows if "{" not in name}
        numbers["decisions"] = sum(float(value) for name, value in rows if name.startswith("ledgergate_decisions_total{"))
        return numbers


class GateWithoutLog(Gate):
    name = "the same without a log"
    store = ""


class GateWithoutBlock(GateWithoutLog):
    name = "and without the ledger in the prompt"
    route = Gate.route + "\n    block: none"


class GateWithoutPack(GateWithoutLog):
    name = "and without a pack: nothing is judged"
    route = ""
