"""What is live is what is replayed: recordings told to the public interface, event by event.

For every recording in the data (and the samples of the repository) the decisions, findings, rejections and debts
that tests/support/live.c gets back are those that `replay --json` prints, in the same order: a decision byte for
byte. From events in the middle on they are the same after going back, and in a fork. Packs
without a clock of their own are told too: then `now` is the time of the event.
"""

import json
import os
import subprocess

import _run
from _run import BIN, SOURCE, Folder, check, done

LIVE = os.environ["LEDGERGATE_LIVE"]
DATA = os.path.join(os.environ.get("LEDGERGATE_DATA", os.path.join(SOURCE, "..", "shared")), "data")
SLOW = bool(os.environ.get("LG_SLOW"))
FORKS = "0" if SLOW else "4"  # events of each conversation to go back to; 0: all of them


def recordings():
    """(file, domains to judge it by)"""
    samples = os.path.join(SOURCE, "examples", "conversations")
    for name in sorted(os.listdir(samples)):
        if name.endswith((".json", ".jsonl")):
            yield os.path.join(samples, name), ["retail"]
    for domain in ("airline", "retail", "telecom", "telehealth"):
        yield os.path.join(DATA, "tau2", domain, "gold_traces.jsonl"), [domain]
    for folder, _, names in sorted(os.walk(os.path.join(DATA, "traces"))):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not name.endswith((".json", ".jsonl")):
                continue
            fitting = [d for d in ("airline", "telecom", "telehealth") if d in path]
            yield path, fitting or ["retail"]


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def of_replay(line, raw):
    """What the line says in the words of live.c, or None if it is about the recording alone."""
    if "decision" in line:
        return "decision", line["decision"], raw
    if "conversation" in line and "rule" in line["conversation"]:
        found = line["conversation"]
        return "finding", {key: found[key] for key in ("rule", "cause", "message")}, raw
    if "obligation" in line:
        owed = line["obligation"]
        return "owed", {"owed": owed["rule"], **{key: owed[key] for key in ("event", "turn", "message")}}, raw
    for kind in ("rejected_result", "unverified_write", "unreadable_result"):
        if kind in line:
            return "rejection", line[kind]["message"], raw
    return None


def of_live(line, raw):
    if "decision" in line:
        return "decision", line["decision"], raw
    if "finding" in line:
        return "finding", {key: line["finding"][key] for key in ("rule", "cause", "message")}, raw
    if "owed" in line:
        return "owed", line, raw
    return "rejection", line["rejection"], raw


def read(words, parse):
    ran = subprocess.run(words, capture_output=True, text=True, timeout=600)
    raws = [raw for raw in ran.stdout.splitlines() if raw.strip()]
    told = [parse(json.loads(raw), raw) for raw in raws]
    return ran, [one for one in told if one]


def compare(pack, path, name):
    replayed, expected = read([BIN, "replay", "--json", "--pack", pack, path], of_replay)
    if replayed.returncode not in (0, 1, 2) or (replayed.returncode == 2 and not expected):
        return None  # no recording
    live, told = read([LIVE, pack, path, FORKS], of_live)
    check(live.returncode == 0, f"{name} can be told, and is the same after going back", live.stderr)
    if not check([one[:2] for one in told] == [one[:2] for one in expected], f"{name}: live is what is replayed"):
        for ours, theirs in zip(told, expected):
            if ours[:2] != theirs[:2]:
                print(f"    live:   {str(ours[:2])[:1500]}\n    replay: {str(theirs[:2])[:1500]}")
                break
        print(f"    {len(told)} and {len(expected)}")
        return 0
    for ours, theirs in zip(told, expected):
        if ours[0] == "decision" and ours[2][len('{"decision":'):-1] not in theirs[2]:
            check(False, f"{name}: a decision has the same bytes", f"{ours[2]}\n{theirs[2]}")
            return 0
    return sum(one[0] == "decision" for one in told)


def without_clock(folder, domain):
    """The pack without a clock of its own: the file's other files come with it."""
    with open(os.path.join(SOURCE, "packs", domain, "pack.yaml"), encoding="utf-8") as file:
        text = file.read()
    rest = [line for line in text.splitlines() if not line.startswith("clock:")]
    check(len(rest) == text.count("\n") - 1, f"packs/{domain} had a clock")
    return os.path.join(folder.path, folder.write(f"{domain}.yaml", "\n".join(rest) + "\n"))


with Folder() as f:
    timeless = {domain: without_clock(f, domain) for domain in ("airline", "telecom")}
    files = decisions = 0
    for path, domains in recordings():
        if not os.path.exists(path):
            print(f"skipped: {os.path.relpath(path, SOURCE)} is not here")
            continue
        for domain in domains:
            name = f"{os.path.relpath(path, SOURCE)} by {domain}"
            count = compare(os.path.join(SOURCE, "packs", domain), path, name)
            if count is None:
                continue
            files += 1
            decisions += count
            if domain in timeless and (SLOW or files % 5 == 0):
                decisions += compare(timeless[domain], path, name + " without a clock") or 0
    print(f"{files} files, {decisions} decisions told live and replayed")
    check(files > 0 and decisions > 0, "something was compared")
done()
