#!/usr/bin/env python3
"""Draws findings of an audit for readers, and sums up what they labelled (docs/audit-precision.md).

    audit_sample.py draw AUDIT_DIR [--each 10] [--seed COMMIT] > sample.jsonl
    audit_sample.py show AUDIT_DIR sample.jsonl [--kind KIND] [--context 12]
    audit_sample.py join AUDIT_DIR sample.jsonl first.jsonl second.jsonl > docs/audit-precision.json
    audit_sample.py sum docs/audit-precision.json

`draw` takes so many findings of each kind, at most one a conversation while there are enough, by a seed that is the commit's hash
unless another is given. `show` prints each with what was said and done around it. A reader writes {"number": n, "right": true,
"why": "..."} a line; two readers do not see each other's. `sum` prints how many were right by kind, and where they differ.
"""

import argparse
import collections
import hashlib
import json
import os
import subprocess
import sys


def results_of(folder):
    with open(os.path.join(folder, "results.jsonl"), encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def order_of(seed, kind, conversation, finding):
    return hashlib.sha256(f"{seed} {kind} {conversation} {finding}".encode()).hexdigest()


def draw(arguments):
    seed = arguments.seed or subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    by_kind = collections.defaultdict(list)
    for result in results_of(arguments.folder):
        for finding in result["findings"]:
            kind = finding["kind"] + (" (hint)" if finding["severity"] == "hint" else "")
            by_kind[kind].append((order_of(seed, kind, result["id"], finding["id"]), result, finding))
    number = 0
    for kind in sorted(by_kind):
        drawn, seen, later = [], set(), []
        for _, result, finding in sorted(by_kind[kind], key=lambda row: row[0]):
            (later if result["id"] in seen else drawn).append((result, finding))
            seen.add(result["id"])
        for result, finding in (drawn + later)[:arguments.each]:
            number += 1
            print(json.dumps({"number": number, "seed": seed, "kind": kind, "conversation": result["id"], "domain": result["domain"],
                              "finding": finding["id"], "event": finding.get("event"), "message": finding["message"]}))


def text_of(event):
    if event["kind"] == "call":
        return f"{event.get('role', 'agent')} calls {event.get('tool')} {json.dumps(event.get('value'))}"
    if event["kind"] in ("result", "error"):
        return f"{event['kind']} of {event.get('tool')}: {event.get('text')}"
    return f"{event.get('role')}: {event.get('text')}"


def show(arguments):
    with open(arguments.sample, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        if arguments.kind and row["kind"] != arguments.kind:
            continue
        with open(os.path.join(arguments.folder, "conversations", row["conversation"] + ".json"), encoding="utf-8") as file:
            artefact = json.load(file)
        finding = next(f for f in artefact["audit"]["findings"] if f["id"] == row["finding"])
        print(f"=== {row['number']}  {row['kind']}  ({row['domain']}, {row['conversation']})")
        print("finding:", json.dumps({k: v for k, v in finding.items() if k not in ("suggest", "root", "id")})[:1500])
        events = artefact["conversation"]["events"]
        at = row["event"] if row["event"] is not None else len(events) - 1
        for i, event in enumerate(events):
            near = at - arguments.context <= i <= at + arguments.context
            if near and event.get("role") != "system":
                print(f"  {'>' if i == at else ' '}[{i}] {text_of(event)[:arguments.bytes]}")


def join(arguments):
    """What both readers said, under the names that a conversation has where it was recorded."""
    def lines(path):
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    places = {result["id"]: result for result in results_of(arguments.folder)}
    first, second = ({row["number"]: row for row in lines(path)} for path in (arguments.first, arguments.second))
    rows, seed = [], None
    for row in lines(arguments.sample):
        place, seed = places[row["conversation"]], row["seed"]
        file = place["file"].split("/traces/")[-1]
        rows.append({"kind": row["kind"], "file": file, "conversation": place["conversation"], "event": row["event"], "message": row["message"][:300],
                     **{name: {"right": labels[row["number"]]["right"], "why": labels[row["number"]]["why"]}
                        for name, labels in (("first", first), ("second", second))}})
    head = json.dumps({"seed": seed})[1:-1]
    print("{" + head + ', "findings": [\n' + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]}")


def summary(arguments):
    with open(arguments.labels, encoding="utf-8") as file:
        labels = json.load(file)
    by_kind = collections.defaultdict(list)
    for row in labels["findings"]:
        by_kind[row["kind"]].append(row)
    print(f"{'kind':<34}{'read':>6}{'first':>7}{'second':>8}{'both right':>12}{'differ':>8}")
    for kind, rows in sorted(by_kind.items()):
        first, second = (sum(row[reader]["right"] for row in rows) for reader in ("first", "second"))
        both = sum(row["first"]["right"] and row["second"]["right"] for row in rows)
        differ = sum(row["first"]["right"] != row["second"]["right"] for row in rows)
        print(f"{kind:<34}{len(rows):>6}{first:>7}{second:>8}{both:>12}{differ:>8}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("draw")
    one.add_argument("folder")
    one.add_argument("--each", type=int, default=10)
    one.add_argument("--seed")
    one.set_defaults(run=draw)
    two = verbs.add_parser("show")
    two.add_argument("folder")
    two.add_argument("sample")
    two.add_argument("--kind")
    two.add_argument("--context", type=int, default=12)
    two.add_argument("--bytes", type=int, default=700)
    two.set_defaults(run=show)
    four = verbs.add_parser("join")
    for name in ("folder", "sample", "first", "second"):
        four.add_argument(name)
    four.set_defaults(run=join)
    three = verbs.add_parser("sum")
    three.add_argument("labels")
    three.set_defaults(run=summary)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        sys.exit(0)
