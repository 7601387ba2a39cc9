#!/usr/bin/env python3
"""LedgerGate's JSON and JSON Schema beside their peers, in one run, on the same inputs.

    bench/schema_side_by_side.py [--rounds N] [--only WORD] [--write]

Every round runs each program once, one after the other, so that whatever else the machine does meets
all of them. A program takes the median of many samples in its steady state; what is shown is the
median of the rounds, and of each round's ratio to LedgerGate. --write puts the tables into
docs/benchmarks-schema.md. Needs `make peers` and the shared data.
"""
import argparse
import collections
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "bench/peers/schema"
PEERS = ROOT / "build/peers/schema"
INPUTS = PEERS / "inputs"
PAGE = ROOT / "docs/benchmarks-schema.md"
PYTHON = PEERS / "venv/bin/python"
OURS = "ledgergate"

# What ours is compared with, and how many times faster it is meant to be.
GOALS = {
    ("parse", "JSON.parse"): 5,
    ("parse", "jansson"): 20,
    ("validate", "ajv"): 1,
    ("parse and validate", "JSON.parse and ajv"): 5,
    ("compile", "ajv"): 40,
    ("compile", "jsonschema-rs (Python)"): 1,
    ("validate", "jsonschema-rs (Python)"): 1,
    ("parse and validate", "Python json and jsonschema-rs (Python)"): 1,
}


def find(name):
    found = ROOT / "build/release/bench" / name
    return str(found) if found.exists() else None


def programs():
    """Pairs of (command, working folder) that print measures."""
    node = HERE / "peer.mjs"
    for what in ("json", "schema"):
        inputs = str(INPUTS / f"{what}.json")
        yield [find(f"bench_{what}"), inputs], ROOT
        yield ["node", str(node), what, inputs], PEERS
        if what == "json" and find("bench_jansson"):
            yield [find("bench_jansson"), inputs], ROOT
        yield [str(PYTHON), str(HERE / "peer.py"), what, inputs], ROOT


def whole_processes():
    """Commands that read the file of recordings once; timed from outside."""
    trace = str(INPUTS / "trace.json")
    read = "import json,sys; print(len(json.load(open(sys.argv[1], 'rb'))))"
    yield "cat", ["cat", trace], ROOT
    yield OURS, [find("bench_json"), "--once", trace], ROOT
    yield "JSON.parse", ["node", str(HERE / "peer.mjs"), "once", trace], PEERS
    if find("bench_jansson"):
        yield "jansson", [find("bench_jansson"), "--once", trace], ROOT
    yield "Python json", ["python3", "-c", read, trace], ROOT


def wall_ns(command, folder):
    start = time.perf_counter_ns()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter_ns() - start


def run_round(only):
    """{(what, input): {tool: ns}} of one round."""
    seen = collections.defaultdict(dict)
    for command, folder in programs():
        if only and only not in " ".join(command):
            continue
        done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
        for line in done.stdout.splitlines():
            m = json.loads(line)
            seen[m["what"], m["input"]][m["tool"]] = m["ns"]
    for _ in range(0 if only else 7):
        for tool, command, folder in whole_processes():
            key = ("read a file of 50 MB, whole process", "recordings")
            best = seen[key].get(tool)
            spent = wall_ns(command, folder)
            seen[key][tool] = min(spent, best) if best else spent
    return seen


def shown(ns):
    for unit, size in (("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def tables(rounds):
    lines = []
    inputs = collections.defaultdict(list)
    for what, name in rounds[0]:
        inputs[what].append(name)
    for what, names in inputs.items():
        lines += ["", f"### {what[0].upper()}{what[1:]}", "",
                  "| input | program | median | to LedgerGate | goal |", "| --- | --- | ---: | ---: | --- |"]
        for name in names:
            for tool in rounds[0][what, name]:
                times = [r[what, name][tool] for r in rounds]
                ratio = statistics.median(r[what, name][tool] / r[what, name][OURS] for r in rounds)
                goal = GOALS.get((what, tool))
                verdict = "" if goal is None else f"{goal}x: {'met' if ratio >= goal else 'NOT met'}"
                if tool == "cat":
                    verdict = f"at least 0.5x: {'met' if ratio >= 0.5 else 'NOT met'}"
                lines.append(f"| {name} | {tool} | {shown(statistics.median(times))} | "
                             f"{ratio:.2f}x | {verdict} |")
    return "\n".join(lines) + "\n"


def versions():
    def first_line(*command):
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=PEERS).stdout.split("\n")[0]
    packages = json.loads((HERE / "package.json").read_text())["dependencies"]
    pins = [line for line in (HERE / "requirements.txt").read_text().split() if "==" in line]
    return (f"Node {first_line('node', '--version')}, ajv {packages['ajv']}, Python "
            f"{platform.python_version()}, {', '.join(pins)}, jansson "
            f"{first_line('pkg-config', '--modversion', 'jansson')}")


def write_page(text):
    begin, end = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
    page = PAGE.read_text()
    head, rest = page.split(begin)
    PAGE.write_text(head + begin + text + end + rest.split(end)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="only the programs whose command has this word")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not find("bench_json") or not PYTHON.exists():
        sys.exit("schema_side_by_side: build the benchmarks and run `make peers` first")
    if not (INPUTS / "trace.json").exists():
        data = os.environ.get("LEDGERGATE_DATA", str(ROOT.parent / "shared")) + "/data"
        subprocess.run([sys.executable, "-B", str(HERE / "make_inputs.py"), data, str(INPUTS)], check=True)
    rounds = [run_round(options.only) for _ in range(options.rounds)]
    text = f"{options.rounds} rounds; {versions()}.\n" + tables(rounds)
    print(text)
    (ROOT / "build/bench-schema.json").write_text(json.dumps(
        [[{"what": k[0], "input": k[1], **v} for k, v in r.items()] for r in rounds], indent=1))
    if options.write:
        write_page(text)


if __name__ == "__main__":
    main()
