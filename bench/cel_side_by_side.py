#!/usr/bin/env python3
"""CEL beside other implementations, on the same expressions and values in one run.

    bench/cel_side_by_side.py [--rounds 3] [--data FOLDER] [--only NAME...] [--json FILE]

Needs the release build of bench_cel and what `make peers` installs. The cases are three
fixed predicates and every rule of the packs as it meets a real call: each `let`, `when` and `that`
with the values that its names have there. All names are declared dyn for everybody, values are
converted once before the clock starts, programs are compiled once, and every implementation must
return the right value before it is timed. Implementations take turns; a figure is the median of the
rounds, each of which is itself a median of batches.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ROOT / "build/peers/cel"
HERE = ROOT / "bench/peers/cel"
OURS = "LedgerGate"
# Those that the goals are set by; the others are shown.
RIVALS = ["cel-go", "cel (Rust)", "@marcbachmann/cel-js"]


def commands(cases):
    python = [str(PEERS / "venv/bin/python3"), "-B", str(HERE / "python.py")]
    node = ["node", str(HERE / "node.mjs")]
    bench = os.environ.get("BENCH_CEL") or next(
        str(p) for p in sorted((ROOT / "build/release").rglob("bench_cel")) if p.is_file())
    return {
        OURS: [bench, "time", cases],
        "cel-go": [str(PEERS / "bin/cel-go"), "time", cases],
        "cel (Rust)": [str(PEERS / "bin/cel-rust"), "time", cases],
        "@marcbachmann/cel-js": node + ["marcbachmann", "time", cases],
        "cel-js": node + ["cel-js", "time", cases],
        "common-expression-language": python + ["common-expression-language", "time", cases],
        "cel-python": python + ["cel-python", "time", cases],
    }


def write_cases(data, path):
    lines = (HERE / "predicates.jsonl").read_text().splitlines()
    bench = commands("")[OURS][0]
    for domain in ("retail", "airline", "telecom"):
        traces = data / "data/tau2" / domain / "gold_traces.jsonl"
        done = subprocess.run([bench, "dump", str(ROOT / "packs" / domain), str(traces)],
                              check=True, capture_output=True, text=True)
        lines += done.stdout.splitlines()
    path.write_text("\n".join(lines) + "\n")
    return [json.loads(line) for line in lines]


def run(command):
    """A list of figures by case, or None if the implementation is not installed."""
    try:
        done = subprocess.run(command,
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        print(f"left out: {command[0]}: {error}", file=sys.stderr)
        return None
    return [json.loads(line) for line in done.stdout.splitlines()]


def medians(rounds):
    """Of several runs of one implementation: one entry a case."""
    out = []
    for entries in zip(*rounds):
        good = [e for e in entries if "error" not in e]
        out.append({k: statistics.median(e[k] for e in good) for k in good[0]} if good else entries[0])
    return out


def shown(ns):
    if ns is None:
        return "-"
    return f"{ns:.0f} ns" if ns < 9950 else f"{ns / 1000:.0f} us"


def total(figures, indices, key="eval_ns"):
    if any("error" in figures[i] for i in indices):
        return None
    return sum(figures[i][key] for i in indices)


def line(cells):
    print("| " + " | ".join(cells) + " |")


def table(title, names, rows):
    line([title] + names)
    line(["---"] + ["---:"] * len(names))
    for label, cells in rows:
        line([label] + cells)
    print()


def report(cases, figures):
    names = list(figures)
    groups = {}
    for i, case in enumerate(cases):
        groups.setdefault(case["case"], []).append(i)
    fixed = [g for g in groups if g.startswith("table/")]
    rules = [g for g in groups if not g.startswith("table/")]

    rows = []
    for group in fixed:
        own = total(figures[OURS], groups[group])
        cells = []
        for name in names:
            ns = total(figures[name], groups[group])
            cells.append(shown(ns) + (f" ({ns / own:.1f}x)" if ns and name != OURS else ""))
        rows.append((f"`{cases[groups[group][0]]['expr']}`", cells))
    table("predicate, evaluated", names, rows)

    rows = []
    ratios = {name: {} for name in names}
    for name in names:
        for group in rules:
            own, ns = total(figures[OURS], groups[group]), total(figures[name], groups[group])
            if ns is not None:
                ratios[name][group] = ns / own
    rows.append(("rules measured", [str(len(ratios[n])) for n in names]))
    rows.append(("median of a rule", [shown(statistics.median(
        total(figures[n], groups[g]) for g in ratios[n])) for n in names]))
    for label, pick in (("median ratio", statistics.median), ("least ratio", min), ("greatest ratio", max)):
        rows.append((label, [f"{pick(list(ratios[n].values())):.1f}x" for n in names]))
    rows.append(("all of them, ratio", ["%.1fx" % (
        sum(total(figures[n], groups[g]) for g in ratios[n]) /
        sum(total(figures[OURS], groups[g]) for g in ratios[n])) for n in names]))
    table("rules of the packs, evaluated", names, rows)

    rows = []
    for group in fixed:
        rows.append((f"`{cases[groups[group][0]]['expr']}`",
                     [shown(total(figures[n], groups[group], "compile_ns")) for n in names]))
    everything = [i for g in rules for i in groups[g]]
    rows.append((f"median of {len(everything)} expressions of the packs", [
        shown(statistics.median(figures[n][i]["compile_ns"] for i in everything
                                if "error" not in figures[n][i])) for n in names]))
    table("parse, check and compile", names, rows)

    print("Rules that the fastest rival evaluates in less than three times our time (none if none follows):\n")
    rivals = [n for n in RIVALS if n in figures]
    for group in fixed + rules:
        own = total(figures[OURS], groups[group])
        best = min(((total(figures[n], groups[group]), n) for n in rivals
                    if total(figures[n], groups[group]) is not None), default=None)
        if best and best[0] < 3 * own:
            print(f"- {group}: {shown(own)}, {best[1]} {shown(best[0])} ({best[0] / own:.1f}x)")
    print("\nLeft out, with the first reason given:\n")
    for name in names:
        bad = [(g, figures[name][i]["error"]) for g in fixed + rules for i in groups[g]
               if "error" in figures[name][i]]
        if bad:
            print(f"- {name}: {len({g for g, _ in bad})} of {len(groups)}; {bad[0][0]}: {bad[0][1]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("LEDGERGATE_DATA", ROOT.parent / "shared")))
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--json", type=pathlib.Path, help="where to keep every figure")
    options = parser.parse_args()
    if not (options.data / "data/tau2").is_dir():
        sys.exit(f"cel_side_by_side: there is no shared data at {options.data}")
    path = PEERS / "cases.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    cases = write_cases(options.data, path)
    rounds = {}
    for _ in range(options.rounds):
        for name, command in commands(str(path)).items():
            if options.only and name not in options.only + [OURS]:
                continue
            figures = run(command)
            if figures and len(figures) == len(cases):
                rounds.setdefault(name, []).append(figures)
    figures = {name: medians(runs) for name, runs in rounds.items()}
    if options.json:
        options.json.write_text(json.dumps({"cases": [[c["case"], c["part"], c["expr"]] for c in cases],
                                            "figures": figures}, indent=1))
    report(cases, figures)


main()
