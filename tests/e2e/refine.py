"""Plans that are rehearsed until they succeed: a scripted planner over real sockets, with everything that can go wrong."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from _run import SOURCE, Folder, check, done  # noqa: E402
from scripted_model import ScriptedModel  # noqa: E402

REPOSITORY = os.path.join(SOURCE, "examples", "repository")
STATE = os.path.join(REPOSITORY, "state.json")
TASK = "Put a file util.c into /src."
CHECKLIST = [{"description": "/src/util.c is there", "that": "'/src/util.c' in state.fs"}]

ENTER = ("change_directory", {"path": "/src"})
MAKE = ("create_file", {"name": "util.c", "text": "// Useful.\n"})
LOOK = ("list_directory", {"path": "/src"})
STOP = {"text": "It is there."}


def calls(*made, ids=None):
    return {"calls": [{"name": name, "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
                       "id": ids[i] if ids else f"c{i}"} for i, (name, arguments) in enumerate(made)]}


class Planner(ScriptedModel):
    """Says one thing a question, in their order; the last one again and again."""

    def __init__(self, *said):
        super().__init__([{"say": list(said)}])

    def bodies(self):
        return [request.json for request in self.requests]


def refine(folder, planner, *more, task=TASK, checklist=CHECKLIST):
    folder.write("checklist.json", json.dumps(checklist))
    given = ["--task", task, "--checklist", "checklist.json"] if task else []
    code, out, err = folder.run("refine", "--pack", REPOSITORY, "--state", STATE, *given, "--json",
                                "--planner-model", "planner", "--model-url", planner.url, *more, partial=True)
    lines = [json.loads(line) for line in out.splitlines()]
    records = [line for line in lines if "summary" not in line]
    return (records[0] if len(records) == 1 else records), code, lines[-1].get("summary") if lines else None, err


def texts(body):
    return "\n".join(str(message.get("content")) for message in body["messages"])


def names(attempt, valid=True):
    return [call["name"] for call in attempt["calls"] if call["valid"] == valid]


def converges(folder):
    # The first attempt makes the file in the wrong place, the second is told so, and begins where the first did.
    with Planner(calls(MAKE), {"text": "Made."}, calls(LOOK), calls(ENTER, MAKE, ids=["a", "b"]), STOP) as planner:
        record, code, summary, err = refine(folder, planner)
        bodies = planner.bodies()
    check(code == 0, "a plan that succeeds at last: exit code 0", f"{code}\n{err}")
    check((record["status"], record["why"], record["stands"]) == ("success", "success", 1), "its record says so", record)
    first, second = record["attempts"]
    check(first["judgement"]["status"] == "failed" and second["judgement"]["status"] == "success", "both were judged", record)
    check(first["start_hash"] == second["start_hash"] != first["end_hash"], "both began from the same state, to the hash")
    check([call["name"] for call in record["calls"]] == ["list_directory", "change_directory", "create_file"],
          "the calls of the attempt that stands are the result", record["calls"])
    check(record["response"] == "It is there.", "what the planner said at its end is kept")
    listing = second["calls"][0]["result"]
    check("util.c" not in json.dumps(listing), "nothing of the first attempt is seen in the second", listing)
    told = texts(bodies[2])
    check("/src/util.c is there" in told and "create_file" in told and "// Useful." in told,
          "the second attempt is told what is open, and what the first did", told)
    check("/src/util.c is there" in texts(bodies[4]), "for the whole of it")
    check("/src/util.c is there" not in texts(bodies[0]) + texts(bodies[1]), "the first knows nothing of the checklist")
    check(all(message["role"] != "tool" for message in bodies[2]["messages"]), "no message of the first attempt is left")
    check(summary["success"] == 1 and summary["attempts"] == 2 and summary["costs"]["calls"] == 4, "the summary counts", summary)
    planned = summary["costs"]["planner"]
    check(planned["questions"] == 5 and planned["prompt_tokens"] > 0, "and what it took", planned)


def stops_at_r(folder):
    with Planner(*[calls(MAKE), {"text": "Made."}] * 5) as planner:
        record, code, summary, _ = refine(folder, planner, "--retries", "2")
        asked = len(planner.requests)
    check(code == 1 and asked == 6, "R retries are R + 1 attempts", f"{code} {asked}")
    check((record["status"], record["why"], record["stands"]) == ("failed", "retries", 2), "the last stands, and is no success", record["why"])
    check(len({attempt["start_hash"] for attempt in record["attempts"]}) == 1, "each began from the same state")
    check(len({attempt["end_hash"] for attempt in record["attempts"]}) == 1, "and came to the same end: nothing leaks")
    with Planner(calls(MAKE), {"text": "Made."}) as planner:
        record, code, _, _ = refine(folder, planner, "--retries", "0")
    check(code == 1 and len(record["attempts"]) == 1, "no retry is one attempt")


def two_memories(folder):
    # What was wrong with a call is shown until a valid one follows in a later reply.
    wrong = ("create_file", {"name": 7})
    with Planner(calls(wrong), calls(ENTER), calls(MAKE), STOP) as planner:
        record, code, _, _ = refine(folder, planner)
        bodies = planner.bodies()
    check(code == 0, "a call is mended within its attempt", record)
    answer = bodies[1]["messages"][-1]
    check(answer["role"] == "tool" and "name" in answer["content"], "what is wrong is the call's answer", answer)
    check([m["role"] for m in bodies[2]["messages"][2:]] == ["assistant", "tool"], "it is forgotten with the next valid call",
          bodies[2]["messages"])
    attempt = record["attempts"][0]
    check(names(attempt, valid=False) == ["create_file"] and attempt["calls"][0]["end"] == "bad_arguments", "the record keeps it", attempt)
    check(record["costs"]["invalid"] == 1, "and counts it")
    # Both in one reply: the planner has to be told of it once.
    with Planner(calls(wrong, ENTER), calls(MAKE), STOP) as planner:
        refine(folder, planner)
        bodies = planner.bodies()
    check([m["role"] for m in bodies[1]["messages"][2:]] == ["assistant", "tool", "tool"], "in the reply that it came in it is told")
    check([m["role"] for m in bodies[2]["messages"][2:]] == ["assistant", "tool", "assistant", "tool"], "and then forgotten",
          bodies[2]["messages"])


def malformed(folder):
    said = [calls(("create_file", "{\"name\": ")), calls(("no_such_tool", {})), {"text": ""}, calls(("create_file", "[1, 2]")),
            {"fault": "html"}, {"text": "  "}, calls(ENTER), calls(MAKE), STOP]
    with Planner(*said) as planner:
        record, code, _, err = refine(folder, planner)
        bodies = planner.bodies()
    check(code == 0, "a planner that says nonsense is told so, and goes on", f"{err}\n{record}")
    attempt = record["attempts"][0]
    check(names(attempt) == ["change_directory", "create_file"] and len(names(attempt, False)) == 3, "three calls were none", attempt)
    check([call["end"] for call in attempt["calls"][:3]] == ["bad_arguments", "unknown_tool", "bad_arguments"], "each in its way", attempt)
    check("neither a call nor a text" in texts(bodies[3]), "a reply that says nothing is answered")
    check("could not be read" in texts(bodies[5]), "so is one that cannot be read", texts(bodies[5]))
    with Planner({"text": ""}) as planner:
        record, code, _, _ = refine(folder, planner)
        asked = len(planner.requests)
    check(code == 1 and asked == 3 and record["why"] == "planner" and record["stands"] is None, "one that never says anything is given up",
          f"{asked} {record['why']}")
    # Ids that are missing or the same are made anew: every answer belongs to one call.
    with Planner(calls(ENTER, MAKE, LOOK, ids=["x", "x", ""]), STOP) as planner:
        record, code, _, _ = refine(folder, planner)
        messages = planner.bodies()[1]["messages"][2:]
    ids = [call["id"] for call in messages[0]["tool_calls"]]
    check(code == 0 and len(set(ids)) == 3 and [m["tool_call_id"] for m in messages[1:]] == ids, "ids are kept apart", ids)


def breaks_off(folder):
    ruined = ({"status": 401, "body": {"error": {"message": "no such key"}}}, {"status": 429, "retry_after": 1000})
    for said in ruined:
        with Planner(said) as planner:
            record, code, summary, _ = refine(folder, planner)
        check(code == 3 and record["why"] == "planner" and record["status"] == "none" and summary["none"] == 1,
              f"a planner that answers with {said['status']} ends it", record)
        check(record["message"] and record["calls"] == [], "the record says why, and has no calls", record)
    # In the second attempt: the first stands, and the session is at its end.
    with Planner(calls(MAKE), {"text": "Made."}, calls(ENTER), ruined[0]) as planner:
        record, code, _, _ = refine(folder, planner)
    check(code == 1 and record["why"] == "planner" and record["stands"] == 0, "an attempt that breaks off does not stand", record["why"])
    check([call["name"] for call in record["calls"]] == ["create_file"], "the one before does", record["calls"])
    check(record["attempts"][1]["judgement"] is None, "it is not judged")
    with Planner(calls(ENTER), {"fault": "silent"}) as planner:
        record, code, _, _ = refine(folder, planner, "--model-budget", "seconds=2")
    check(code == 1 and record["why"] == "budget" and record["stands"] is None, "a planner that never answers is waited for within the budget",
          record)
    with Planner({"status": 429, "retry_after": 0}, calls(ENTER, MAKE), STOP) as planner:
        record, code, _, _ = refine(folder, planner)
    check(code == 0, "one that asks to wait is asked again", record)


def bounds(folder):
    with Planner(calls(LOOK)) as planner:
        record, code, _, _ = refine(folder, planner, "--calls", "4", "--retries", "1")
        asked = len(planner.requests)
    check(code == 1 and asked == 8, "an attempt ends with its calls", asked)
    check([attempt["end"] for attempt in record["attempts"]] == ["limit", "limit"] and record["stands"] == 1, "and says so", record)
    with Planner(calls(*[LOOK] * 9), STOP) as planner:
        record, _, _, _ = refine(folder, planner, "--calls", "4", "--retries", "0")
    check(len(record["attempts"][0]["calls"]) == 4, "also within one reply")
    with Planner(calls(LOOK)) as planner:
        record, code, _, _ = refine(folder, planner, "--budget", "calls=5")
    check(code == 1 and record["why"] == "budget" and record["costs"]["calls"] == 5 and "calls" in record["message"], "a budget of calls", record)
    with Planner(calls(LOOK)) as planner:
        record, code, _, _ = refine(folder, planner, "--budget", "tokens=40")
    check(code == 1 and record["why"] == "budget" and "tokens" in record["message"], "a budget of tokens", record["message"])


def turns(folder):
    # Tasks of one id are turns of one session: the second begins where the first has ended, and is told of it.
    second = {"task": "Remove it again.", "checklist": [{"description": "it is gone", "that": "!('/src/util.c' in state.fs)"}]}
    lines = [{"task": TASK, "checklist": CHECKLIST}, second, {"task": TASK, "task_id": "other", "checklist": CHECKLIST}]
    folder.write("tasks.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    said = [calls(ENTER, MAKE), {"text": "Made."}, calls(("remove_entry", {"path": "/src/util.c"})), {"text": "Gone."},
            calls(LOOK), calls(ENTER, MAKE), STOP]
    with Planner(*said) as planner:
        records, code, summary, err = refine(folder, planner, "--tasks", "tasks.jsonl", task=None)
        bodies = planner.bodies()
    check(code == 0 and summary["success"] == 3, "three tasks", f"{err}\n{records}")
    check(records[1]["attempts"][0]["start_hash"] == records[0]["attempts"][0]["end_hash"], "a turn begins where the last one has ended")
    check(records[2]["attempts"][0]["start_hash"] == records[0]["attempts"][0]["start_hash"], "another session does not")
    roles = [m["role"] for m in bodies[2]["messages"]]
    check(roles[:2] == ["system", "user"] and roles[-1] == "user" and "Made." in texts(bodies[2]), "it knows the conversation", roles)
    check("Made." not in texts(bodies[4]), "another does not")


def ablations(folder):
    with Planner(calls(MAKE), {"text": "Made."}) as planner:
        record, code, _, _ = refine(folder, planner, "--without", "judge")
    check(code == 0 and len(record["attempts"]) == 1 and record["status"] == "success", "without a judge any call is success", record)
    with Planner({"text": "No."}, calls(LOOK), STOP) as planner:
        record, code, _, _ = refine(folder, planner, "--without", "judge")
    check(code == 0 and len(record["attempts"]) == 2, "and no call is none", record)
    with Planner(calls(ENTER), calls(MAKE), STOP) as planner:
        record, code, _, _ = refine(folder, planner, "--without", "state", "--retries", "0")
    check(code == 1, "without a state nothing that was done is there", record)
    check(record["attempts"][0]["start_hash"] == record["attempts"][0]["end_hash"], "each call is answered from the first", record)


def for_people(folder):
    folder.write("checklist.json", json.dumps(CHECKLIST))
    with Planner(calls(ENTER, MAKE), STOP) as planner:
        code, out, err = folder.run("refine", "--pack", REPOSITORY, "--state", STATE, "--task", TASK, "--checklist", "checklist.json",
                                    "--planner-model", "planner", "--model-url", planner.url)
    check(code == 0 and "success" in out and "create_file" in out and "1 task: 1 success" in out, "what people read", f"{out}\n{err}")
    # A recording answers again, byte for byte, and asks nobody.
    run = ("refine", "--pack", REPOSITORY, "--state", STATE, "--task", TASK, "--checklist", "checklist.json", "--json", "--planner-model", "planner")
    with Planner(calls(MAKE), {"text": "Made."}, calls(ENTER, MAKE), STOP) as planner:
        folder.run(*run, "--model-url", planner.url, "--model-record", "tape.jsonl")
    first = folder.run(*run, "--model-replay", "tape.jsonl")
    check(first[0] == 0 and first == folder.run(*run, "--model-replay", "tape.jsonl"), "a recording says the same again", first)


def judged_by_model(folder):
    # Each part may have a model of its own: here the judge has, and decides what no expression says.
    verdicts = [{"json": {"items": [{"index": 0, "status": status, "reasoning": why}]}}
                for status, why in (("failed", "the text is too short"), ("success", "it is useful"))]
    wordy = [{"description": "the file says something useful"}]
    with Planner(*[calls(ENTER, MAKE), {"text": "Made."}] * 2) as planner, ScriptedModel([{"say": verdicts}]) as judge:
        record, code, _, err = refine(folder, planner, "--judge-model", "judge", "--judge-model-url", judge.url, checklist=wordy)
        asked, told = len(judge.requests), texts(planner.bodies()[2])
    check(code == 0 and len(record["attempts"]) == 2 and asked == 2, "a model judges, and is believed", f"{err}\n{record}")
    items = [attempt["judgement"]["items"][0] for attempt in record["attempts"]]
    check([(item["status"], item["by"]) for item in items] == [("failed", "model"), ("success", "model")], "item by item", items)
    check("the text is too short" in told, "its reasons are fed back", told)
    check(record["costs"]["judge"]["questions"] == 2 and record["costs"]["planner"]["questions"] == 4, "what it took is counted apart", record["costs"])
    with Planner(calls(ENTER, MAKE), {"text": "Made."}) as planner:
        record, code, _, _ = refine(folder, planner, "--retries", "1", checklist=wordy)
    check(code == 1 and record["status"] == "unknown" and len(record["attempts"]) == 2, "without one it is unknown, tried again, and no success",
          record["status"])


def long_texts(folder):
    # Names, arguments, words and tasks of any length, cut nowhere within a character and nowhere an order to a terminal.
    folder.write("checklist.json", json.dumps([{"description": "é" * 700, "that": "false"}]))
    for n in (1, 63, 255, 257, 999, 1001, 1499, 1501, 40000):
        said = [calls(("ü" * n, {"a": "é" * n}), ("create_file", {"name": "\x1b[2J" + "€" * n, "text": "ö" * n}), ids=["é" * n, ""]), {"text": "ß" * n}]
        with Planner(*said * 4) as planner:
            run = ("refine", "--pack", REPOSITORY, "--state", STATE, "--task", "ä" * min(n, 20000), "--checklist", "checklist.json", "--retries", "1",
                   "--planner-model", "planner", "--model-url", planner.url)
            code, out, _ = folder.run(*run, "--json")
            check(code == 1 and len(json.loads(out.splitlines()[0])["attempts"]) == 2, f"texts of {n} characters as JSON", out[:300])
            code, out, _ = folder.run(*run)
            check(code == 1 and "\x1b" not in out and "\ufffd" not in out, f"texts of {n} characters for people", repr(out[:300]))


def documented(folder):
    # The run that docs/refine.md shows.
    with open(os.path.join(REPOSITORY, "planner.json"), encoding="utf-8") as file:
        script = json.load(file)
    with ScriptedModel(script) as planner:
        code, out, err = folder.run("refine", "--pack", REPOSITORY, "--state", STATE, "--tasks", os.path.join(REPOSITORY, "tasks.jsonl"),
                                    "--planner-model", "scripted", "--model-url", planner.url)
    check(code == 0 and "2 attempts" in out and "util.c is in /src now." in out, "the documented run is as it is told", f"{out}\n{err}")


def in_earnest(folder):
    real = [{"name": "list_directory", "arguments": LOOK[1], "result": ["/src/real.c"]},
            {"name": "change_directory", "arguments": ENTER[1], "result": "/src"},
            {"name": "create_file", "arguments": MAKE[1], "result": "made in earnest"}]
    folder.write("real.jsonl", "".join(json.dumps(line) + "\n" for line in real))
    # Hybrid: reads go to the real tools, writes do not.
    with Planner(calls(LOOK, ENTER, MAKE), STOP) as planner:
        record, code, _, err = refine(folder, planner, "--real", "recorded:real.jsonl")
    made = record["attempts"][0]["calls"]
    check(code == 0 and [call["source"] for call in made] == ["real", "effects", "effects"], "reads are real, writes are simulated", f"{err}\n{made}")
    check("real.c" in json.dumps(made[0]["result"]), "the real tool's answer is what is read", made[0])
    # Two rehearsals, the first of which fails; then once in earnest, with both before the agent's eyes.
    said = [calls(MAKE), {"text": "Made."}, calls(ENTER, MAKE), STOP, calls(ENTER), calls(MAKE), {"text": "Really made."}]
    with Planner(*said) as planner:
        lines, code, summary, err = refine(folder, planner, "--real", "recorded:real.jsonl", "--rehearse", "3")
        bodies = planner.bodies()
    check(code == 0 and len(lines) == 2 and summary["acted"] == summary["acted_success"] == 1, "a rehearsed task is done in earnest", f"{err}\n{lines}")
    rehearsal, acted = lines[0], lines[1]["acted"]
    check(len(rehearsal["attempts"]) == 2 and rehearsal["status"] == "success", "it was rehearsed twice", rehearsal)
    shown = texts(bodies[4])
    check("Rehearsal 1:" in shown and "Rehearsal 2:" in shown and "/src/util.c is there" in shown, "the agent is shown both, and what was said", shown)
    check("cannot be taken back" in shown and "is rehearsed" not in shown, "and told that it is in earnest", shown)
    check([call["source"] for call in acted["calls"]] == ["real", "real"] and acted["calls"][1]["result"] == "made in earnest",
          "its calls go to the real tools", acted)
    check(acted["start_hash"] == rehearsal["attempts"][0]["start_hash"], "it begins where the rehearsals began")
    check(acted["judgement"]["status"] == "success" and acted["end_hash"] == rehearsal["attempts"][1]["end_hash"], "the session follows", acted)
    # What no tool answers is told, and not made again.
    with Planner(calls(ENTER, MAKE), STOP, calls(("remove_entry", {"path": "/README.md"})), {"text": "It does not work."}) as planner:
        lines, code, summary, _ = refine(folder, planner, "--real", "recorded:real.jsonl", "--rehearse", "1")
        answer = planner.bodies()[3]["messages"][-1]["content"]
    check(code == 1 and summary["acted_success"] == 0 and "not carried out" in answer, "a call that failed is told", answer)
    check(len(lines[1]["acted"]["calls"]) == 1, "and made once")


def nobody_judges(folder):
    # No attempt could succeed: that is said before any is paid for. A planner that is not there is no finding.
    run = ("refine", "--pack", REPOSITORY, "--state", STATE, "--task", TASK, "--planner-model", "m", "--model-url", "http://127.0.0.1:9/v1")
    code, _, err = folder.run(*run)
    check(code == 2 and "nothing can judge" in err and "--checklist" in err, "without a checklist and a judge", err)
    code, _, err = folder.run(*run, "--without", "judge", partial=True)
    check(code == 3, "a planner that cannot be reached", f"{code}\n{err}")


def rules_are_told(folder):
    with Planner(calls(("change_directory", {"path": "/src"})), STOP) as planner:
        folder.write("checklist.json", json.dumps([{"description": "there", "that": "state.cwd == '/src'"}]))
        given = ("refine", "--pack", REPOSITORY, "--state", STATE, "--task", TASK, "--checklist", "checklist.json",
                 "--planner-model", "planner", "--model-url", planner.url)
        _, out, err = folder.run(*given)
        check("a rule speaks against call 1: repository_target_is_directory" in out, "for people", out + err)
    with Planner(calls(("change_directory", {"path": "/src"})), STOP) as planner:
        record, code, _, _ = refine(folder, planner, checklist=[{"description": "there", "that": "state.cwd == '/src'"}])
    check(code == 0 and record["calls"][0]["violations"][0]["rule"] == "repository_target_is_directory", "and in the calls that stand", record)


def refuses(folder):
    run = ("refine", "--pack", REPOSITORY, "--state", STATE)
    model = ("--planner-model", "m", "--model-url", "http://127.0.0.1:9/v1")
    for sentence, args in {
        "no task": (*run, *model),
        "two kinds of tasks": (*run, "--task", "a", "--tasks", "b", *model),
        "nobody who plans": (*run, "--task", "a"),
        "retries that are none": (*run, "--task", "a", "--retries", "x", *model),
        "no calls": (*run, "--task", "a", "--calls", "0", *model),
        "an ablation that is none": (*run, "--task", "a", "--without", "luck", *model),
        "neither a pack nor a document": ("refine", "--task", "a", *model),
        "rehearsals for nothing": (*run, "--task", "a", "--rehearse", "2", *model),
        "real tools that are none": (*run, "--task", "a", "--real", "magic:x", *model),
        "a budget that is none": (*run, "--task", "a", "--budget", "luck=1", *model),
        "a file of tasks that is not there": (*run, "--tasks", "none.jsonl", *model),
    }.items():
        code, _, err = folder.run(*args)
        check(code == 2 and err.strip(), f"{sentence}: exit code 2, and why", f"{code}\n{err}")
    folder.write("bad.jsonl", '{"task": "a"}\n{"task": 7}\n')
    code, _, err = folder.run(*run, "--tasks", "bad.jsonl", *model)
    check(code == 2 and "bad.jsonl:2:" in err, "a task that is none is named with its line", err)
    folder.write("list.json", '[{"description": "d", "that": "state.("}]')
    code, _, err = folder.run(*run, "--task", "a", "--checklist", "list.json", *model)
    check(code == 2 and err.strip(), "a checklist that does not compile", err)


with Folder() as folder:
    for part in (converges, stops_at_r, two_memories, malformed, breaks_off, bounds, turns, ablations, for_people, judged_by_model, long_texts, documented, in_earnest, nobody_judges, rules_are_told, refuses):
        part(folder)
done()
