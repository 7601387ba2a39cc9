#!/usr/bin/env python3
"""The conformance tests of CEL, run by us and by every installed peer: one table in Markdown.

    bench/peers/cel/conformance.py [--data FOLDER] [--ours BINARY]

A cell is `passed`, or `passed / failed` or `passed / failed / unsupported`. Unsupported is what an
implementation says it does not have at all: see docs/conformance.md.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
PEERS = ROOT / "build/peers/cel"
KEYS = ("passed", "failed", "unsupported")


def commands(folder):
    python = [str(PEERS / "venv/bin/python3"), "-B", str(HERE / "python.py")]
    node = ["node", str(HERE / "node.mjs")]
    return {
        "cel-go": [str(PEERS / "bin/cel-go"), "conformance", folder],
        "cel (Rust)": [str(PEERS / "bin/cel-rust"), "conformance", folder],
        "common-expression-language": python + ["common-expression-language", "conformance", folder],
        "@marcbachmann/cel-js": node + ["marcbachmann", "conformance", folder],
        "cel-python": python + ["cel-python", "conformance", folder],
        "cel-js": node + ["cel-js", "conformance", folder],
    }


def ours(binary, data):
    done = subprocess.run([binary], capture_output=True, text=True, check=False,
                          env=os.environ | {"LEDGERGATE_DATA": str(data)})
    found = re.findall(r"^(\w+) +(\d+) passed +(\d+) failed", done.stdout, re.M)
    return {name: (int(passed), int(failed), 0) for name, passed, failed in found}


def cell(counts):
    while len(counts) > 1 and counts[-1] == 0:
        counts = counts[:-1]
    return " / ".join(map(str, counts))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("LEDGERGATE_DATA", ROOT.parent / "shared")))
    parser.add_argument("--ours", default=str(ROOT / "build/release/tests/conformance_cel_conformance"))
    options = parser.parse_args()
    columns = {"LedgerGate": ours(options.ours, options.data)}
    for name, command in commands(str(options.data / "data/cel-conformance")).items():
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        except (FileNotFoundError, subprocess.CalledProcessError) as error:
            print(f"left out: {name}: {error}", file=sys.stderr)
            continue
        entries = map(json.loads, done.stdout.splitlines())
        columns[name] = {e["file"]: tuple(e[k] for k in KEYS) for e in entries}
    files = sorted({f for c in columns.values() for f, n in c.items() if sum(n)})
    print("| file | cases | " + " | ".join(columns) + " |")
    print("|---|---:|" + "---:|" * len(columns))
    none = (0, 0, 0)
    for file in files:
        cases = max(sum(c.get(file, none)) for c in columns.values())
        print(f"| {file} | {cases} | " + " | ".join(cell(c.get(file, none)) for c in columns.values()) + " |")
    sums = [tuple(map(sum, zip(*c.values()))) for c in columns.values()]
    print(f"| **all** | {max(map(sum, sums))} | " + " | ".join(f"**{cell(s)}**" for s in sums) + " |")


main()
