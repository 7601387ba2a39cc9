#!/usr/bin/env python3
"""`ledgergate audit` beside promptfoo and inspect-scout: the same checks on the same recordings, in one run.

    bench/audit_peers.py [--rounds N] [--nice N] [--write]

The recordings are written once as each program reads them, which is not timed. A round then runs every
program once, one after the other, each as a process of its own: seconds by the clock, and of processor
time, which other work on the machine disturbs less. What is shown is the median of the rounds, and of each
round's ratio to LedgerGate. Before that the programs have to agree on every conversation, check by check.
--write puts the tables into docs/benchmarks-audit.md. Needs `make build`, `bench/peers/install.sh audit`
and the shared data.
"""
import argparse
import collections
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HERE = ROOT / "bench/peers/audit"
PEERS = ROOT / "build/peers/audit"
WORK = ROOT / "build/bench-audit"
PAGE = ROOT / "docs/benchmarks-audit.md"
BINARY = ROOT / "build/release/ledgergate"
SCOUT = PEERS / "venv/bin/scout"
DATA = pathlib.Path(os.environ.get("LEDGERGATE_DATA", ROOT.parent / "shared")) / "data"
CHECKS = json.loads((HERE / "checks.json").read_text())
GOAL = 50
WHOLE = "ledgergate audit, all of it"
SUBSET = "ledgergate replay, these checks"
WHAT = {
    "used": "a tool is called", "many": "a tool is called more than so often",
    "sequence": "one tool, later another", "args": "a tool is called with this argument",
    "edge": "one tool right after another", "calls": "more calls than so many",
    "errors": "a call fails", "single_call_per_turn": "several calls in a message",
    "no_text_with_call": "text beside a call",
}


# --- Inputs -------------------------------------------------------------------------------------

def calls_of(message):
    return (message.get("tool_calls") or []) if message["role"] == "assistant" else []


def spans_of(messages):
    """The tool calls as promptfoo keeps them, each failed or not as its answer says."""
    failed = {m.get("tool_call_id") for m in messages if m["role"] == "tool" and m.get("error")}
    spans = []
    for message in messages:
        for call in calls_of(message):
            at = len(spans) + 1
            spans.append({
                "spanId": f"{at:016x}", "name": f"execute_tool {call['function']['name']}",
                "startTime": at, "endTime": at + 1, "statusCode": 2 if call.get("id") in failed else 1,
                "attributes": {"gen_ai.operation.name": "execute_tool",
                               "gen_ai.tool.name": call["function"]["name"],
                               "gen_ai.tool.call.arguments": call["function"]["arguments"]}})
    return spans


def pack_of(domain, names):
    """The checks as rules of a conversation."""
    asked = [CHECKS["used"], CHECKS["many"]["tool"], CHECKS["args"]["tool"], *CHECKS["sequence"], *CHECKS["edge"]]
    kind = "generic" if domain else "read"
    tools = {name: {"kind": "generic", "parameters": {"type": "object"}} for name in asked}
    for name in sorted(names):
        tools[name] = {"kind": kind, "parameters": {"type": "object"}, "returns": "text"}
    given = f"args.{CHECKS['args']['name']} == '{CHECKS['args']['value']}'"
    rules = {
        "used": {"that": "false", "at": {"call": CHECKS["used"]}},
        "many": {"that": f"many_calls <= {CHECKS['many']['most']}", "at": {"call": CHECKS["many"]["tool"]}},
        "sequence": {"never": {"from": CHECKS["sequence"][0], "to": CHECKS["sequence"][1]}},
        "args": {"that": "false", "at": {"call": CHECKS["args"]["tool"], "when": given}},
        "edge": {"never": {"from": CHECKS["edge"][0], "to": CHECKS["edge"][1]}, "within": {"calls": 1}},
        "calls": {"that": f"all_calls <= {CHECKS['calls']['most']}", "at": {"call": "any"}},
        "errors": {"that": "false", "at": {"error": "any"}},
    }
    for name, rule in rules.items():
        rule.update(otherwise="report", say=WHAT[name])
    return {"pack": domain or "none", "version": "1.0.0", "types": {}, "ledger": {}, "tools": tools, "rules": {},
            "conversation": {
                "single_call_per_turn": {"otherwise": "report"}, "no_text_with_call": {"otherwise": "report"},
                "signals": {"many_calls": {"count": {"call": CHECKS["many"]["tool"]}},
                            "all_calls": {"count": {"call": "any"}}},
                "rules": rules}}


