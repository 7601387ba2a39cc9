#!/usr/bin/env python3
"""Writes docs/results.md: what the packs say about the recorded conversations.

Runs `ledgergate show --json --events` for what was recorded (model, domain, reward, expected
actions) and `ledgergate replay --json` for the verdicts, joins them, and counts. Nothing is judged
here: the verdicts are the program's, and what was found by reading conversations stands in
docs/results-explained.json. A refusal that must be explained there and is not is an error.

usage: scripts/results.py > docs/results.md
       scripts/results.py --check     compares with docs/results.md; 1 if they differ

The recordings lie in DATA/data/traces, where DATA is --data, else LEDGERGATE_DATA, else ../shared
beside the checkout. The program is LEDGERGATE_BIN, else build/ledgergate.
"""
import argparse
import collections
import difflib
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import repairs

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = os.environ.get("LEDGERGATE_BIN") or ROOT / "build" / "ledgergate"
RESULTS = ROOT / "docs" / "results.md"
EXPLANATIONS = ROOT / "docs" / "results-explained.json"
DOMAINS = ["airline", "retail", "telecom", "telehealth"]

# The folders whose conversations are of the four domains, and by file the model, which few formats
# record. The first pattern that fits counts; None leaves it to the recording.
MODELS = {
    "activegraph-tau2": [("*", None)],
    "agentrx-tau-retail": [("*", "gpt-4o")],
    "claude-code-retail-solo": [("*", None)],
    "grok-tau-bench": [
        ("react-grok-4-fast-reasoning-*", "grok-4-fast-reasoning (ReAct text)"),
        ("tool-calling-grok-4-1-fast-non-reasoning-*", "grok-4-1-fast-non-reasoning"),
        ("tool-calling-grok-4-1-fast-reasoning-*", "grok-4-1-fast-reasoning"),
        ("tool-calling-grok-4-fast-non-reasoning-*", "grok-4-fast-non-reasoning"),
        ("tool-calling-grok-4-fast-reasoning-*", "grok-4-fast-reasoning"),
    ],
    "tau-bench-contract-agents": [("tool-calling-l0-4.1.json", "gpt-4.1"), ("*", "not recorded")],
    "tau-bench-historical": [("*", "gpt-4o")],
    "tau-bench-llama": [("*", "Llama-3.1-8B-Instruct")],
    "tau-trait": [("*", "gpt-5")],
    "tau2-enhanced": [("*", None)],
    "tau2-leaderboard-toolorchestra": [("*", "toolorchestra")],
    "tau2-policy-refinement": [("*", None)],
    "tau2-single-simulations": [("gemini-3-flash-*", "gemini-3-flash-preview"),
                                ("gpt-5-nano-*", "gpt-5-nano")],
    "whissle-tau2": [("*", None)],
}
REWARDS = ["1", "0", "none"]
REWARD_NAMES = {"1": "reward 1", "0": "reward 0", "none": "unscored"}
REJECTED = ("unreadable_result", "rejected_result", "unverified_write")


class Broken(Exception):
    """The results cannot be written; the text says why."""


# --- Collecting ---------------------------------------------------------------------------------


