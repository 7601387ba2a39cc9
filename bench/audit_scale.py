#!/usr/bin/env python3
"""Time and memory of `ledgergate audit` as its input grows; nothing may grow faster than the input.

    bench/audit_scale.py [--nice N] [--small] [--write]

Copies of the recordings have other names and other last words, so that they are no duplicates. --small takes a tenth
of everything. --write puts the table into docs/benchmarks-audit.md. Needs `make build` and the shared data.
"""
import argparse
import json
import os
import shutil
import sys

from audit_peers import BINARY, DATA, PAGE, ROOT, WORK, run

TIMES = (1, 4, 16)
GROWTH_MAX = 1.35  # of the seconds per MB, from the first row of a group to its last


def recordings():
    """The recordings as OpenAI messages: parts of a line before and behind what makes copies differ."""
    path = WORK / "openai.jsonl"
    WORK.mkdir(parents=True, exist_ok=True)
    run([BINARY, "convert", "--to", "openai", DATA / "traces"], out=path)
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            recording = json.loads(line)
            recording["messages"].append({"role": "user", "content": "@@"})
            yield json.dumps(recording).split("@@")


def write_copies(path, parts, count):
    """`count` conversations in one file; its size in bytes."""
    with open(path, "w", encoding="utf-8") as out:
        for i in range(count):
            out.write(f"thanks, {i}".join(parts[i % len(parts)]) + "\n")
    return path.stat().st_size


def write_long(path, events):
    """One conversation of so many events: reads, and every fifth call a write that fails or succeeds."""
    messages = [{"role": "system", "content": "Be brief. One tool call at a time."}]
    for i in range(events // 4):
        arguments, tool = {"order_id": f"#W{i % 977:07d}"}, "get_order_details"
        if i % 5 == 4:
            arguments["reason"], tool = "no longer needed", "cancel_pending_order"
        messages += [
            {"role": "user", "content": f"What about my order #W{i % 977:07d}, which I made on day {i}?"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{i}", "type": "function", "function": {
                "name": tool, "arguments": json.dumps(arguments)}}]},
            {"role": "tool", "tool_call_id": f"c{i}", "content": json.dumps(
                {"order_id": f"#W{i % 977:07d}", "status": "pending", "user_id": "a_b_1", "total": i})},
            {"role": "assistant", "content": f"It is pending; the total is ${i}. Shall I cancel it, yes or no?"}]
    path.write_text(json.dumps({"messages": messages}) + "\n")
    return path.stat().st_size


def rows(nice, scale):
    """(group, what, bytes, seconds of processor time, seconds by the clock, peak MiB)"""
    parts = list(recordings())
    audit = [BINARY, "audit", "--no-model", "--pack", ROOT / "packs"]
    parts = parts[:len(parts) // scale]
    out = WORK / "scale.jsonl"

    def row(group, what, size, spent):
        return group, what, size, spent.processor, spent.wall, spent.peak / 1024

    for times in TIMES:
        path = WORK / "copies.jsonl"
        size = write_copies(path, parts, len(parts) * times)
        what = f"{len(parts) * times} conversations in a file"
        for jobs in (1, 2):
            yield row(f"a file, --jobs {jobs}", what, size,
                      run(audit + ["--json", "--jobs", jobs, path], nice, out=out))
        yield row("--stream", what, size, run(audit + ["--stream"], nice, stdin=path, out=out))
        if times < 16:
            shutil.rmtree(WORK / "out", ignore_errors=True)
            yield row("--out", what, size, run(audit + ["--out", WORK / "out", path], nice, out=WORK / "said"))
    shutil.rmtree(WORK / "out", ignore_errors=True)
    for count in (10_000 // scale, 100_000 // scale):
        path = WORK / "many.jsonl"
        size = write_copies(path, parts, count)
        yield row("--stream, many", f"{count} conversations, a line each", size,
                  run(audit + ["--stream"], nice, stdin=path, out=out))
        path.unlink()
        yield row("stats", f"{count} results", out.stat().st_size,
                  run([BINARY, "stats", "--json", out], nice, out=WORK / "said"))
    for events in (12_500 // scale, 100_000 // scale):
        path = WORK / "long.jsonl"
        size = write_long(path, events)
        yield row("one conversation", f"{events} events", size,
                  run(audit + ["--json", path], nice, out=out))


def table(measured):
    first, lines, kept = {}, [], True
    for group, what, size, processor, wall, peak in measured:
        per_mb = processor / (size / 1e6)
        start = first.setdefault(group, per_mb)
        linear = per_mb <= GROWTH_MAX * start
        kept = kept and linear
        lines.append(f"| {group} | {what} | {size / 1e6:.1f} MB | {processor:.2f} s | {wall:.2f} s | "
                     f"{1e3 * per_mb:.1f} ms | {peak:.0f} MiB | {'' if linear else 'NOT linear'} |")
    head = ["| run | input | size | processor | clock | processor per MB | peak memory | |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    return "\n".join(head + lines) + "\n", kept


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nice", type=int, default=0)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not BINARY.exists() or not (DATA / "traces").exists():
        sys.exit("audit_scale: `make build` first, and have the shared data")
    text, kept = table(rows(options.nice, 10 if options.small else 1))
    text = f"Load {os.getloadavg()[0]:.1f}. Linear: at most {GROWTH_MAX} times the first row's time per MB.\n\n" + text
    print(text)
    if options.write:
        begin, end = "<!-- scale: begin -->\n", "<!-- scale: end -->\n"
        head, rest = PAGE.read_text().split(begin)
        PAGE.write_text(head + begin + text + end + rest.split(end)[1])
    if not kept:
        sys.exit("audit_scale: something grows faster than its input")


if __name__ == "__main__":
    main()