def prepare():
    """Writes what each program reads; returns the number of conversations."""
    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / "packs").mkdir(parents=True)
    with open(WORK / "openai.jsonl", "wb") as out:
        subprocess.run([BINARY, "convert", "--to", "openai", DATA / "traces"], stdout=out, stderr=subprocess.DEVNULL)
    tools, count = collections.defaultdict(set), 0
    with open(WORK / "openai.jsonl", encoding="utf-8") as lines, open(WORK / "spans.jsonl", "w") as out:
        for line in lines:
            recording = json.loads(line)
            messages = recording["messages"]
            out.write(json.dumps({"spans": spans_of(messages), "messages": messages}) + "\n")
            tools[recording.get("domain") or ""].update(c["function"]["name"] for m in messages for c in calls_of(m))
            count += 1
    for domain, names in tools.items():
        folder = WORK / "packs" / (domain or "none")
        folder.mkdir()
        (folder / "pack.yaml").write_text(json.dumps(pack_of(domain, names), indent=1))
    return count


# --- Running ------------------------------------------------------------------------------------

class Spent:
    def __init__(self, wall, processor, peak, out):
        self.wall, self.processor, self.peak, self.out = wall, processor, peak, out


# A process of its own starts the command: what a child began as counts as memory it had, and this one is large.
WATCH = """
import json, os, sys, time
report, nice, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
start = time.perf_counter()
child = os.fork()
if child == 0:
    if nice:
        os.nice(nice)
    os.execvp(command[0], command)
_, status, usage = os.wait4(child, 0)
spent = [time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss]
open(report, "w").write(json.dumps([os.waitstatus_to_exitcode(status), spent]))
"""


def run(command, nice=0, folder=ROOT, stdin=None, out=None):
    """Runs a command to its end: seconds by the clock and of processor time, peak memory in KiB, what it printed."""
    command = [str(part) for part in command]
    env = dict(os.environ, AUDIT_CHECKS=str(HERE / "checks.json"), PROMPTFOO_DISABLE_TELEMETRY="1",
               PROMPTFOO_DISABLE_UPDATE="1")
    with open(out or WORK / "stdout", "wb") as target, open(stdin or os.devnull, "rb") as source, \
            open(WORK / "stderr", "wb") as errors:
        subprocess.run([sys.executable, "-S", "-E", "-c", WATCH, str(WORK / "spent"), str(nice), *command],
                       cwd=folder, stdin=source, stdout=target, stderr=errors, env=env, check=True)
    code, spent = json.loads((WORK / "spent").read_text())
    if code not in ((0, 1, 2) if command[0] == str(BINARY) else (0,)):
        sys.exit(f"audit_peers: {command[0]} ended with {code}:\n{(WORK / 'stderr').read_text()[-2000:]}")
    return Spent(*spent, "" if out else (WORK / "stdout").read_text(errors="replace"))


def run_all(nice, jobs=2):
    """{program: (wall, processor, peak)} of one round; the findings of each are left in the work folder."""
    rounds = {}

    def keep(name, spent):
        rounds[name] = (spent.wall, spent.processor, spent.peak)

    audit = [BINARY, "audit", "--no-model", "--json", "--jobs", jobs]
    keep(WHOLE, run(audit + ["--pack", ROOT / "packs", DATA / "traces"], nice, out=WORK / "audit.jsonl"))
    keep(SUBSET, run([BINARY, "replay", "--json", "--pack", WORK / "packs", WORK / "openai.jsonl"], nice,
                     out=WORK / "ours.jsonl"))
    spent = run(["node", HERE / "promptfoo.mjs", WORK / "spans.jsonl", HERE / "checks.json", WORK / "promptfoo.json"],
                nice, folder=PEERS)
    parts = json.loads(spent.out.strip().splitlines()[-1])
    keep("promptfoo", spent)
    rounds["promptfoo, its checks alone"] = (parts["check"] / 1e3, None, None)
    for name in ("scout-db", "scans"):
        shutil.rmtree(WORK / name, ignore_errors=True)
    keep("inspect-scout, import", run([PEERS / "venv/bin/python", HERE / "scout_import.py", WORK / "openai.jsonl",
                                       WORK / "scout-db"], nice))
    keep("inspect-scout, start", run([SCOUT, "--version"], nice))
    keep("inspect-scout, scan", run([SCOUT, "scan", HERE / "scout_checks.py", "-T", WORK / "scout-db", "--scans",
                                     WORK / "scans", "--max-processes", jobs, "--display", "none"], nice))
    return rounds


# --- Agreement ------------------------------------------------------------------------------------

