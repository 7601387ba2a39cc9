#!/usr/bin/env python3
"""Learns how much the signals of the outcome score weigh, and measures it on customers it was not learnt from.

Runs `ledgergate audit --json` over the recordings of the four domains (or takes its results from a file), and learns a
logistic regression of the reward on `signals`: one intercept, one weight a signal, the same for all domains and models,
each with the direction that src/audit/outcome.c gives it. Folds are by customer: all conversations of a customer, of
whatever source, are in one fold, and its weights are learnt from the others. No gold data is in a signal.

usage: scripts/audit_study.py [--data DATA] [--results FILE] [--folds N] [--seed N] [--write]

  --results FILE  what `ledgergate audit --json --pack ... SOURCE...` has printed in DATA/data/traces, instead of running it
  --write         also learns from all customers, and writes the weights into src/audit/outcome.c

The recordings lie in DATA/data/traces, where DATA is --data, else LEDGERGATE_DATA, else ../shared beside the checkout.
"""
import argparse
import collections
import hashlib
import json
import math
import os
import pathlib
import re
import sys

import results

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTCOME = ROOT / "src" / "audit" / "outcome.c"
ROW = re.compile(r'^    \{"(\w+)", (AGAINST|FOR), [-0-9.]+\},$', re.M)
INTERCEPT = re.compile(r"static const double intercept = [-0-9.]+;")
PENALTY = 3.0  # of a squared weight, halved
READS = ("get_", "find_", "list_", "search_", "think", "calculate", "transfer", "ToolSearch")


# --- Conversations ------------------------------------------------------------------------------


def relative(traces, file):
    """Below the folder of recordings; what is not absolute was audited from there."""
    return os.path.relpath(traces / file, traces)


def read_results(traces, file):
    """The results of all scored conversations of the four domains, each content once."""
    if file:
        lines = [json.loads(line) for line in open(file, encoding="utf-8")]
    else:
        packs = [word for domain in results.DOMAINS for word in ("--pack", f"packs/{domain}")]
        sources = [traces / source for source in results.MODELS]
        lines = results.lines_of(results.BINARY, "audit", "--json", *packs, *sources)
    found = []
    for line in lines:
        if "signals" not in line or line["reward"] not in (0, 1):
            continue
        line["path"] = relative(traces, line["file"])
        source = line["path"].split("/", 1)[0]
        line["model"] = results.model_of(source, line["path"], line["model"])
        line["domain"] = line["domain"] or ("retail" if "retail" in source else "")
        if line["domain"] in results.DOMAINS:
            found.append(line)
    return found


def name_customers(rows):
    """Who is not known by the pack is the customer of the same task elsewhere, or the task itself."""
    of_task = collections.defaultdict(collections.Counter)
    for row in rows:
        row["family"] = row["path"].split("/", 1)[0]
        if row["customer"]:
            of_task[row["domain"], row["task"]][row["customer"]] += 1
    for row in rows:
        same = of_task[row["domain"], row["task"]].most_common(1)
        row["who"] = row["customer"] or (same[0][0] if same else "task " + str(row["task"]))
        row["who"] = row["domain"] + " " + row["who"]
        row["group"] = row["domain"] + ", " + row["model"]


def read_changes(rows, traces):
    """What each conversation changed: the calls that came through, in any order."""
    wanted = {(row["path"], row["conversation"]): row for row in rows}
    for source in results.MODELS:
        for trace in results.lines_of(results.BINARY, "show", "--json", "--events", traces / source):
            row = wanted.get((relative(traces, trace.get("file", "")), trace.get("trace")))
            if row is None or "events" not in trace:
                continue
            open_calls, changes = [], []
            for event in trace["events"]:
                if event["event"] == "call" and event["role"] == "agent":
                    open_calls.append(event)
                elif event["event"] in ("result", "error") and open_calls:
                    call = next((c for c in open_calls if c["tool"] == event["tool"]), open_calls[0])
                    open_calls.remove(call)
                    if event["event"] == "result" and not call["tool"].startswith(READS):
                        changes.append(json.dumps([call["tool"], call["args"]], sort_keys=True))
            row["changes"] = tuple(sorted(changes))


# --- Learning -----------------------------------------------------------------------------------


def learn(rows, names, directions, penalty=PENALTY):
    """Weights by name and the intercept: coordinate descent, each weight on its side of zero."""
    columns = [[(i, row["signals"][n]) for i, row in enumerate(rows) if row["signals"].get(n)]
               for n in names] + [[(i, 1.0) for i in range(len(rows))]]
    truth = [row["reward"] for row in rows]
    weights, margin = [0.0] * len(columns), [0.0] * len(rows)
    for _ in range(200):
        moved = 0.0
        for k, column in enumerate(columns):
            own = penalty if k < len(names) else 0.0
            slope, curve = own * weights[k], own + 1e-9
            for i, x in column:
                p = 1 / (1 + math.exp(-margin[i]))
                slope += x * (p - truth[i])
                curve += x * x * p * (1 - p)
            new = weights[k] - slope / curve
            if k < len(names):
                new = max(new, 0.0) if directions[names[k]] > 0 else min(new, 0.0)
            step = max(-2.0, min(2.0, new - weights[k]))
            weights[k] += step
            moved = max(moved, abs(step))
            for i, x in column:
                margin[i] += step * x
        if moved < 1e-4:
            break
    return dict(zip(names, weights)), weights[-1]


def odds(row, weights, intercept):
    return intercept + sum(w * row["signals"].get(n, 0.0) for n, w in weights.items())


def fold_of(who, seed, folds):
    return int(hashlib.sha256(f"{seed} {who}".encode()).hexdigest(), 16) % folds


