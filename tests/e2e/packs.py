"""Packs matched by tools: several, folders of them, conversations of mixed domains, and those that no pack fits."""

import json
import os
import re

import _run
from _run import SOURCE, check

DATA = os.environ.get("LEDGERGATE_DATA") or os.path.join(SOURCE, "..", "shared")
PACKS = os.path.join(SOURCE, "packs")

SHOP = """pack: shop
version: '1'
tools:
  get_user: {kind: read, parameters: {type: object, properties: {id: {type: string}}}}
  refund: {kind: write, parameters: {type: object, properties: {id: {type: string}}}}
rules:
  never: {tools: [refund], that: "args.id != '1'", say: "Not this one."}
"""
AIR = """pack: air
version: '2'
tools:
  get_user: {kind: read, parameters: {type: object, properties: {id: {type: string}}}}
  book: {kind: write, parameters: {type: object, properties: {id: {type: string}}}}
"""


def talk(*tools):
    messages = [{"role": "user", "content": "Hello"}]
    for i, tool in enumerate(tools):
        call = {"id": f"c{i}", "type": "function", "function": {"name": tool, "arguments": '{"id": "1"}'}}
        messages += [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": f"c{i}", "content": "{}"}]
    return json.dumps({"messages": messages})


def lines(out):
    return [json.loads(line) for line in out.splitlines()]


def summary(out):
    return lines(out)[-1]["summary"]


def write_all(folder):
    folder.write("packs/shop/pack.yaml", SHOP)
    folder.write("packs/air/pack.yaml", AIR)
    folder.write("packs/readme.md", "Two packs.")
    folder.write("talks/refund.json", talk("get_user", "refund"))
    folder.write("talks/book.json", talk("book"))
    folder.write("talks/user.json", talk("get_user"))
    folder.write("talks/other.json", talk("paint", "sweep"))


def mixed_domains(folder):
    for packs in (("--pack", "packs"), ("--pack", "packs/air", "--pack=packs/shop/pack.yaml"), ("--pack", "packs/", "--pack", "packs/shop")):
        code, out, err = folder.run("replay", *packs, "--json", "talks")
        what = " ".join(packs)
        check(code == 1, f"{what}: a refused call is a finding", f"{code}\n{err}")
        told = lines(out)
        judged = {(line["pack"], line["tool"], line["decision"]["verdict"]) for line in told if "decision" in line}
        check(judged == {("shop", "refund", "revise"), ("air", "book", "allow")}, f"{what}: each conversation by its own pack", out)
        left = {(line["no_pack"]["file"], tuple(line["no_pack"]["tools"])) for line in told if "no_pack" in line}
        check(left == {("talks/other.json", ("paint", "sweep")), ("talks/user.json", ("get_user",))}, f"{what}: those that no pack fits are named", out)
        total = summary(out)
        counts = [total[name] for name in ("traces", "no_pack", "calls", "unknown_tools", "revise", "allow")]
        check(counts == [4, 2, 3, 0, 1, 1], f"{what}: the summary counts all", total)
        by_pack = [(one["pack"], one["pack_version"], one["traces"], one["revise"], one["by_rule"]) for one in total["by_pack"]]
        check(by_pack == [("air", "2", 1, 0, {}), ("shop", "1", 1, 1, {"never": 1})], f"{what}: and those of each pack", total)


def for_people(folder):
    code, out, _ = folder.run("replay", "--pack", "packs", "talks")
    check(code == 1 and out.startswith("Summary, 2 packs to choose from (decided by rules)\n"), "the summary says that packs were chosen", out)
    check(re.search(r"^  conversations that no pack fits, judged by none +2$", out, re.M), "how many no pack fits", out)
    check("\nPack air 2\n" in out and "\nPack shop 1\n" in out, "a part for each pack", out)
    check("talks/refund.json  (pack shop)\n" in out, "which pack judged a conversation", out)
    check(out.endswith("\nno pack fits: 2 conversations\n  talks/other.json: 0, which calls paint, sweep\n  talks/user.json: 0, which calls get_user\n"), "what no pack fits is named at the end", out)
    _, quiet, _ = folder.run("replay", "--pack", "packs", "--quiet", "talks")
    check("talks/other.json" not in quiet and "judged by none" in quiet, "with --quiet it is counted", quiet)
    folder.write("talks/strange.json", talk("\x1b[31mred"))
    _, out, _ = folder.run("replay", "--pack", "packs", "talks")
    check("\x1b" not in out, "a tool's name commands no terminal", repr(out))
    os.remove(os.path.join(folder.path, "talks/strange.json"))


def nothing_fits(folder):
    code, out, err = folder.run("replay", "--pack", "packs", "talks/other.json", partial=True)
    check(code == 2 and "no pack fits any of the conversations" in err, "nothing was judged", f"{code}\n{err}")
    code, _, _ = folder.run("replay", "--pack", "packs/shop", "talks/other.json")
    check(code == 1, "one pack judges everything that it is given", code)


def broken_packs(folder):
    folder.write("broken/good/pack.yaml", SHOP)
    folder.write("broken/one/pack.yaml", "pack: one\n")
    folder.write("broken/two/pack.yaml", "pack: two\nversion: 1\ntools: {a: {kind: reed}}\n")
    code, _, err = folder.run("replay", "--pack", "broken", "talks")
    check(code == 2 and "broken/one/pack.yaml" in err and "broken/two/pack.yaml" in err and "good" not in err, "each broken pack is named", err)
    folder.write("empty/notes.txt", "")
    code, _, err = folder.run("replay", "--pack", "empty", "talks")
    check(code == 2 and "empty/pack.yaml" in err, "a folder without packs", err)
    folder.refuses("too many", ["replay", *["--pack", "packs/shop"] * 65, "talks"], "ledgergate replay: --pack can be given 64 times at most")
    folder.refuses("probes", ["replay", "--pack", "packs", "--probe", "p.jsonl", "talks"], "ledgergate replay: --probe needs one pack: --pack PACK")


def the_shared_recordings(folder):
    traces = os.path.join(DATA, "data", "traces")
    if not os.path.isdir(traces):
        print("skipped: the shared recordings (no shared data)")
        return
    _, out, _ = folder.run("show", "--json", "--events", traces, partial=True)
    recorded = {}
    for line in lines(out):
        if "trace" in line:
            recorded[line["file"], line["trace"]] = (line["domain"], {e["tool"] for e in line["events"] if e["event"] == "call" and e["role"] == "agent"})
    check(len(recorded) > 1500, "the recordings are there", len(recorded))
    code, out, err = folder.run("replay", "--pack", PACKS, "--json", traces)
    check(code == 1, "all recordings at once", err)
    told = lines(out)
    left = {(line["no_pack"]["file"], line["no_pack"]["trace"]) for line in told if "no_pack" in line}
    domains = {"airline", "retail", "telehealth"}
    wrong = [key for key in left if recorded[key][0] in domains]
    check(not wrong, "what is of a pack's domain is judged", wrong[:5])
    foreign = [key for key, (domain, _) in recorded.items() if domain not in domains | {"telecom"} and key not in left]
    check(not foreign, "what is of no pack's domain is not", foreign[:5])
    by = [(line["pack"], recorded[line["file"], line["trace"]][0]) for line in told if "decision" in line]
    check(by and all(pack == domain for pack, domain in by), "each by the pack of its domain", [pair for pair in by if pair[0] != pair[1]][:5])
    total = summary(out)
    check(total["traces"] == len(recorded) and total["no_pack"] == len(left), "every conversation is counted", total["traces"])


with _run.Folder() as folder:
    write_all(folder)
    mixed_domains(folder)
    for_people(folder)
    nothing_fits(folder)
    broken_packs(folder)
    the_shared_recordings(folder)
_run.done()
