"""What is live is what is replayed: recordings told to the public interface, event by event.

For every recording in the data (and the samples of the repository) the decisions, findings, rejections and debts
that tests/support/live.c gets back are those that `replay --json` prints, in the same order, byte for
byte; a file that one of them cannot read neither can, and it is named. From events in the middle on they are
the same after going back, and in a fork. Packs without a clock of their own are told too: then `now` is the time of the
event. A build with sanitizers, which is asked for what they see and not for every decision, is told each fourth recording
of each folder of the data; LG_SLOW=1: all.
"""

import collections
import json
import os
import subprocess

from _run import BIN, SOURCE, Folder, check, done, is_sanitized

LIVE = os.environ["LEDGERGATE_LIVE"]
DATA = os.path.join(os.environ.get("LEDGERGATE_DATA", os.path.join(SOURCE, "..", "shared")), "data")
SLOW = bool(os.environ.get("LG_SLOW"))
KINDS = {"decision": "decisions", "finding": "findings", "owed": "debts", "rejection": "rejections"}
EVERY = 4 if is_sanitized() and not SLOW else 1
FORKS = "0" if SLOW else "4"  # events of each conversation to go back to; 0: all of them


def call(call_id, tool, **args):
    return {"role": "assistant", "content": None, "tool_calls": [
        {"id": call_id, "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}}]}


def made(folder):
    """What no recording holds: a result that is not accepted, and something owed at the end."""
    messages = [
        {"role": "user", "content": "Where is my order?"},
        call("a", "get_order_details", order_id="#W1"),
        {"role": "tool", "tool_call_id": "a", "content": "nobody knows"},
        call("b", "transfer_to_human_agents", summary="lost"),
        {"role": "tool", "tool_call_id": "b", "content": "Transfer successful"},
    ]
    return os.path.join(folder.path, folder.write("made.json", json.dumps(messages)))


def recordings(folder):
    """(file, domains to judge it by)"""
    yield made(folder), ["retail"]
    samples = os.path.join(SOURCE, "examples", "conversations")
    for name in sorted(os.listdir(samples)):
        if name.endswith((".json", ".jsonl")):
            yield os.path.join(samples, name), ["retail"]
    for domain in ("airline", "retail", "telecom", "telehealth"):
        yield os.path.join(DATA, "tau2", domain, "gold_traces.jsonl"), [domain]
    for folder, _, names in sorted(os.walk(os.path.join(DATA, "traces"))):
        # Of each folder, which is one format or one domain, the first and then each fourth.
        for name in [name for name in sorted(names) if name.endswith((".json", ".jsonl"))][::EVERY]:
            path = os.path.join(folder, name)
            fitting = [d for d in ("airline", "telecom", "telehealth") if d in path]
            yield path, fitting or ["retail"]


def of_replay(line):
    """What a line of replay is in the words of live.c, and where in it that stands; None: it is about the recording."""
    if "decision" in line:
        return "decision"
    if "rule" in line.get("conversation", {}):
        return "finding"
    if "obligation" in line:
        return "owed"
    if any(kind in line for kind in ("rejected_result", "unverified_write", "unreadable_result")):
        return "rejection"
    return None


def of_live(line):
    return next(iter(line))


def read(words, kind_of):
    ran = subprocess.run(words, capture_output=True, text=True, timeout=600)
    raws = [raw for raw in ran.stdout.splitlines() if raw.strip()]
    told = [(kind_of(json.loads(raw)), raw) for raw in raws]
    return ran, [one for one in told if one[0]]


def is_same(live, replayed):
    """Of one kind, and the bytes that the public interface gives stand in the line: of a decision as a value,
    else as the last members."""
    kind, raw = live
    value = raw[len(f'{{"{kind}":'):-1]
    if kind == "decision":
        return replayed[0] == kind and f'"decision":{value},' in replayed[1]
    return replayed[0] == kind and replayed[1].endswith(f",{value[1:-1]}}}}}")


def compare(pack, path, name):
    """How many of each kind were the same; None if both say that this is no recording."""
    replayed, expected = read([BIN, "replay", "--json", "--pack", pack, path], of_replay)
    live, told = read([LIVE, pack, path, FORKS], of_live)
    if live.returncode == 2:
        check(replayed.returncode == 2 and not expected, f"{name}: nobody can read it", live.stderr)
        return None
    check(replayed.returncode in (0, 1, 2), f"{name} can be replayed", replayed.stderr)
    check(live.returncode == 0, f"{name} can be told, and is the same after going back", live.stderr)
    check(len(told) == len(expected), f"{name}: as much is told", f"{len(told)} live, {len(expected)} replayed")
    for ours, theirs in zip(told, expected):
        if not is_same(ours, theirs):
            check(False, f"{name}: live is what is replayed", f"live:   {ours[1][:280]}\nreplay: {theirs[1][:280]}")
            break
    return collections.Counter(kind for kind, _ in told)


def without_clock(folder, domain):
    """The pack without a clock of its own: the file's other files come with it."""
    with open(os.path.join(SOURCE, "packs", domain, "pack.yaml"), encoding="utf-8") as file:
        text = file.read()
    rest = [line for line in text.splitlines() if not line.startswith("clock:")]
    check(len(rest) == text.count("\n") - 1, f"packs/{domain} had a clock")
    return os.path.join(folder.path, folder.write(f"{domain}.yaml", "\n".join(rest) + "\n"))


def compare_all(folder):
    timeless = {domain: without_clock(folder, domain) for domain in ("airline", "telecom")}
    same = collections.Counter()
    unread = []
    for path, domains in recordings(folder):
        if not os.path.exists(path):
            print(f"skipped: {os.path.relpath(path, SOURCE)} is not here")
            continue
        for domain in domains:
            name = f"{os.path.relpath(path, SOURCE)} by {domain}"
            told = compare(os.path.join(SOURCE, "packs", domain), path, name)
            if told is None:
                unread.append(name)
                continue
            same += told + collections.Counter(files=1)
            if domain in timeless and (SLOW or same["files"] % 5 == 0):
                same += compare(timeless[domain], path, name + " without a clock")
    return same, unread


with Folder() as f:
    counts, nameless = compare_all(f)
    for one in nameless:
        print(f"no recording: {one}")
    print(f"{counts['files']} files told live and replayed, {len(nameless)} are no recordings: "
          + ", ".join(f"{counts[kind]} {words}" for kind, words in KINDS.items()))
    check(all(counts[kind] for kind in KINDS), "each kind was compared", counts)
done()
