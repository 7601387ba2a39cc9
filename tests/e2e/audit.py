"""`ledgergate audit`: what it says, where it puts it, and what it makes of bad input."""

import json
import os
from xml.etree import ElementTree

import _run
from _run import CONVERSATION, RETAIL, SOURCE, check

PACKS = os.path.join(SOURCE, "packs")
with open(CONVERSATION, "rb") as recording:
    GOOD = recording.read()


def talk(*messages, **about):
    return {"messages": [{"role": role, "content": text} for role, text in messages], **about}


SMALL = talk(("user", "Hello"), ("assistant", "Good day! How can I help?"), ("user", "I am fine, thanks. ###STOP###"))


def lines_of(out):
    return [json.loads(line) for line in out.splitlines()]


def results_of(out):
    return [line for line in lines_of(out) if "evaluators" in line]


def mixed(folder):
    folder.write("runs/a.json", GOOD)
    folder.write("runs/b/again.json", GOOD)
    folder.write("runs/cut.json", "{")
    folder.write("runs/other.json", '{"no": "recording"}')
    folder.write("runs/small.jsonl", json.dumps(SMALL) + "\n" + json.dumps(talk(("user", "x"), ("assistant", "y"))) + "\n")


def mixed_folder(folder):
    mixed(folder)
    code, out, err = folder.run("audit", "--pack", PACKS, "--json", "runs")
    lines = lines_of(out)
    check(code == 2, "a broken file among good ones: exit code 2", f"{code}\n{err}")
    check(len(results_of(out)) == 3, "every conversation is audited once", out)
    duplicates = [line["duplicate"] for line in lines if "duplicate" in line]
    check(len(duplicates) == 1 and "again" in duplicates[0]["conversation"], "a duplicate is named", duplicates)
    check(any("cut.json" in line.get("broken_file", {}).get("file", "") for line in lines), "the broken file is named", out)
    check(any("other.json" in line.get("skipped_file", {}).get("file", "") for line in lines), "the other file is named", out)
    summary = lines[-1]["summary"]
    check((summary["conversations"], summary["duplicates"], summary["without_pack"]) == (3, 1, 2), "they are counted", summary)
    code, text, err = folder.run("audit", "--pack", PACKS, "runs", partial=True)
    check(code == 2 and "3 conversations" in text and "2 fit no pack" in text, "people are told the same", text)
    check("not checked" in text, "people are told what was not checked", text)


def for_people(folder):
    """People are told where a finding is and how severe it is; what could not be read is named."""
    call = {"id": "1", "type": "function", "function": {"name": "get", "arguments": '{"id": "A-77"}'}}
    made_up = talk(("user", "What is it?"), ("assistant", "It is done."), ("user", "Thanks, bye."))
    made_up["messages"][1:1] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "x"},
    ]
    made_up["messages"].insert(1, {"role": "wizard", "content": "?"})
    folder.write("made_up.json", json.dumps(made_up))
    code, text, err = folder.run("audit", "made_up.json", partial=True)
    _, out, _ = folder.run("audit", "--json", "made_up.json", partial=True)
    finding = results_of(out)[0]["findings"][0]
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if finding["kind"] in line)
    heads = next(line.split() for line in lines if line.startswith("findings"))
    counts = dict(zip(heads[1:], lines[at].split()[1:]))
    check(counts[finding["severity"].replace("hint", "hints")] == "1", "the severity is that of what was found", text)
    check(f"made_up.json: 0, turn {finding['turn']}: {finding['message']}" in lines[at + 1], "a finding is shown with its place", text)
    check("made_up.json:1:" in err and "wizard" in err, "what was left out is named", text)
    check(code == 2 and "1 part of the conversations could not be read" in err, "and is why the exit code is 2", f"{code} {err}")


def offered_tools(folder):
    """Without a pack the tools are those that the recording offers, whether they were called or not."""
    tools = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in ("cancel_order", "calculate")]
    said = talk(("system", "Use calculate for all sums."), ("user", "Cancel it."), ("assistant", "cancel_order(id='7'): 2 + 3 = 5"), tools=tools)
    for conversation, kinds in ((said, {"printed_call", "tool_bypassed"}), ({"messages": said["messages"]}, set())):
        folder.write("said.json", json.dumps(conversation))
        _, out, _ = folder.run("audit", "--json", "said.json")
        found = {finding["kind"] for finding in results_of(out)[0]["findings"]}
        check(found & {"printed_call", "tool_bypassed"} == kinds, "a tool that was offered is known", found)