def lines_of(*command):
    """The JSON lines that a command prints; exit code 1 (calls were refused) is fine."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=ROOT, check=False)
    if done.returncode not in (0, 1):
        raise Broken(f"{' '.join(map(str, command[:4]))} ...: exit code {done.returncode}\n"
                     + done.stderr.decode(errors="replace"))
    return [json.loads(line) for line in done.stdout.splitlines()]


def model_of(source, path, recorded):
    inside = path.split("/", 1)[1]
    for pattern, model in MODELS[source]:
        if fnmatch.fnmatchcase(inside, pattern):
            return model or recorded or "not recorded"
    raise Broken(f"MODELS has no model for {path}")


def read_conversations(traces_dir):
    """By (path, name), without those that a source records twice; and how many these were."""
    found = {}
    seen = set()
    twice = collections.Counter()
    for source in MODELS:
        # Backwards, so that of a pair in `failed` and `full` the one in `full` stays.
        for trace in reversed(lines_of(BINARY, "show", "--json", "--events", traces_dir / source)):
            if "events" not in trace:
                continue  # what could not be read
            events = trace.pop("events")
            content = (source, trace["trace"], json.dumps(events))
            if content in seen:
                twice[source] += 1
                continue
            seen.add(content)
            trace["agent_calls"] = [{key: e[key] for key in ("turn", "tool", "args")} for e in events
                                    if e["event"] == "call" and e["role"] == "agent"]
            trace["calls"] = len(trace["agent_calls"])
            trace["source"] = source
            trace["path"] = os.path.relpath(ROOT / trace["file"], ROOT / traces_dir)
            trace["model"] = model_of(source, trace["path"], trace["model"])
            trace["reward"] = {1: "1", 0: "0"}.get(trace["reward"], "none")
            trace["decisions"] = []
            trace["course"] = []
            trace["rejected"] = []
            found[trace["file"], trace["trace"]] = trace
    return found, twice


def flat(line):
    """Where a call was and what was decided about it, as one object."""
    return {**line, **line["decision"]}


def judge(conversations):
    """Adds the verdicts to the conversations. Returns the import issues (file, kind, what, count),
    and by domain how many writes failed and may have happened."""
    issues = {}
    unknown = {}
    for domain in DOMAINS:
        files = sorted({t["file"] for t in conversations.values() if t["domain"] == domain})
        # A file may hold conversations of several domains; only those of this one count.
        for line in lines_of(BINARY, "replay", "--json", "--pack", f"packs/{domain}", *files):
            inner = next((line[kind] for kind in REJECTED if kind in line), line)
            trace = conversations.get((inner.get("file"), inner.get("trace")))
            of_domain = trace and trace["domain"] == domain
            if "decision" in line and of_domain:
                trace["decisions"].append(flat(line))
            elif inner is not line and of_domain:
                trace["rejected"].append(inner)
            elif "conversation" in line or "obligation" in line:
                found = line.get("conversation") or line["obligation"]
                said = conversations.get((found["file"], found["trace"]))
                if said and said["domain"] == domain:
                    said["course"].append(found["rule"])
            elif "summary" in line:
                unknown[domain] = line["summary"].get("unknown_writes", 0)
            elif "import_error" in line:
                issue = line["import_error"]
                what = "left out" if issue["left_out"] else "read in part"
                key = issue["file"], issue["pointer"], issue["message"]
                issues[key] = (issue["file"], issue["message"].split(":")[0], what, 1)
            elif "import_errors_dropped" in line:
                more = line["import_errors_dropped"]
                issues[more["file"], "more"] = (more["file"], "further issues of a file with many",
                                                "", more["count"])
    return list(issues.values()), unknown


def judge_stale(conversations, setting):
    """The verdicts with every rule set to `stale: use` or `reread`: by conversation, in order."""
    verdicts = collections.defaultdict(list)
    for domain in DOMAINS:
        files = sorted({t["file"] for t in conversations.values() if t["domain"] == domain})
        text = (ROOT / "packs" / domain / "pack.yaml").read_text(encoding="utf-8")
        text = re.sub(r"(?m)^ *stale: (use|reread)( *#.*)?\n", "", text)
        with tempfile.TemporaryDirectory() as folder:
            pack = pathlib.Path(folder) / "pack.yaml"
            pack.write_text(f"stale: {setting}\n{text}", encoding="utf-8")
            for line in lines_of(BINARY, "replay", "--json", "--pack", folder, *files):
                trace = conversations.get((line.get("file"), line.get("trace")))
                if "decision" in line and trace and trace["domain"] == domain:
                    verdicts[line["file"], line["trace"]].append(flat(line))
    return verdicts


def key_of(trace, decision):
    """How docs/results-explained.json names a refusal; /2 is the second such call of its turn."""
    same = [d for d in trace["decisions"]
            if (d["turn"], d["tool"]) == (decision["turn"], decision["tool"])]
    which = next(i for i, d in enumerate(same, 1) if d is decision)
    return (f"{trace['path']}#{trace['trace']}@{decision['turn']}:{decision['tool']}"
            + (f"/{which}" if which > 1 else ""))


def is_unknown(decision):
    return decision["rules"] == ["known_tool"]


def is_refused(decision):
    return decision["verdict"] != "allow" and not is_unknown(decision)


def is_carried(decision):
    return decision["recorded"] == "result"


def is_expected(trace, decision):
    return any(action.get("name") == decision["tool"]
               and action.get("arguments") == decision["args"]
               for action in trace["expected"] or [])


def is_explained(trace, decision):
    """Must the refusal be explained one by one?"""
    return trace["reward"] == "1" and (is_carried(decision) or is_expected(trace, decision))


def refusals(conversations):
    return [(t, d) for t in conversations for d in t["decisions"] if is_refused(d)]


# --- Tables -------------------------------------------------------------------------------------


def table(out, header, rows, left):
    """`left` columns of text, then numbers."""
    out.append("| " + " | ".join(header) + " |")
    out.append("|" + "|".join("---" if i < left else "---:" for i in range(len(header))) + "|")
    out.extend("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows)
    out.append("")


def numbers(traces):
    """Conversations, writes, refused writes, those of them that were carried out."""
    writes = [d for t in traces for d in t["decisions"] if not is_unknown(d)]
    refused = [d for d in writes if is_refused(d)]
    return [len(traces), len(writes), len(refused), sum(map(is_carried, refused))]


def grouped(traces, key):
    groups = collections.defaultdict(list)
    for trace in traces:
        groups[key(trace)].append(trace)
    return sorted(groups.items())


def overview(out, conversations, classes):
    header = ["source", "model", "domain"]
    for reward in classes:
        header += [f"{REWARD_NAMES[reward]}: traces", "writes", "refused", "of these carried out"]
    rows = []
    groups = grouped(conversations, lambda t: (t["source"], t["model"], t["domain"]))
    for key, traces in groups + [(("**all**", "", ""), conversations)]:
        cells = [numbers([t for t in traces if t["reward"] == reward]) for reward in classes]
        rows.append([*key, *(n for group in cells for n in group)])
    table(out, header, rows, 3)


def by_rule(out, conversations, classes):
    counts = collections.defaultdict(collections.Counter)
    for trace, decision in refusals(conversations):
        for rule in decision["rules"]:
            counts[trace["domain"], rule][trace["reward"], is_carried(decision)] += 1
    rows = []
    for (domain, rule), count in sorted(counts.items()):
        cells = [(count[reward, True] + count[reward, False], count[reward, True])
                 for reward in classes]
        rows.append([domain, f"`{rule}`", *(n for pair in cells for n in pair)])
    header = ["domain", "rule"]
    for reward in classes:
        header += [f"{REWARD_NAMES[reward]}: refused", "of these carried out"]
    table(out, header, rows, 2)


def share(part, whole):
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "none"


def separation(out, conversations, classes):
    rows = []
    groups = grouped(conversations, lambda t: t["domain"])
    groups = [(d, g) for d, g in groups if any(is_refused(x) for t in g for x in t["decisions"])]
    both = [t for _, g in groups for t in g]
    for name, traces in groups + [("**together**", both)]:
        for what, test in (("refused", is_refused),
                           ("refused and carried out", lambda d: is_refused(d) and is_carried(d))):
            row = [name, what]
            for reward in classes:
                chosen = [t for t in traces if t["reward"] == reward]
                row.append(share(sum(any(map(test, t["decisions"])) for t in chosen),
                                 len(chosen)))
            rows.append(row)
    table(out, ["domain", "with at least one write that was",
                *(REWARD_NAMES[reward] for reward in classes)], rows, 2)


# --- Stale records ------------------------------------------------------------------------------


def paired(conversations, both):
    """Each write with its decision by `use` and by `reread`: trace, use, reread."""
    for trace in conversations:
        key = trace["file"], trace["trace"]
        for used, reread in zip(both["use"][key], both["reread"][key], strict=True):
            if not is_unknown(used):
                yield trace, used, reread


def is_added(used, reread):
    return reread["verdict"] != "allow" and used["verdict"] == "allow"


def stale_settings(out, conversations, both, classes):
    rows = []
    pairs = list(paired(conversations, both))
    for domain in DOMAINS:
        here = [(t, u, r) for t, u, r in pairs if t["domain"] == domain]
        for setting in ("use", "reread"):
            row = [domain, f"`{setting}`"]
            for reward in classes:
                chosen = [(t, u, r) for t, u, r in here if t["reward"] == reward]
                added = [(t, r) for t, u, r in chosen if setting == "reread" and is_added(u, r)]
                decisions = [r if setting == "reread" else u for _, u, r in chosen]
                row += [sum(d["verdict"] != "allow" for d in decisions), len(added),
                        sum(is_carried(r) for _, r in added),
                        sum(is_expected(t, r) for t, r in added)]
            rows.append(row)
    header = ["domain", "every rule"]
    for reward in classes:
        header += [f"{REWARD_NAMES[reward]}: refused", "added", "of these carried out",
                   "of these expected"]
    table(out, header, rows, 2)


def stale_rules(out, conversations, both, classes):
    counts = collections.defaultdict(collections.Counter)
    for trace, used, reread in paired(conversations, both):
        for finding in reread["findings"]:
            if finding["cause"] == "stale":
                counts[trace["domain"], finding["rule"]][trace["reward"], is_added(used, reread)] += 1
    rows = [[domain, f"`{rule}`",
             *(n for reward in classes
               for n in (count[reward, True] + count[reward, False], count[reward, True]))]
            for (domain, rule), count in sorted(counts.items())]
    header = ["domain", "rule"]
    for reward in classes:
        header += [f"{REWARD_NAMES[reward]}: reads again", "of these refused for nothing else"]
    table(out, header, rows, 2)


# --- What refusals say --------------------------------------------------------------------------


def repaired(out, conversations):
    rows = []
    groups = grouped(conversations, lambda t: t["domain"])
    for name, traces in groups + [("**together**", conversations)]:
        found = [(stage, said) for trace in traces
                 for stage, said in repairs.repairs_of(trace, is_refused, is_carried)]
        if found:
            stages = [stage for stage, _ in found]
            followed = stages.count("passed")
            rows.append([name, len(found), len(found) - stages.count("none"),
                         stages.count("record") + followed, followed,
                         share(sum(bool(said) for _, said in found), followed),
                         share(sum(said == "in full" for _, said in found), followed)])
    table(out, ["domain", "refused", "a later call of the tool was carried out",
                "on the same record", "and is allowed", "of these, the refusal says it", "in full"], rows, 1)


# --- Rejections by category ---------------------------------------------------------------------

CATEGORIES = [("pre-condition", "entity", "value or entity hallucination"),
              ("pre-condition", "format", "schema and format violation"),
              ("pre-condition", "state", "state dependency missing"),
              ("post-condition", "empty", "empty or null"),
              ("post-condition", "format", "schema and format violation"),
              ("post-condition", "semantic", "semantic mismatch"),
              ("post-condition", "update", "state-update inconsistency")]


def course(out, conversations, classes):
    """What conversation rules find: conversations with at least one, and how many there are."""
    rows = []
    for domain, traces in grouped(conversations, lambda t: t["domain"]):
        for rule in sorted({rule for t in traces for rule in t["course"]}):
            row = [domain, f"`{rule}`"]
            for reward in classes:
                chosen = [t for t in traces if t["reward"] == reward]
                row.append(share(sum(rule in t["course"] for t in chosen), len(chosen)))
                row.append(sum(t["course"].count(rule) for t in chosen))
            rows.append(row)
    header = ["domain", "rule"]
    for reward in classes:
        header += [f"{REWARD_NAMES[reward]}: conversations", "times"]
    table(out, header, rows, 2)


def rejections(out, conversations):
    calls = collections.Counter()
    counts = collections.Counter()
    for trace in conversations:
        domain = trace["domain"]
        unknown = sum(map(is_unknown, trace["decisions"]))
        calls[domain] += trace["calls"] - unknown
        for decision in filter(is_refused, trace["decisions"]):
            counts[domain, "pre-condition", decision["category"]] += 1
        for result in trace["rejected"]:
            counts[domain, "post-condition", result["category"]] += 1
    rows = []
    for stage in ("pre-condition", "post-condition"):
        chosen = [(c, words) for s, c, words in CATEGORIES if s == stage]
        for category, words in chosen:
            rows.append([stage, words, *rates(counts, calls, stage, [category])])
        rows.append([stage, "**together**", *rates(counts, calls, stage, [c for c, _ in chosen])])
    rows.append(["", "calls", *(calls[domain] for domain in DOMAINS), sum(calls.values())])
    table(out, ["stage", "category", *DOMAINS, "all"], rows, 2)


def rates(counts, calls, stage, categories):
    """By domain and of all: how many, and the share of the calls."""
    cells = []
    for domains in [[domain] for domain in DOMAINS] + [DOMAINS]:
        count = sum(counts[domain, stage, category] for domain in domains
                    for category in categories)
        whole = sum(calls[domain] for domain in domains)
        cells.append(f"{count} ({100 * count / whole:.1f} %)" if whole else "none")
    return cells


# --- Several calls in one message, and outcomes that are not known ------------------------------


def is_pending(decision):
    return any(finding["cause"] == "pending" for finding in decision["findings"])


def is_only_pending(decision):
    return (is_pending(decision)
            and all(finding["cause"] == "pending" for finding in decision["findings"]))


def booked_or_ordered(decision):
    args = decision["args"] if isinstance(decision["args"], dict) else {}
    return args.get("order_id") or args.get("reservation_id")


def is_on_one_record(writes):
    records = [booked_or_ordered(d) for d in writes if booked_or_ordered(d)]
    return len(records) > len(set(records))


def together(out, conversations, unknown):
    rows = []
    for domain, traces in grouped(conversations, lambda t: t["domain"]):
        messages = collections.defaultdict(list)
        for i, trace in enumerate(traces):
            for decision in trace["decisions"]:
                if not is_unknown(decision):
                    messages[i, decision["turn"]].append(decision)
        several = [writes for writes in messages.values() if len(writes) > 1]
        on_one = [writes for writes in several if is_on_one_record(writes)]
        pending = [d for writes in several for d in writes if is_pending(d)]
        alone = [d for d in pending if is_only_pending(d)]
        rows.append([domain, len(several), sum(any(map(is_pending, w)) for w in several),
                     len(on_one), sum(any(map(is_pending, w)) for w in on_one), len(pending),
                     len(alone), sum(map(is_carried, alone)), unknown[domain]])
    rows.append(["**together**", *(sum(row[i] for row in rows) for i in range(1, len(rows[0])))])
    table(out, ["domain", "messages with several writes", "of these with a pending one",
                "messages with several writes of one record", "of these with a pending one",
                "pending writes", "of these refused for nothing else", "and carried out",
                "writes of unknown outcome"], rows, 1)


def pending_ones(out, conversations, texts):
    chosen = [(t, d) for t in conversations for d in t["decisions"] if is_pending(d)]
    notes = notes_for(chosen, texts["pending"], "pending")
    out.append(f"{len(chosen)} pending writes: {tally(notes)}.\n")
    rows = [[*read_row(t, d, note), t["reward"]] for (t, d), note in zip(chosen, notes)]
    table(out, [*READ_HEADER, "reward"], rows, len(READ_HEADER) + 1)


def unknown_tools(out, conversations):
    counts = collections.Counter()
    for trace in conversations:
        for decision in trace["decisions"]:
            if is_unknown(decision):
                counts[trace["source"], trace["domain"], decision["tool"]] += 1
    tools = collections.defaultdict(list)
    for (source, domain, tool), count in sorted(counts.items()):
        tools[source, domain].append(f"`{tool}` {count}")
    rows = [[*key, ", ".join(names)] for key, names in sorted(tools.items())]
    table(out, ["source", "domain", "tools and calls"], rows, 3)


def import_issues(out, traces_dir, issues, twice):
    counts = collections.Counter()
    for path, kind, what, count in issues:
        source = os.path.relpath(ROOT / path, ROOT / traces_dir).split("/")[0]
        counts[source, kind, what] += count
    rows = [[*key, count] for key, count in sorted(counts.items())]
    rows += [[source, "the same conversation once more, in another file", "counted once", count]
             for source, count in sorted(twice.items())]
    table(out, ["source", "issue", "", "places"], rows, 3)


# --- What was read by hand ----------------------------------------------------------------------


def short(path):
    """A file name that fits a table; its two ends are enough to find it."""
    name = path.split("/", 1)[1]
    return f"`{name}`" if len(name) <= 60 else f"`{name[:38]}...{name[-18:]}`"


def why_not_violated(finding):
    """Of a rule that could not be judged: for want of evidence, of arguments, or of an answer."""
    told = finding["cause"] in ("missing", "arguments", "pending") and finding["rule"] != finding["cause"]
    return f" ({finding['cause']})" if told else ""


def read_row(trace, decision, note):
    outcome = "carried out" if is_carried(decision) else "failed"
    findings = ", ".join(f"`{f['rule']}`" + why_not_violated(f) for f in decision["findings"])
    return [trace["source"], short(trace["path"]), f"{trace['task']}/{trace['trial']}",
            decision["turn"], f"`{decision['tool']}`", outcome, findings, note["judged"],
            note["note"]]


READ_HEADER = ["source", "file", "task/trial", "turn", "call", "recorded", "rules", "judged",
               "what was read"]


def notes_for(chosen, notes, what):
    """The note of each, in order. An error names those without one, and notes about nothing."""
    keys = [key_of(t, d) for t, d in chosen]
    missing = sorted(set(keys) - set(notes))
    stale = sorted(set(notes) - set(keys))
    if missing or stale:
        raise Broken("".join(f"{what}: not explained in {EXPLANATIONS.name}: {key}\n"
                             for key in missing)
                     + "".join(f"{what}: explained, but not there any more: {key}\n"
                               for key in stale))
    return [notes[key] for key in keys]


def tally(notes):
    counts = collections.Counter(note["judged"] for note in notes)
    return ", ".join(f"{counts[word]} {word}" for word in ("right", "debatable", "wrong"))


def one_by_one(out, conversations, texts):
    chosen = [(t, d) for t, d in refusals(conversations) if is_explained(t, d)]
    notes = notes_for(chosen, texts["refusals"], "one by one")
    expected = sum(is_expected(t, d) for t, d in chosen)
    carried = sum(is_expected(t, d) and is_carried(d) for t, d in chosen)
    out.append(f"{len(chosen)} refusals: {expected} of expected actions ({carried} of them carried "
               f"out) and {len(chosen) - expected} of other writes that were carried out. "
               f"{tally(notes)}.\n")
    for reason, text in texts["reasons"].items():
        rows = [read_row(t, d, note) for (t, d), note in zip(chosen, notes)
                if note["reason"] == reason]
        if not rows:
            raise Broken(f"one by one: no refusal has the reason {reason}")
        out.append(f"### {text['title']}: {len(rows)}\n")
        out.append(text["text"] + "\n")
        table(out, READ_HEADER, rows, len(READ_HEADER))
    unknown = {note["reason"] for note in notes} - set(texts["reasons"])
    if unknown:
        raise Broken(f"one by one: reasons without a text: {', '.join(sorted(unknown))}")


def sample(out, conversations, texts):
    rest = [(t, d) for t, d in refusals(conversations) if not is_explained(t, d)]
    chosen = [(t, d) for t, d in rest if key_of(t, d) in texts["sampled"]]
    notes = notes_for(chosen, texts["sampled"], "sample")
    out.append(f"{len(chosen)} of {len(rest)} refusals: {tally(notes)}.\n")
    rows = [[i + 1, *read_row(t, d, note), t["reward"]]
            for i, ((t, d), note) in enumerate(zip(chosen, notes))]
    table(out, ["", *READ_HEADER, "reward"], rows, len(READ_HEADER) + 2)


# --- The document -------------------------------------------------------------------------------


def write_results(traces_dir):
    texts = json.loads(EXPLANATIONS.read_text(encoding="utf-8"))
    found, twice = read_conversations(traces_dir)
    issues, unknown = judge(found)
    conversations = sorted((t for t in found.values() if t["domain"] in DOMAINS),
                           key=lambda t: (t["source"], t["path"], t["trace"]))
    for trace in conversations:
        trace["decisions"].sort(key=lambda d: d["turn"])
    classes = [r for r in REWARDS if any(t["reward"] == r for t in conversations)]
    out = ["<!-- Written by scripts/results.py; the texts are in docs/results-explained.json. -->",
           "# What the packs say about recorded conversations\n", texts["introduction"] + "\n"]
    out.append("## By source, model and domain\n")
    overview(out, conversations, classes)
    out.append("## Passed and failed conversations\n")
    out.append(texts["separation"] + "\n")
    separation(out, conversations, classes)
    out.append("## Refusals by rule\n")
    out.append(texts["rules"] + "\n")
    by_rule(out, conversations, classes)
    out.append("## What refusals say\n")
    out.append(texts["repairs"] + "\n")
    repaired(out, conversations)
    out.append("## Rejections by category\n")
    out.append(texts["categories"] + "\n")
    rejections(out, conversations)
    out.append("## Conversation rules\n")
    out.append(texts["course"] + "\n")
    course(out, conversations, classes)
    out.append("## Stale records: use them, or read them again\n")
    out.append(texts["stale"] + "\n")
    both = {setting: judge_stale(found, setting) for setting in ("use", "reread")}
    stale_settings(out, conversations, both, classes)
    out.append(texts["stale_rules"] + "\n")
    stale_rules(out, conversations, both, classes)
    out.append("## What calls of one message, and writes of unknown outcome, change\n")
    out.append(texts["together"] + "\n")
    together(out, conversations, unknown)
    out.append(texts["outcomes"] + "\n")
    pending_ones(out, conversations, texts)
    out.append("## Refusals in rewarded conversations, one by one\n")
    out.append(texts["expected"] + "\n")
    one_by_one(out, conversations, texts)
    out.append("## Other refusals, read by hand\n")
    out.append(texts["by_hand"] + "\n")
    sample(out, conversations, texts)
    out.append("## Calls that the packs cannot judge\n")
    out.append(texts["unknown"] + "\n")
    unknown_tools(out, conversations)
    out.append("## What could not be read\n")
    out.append(texts["issues"] + "\n")
    import_issues(out, traces_dir, issues, twice)
    out.append("## Limits\n")
    out.append(texts["limits"])
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=os.environ.get("LEDGERGATE_DATA", ROOT.parent / "shared"),
                        help="the folder that holds data/traces")
    parser.add_argument("--check", action="store_true", help="compare with docs/results.md")
    options = parser.parse_args()
    traces_dir = pathlib.Path(os.path.relpath(pathlib.Path(options.data) / "data" / "traces", ROOT))
    if not (ROOT / traces_dir).is_dir():
        sys.exit(f"there are no recordings at {traces_dir}")
    try:
        text = write_results(traces_dir)
    except Broken as why:
        sys.exit(f"results: {why}")
    if not options.check:
        sys.stdout.write(text)
        return
    committed = RESULTS.read_text(encoding="utf-8")
    if text != committed:
        sys.stdout.writelines(difflib.unified_diff(
            committed.splitlines(True), text.splitlines(True), "docs/results.md", "now", n=0))
        sys.exit("results: docs/results.md is not what the recordings give; "
                 "scripts/results.py > docs/results.md writes it anew")
    print(f"docs/results.md is what the recordings give: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
