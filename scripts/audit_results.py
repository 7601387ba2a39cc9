#!/usr/bin/env python3
"""What an audit of the shared recordings shows, as docs/audit-results.md.

    audit_results.py [--check]      writes the page; --check says whether it is what would be written, and writes nothing

LEDGERGATE_BIN names the program, LEDGERGATE_DATA the data (../shared). Every figure is of `ledgergate audit` and `ledgergate stats`,
decided by rules alone.
"""

import collections
import json
import os
import subprocess
import sys
import tempfile

import results

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.path.abspath(os.environ.get("LEDGERGATE_BIN") or os.path.join(ROOT, "build", "release", "ledgergate"))
DATA = os.environ.get("LEDGERGATE_DATA") or os.path.join(ROOT, "..", "shared")
TRACES = os.path.join(DATA, "data", "traces")
PAGE = os.path.join(ROOT, "docs", "audit-results.md")
DOMAINS = ("airline", "retail", "telecom", "telehealth")
STYLE = (("text_with_call", "text with a call"), ("several_calls", "several calls"), ("skipped_verification", "not verified"),
         ("unauthenticated_write", "not authenticated"), ("unconfirmed_write", "not confirmed"), ("tool_bypassed", "sums in prose"))
EVALUATORS = ("output", "transition", "forbidden_edges", "argument_groundedness", "argument", "predicted_plan", "predicted_final_state")


def audit(folder):
    path = os.path.join(folder, "results.jsonl")
    with open(path, "wb") as out:
        made = subprocess.run([BIN, "audit", "--json", "--pack", os.path.join(ROOT, "packs"), "."], cwd=TRACES,
                              stdout=out, stderr=subprocess.PIPE, check=False)
    if made.returncode not in (0, 1, 2):
        sys.exit(made.stderr.decode())
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    stats = subprocess.run([BIN, "stats", "--json", "--runs", path], capture_output=True, check=False)
    return [line for line in lines if "evaluators" in line], lines[-1]["summary"], json.loads(stats.stdout)


def source_of(result):
    return os.path.normpath(result["file"]).split("/", 1)[0]


def model_of(result):
    """As recorded, or as scripts/results.py knows it of the source."""
    return results.model_of(source_of(result), os.path.normpath(result["file"]), result["model"])


def share(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "-"


def mean(values):
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.0f}" if known else "-"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


def groups_of(audited):
    groups = collections.defaultdict(list)
    for result in audited:
        if result["domain"] in DOMAINS and source_of(result) in results.MODELS:
            groups[result["domain"], model_of(result)].append(result)
    return sorted(groups.items())


def has(result, kind):
    return any(finding["kind"] == kind for finding in result["findings"])


def violated(result):
    return any(finding["severity"] != "hint" for finding in result["findings"])


def style_table(groups):
    rows = []
    for (domain, model), group in groups:
        rewarded = [result for result in group if result["reward"] == 1]
        rows.append([domain, model, len(group), share(len(rewarded), len(group))] +
                    [share(sum(has(result, kind) for result in group), len(group)) for kind, _ in STYLE] +
                    [share(sum(map(violated, rewarded)), len(rewarded))])
    return table(["domain", "model", "n", "reward 1"] + [name for _, name in STYLE] + ["violations where reward 1"], rows)


def means_table(groups):
    rows = []
    for (domain, model), group in groups:
        scores = [{e["name"]: e["score"] for e in result["evaluators"]} for result in group]
        rows.append([domain, model, len(group)] + [mean(score[name] for score in scores) for name in EVALUATORS] +
                    [mean(result["scores"][name] for result in group) for name in ("aggregate", "process")] +
                    [mean(100 * result["scores"]["outcome"] if result["scores"]["outcome"] is not None else None for result in group)])
    return table(["domain", "model", "n", *EVALUATORS, "aggregate", "process", "outcome x 100"], rows)