def without_words(folder):
    """A transcript of calls and results alone says nothing of what was said: what depends on it is undecided."""
    def asks(number, **arguments):
        return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "cancel_pending_order", "arguments": arguments}}
    failed = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "Error: not now"}], "isError": True}}
    lines = [asks(1, order_id="#W7777777", reason="no longer needed"), failed]
    folder.write("calls.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    _, out, _ = folder.run("audit", "--json", "--pack", RETAIL, "calls.jsonl")
    result = results_of(out)[0]
    found, undecided = ({entry["kind"] for entry in result[key]} for key in ("findings", "undecided"))
    words = {"ungrounded_argument", "failed_write_left", "no_regular_end"}
    check(not found & words, "nothing is found that only words can tell", found)
    check({"ungrounded_argument", "failed_write_left"} <= undecided, "it is undecided", undecided)


def kinds_are_explained(folder):
    folder.write("one.json", GOOD)
    _, out, _ = folder.run("audit", "--json", "one.json")
    with open(os.path.join(SOURCE, "docs", "audit.md"), encoding="utf-8") as page:
        text = page.read()
    missing = [kind for kind in lines_of(out)[-1]["summary"]["by_kind"] if f"`{kind}`" not in text]
    check(not missing, "docs/audit.md says what each kind of finding means", missing)


def nothing_stays(folder):
    """A conversation without a word has nothing of the one before it."""
    folder.write("runs/a.json", GOOD)
    folder.write("runs/b.json", json.dumps({"messages": [], "domain": "retail", "task_id": "1"}))
    _, out, _ = folder.run("audit", "--pack", PACKS, "--json", "--jobs", "1", "runs")
    _, alone, _ = folder.run("audit", "--pack", PACKS, "--json", "runs/b.json")
    after, by_itself = results_of(out)[1], results_of(alone)[0]
    check(results_of(out)[0]["customer"] is not None, "the first has a customer")
    check(after["pack"] is not None and after["customer"] is None, "the empty one has none", after)
    check(after == by_itself, "it is what it is by itself")


def threads(folder):
    for i in range(40):
        folder.write(f"many/{i:02}.json", json.dumps(talk(("user", f"question {i}"), ("assistant", f"answer {i}"))))
    outs = {folder.run("audit", "--json", "--jobs", jobs, "many")[1] for jobs in ("1", "2", "7")}
    check(len(outs) == 1, "any number of threads gives the same bytes")
    names = [result["file"] for result in results_of(outs.pop())]
    check(names == sorted(names) and len(names) == 40, "in the order of the files", names)


def stream(folder):
    one = json.dumps(json.loads(GOOD), separators=(",", ":"))
    text = "\n".join([one, json.dumps(SMALL), "{", "", json.dumps({"no": 1}), json.dumps(SMALL)]) + "\n"
    code, out, err = folder.run("audit", "--stream", "--pack", PACKS, stdin=text.encode(), partial=True)
    lines = lines_of(out)
    check(code == 2 and len(lines) == 5, "one line for each line that is not empty", f"{code}\n{out}\n{err}")
    check("broken_line" in lines[2] and "broken_line" in lines[3], "broken lines say so in their places", out)
    check(lines[1] == lines[4], "the same line gives the same result, wherever it stands")
    parts = "".join(
        folder.run("audit", "--stream", "--pack", PACKS, stdin=(line + "\n").encode(), partial=True)[1]
        for line in text.splitlines() if line
    )
    check(parts == out, "lines one by one give the same bytes")
    folder.write("one.json", GOOD)
    _, whole, _ = folder.run("audit", "--pack", PACKS, "--json", "one.json")
    whole = {k: v for k, v in results_of(whole)[0].items() if k not in ("file", "line")}
    check(whole == {k: v for k, v in lines[0].items() if k not in ("file", "line")}, "a stream audits as files are audited")


def usage(folder):
    folder.write("one.json", GOOD)
    folder.refuses("nothing given", ("audit",), "ledgergate audit: give at least one recording, or --stream")
    folder.refuses("a strange format", ("audit", "--format", "x", "one.json"), "ledgergate audit: no format is called `x`; `ledgergate replay --help` lists them")
    folder.refuses("no number", ("audit", "--jobs", "0", "one.json"), "ledgergate audit: --jobs is a number from 1 to 64")
    folder.refuses("a file beside --stream", ("audit", "--stream", "one.json"), "ledgergate audit: --stream reads standard input and writes standard output: it takes no FILE and no --out")
    code, _, err = folder.run("audit", "--pack", "nowhere", "one.json")
    check(code == 2 and "nowhere" in err, "a pack that is not there", f"{code} {err}")


def incomplete(folder):
    """Recordings without prompt, tools, task or reward are audited as far as they go."""
    folder.write("bare.json", json.dumps([{"role": "user", "content": "Hi"}]))
    folder.write("none.json", json.dumps({"messages": []}))
    _, out, err = folder.run("audit", "--json", "bare.json", "none.json")
    results = results_of(out)
    check(len(results) >= 1, "they have a result", f"{out}\n{err}")
    for result in results:
        check(result["reward"] is None and result["pack"] is None, "what is not known is null", result)
        unjudged = {open["evaluator"] for open in result["not_checked"]}
        check({"output", "predicted_plan", "predicted_final_state"} <= unjudged, "evaluators that could not run are named", result)


def folder_out(folder):
    mixed(folder)
    code, _, err = folder.run("audit", "--pack", RETAIL, "--out", "report", "runs", partial=True)
    check(code == 2, "exit code 2 with --out, too", f"{code} {err}")
    report = os.path.join(folder.path, "report")
    names = set(os.listdir(report))
    check({"results.jsonl", "summary.json", "conversations"} <= names, "the folder holds all", names)
    check(not [name for name in names if name.startswith(".")], "and nothing half-written", names)
    with open(os.path.join(report, "results.jsonl")) as file:
        results = [json.loads(line) for line in file]
    with open(os.path.join(report, "junit.xml")) as file:
        cases = [(case.get("classname"), case.get("name")) for case in ElementTree.parse(file).iter("testcase")]
    check(len(set(cases)) == len(cases) and all(all(case) for case in cases), "a build server can tell tests apart", cases)
    _, out, _ = folder.run("audit", "--pack", RETAIL, "--json", "runs")
    check(results == results_of(out), "results.jsonl holds what --json prints")
    for result in results:
        with open(os.path.join(report, "conversations", f"{result['id']}.json")) as file:
            artefact = json.load(file)
        check(artefact["audit"] == result, "an artefact holds the result", result["id"])
        check("messages" in artefact["conversation"] or "events" in artefact["conversation"], "and the conversation", artefact.keys())


def what_was_done(folder):
    """`did`: equal if and only if the same changes were carried out, in whatever order and form."""
    def did(*changes):
        messages = [{"role": "user", "content": "Please."}]
        for number, (tool, arguments, answer) in enumerate(changes):
            made = {"id": f"c{number}", "type": "function", "function": {"name": tool, "arguments": arguments}}
            messages += [{"role": "assistant", "content": None, "tool_calls": [made]},
                         {"role": "tool", "tool_call_id": f"c{number}", "content": answer}]
        folder.write("done.json", json.dumps({"messages": messages}))
        _, out, _ = folder.run("audit", "--pack", RETAIL, "--json", "done.json", partial=True)
        return results_of(out)[0]["did"]

    cancel, other = [("cancel_pending_order", f'{{"order_id": "#W{n}", "reason": "no longer needed"}}', "{}") for n in (1, 2)]
    reordered = (cancel[0], '{"reason":"no longer needed","order_id":"#W1"}', "{}")
    failed, read = (*other[:2], "Error: no"), ("get_order_details", '{"order_id": "#W1"}', "{}")
    check(did(cancel, other) == did(other, read, cancel, reordered, failed), "the same set")
    check(len({did(read), did(cancel), did(other), did(cancel, other)}) == 4, "different sets")
    check(did(failed) == did(read), "nothing was changed")
    broken = [(cancel[0], text, "{}") for text in ("{1", "{2")]
    check(did(broken[0]) != did(broken[1]), "arguments that nobody can read are told apart, too")


def main():
    for case in (mixed_folder, nothing_stays, for_people, threads, stream, usage, incomplete, folder_out, what_was_done, offered_tools, without_words, kinds_are_explained):
        with _run.Folder() as folder:
            case(folder)
    _run.done()


main()