def found_by_ledgergate():
    found = {name: set() for name in WHAT}
    with open(WORK / "ours.jsonl", encoding="utf-8") as lines:
        for line in lines:
            said = json.loads(line).get("conversation")
            if said and said.get("rule") in found:
                found[said["rule"]].add(said["line"] - 1)
    return found


def found_by_promptfoo():
    return {name: set(lines) for name, lines in json.loads((WORK / "promptfoo.json").read_text()).items()}


def found_by_scout():
    read = ("import json,sys,pyarrow.parquet as p\n"
            "t=p.read_table(sys.argv[1],columns=['transcript_id','value']).to_pylist()\n"
            "print(json.dumps([[r['transcript_id'],json.loads(r['value'])] for r in t]))")
    [table] = (WORK / "scans").glob("*/checks.parquet")
    rows = json.loads(subprocess.run([PEERS / "venv/bin/python", "-c", read, table], check=True,
                                     stdout=subprocess.PIPE).stdout)
    return {name: {int(line) for line, value in rows if value[name]} for name in WHAT}


def agreement():
    """Rows of the table, and whether all is alike."""
    ours, promptfoo, scout = found_by_ledgergate(), found_by_promptfoo(), found_by_scout()
    rows, alike = [], True
    for name, what in WHAT.items():
        apart = len((ours[name] ^ promptfoo[name]) | (ours[name] ^ scout[name]))
        alike = alike and apart == 0
        rows.append(f"| {what} | {len(ours[name])} | {len(promptfoo[name])} | {len(scout[name])} | {apart} |")
    return rows, alike


# --- Tables ----------------------------------------------------------------------------------------

def median(values):
    return statistics.median(values) if all(v is not None for v in values) else None


def shown(value, unit):
    return "" if value is None else f"{value:.3g} {unit}"


def time_rows(rounds):
    rows = []
    for name in rounds[0]:
        wall = median([r[name][0] for r in rounds])
        processor = median([r[name][1] for r in rounds])
        peak = median([r[name][2] for r in rounds])
        cells = [name, shown(wall, "s"), shown(processor, "s"), shown(peak and peak / 1024, "MiB")]
        for ours in (SUBSET, WHOLE):
            ratio = statistics.median(r[name][0] / r[ours][0] for r in rounds)
            counted = processor is not None and statistics.median(r[name][1] / r[ours][1] for r in rounds)
            verdict = ""
            if name in ("promptfoo", "inspect-scout, scan"):
                verdict = ": met" if ratio >= GOAL else ": NOT met"
            cells.append(f"{ratio:.1f}x" + (f" ({counted:.1f}x)" if counted else "") + verdict)
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def versions():
    def said(*command):
        return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip().split("\n")[0]
    npm = json.loads((HERE / "package.json").read_text())["dependencies"]
    pins = [line for line in (HERE / "requirements.txt").read_text().split() if "==" in line]
    commit = said("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    return (f"LedgerGate {commit}, promptfoo {npm['promptfoo']}, {', '.join(pins)}, Node {said('node', '--version')}, "
            f"Python {platform.python_version()}, {os.cpu_count()} processors")


def write_page(text):
    begin, end = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
    head, rest = PAGE.read_text().split(begin)
    PAGE.write_text(head + begin + text + end + rest.split(end)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--nice", type=int, default=0, help="of every program that is timed")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not BINARY.exists() or not SCOUT.exists():
        sys.exit("audit_peers: `make build` and `bench/peers/install.sh audit` first")
    if not (DATA / "traces").exists():
        sys.exit(f"audit_peers: there is no shared data at {DATA}")
    count = prepare()
    before = os.getloadavg()[0]
    rounds = [run_all(options.nice) for _ in range(options.rounds)]
    rows, alike = agreement()
    text = "\n".join([
        f"{options.rounds} rounds; {versions()}; load {before:.1f} before, {os.getloadavg()[0]:.1f} after.", "",
        f"Conversations on which a check fires, of {count}:", "",
        "| check | LedgerGate | promptfoo | inspect-scout | apart |", "| --- | ---: | ---: | ---: | ---: |", *rows, "",
        "Seconds by the clock, of processor time, peak memory; then how many times LedgerGate's, by the clock and "
        f"(in brackets) by processor time. The goal is {GOAL} times by the clock.", "",
        "| program | clock | processor | memory | to these checks | to all of the audit |",
        "| --- | ---: | ---: | ---: | ---: | ---: |", *time_rows(rounds), ""])
    print(text)
    (ROOT / "build/bench-audit.json").write_text(json.dumps(rounds, indent=1))
    if options.write:
        write_page(text)
    if not alike:
        sys.exit("audit_peers: the programs do not agree")


if __name__ == "__main__":
    main()