def kinds_table(audited):
    counts = collections.defaultdict(lambda: [0, 0, 0])
    for result in audited:
        for kind in {finding["kind"] for finding in result["findings"] if finding["severity"] != "hint"}:
            counts[kind][1] += 1
            counts[kind][2] += result["reward"] == 1
        for finding in result["findings"]:
            counts[finding["kind"]][0] += finding["severity"] != "hint"
    rows = [[kind, *count] for kind, count in sorted(counts.items(), key=lambda row: -row[1][1]) if count[0]]
    return table(["kind", "findings", "conversations", "of them with reward 1"], rows)


def area(figure):
    if not figure or figure.get("auc") is None:
        return "-"
    interval = f" ({figure['low']:.3f} to {figure['high']:.3f})" if figure.get("low") is not None else ""
    return f"{figure['auc']:.3f}{interval}"


def auc_table(stats):
    rows = []
    for name, figures in stats["scores"].items():
        rows.append([name, area(figures.get("overall")), area(figures.get("within_groups"))])
    return table(["score", "pooled", "within (domain, model)"], rows)


def study(folder):
    """What the outcome score is worth on customers that it was not learnt from."""
    path = os.path.join(folder, "of-domains.jsonl")
    with open(os.path.join(folder, "results.jsonl"), encoding="utf-8") as all_of, open(path, "w", encoding="utf-8") as some:
        for line in all_of:
            result = json.loads(line)
            if "evaluators" in result and source_of(result) in results.MODELS:
                some.write(line)
    made = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "scripts", "audit_study.py"), "--results",
                           path], capture_output=True, text=True, check=True)
    return made.stdout.rstrip()


def page(folder):
    audited, summary, stats = audit(folder)
    groups = groups_of(audited)
    rewarded = [result for result in audited if result["reward"] == 1]
    out = ["# What an audit of the recordings shows", "",
           "`scripts/audit_results.py` writes this page: `ledgergate audit --pack packs` over the shared recordings, decided by rules alone; no",
           "model was asked, and rewards, expected actions and recorded checks are in no score.", "",
           f"{summary['conversations']} conversations ({summary['duplicates']} more are copies), {summary['without_pack']} of them of domains without a pack;",
           f"{summary['findings']} findings in {summary['violated']}; {summary['undecided']} undecided.", "",
           f"Of the {len(rewarded)} conversations with reward 1, {share(sum(map(violated, rewarded)), len(rewarded))} have a violation that is more than a hint",
           "(the paper: 48 of 58 with a model as judge, section 4.3).", "",
           "## How agents work", "",
           "Shares of conversations with at least one such finding, hints included: where the prompt does not forbid it, it is a hint.", ""]
    out += style_table(groups) + ["", "## Means by evaluator", "", "`-`: nothing that rules decide. What a model would judge was not checked.", ""]
    out += means_table(groups) + ["", "## Findings by kind", ""] + kinds_table(audited)
    out += ["", "## Do scores predict the reward?", "",
            "Area under the ROC curve with 95 % intervals (bootstrap over customers), of all recordings with a reward. `base_rate` is the pass rate of",
            "the conversation's (domain, model) alone.", ""]
    out += auc_table(stats)
    out += ["", "The `outcome` score weighs its signals by what was learnt on these very recordings, so what it gives here would flatter it. Below,",
            "`scripts/audit_study.py`: weights learnt on other customers than those they are measured on, ten folds, three ways of dividing them; columns",
            "pooled, and within (domain, model) by pairs, by number, as a plain mean, and as that over groups with five of each class. Which signals",
            "there are, and in which direction they count, was settled when all customers had been seen. Goals: 0.70 pooled, 0.68 within; with several",
            "runs of a task compared 0.79.", "", "```", study(folder), "```"]
    return "\n".join(out) + "\n"


def main():
    if not os.path.isdir(TRACES):
        print("skipped: there are no shared recordings (LEDGERGATE_DATA)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="ledgergate-results-") as folder:
        text = page(folder)
    if "--check" in sys.argv[1:]:
        with open(PAGE, encoding="utf-8") as file:
            same = file.read() == text
        print("docs/audit-results.md is what the program prints" if same else "docs/audit-results.md is stale: run scripts/audit_results.py")
        sys.exit(0 if same else 1)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)


main()
