"""The packs against the real domains: gold conversations, calls that break the policy, the paper.

Needs the shared data ($LEDGERGATE_DATA, else ../shared beside the source).
"""

import json
import os
import subprocess
import sys
import tempfile

import _run
from _run import BIN, SOURCE, check

DATA = os.environ.get("LEDGERGATE_DATA") or os.path.join(SOURCE, "..", "shared")
PACKS = os.path.join(SOURCE, "packs")

# Gold conversations; their writes; writes among them that the environment itself refused.
DOMAINS = {
    "airline": {"tasks": 31, "writes": 32, "errors": 0, "probes": 234},
    "retail": {"tasks": 77, "writes": 110, "errors": 1, "probes": 202},
    "telecom": {"tasks": 79, "writes": 72, "errors": 0, "probes": 167},
    "telehealth": {"tasks": 15, "writes": 32, "errors": 0, "probes": 0},
}

def file_of(domain, name):
    return os.path.join(DATA, "data", "tau2", domain, name)


def replay(domain, *words):
    """Returns the exit code, the lines and the summary of one run, which a second run repeats."""
    command = [BIN, "replay", "--json"]
    command += ["--pack", os.path.join(PACKS, domain), *words]
    runs = [subprocess.run(command, capture_output=True, timeout=300) for _ in range(2)]
    check(runs[0].stdout == runs[1].stdout, f"{domain}: two runs give the same bytes")
    check(not runs[0].stderr, f"{domain}: nothing to say on standard error: {runs[0].stderr}")
    lines = [json.loads(line) for line in runs[0].stdout.splitlines()]
    return runs[0].returncode, lines[:-1], lines[-1]["summary"]


def gold(domain, wanted):
    code, lines, summary = replay(domain, file_of(domain, "gold_traces.jsonl"))
    refused = [line for line in lines if "decision" in line and line["decision"]["verdict"] != "allow"]
    # No messages are recorded, and the calls are what should be done: nothing is to be said of them.
    course = [line for line in lines if "conversation" in line or "obligation" in line]
    check(not course, f"{domain}: conversation rules find something in gold traces", course)
    for line in refused:
        check(
            line["recorded"] == "error",
            f"{domain}, task {line['task']}: a gold write is refused: {line['decision']['message']}",
        )
    check(summary["traces"] == wanted["tasks"], f"{domain}: {summary['traces']} conversations")
    check(summary["writes"] == wanted["writes"], f"{domain}: {summary['writes']} writes")
    check(len(refused) == wanted["errors"], f"{domain}: {len(refused)} refusals")
    check(code == (1 if refused else 0), f"{domain}: exit code {code}")
    for count in ("pack_errors", "unreadable_results", "import_errors", "unknown_tools"):
        check(summary[count] == 0, f"{domain}: {summary[count]} {count}")
    return summary["traces"]


def probes(domain, wanted):
    path = file_of(domain, "violating_calls.jsonl")
    code, lines, summary = replay(
        domain, "--all", "--probe", path, file_of(domain, "gold_traces.jsonl")
    )
    with open(path, encoding="utf-8") as file:
        asked = [json.loads(line) for line in file]
    check(len(asked) == wanted["probes"], f"{domain}: {len(asked)} probes in the file")
    for count in ("probes", "caught", "right_rule", "right_verdict"):
        check(summary[count] == len(asked), f"{domain}: {summary[count]} {count}")
    check(code == 0, f"{domain}: exit code {code} of the probes")
    check(summary["pack_errors"] == 0, f"{domain}: {summary['pack_errors']} defects in probes")
    by_number = {line["probe"]: line for line in lines if "probe" in line}
    for number, probe in enumerate(asked, 1):
        if number not in by_number:
            check(False, f"{domain}: probe {number} has no line")
            continue
        got = {(f["rule"], f["verdict"], f["cause"]) for f in by_number[number]["decision"]["findings"]}
        want = {(p["id"], p["verdict"], p["cause"]) for p in probe["all_predicates"]}
        # A write that is only repeated has made stale what rules with `stale: reread` look at.
        again = {f for f in got - want if f[2] == "stale" and probe["mutation"].startswith("repeat_")}
        check(
            got - again == want,
            f"{domain}: probe {number} ({probe['mutation']}): "
            f"not found {sorted(want - got)}, not asked for {sorted(got - again - want)}",
        )
    return len(asked)


def decisions(domain, path):
    """Verdict and rules of each write of one conversation, in order."""
    _, lines, _ = replay(domain, path)
    judged = [(line["turn"], line["decision"]) for line in lines if "decision" in line]
    return [(turn, decision["verdict"], decision["rules"]) for turn, decision in judged]


def paper():
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(SOURCE, "tests", "support", "make_paper_cases.py")
        subprocess.run(
            [sys.executable, script, folder], check=True, stdout=subprocess.DEVNULL, timeout=300
        )
        airline = decisions("airline", os.path.join(folder, "airline-task-28.json"))
        retail = decisions("retail", os.path.join(folder, "retail-task-83.json"))
    check(
        airline == [(6, "block", ["airline_cancel_requires_basis"])], f"appendix B: {airline}"
    )
    check(
        retail
        == [
            (16, "revise", ["retail_refund_payment_in_order_history"]),
            (20, "allow", []),
        ],
        f"appendix C: {retail}",
    )


def main():
    if not os.path.exists(file_of("airline", "gold_traces.jsonl")):
        print("skipped: gold (no shared data)")
        sys.exit(77)
    tasks = sum(gold(domain, wanted) for domain, wanted in DOMAINS.items() if wanted["probes"])
    gold("telehealth", DOMAINS["telehealth"])
    judged = sum(probes(domain, wanted) for domain, wanted in DOMAINS.items() if wanted["probes"])
    check(tasks == 187, f"{tasks} gold conversations with rules")
    check(judged == 603, f"{judged} probes")
    paper()
    _run.done()


main()
