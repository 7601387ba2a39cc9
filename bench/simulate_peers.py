#!/usr/bin/env python3
"""`ledgergate simulate` beside Prism: the same document, the same requests, in one run.

    bench/simulate_peers.py [--rounds N] [--seconds S] [--connections C,...] [--write]

Both serve swagger-petstore.yaml in a process of one thread, both check requests and make answers up (`--dynamic`), or
both give the document's examples. wrk asks on C connections, a closed loop, for S seconds after a second that is not
counted. Programs take turns within a round, and a figure is the median of the rounds; a ratio is the median of the
rounds' ratios. --write puts the tables into docs/benchmarks-simulate.md. Needs `make build`, wrk,
`bench/peers/install.sh simulate` and the shared data.
"""
import argparse
import contextlib
import json
import os
import pathlib
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "bench/peers/simulate"
PRISM = ROOT / "build/peers/simulate/node_modules/.bin/prism"
PAGE = ROOT / "docs/benchmarks-simulate.md"
BINARY = ROOT / "build/release/ledgergate"
DATA = pathlib.Path(os.environ.get("LEDGERGATE_DATA", ROOT.parent / "shared")) / "data"
DOCUMENT = DATA / "openapi/swagger-petstore.yaml"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
WAYS = ("made up", "examples")
GOAL_RATE, GOAL_TAIL = 30, 0.1


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def command(program, way, port):
    if program == "Prism":
        extra = ["--dynamic"] if way == "made up" else []
        return [str(PRISM), "mock", "--host", "127.0.0.1", "--port", str(port), *extra, str(DOCUMENT)]
    extra = ["--dynamic"] if way == "made up" else []
    return [str(BINARY), "simulate", "--listen", f"127.0.0.1:{port}", *extra, str(DOCUMENT)]


@contextlib.contextmanager
def served(program, way):
    """The port of a running server; it is ended by its own process id."""
    port = free_port()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command(program, way, port), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            for _ in range(600):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                if process.poll() is not None:
                    log.seek(0)
                    sys.exit(f"{program} does not start:\n{log.read().decode()[-2000:]}")
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()
            process.wait(20)


def ask(program, port, connections, seconds):
    for length in (1, seconds):
        ended = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", f"-d{length}s", "--timeout", "10s", "-s", str(HERE / "requests.lua"),
             f"http://127.0.0.1:{port}"], capture_output=True, text=True, check=True)
    got = json.loads(ended.stdout.strip().splitlines()[-1])
    if got["broken"] or got["not_2xx"]:
        print(f"{program}: {got['not_2xx']} answers that are no 2xx, {got['broken']} broken", file=sys.stderr)
    return {"rate": got["requests"] * 1e6 / got["microseconds"], "p50": got["p50_us"], "p99": got["p99_us"],
            "bad": got["not_2xx"] + got["broken"]}


def measure(rounds, seconds, connections):
    found = {}
    for _ in range(rounds):
        for way in WAYS:
            for program in ("LedgerGate", "Prism"):
                with served(program, way) as port:
                    for many in connections:
                        found.setdefault((way, many, program), []).append(ask(program, port, many, seconds))
    return found


def table(found, connections):
    lines = ["| answers | connections | | requests a second | p50 µs | p99 µs | bad |", "| --- | ---: | --- | ---: | ---: | ---: | ---: |"]
    ratios = ["| answers | connections | requests, times Prism's | our p99 in parts of its p50 | goal: 30 times, a tenth |",
              "| --- | ---: | ---: | ---: | --- |"]
    for way in WAYS:
        for many in connections:
            ours, theirs = found[way, many, "LedgerGate"], found[way, many, "Prism"]
            for program, runs in (("LedgerGate", ours), ("Prism", theirs)):
                figure = {key: statistics.median(run[key] for run in runs) for key in ("rate", "p50", "p99")}
                lines.append(f"| {way} | {many} | {program} | {figure['rate']:,.0f} | {figure['p50']:,.0f} | "
                             f"{figure['p99']:,.0f} | {sum(run['bad'] for run in runs)} |")
            rate = statistics.median(a["rate"] / b["rate"] for a, b in zip(ours, theirs))
            tail = statistics.median(a["p99"] / b["p50"] for a, b in zip(ours, theirs))
            met = rate >= GOAL_RATE and tail < GOAL_TAIL
            ratios.append(f"| {way} | {many} | {rate:.1f} | {tail:.3f} | {'met' if met else 'not met'} |")
    return "\n".join(lines) + "\n\n" + "\n".join(ratios)


def version(of):
    return subprocess.run(of, capture_output=True, text=True, check=False).stdout.strip().splitlines()[:1]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--seconds", type=int, default=5)
    options.add_argument("--connections", default="1,64")
    options.add_argument("--write", action="store_true")
    given = options.parse_args()
    missing = [str(path) for path in (BINARY, PRISM, DOCUMENT) if not path.exists()]
    if missing:
        sys.exit("not here: " + ", ".join(missing))
    connections = [int(word) for word in given.connections.split(",")]
    before = os.getloadavg()[0]
    found = measure(given.rounds, given.seconds, connections)
    commit = version(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"])
    prism = json.loads((HERE / "package.json").read_text())["dependencies"]["@stoplight/prism-cli"]
    text = (f"{given.rounds} rounds of {given.seconds} s; LedgerGate {commit[0]}, Prism {prism}, Node "
            f"{version(['node', '--version'])[0]}, {os.cpu_count()} processors ({platform.machine()}), which wrk shares; load "
            f"{before:.1f} before, {os.getloadavg()[0]:.1f} after.\n\n" + table(found, connections))
    print(text)
    if given.write:
        page = PAGE.read_text()
        head, rest = page.split(BEGIN)
        PAGE.write_text(head + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1])


main()
