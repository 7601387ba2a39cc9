#!/usr/bin/env python3
"""The gateway under load, beside LiteLLM's proxy, nginx and a bare relay of ours, in one run.

    bench/load/run.py [--rate 3000] [--seconds 20] [--rounds 3] [--prompt] [--together] [--write]
    bench/load/run.py --soak 600 [--rate 1700] [--write]

One program is client and model (bench/load/main.c). It asks by a schedule; of each request it knows when it had to be sent,
how long the model had it, and when all of the answer was there. What is left is the proxy's, the network's and its own: of
it the median of the runs without a proxy is taken away. In a round everybody has a turn. The proxies run on one half of the
processors and the generator on the other, unless `--together`. Needs the shared data; `make bench-load` installs the others. --write puts the tables into
docs/benchmarks-serve.md.
"""

import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import threading
import time

import cold
from proxies import (FOLDER, ROOT, Direct, Gate, GateWithoutBlock, GateWithoutLog, GateWithoutPack, LiteLLM, Nginx, Relay,
                     free_port)

PAGE = ROOT / "docs/benchmarks-serve.md"
GENERATOR = ROOT / "build/release/bench/bench_load"
PEAK_CONNECTIONS = 64


def generate(proxy, generator_cpus, work, rate, seconds, **more):
    args = [GENERATOR, "--work", work, "--to", proxy.address, "--path", proxy.path, "--rate", rate, "--seconds", seconds,
            "--listen", proxy.upstream]
    for name, value in more.items():
        args += ["--" + name.replace("_", "-"), value]
    for pid in proxy.pids():
        args += ["--pid", pid]
    ran = subprocess.run([str(arg) for arg in args], stdout=subprocess.PIPE, check=True,
                         preexec_fn=lambda: os.sched_setaffinity(0, generator_cpus))
    return json.loads(ran.stdout)


def commits():
    ran = subprocess.run([GENERATOR, "--commits", FOLDER], stdout=subprocess.PIPE, check=True)
    return json.loads(ran.stdout)


