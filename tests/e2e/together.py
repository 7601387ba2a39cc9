"""Gold conversations with neighbouring calls merged into one message: proposed together, before any has answered.

Each gold conversation becomes an OpenAI conversation of messages of two or three calls, whose answers come behind
them. The first call of a message is judged as it is alone. A later one is never allowed where it would be
refused alone; where it is refused though it would be allowed, it is for want of what the others have not yet
answered: what they may change is pending, what they read is missing, or has to be read again. With
`parallel: judge` nothing is pending.
"""

import json
import os

from _run import SOURCE, Folder, check, done

DATA = os.path.join(os.environ.get("LEDGERGATE_DATA", os.path.join(SOURCE, "..", "shared")), "data")
FOR_WANT_OF_ANSWERS = {"pending", "missing", "stale"}


def message_of(calls, first):
    made = [{"id": f"c{first + i}", "type": "function",
             "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
            for i, call in enumerate(calls)]
    answers = [{"role": "tool", "tool_call_id": f"c{first + i}",
                "content": ("Error: " if call.get("error") and not str(call["result"]).startswith("Error") else "")
                + (call["result"] if isinstance(call["result"], str) else json.dumps(call["result"]))}
               for i, call in enumerate(calls)]
    return [{"role": "assistant", "content": None, "tool_calls": made}, *answers]


def conversation(calls, size):
    messages = [{"role": "user", "content": "Hello."}]
    for first in range(0, len(calls), size):
        messages += message_of(calls[first:first + size], first)
    return {"messages": messages}


def decisions(f, pack, name):
    code, out, err = f.run("replay", "--json", "--pack", pack, name)
    found = {}
    for line in map(json.loads, out.splitlines()):
        if "decision" in line:
            found.setdefault(line["trace"], []).append((line["tool"], line["decision"]))
    return found


def judging(f, domain):
    with open(os.path.join(SOURCE, "packs", domain, "pack.yaml"), encoding="utf-8") as file:
        return f.write(f"{domain}-judge.yaml", file.read() + "\nparallel: judge\n")


def for_want_of_answers(finding):
    """Rules of the packs that ask for a search say so by their name."""
    return finding["cause"] in FOR_WANT_OF_ANSWERS or finding["rule"].endswith("_observed")


def causes(decision):
    return {finding["cause"] for finding in decision["findings"]}


def compare(f, domain, traces, size):
    pack = os.path.join(SOURCE, "packs", domain)
    alone = decisions(f, pack, f.write("alone.jsonl", "".join(json.dumps(conversation(t, 1)) + "\n" for t in traces)))
    merged_file = f.write("merged.jsonl", "".join(json.dumps(conversation(t, size)) + "\n" for t in traces))
    merged = decisions(f, pack, merged_file)
    apart = decisions(f, judging(f, domain), merged_file)
    check(alone.keys() == merged.keys() == apart.keys() and alone, f"{domain}: the same conversations")
    counts = {"allow": 0, "wait": 0, "refused": 0, "pending": 0}
    for trace, expected in alone.items():
        together = merged[trace]
        check([tool for tool, _ in expected] == [tool for tool, _ in together], f"{domain} {trace}: the same writes")
        for (tool, single), (_, decision), (_, judged) in zip(expected, together, apart[trace]):
            check("pending" not in causes(judged), f"{domain} {trace} {tool}: nothing is pending where each is judged")
            counts["pending"] += "pending" in causes(decision)
            if decision["verdict"] == single["verdict"]:
                counts["allow" if decision["verdict"] == "allow" else "refused"] += 1
                continue
            check(single["verdict"] == "allow" or decision["verdict"] != "allow",
                  f"{domain} {trace} {tool}: what is refused alone is refused together", decision["message"])
            check(single["verdict"] != "allow" or all(map(for_want_of_answers, decision["findings"])),
                  f"{domain} {trace} {tool}: refused only for want of answers", decision["message"])
            counts["wait"] += 1
    print(f"{domain}, {size} calls a message: {counts}")
    return counts


with Folder() as f:
    waited = pending = 0
    for domain in ("airline", "retail", "telecom", "telehealth"):
        path = os.path.join(DATA, "tau2", domain, "gold_traces.jsonl")
        if not os.path.exists(path):
            print(f"skipped: {os.path.relpath(path, SOURCE)} is not here")
            continue
        with open(path, encoding="utf-8") as file:
            traces = [json.loads(line)["calls"] for line in file if line.strip()]
        traces = [[call for call in calls if call.get("requestor", "assistant") != "user"] for calls in traces]
        for size in (2, 3):
            counts = compare(f, domain, [t for t in traces if t], size)
            waited += counts["wait"]
            pending += counts["pending"]
    if waited:
        check(pending > 0, "some of them are pending")
    check(True, "ran")
done()
