"""How many of AgentRx's labelled root causes the audit's rules agree with: by class of failure, and by step.

    python3 scripts/agentrx.py [--json] [BINARY] [FOLDER]

FOLDER holds `tau_dataset_failed.json` and `tau_ground_truth.json` (microsoft/AgentRx). A label is a failure of a conversation
that annotators hold for its root cause: one of ten categories, and the message at which it happened. The audit gives each
conversation one class of failure, or none, and the first step after which it could not come right.

Categories are theirs, classes those of LedgerAgent; which of the latter can stand for which of the former is said below,
once, and was not fitted: it follows from the definitions. A failure of the simulated user, or of the environment, is no class
of the agent's: there the audit agrees if it names none.

Three checks (numbers of what is available, tracking numbers, changes that were barred) were written after these conversations
had been read, so the figure is no estimate for others.
"""

import argparse
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLASSES_OF = {
    "instruction adherence failure": {"policy_violation", "authentication"},
    "invention of new information": {"wrong_argument", "communication"},
    "invalid invocation": {"wrong_argument"},
    "misinterpretation of tool output": {"communication", "wrong_argument"},
    "intent plan misalignment": {"missed_action", "extra_action", "wrong_argument"},
    "underspecified user intent": {None},
    "intent not supported": {None},
    "guardrails triggered": {"policy_violation"},
    "system failure": {"loop", None},
    "inconclusive": {None},
}


def root_cause(label):
    wanted = label["root_cause"]["failure_id"]
    return next(failure for failure in label["failures"] if failure["failure_id"] == wanted)


def audit(binary, folder):
    command = [binary, "audit", "--json", "--pack", os.path.join(ROOT, "packs", "retail")]
    run = subprocess.run(
        command + [os.path.join(folder, "tau_dataset_failed.json")], capture_output=True, text=True, check=False
    )
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.strip()]
    return {line["task"]: line for line in lines if "findings" in line}


def compare(label, result):
    failure = root_cause(label)
    got, step = result["class"], result["first_unrecoverable"]
    at = step["turn"] + 1 if step else None  # messages are numbered from 1 there, turns from 0
    off = at - failure["step_number"] if step else None
    return {
        "task": str(label["trajectory_id"]),
        "category": failure["failure_category"],
        "step": failure["step_number"],
        "class": got,
        "turn": at,
        "class_agrees": got in CLASSES_OF.get(failure["failure_category"].lower(), set()),
        "exact": off == 0,
        "within_2": off is not None and abs(off) <= 2,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("binary", nargs="?", default=os.path.join(ROOT, "build", "release", "ledgergate"))
    data = os.environ.get("LEDGERGATE_DATA", os.path.join(os.path.dirname(ROOT), "shared", "data"))
    parser.add_argument("folder", nargs="?", default=os.path.join(data, "traces", "agentrx-tau-retail"))
    options = parser.parse_args()
    labels_at = os.path.join(options.folder, "tau_ground_truth.json")
    if not os.path.exists(labels_at):
        print(f"skipped: agentrx (no {labels_at})")
        return 77
    with open(labels_at, encoding="utf-8") as file:
        labels = json.load(file)
    results = audit(options.binary, options.folder)
    rows = [compare(label, results[str(label["trajectory_id"])]) for label in labels if str(label["trajectory_id"]) in results]
    total = {key: sum(row[key] for row in rows) for key in ("class_agrees", "exact", "within_2")}
    named = [row for row in rows if row["turn"] is not None]
    total |= {"labels": len(rows), "steps_named": len(named)}
    if options.json:
        print(json.dumps({"rows": rows, "total": total}, indent=1))
        return 0
    for row in rows:
        mark = "agrees" if row["class_agrees"] else "differs"
        print(f"{row['task']:>4} {row['category']:34} at {row['step']:>3} | {row['class'] or 'none':18} at {row['turn']!s:>4}  {mark}")
    print(
        f"{total['labels']} root causes: class agrees in {total['class_agrees']}, step exact in {total['exact']}, "
        f"within two in {total['within_2']} (a step is named in {total['steps_named']})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
