#!/usr/bin/env python3
"""Writes docs/results.md: what the packs say about the recorded conversations.

Runs `ledgergate show --json` for what was recorded (model, domain, reward, expected actions) and
`ledgergate replay --json` for the verdicts, joins them, and counts. Nothing is judged here.

usage: scripts/results.py [--data DIR] [--check]
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = ROOT / "build" / "ledgergate"
EXPLANATIONS = ROOT / "docs" / "results-explained.json"
DOMAINS = ["airline", "retail", "telecom", "telehealth"]
# The folders whose conversations use the tools of the four packs.
SOURCES = [
    "activegraph-tau2", "tau2-enhanced", "tau2-leaderboard-toolorchestra", "tau2-policy-refinement",
    "tau2-single-simulations", "whissle-tau2", "tau-bench-historical", "tau-bench-llama",
    "tau-trait", "agentrx-tau-retail", "grok-tau-bench", "tau-bench-contract-agents",
    "claude-code-retail-solo",
]


def lines_of(*command):
    """The JSON lines that a command prints; exit code 1 (findings) is fine."""
    done = subprocess.run(command, stdout=subprocess.PIPE, cwd=ROOT, check=False)
    if done.returncode > 1:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def same_action(expected, tool, args):
    return expected.get("name") == tool and expected.get("arguments") == args


def collect(traces_dir):
    """One record a conversation, with its gated calls."""
    conversations = {}
    for source in SOURCES:
        for trace in lines_of(BINARY, "show", "--json", traces_dir / source):
            trace["source"] = source
            trace["decisions"] = []
            conversations[trace["file"], trace["trace"]] = trace
    by_domain = collections.defaultdict(set)
    for trace in conversations.values():
        by_domain[trace["domain"]].add(trace["file"])
    for domain in DOMAINS:
        # A file may hold conversations of several domains; only those of this one count.
        for line in lines_of(BINARY, "replay", "--json", "--pack", f"packs/{domain}",
                             *sorted(by_domain[domain])):
            if "verdict" in line:
                trace = conversations[line["file"], line["trace"]]
                if trace["domain"] == domain:
                    trace["decisions"].append(line)
    return [t for t in conversations.values() if t["domain"] in DOMAINS]


def reward_class(trace):
    return {1: "1", 0: "0"}.get(trace["reward"], "none")


def table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|" + "|".join("---:" if i >= 3 else "---" for i in range(len(header))) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")


def overview(conversations):
    groups = collections.defaultdict(list)
    for trace in conversations:
        groups[trace["source"], trace["model"] or "not recorded", trace["domain"]].append(trace)
    rows = []
    for key in sorted(groups):
        traces = groups[key]
        cells = list(key)
        for reward in ("1", "0"):
            chosen = [t for t in traces if reward_class(t) == reward]
            decisions = [d for t in chosen for d in t["decisions"]]
            writes = [d for d in decisions if d["rules"] != ["known_tool"]]
            refused = [d for d in writes if d["verdict"] != "allow"]
            carried = [d for d in refused if d["recorded"] == "result"]
            cells += [len(chosen), len(writes), len(refused), len(carried)]
        rows.append(cells)
    table(["source", "model", "domain", "reward 1", "writes", "refused", "of these carried out",
           "reward 0", "writes", "refused", "of these carried out"], rows)


def by_rule(conversations):
    counts = collections.defaultdict(lambda: collections.Counter())
    for trace in conversations:
        for decision in trace["decisions"]:
            for rule in decision["rules"]:
                outcome = "carried" if decision["recorded"] == "result" else "failed"
                counts[trace["domain"], rule][reward_class(trace), outcome] += 1
    rows = []
    for (domain, rule), count in sorted(counts.items()):
        rows.append([domain, f"`{rule}`", ""] + [
            count[reward, outcome] for reward in ("1", "0", "none")
            for outcome in ("carried", "failed")])
    table(["domain", "rule", "", "reward 1, carried out", "reward 1, failed",
           "reward 0, carried out", "reward 0, failed", "unscored, carried out",
           "unscored, failed"], rows)


def expected_refusals(conversations):
    """Refused, carried out, in a rewarded run, and one of the task's own expected actions."""
    for trace in conversations:
        if reward_class(trace) != "1":
            continue
        for decision in trace["decisions"]:
            refused = decision["verdict"] != "allow" and decision["recorded"] == "result"
            if refused and any(same_action(e, decision["tool"], decision["args"])
                               for e in trace["expected"] or []):
                yield trace, decision


def explain(conversations, explanations):
    """Each refusal of an expected action, with the reason that was found for its kind."""
    missing = 0
    rows = []
    for trace, decision in expected_refusals(conversations):
        findings = []
        for finding in decision["findings"]:
            key = f"{finding['rule']}:{finding['cause']}"
            special = f"{trace['source']}/{trace['task']}/{finding['rule']}"
            reason = explanations.get(special) or explanations.get(key)
            missing += reason is None
            findings.append(f"`{finding['rule']}` ({finding['cause']}): "
                            f"{reason or 'NOT EXPLAINED'}")
        rows.append([trace["source"], trace["domain"], trace["task"], decision["turn"],
                     f"`{decision['tool']}`", decision["verdict"], "<br>".join(findings)])
    print("| source | domain | task | turn | call | verdict | rule, cause and reason |")
    print("|---|---|---|---:|---|---|---|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    return len(rows), missing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("LEDGERGATE_DATA", ROOT.parent / "shared"))
    options = parser.parse_args()
    traces_dir = pathlib.Path(os.path.relpath(pathlib.Path(options.data) / "data" / "traces", ROOT))
    if not (ROOT / traces_dir).is_dir():
        sys.exit(f"there are no recordings at {traces_dir}")
    notes = json.loads(EXPLANATIONS.read_text())
    conversations = collect(traces_dir)
    print(notes["introduction"], end="\n\n")
    print("## By source, model and domain\n")
    overview(conversations)
    print("\n## Refusals by rule\n")
    by_rule(conversations)
    print("\n## Refusals of expected actions in rewarded conversations\n")
    print(notes["expected"], end="\n\n")
    count, missing = explain(conversations, notes["reasons"])
    print(f"\n{count} refusals.\n")
    print(notes["by_hand"])
    if missing:
        sys.exit(f"{missing} findings are not explained in {EXPLANATIONS.name}")


if __name__ == "__main__":
    main()