def middle(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


class Bench:
    def __init__(self, options):
        self.options = options
        cpus = sorted(os.sched_getaffinity(0))
        half = len(cpus) // 2
        apart = half > 0 and not options.together
        self.cpus = set(cpus[half:]) if apart else set(cpus)
        self.generator_cpus = set(cpus[:half]) if apart else set(cpus)
        self.upstream = free_port()
        FOLDER.mkdir(parents=True, exist_ok=True)
        self.work = self.make_work("work.jsonl", *(["--prompt"] if options.prompt else []))
        self.said = {"machine": machine(), "rate": options.rate, "work": self.about,
                     "rounds": f"{options.rounds} rounds of {options.seconds:.0f} s",
                     "where": f"{len(self.cpus)} for the proxy, {len(self.generator_cpus)} for the generator"
                              if apart else "all for everybody"}

    def make_work(self, name, *args):
        path = FOLDER / name
        made = subprocess.run([sys.executable, "-B", ROOT / "bench/load/make_work.py", path, *args],
                              stdout=subprocess.PIPE, check=True)
        self.about = json.loads(made.stdout)
        return path

    def run(self, proxy, rate, seconds, work=None, **more):
        result = generate(proxy, self.generator_cpus, work or self.work, rate, seconds, **more)
        print(f"  {proxy.name:18} {result['a_second']:8.0f} a second, {result['cpu_us']:7.1f} us of processor each, "
              f"p50 {result['plain']['outside_us']['p50']} us", file=sys.stderr, flush=True)
        return result

    def start(self, *kinds):
        """Those that can be; of the others it is said why not."""
        found = []
        for kind in kinds:
            if kind.why_not:
                print(f"skipped: {kind.why_not}", file=sys.stderr)
            else:
                found.append(kind(self.upstream, self.cpus))
        return found

    # --- the parts ----------------------------------------------------------------------------------

    def latency(self):
        """Everybody at the same rate."""
        o = self.options
        proxies = self.start(Direct, Relay, Nginx, Gate)
        rows = {proxy.name: [] for proxy in proxies}
        disk = []
        for proxy in proxies:
            proxy.__enter__()
        try:
            for number in range(o.rounds):
                print(f"round {number + 1} of {o.rounds}, {o.rate} requests a second", file=sys.stderr)
                disk.append(commits())
                for proxy in proxies:
                    rows[proxy.name].append(self.run(proxy, o.rate, o.seconds))
                disk.append(commits())
            self.said["resident_mb"] = {p.name: p.resident_mb() for p in proxies if p.pids()}
            self.said["gate"] = proxies[-1].metrics()
        finally:
            for proxy in proxies:
                proxy.__exit__()
        self.said["commit"] = {kind: {q: middle(d[kind][q] for d in disk) for q in ("p50", "p99")}
                               for kind in ("sync_us", "sqlite_us")}
        self.said["latency"] = rows

    def peak(self):
        """As fast as each can, and the generator alone."""
        self.said["peak"] = {}
        print("as fast as answers come", file=sys.stderr)
        for proxy in self.start(Direct, Relay, Nginx, Gate, LiteLLM):
            with proxy:
                slow = proxy.name == LiteLLM.name
                seconds = max(self.options.seconds / 2, 10 if slow else 0)
                self.said["peak"][proxy.name] = [
                    self.run(proxy, 0, seconds, connections=PEAK_CONNECTIONS, think_us=0, warm_up=8 if slow else 2)
                    for _ in range(self.options.rounds)]
                if slow:
                    best = max(r["a_second"] for r in self.said["peak"][proxy.name])
                    self.said["litellm_at_half"] = self.run(proxy, best / 2, self.options.seconds)
                    self.said.setdefault("resident_mb", {})[proxy.name] = proxy.resident_mb()

    def costs(self):
        """The processor's time of each part, by leaving it out."""
        rate = min(self.options.rate / 2, 1000)
        print(f"what each part costs, {rate:.0f} requests a second", file=sys.stderr)
        self.said["costs"] = {}
        for proxy in self.start(Relay, GateWithoutPack, GateWithoutBlock, GateWithoutLog, Gate):
            with proxy:
                self.said["costs"][proxy.name] = [self.run(proxy, rate, self.options.seconds / 2)
                                                  for _ in range(self.options.rounds)]

    def turns(self):
        """The fifth turn of a conversation and the fiftieth, with nothing else to do."""
        print("the 5th turn and the 50th", file=sys.stderr)
        self.said["turns"] = {}
        for proxy in self.start(Direct, Relay, Gate):
            with proxy:
                for turn in (5, 50):
                    work = self.make_work("turn.jsonl", "--turn", str(turn))
                    result = self.run(proxy, 100, self.options.seconds, work=work, conversations=8)
                    self.said["turns"].setdefault(proxy.name, {})[turn] = result

    def cold(self):
        """What others wait for while a conversation of 10 MB, of which nothing is known, is folded."""
        rate = max(self.options.rate / 6, 50)
        print("a conversation of 10 MB beside the others", file=sys.stderr)
        with Gate(self.upstream, self.cpus) as proxy:
            alone = self.run(proxy, rate, self.options.seconds)
            body = cold.conversation(10 << 20)
            done, stop = [], threading.Event()
            thread = threading.Thread(target=cold.ask_again_and_again, args=(proxy, body, done, stop))
            timer = threading.Timer(2.5, thread.start)  # behind the warm-up
            timer.start()
            beside = self.run(proxy, rate, self.options.seconds)
            stop.set()
            timer.join()
            thread.join()
        self.said["cold"] = {"rate": rate, "bytes": len(body), "alone": alone, "beside": beside, "folds": done}

    def soak(self, seconds):
        """Memory, each ten seconds."""
        with Gate(self.upstream, self.cpus) as proxy:
            sizes, stop = [], threading.Event()

            def look():
                begun = time.monotonic()
                while not stop.wait(10):
                    sizes.append((round(time.monotonic() - begun), round(proxy.resident_mb(), 2)))

            thread = threading.Thread(target=look)
            thread.start()
            result = self.run(proxy, self.options.rate, seconds)
            stop.set()
            thread.join()
            self.said["soak"] = {"seconds": seconds, "rate": self.options.rate, "result": result, "sizes": sizes,
                                 "log_mb": (FOLDER / "gate.db").stat().st_size / 2**20}


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((row.split(":")[1].strip() for row in file if row.startswith("model name")), platform.machine())
    return f"{os.cpu_count()} processors ({model}), Linux {platform.release().split('-')[0]}"


# --- What it comes to ---------------------------------------------------------------------------------

def us(value):
    if value is None:
        return "never"
    return f"{value:.0f} us" if value < 1000 else f"{value / 1000:.2f} ms" if value < 1e6 else f"{value / 1e6:.1f} s"


def row(*cells):
    return "| " + " | ".join(str(cell) for cell in cells) + " |\n"


def header(*cells):
    return row(*cells) + row("---", *("---:" for _ in cells[1:]))


def quantile(rounds, kind, name, base=0.0):
    values = [r[kind]["outside_us"][name] for r in rounds]
    if any(v is None for v in values):
        return None
    return max(middle(values) - base, 0)


def judged(value, limit):
    return "not met" if value is None or value > limit else "met"


def latency_table(said):
    base = quantile(said["latency"]["direct"], "plain", "p50")
    relay = middle(r["cpu_us"] for r in said["latency"]["bare relay"])
    text = f"Without a proxy a request is {us(base)} (p50) outside of the model; that is taken away below.\n\n"
    text += header("", "added p50", "p99", "p99.9", "with a gated call p50", "p99", "processor a request", "to the bare relay",
                   "resident", "failed")
    for name, rounds in said["latency"].items():
        took = middle(r["cpu_us"] for r in rounds)
        missing = sum(r["unsent"] + r["plain"]["failed"] + r["gated"]["failed"] for r in rounds)
        cells = [us(quantile(rounds, "plain", q, base)) for q in ("p50", "p99", "p999")]
        cells += [us(quantile(rounds, "gated", q, base)) for q in ("p50", "p99")]
        proxy = name in said["resident_mb"]
        text += row(name, *cells, us(took) if proxy else "", f"{took / relay:.2f}x" if proxy and relay else "",
                    f"{said['resident_mb'][name]:.0f} MB" if proxy else "", missing)
    return text + "\n" + latency_goals(said, base, relay)


def latency_goals(said, base, relay):
    ours, disk, gate = said["latency"][Gate.name], said["commit"], said["gate"]
    plain = {q: quantile(ours, "plain", q, base) for q in ("p50", "p99")}
    gated = {q: quantile(ours, "gated", q, base) for q in ("p50", "p99")}
    took = middle(r["cpu_us"] for r in ours) / relay if relay else None
    own_commit = 1e6 * gate["ledgergate_store_commit_seconds_total"] / max(gate["ledgergate_store_commits_total"], 1)
    text = (f"A commit of this disk, with nothing else running: p50 {us(disk['sync_us']['p50'])}, p99 {us(disk['sync_us']['p99'])} "
            f"(four pages written over, and fdatasync); bare SQLite, one row: {us(disk['sqlite_us']['p50'])} and "
            f"{us(disk['sqlite_us']['p99'])}. The log's own took {us(own_commit)} on average, with "
            f"{gate['ledgergate_store_records_total'] / max(gate['ledgergate_store_commits_total'], 1):.0f} records; "
            f"{gate['decisions']:.0f} decisions; {gate['ledgergate_folds_cold_total']:.0f} conversations began cold, "
            f"{gate['ledgergate_folds_warm_total']:.0f} requests continued one.\n\n")
    text += header("goal", "measured", "")
    text += row("added p50 under 150 us", us(plain["p50"]), judged(plain["p50"], 150))
    text += row("added p99 under 1 ms", us(plain["p99"]), judged(plain["p99"], 1000))
    for q, times in (("p50", 2), ("p99", 4)):
        value = None if gated[q] is None else gated[q] / disk["sync_us"]["p50"]
        rows = None if value is None else gated[q] / disk["sqlite_us"]["p50"]
        text += row(f"with a gated call {q} under {times} commits (their median)",
                    "never" if value is None else f"{value:.1f}; of bare SQLite's {rows:.1f}", judged(value, times))
    return text + row("processor a request at most 1.3 times the bare relay's", f"{took:.2f}", judged(took, 1.3)) + "\n"


def peak_table(said):
    text = header("as fast as answers come", "a second", "to LiteLLM", "processor a request")
    best = {name: middle(r["a_second"] for r in rounds) for name, rounds in said["peak"].items()}
    other = best.get(LiteLLM.name)
    for name, value in best.items():
        took = middle(r["cpu_us"] for r in said["peak"][name])
        shown = "the generator alone" if name == "direct" else name
        text += row(shown, f"{value:.0f}", f"{value / other:.1f}x" if other else "not measured", us(took) if took else "")
    half = said.get("litellm_at_half")
    if half:
        base = quantile(said["latency"]["direct"], "plain", "p50")
        text += (f"\nLiteLLM at half of what it can ({half['a_second']:.0f} a second) adds {us(quantile([half], 'plain', 'p50', base))} "
                 f"(p50) and {us(quantile([half], 'plain', 'p99', base))} (p99).\n")
    return text + (f"\nGoal: at least 10 times LiteLLM's: {judged(10 * other, best[Gate.name])}.\n\n" if other else "\n")


def costs_table(said):
    text = header("", "processor a request", "to the bare relay")
    relay = middle(r["cpu_us"] for r in said["costs"]["bare relay"])
    for name, rounds in reversed(said["costs"].items()):
        took = middle(r["cpu_us"] for r in rounds)
        text += row(name, us(took), f"{took / relay:.2f}x" if relay else "")
    return text + "\n"


def turns_table(said):
    direct = said["turns"]["direct"]
    text = header("", "5th turn", "50th", "ratio", "KB of request", "a KB, 5th", "a KB, 50th", "processor, 5th", "50th")
    for name, turns in said["turns"].items():
        five, fifty = turns[5], turns[50]
        added = [quantile([turns[t]], "plain", "p50", 0 if name == "direct" else quantile([direct[t]], "plain", "p50"))
                 for t in (5, 50)]
        kb = [r["plain"]["request_bytes"] / 1024 for r in (five, fifty)]
        text += row(name, us(added[0]), us(added[1]), f"{added[1] / added[0]:.1f}" if added[0] else "",
                    f"{kb[0]:.1f}, {kb[1]:.1f}", us(added[0] / kb[0]), us(added[1] / kb[1]),
                    us(five["cpu_us"]) if five["cpu_us"] else "", us(fifty["cpu_us"]) if fifty["cpu_us"] else "")
    return text + "\n"


def cold_table(said):
    c = said["cold"]
    text = header(f"{c['rate']:.0f} others a second", "p50", "p99", "p99.9", "failed")
    for name, shown in (("alone", "alone"), ("beside", f"beside conversations of {c['bytes'] / 2**20:.0f} MB, {len(c['folds'])} in all")):
        r = c[name]
        text += row(shown, *(us(r["plain"]["outside_us"][q]) for q in ("p50", "p99", "p999")),
                    r["unsent"] + r["plain"]["failed"] + r["gated"]["failed"])
    if c["folds"]:
        text += f"\nSuch a conversation is answered after {statistics.median(c['folds']):.2f} s.\n"
    return text + "\n"


def soak_table(said):
    s = said["soak"]
    sizes = s["sizes"]
    later = sizes[len(sizes) // 2:]
    slope = statistics.linear_regression([t for t, _ in later], [mb for _, mb in later]).slope if len(later) > 2 else 0
    shown = sizes[:: max(len(sizes) // 12, 1)]
    done = s["result"]["done"]
    return (header("second", *(t for t, _ in shown)) + row("resident MB", *(f"{mb:.1f}" for _, mb in shown)) +
            f"\n{done} requests in {s['seconds']:.0f} s, {s['rate']:.0f} a second; the log has {s['log_mb']:.0f} MB. In the second half "
            f"memory grows by {slope * 60:.2f} MB a minute.\n\n")


def tables(said):
    work = said["work"]
    text = f"{said['machine']}; {said['where']}{'' if 'soak' in said else '; ' + said['rounds']}."
    if "latency" in said:
        text += (f" {work['gated'] / work['turns']:.0%} of the replies have a gated call; a request has {work['request_bytes']} "
                 f"bytes.\n\n### {said['rate']:.0f} requests a second, open loop\n\n" + latency_table(said))
    else:
        text += "\n\n"
    for name, title, table in (("peak", "Peak", peak_table), ("costs", "What each part costs", costs_table),
                               ("turns", "The 50th turn beside the 5th", turns_table),
                               ("cold", "A conversation of 10 MB beside the others", cold_table),
                               ("soak", "Memory", soak_table)):
        text += f"### {title}\n\n" + table(said) if name in said else ""
    return text


def write_page(said, text):
    kind = "soak" if "soak" in said else "load"
    begin, end = f"<!-- {kind}: begin -->\n", f"<!-- {kind}: end -->\n"
    head, rest = PAGE.read_text().split(begin)
    PAGE.write_text(head + begin + text + end + rest.split(end)[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rate", type=float)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prompt", action="store_true", help="with the policy and the tools in each request")
    parser.add_argument("--together", action="store_true", help="proxies and generator on the same processors")
    parser.add_argument("--soak", type=float, metavar="SECONDS")
    parser.add_argument("--only", help="parts: latency,peak,costs,turns,cold")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.rate = options.rate or (1700 if options.soak else 3000)
    bench = Bench(options)
    if options.soak:
        bench.soak(options.soak)
    else:
        for part in (options.only or "latency,peak,costs,turns,cold").split(","):
            getattr(bench, part)()
    text = tables(bench.said)
    pathlib.Path(ROOT / f"build/bench-load{'-soak' if options.soak else ''}.json").write_text(json.dumps(bench.said, indent=1))
    print(text)
    if options.write:
        write_page(bench.said, text)


if __name__ == "__main__":
    main()