def cross_validate(rows, names, directions, seed, folds):
    """The score of each conversation, from the customers of other folds."""
    scores = [0.0] * len(rows)
    for fold in range(folds):
        own = [fold_of(row["who"], seed, folds) == fold for row in rows]
        learnt = learn([r for r, mine in zip(rows, own) if not mine], names, directions)
        for i, row in enumerate(rows):
            if own[i]:
                scores[i] = odds(row, *learnt)
    return scores


# --- Measuring ----------------------------------------------------------------------------------


def auc(truth, scores):
    """The chance that of two conversations, one rewarded, that one scores higher; None without both."""
    order = sorted(range(len(scores)), key=lambda i: scores[i])
    positive = sum(truth)
    negative = len(truth) - positive
    if not positive or not negative:
        return None
    ranks, i = 0.0, 0
    while i < len(order):
        k = i
        while k < len(order) and scores[order[k]] == scores[order[i]]:
            k += 1
        ranks += (i + k + 1) / 2 * sum(truth[order[j]] for j in range(i, k))
        i = k
    return (ranks - positive * (positive + 1) / 2) / (positive * negative)


def within(rows, scores):
    """Averages over (domain, model): by pairs, by conversations, plain, and plain of those with 5 of each."""
    groups = collections.defaultdict(list)
    for row, score in zip(rows, scores):
        groups[row["group"]].append((row["reward"], score))
    areas = []
    for members in groups.values():
        area = auc([m[0] for m in members], [m[1] for m in members])
        if area is not None:
            positive = sum(m[0] for m in members)
            areas.append((area, len(members), positive * (len(members) - positive),
                          min(positive, len(members) - positive)))
    large = [a[0] for a in areas if a[3] >= 5]
    return (sum(a[0] * a[2] for a in areas) / sum(a[2] for a in areas),
            sum(a[0] * a[1] for a in areas) / sum(a[1] for a in areas),
            sum(a[0] for a in areas) / len(areas), sum(large) / len(large))


def base_rates(rows):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["group"]].append(row["reward"])
    return [sum(groups[row["group"]]) / len(groups[row["group"]]) for row in rows]


def agreements(rows):
    """Of the other runs of its task the share that changed the same; None where there is none."""
    tasks = collections.defaultdict(list)
    for row in rows:
        tasks[row["who"], row["task"]].append(row)
    shares = []
    for row in rows:
        others = [r for r in tasks[row["who"], row["task"]] if r is not row]
        same = sum(r.get("changes") == row.get("changes") for r in others)
        shares.append((same + 0.3) / (len(others) + 1) if others else None)
    return shares


def compare_runs(rows, scores):
    """Those with another run of their task, by agreement, and by agreement and score together."""
    pairs = [(row, share, score) for row, share, score in zip(rows, agreements(rows), scores)
             if share is not None]
    truth = [p[0]["reward"] for p in pairs]
    together = [math.log(p[1] / (1 - p[1])) + p[2] for p in pairs]
    kept = [p[0] for p in pairs]
    return len(pairs), auc(truth, [p[1] for p in pairs]), auc(truth, together), within(kept, together)


def report(rows, seeds, names, directions, folds):
    truth = [row["reward"] for row in rows]
    print(f"{len(rows)} conversations, {len({r['who'] for r in rows})} customers, "
          f"{len({r['group'] for r in rows})} groups of domain and model, {len(names)} signals")
    form = "  {:34s} {:>7s} {:>9s} {:>11s} {:>8s} {:>13s}"
    print(form.format("", "pooled", "by pairs", "by number", "plain", "5 of each"))

    def line(name, pooled, inside):
        print(form.format(name, f"{pooled:.3f}", *(f"{value:.3f}" for value in inside)))

    base = base_rates(rows)
    line("base rate of (domain, model)", auc(truth, base), within(rows, base))
    for seed in seeds:
        scores = cross_validate(rows, names, directions, seed, folds)
        line(f"outcome, folds of seed {seed}", auc(truth, scores), within(rows, scores))
        for domain in results.DOMAINS:
            some = [(r, s) for r, s in zip(rows, scores) if r["domain"] == domain]
            line(f"  {domain}, {len(some)}", auc([r["reward"] for r, _ in some], [s for _, s in some]),
                 within([r for r, _ in some], [s for _, s in some]))
    count, alone, together, inside = compare_runs(rows, scores)
    print(f"\nseveral runs of a task, {count} conversations: same changes as the others {alone:.3f}; "
          f"with the score {together:.3f}, within groups by pairs {inside[0]:.3f}")


def write_table(rows, names, directions):
    weights, intercept = learn(rows, names, directions)
    text = OUTCOME.read_text(encoding="utf-8")
    text = INTERCEPT.sub(f"static const double intercept = {intercept:.2f};", text)
    text = ROW.sub(lambda m: f'    {{"{m[1]}", {m[2]}, {weights[m[1]] + 0.0:.2f}}},', text)
    OUTCOME.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--data", default=os.environ.get("LEDGERGATE_DATA") or ROOT.parent / "shared")
    parser.add_argument("--results")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seed", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    traces = pathlib.Path(options.data).resolve() / "data" / "traces"
    directions = {name: 1 if side == "FOR" else -1
                  for name, side in ROW.findall(OUTCOME.read_text(encoding="utf-8"))}
    rows = read_results(traces, options.results)
    name_customers(rows)
    read_changes(rows, traces)
    report(rows, options.seed, sorted(directions), directions, options.folds)
    if options.write:
        write_table(rows, sorted(directions), directions)


if __name__ == "__main__":
    try:
        main()
    except results.Broken as why:
        sys.exit(f"audit_study.py: {why}")
