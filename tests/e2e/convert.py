"""`ledgergate convert`: recordings as messages, spans and artefacts, and those as recordings again."""

import json

import _run
from _run import CONVERSATION, check

FORMS = {"openai": "openai", "otlp": "otel", "artifact": "ledgergate-artifact"}
BROKEN = '{"messages": [{"role": "user", "content": "\\u001b[31mhi"}, {"role": "pilot", "content": "x"}], "id": "b"}\n'


def shown(folder, path):
    """What `show` says of the events, without places and ids."""
    code, out, err = folder.run("show", path, "--events", "--json")
    check(code == 0, f"{path} is shown", err)
    return [[{k: v for k, v in e.items() if k != "turn"} for e in json.loads(line)["events"]] for line in out.splitlines()]


def forms(folder):
    before = shown(folder, CONVERSATION)
    for form, name in FORMS.items():
        code, out, err = folder.run("convert", "--to", form, CONVERSATION)
        check(code == 0 and err == "" and out.count("\n") == 1, f"{form}: one line a conversation", err)
        folder.write(f"{form}.jsonl", out)
        check(shown(folder, f"{form}.jsonl") == before, f"{form}: the same events")
        code, _, err = folder.run("show", f"{form}.jsonl", "--format", name)
        check(code == 0, f"{form}: is recognised as {name}", err)
        code, again, _ = folder.run("convert", "--to", form, "-", stdin=out.encode())
        check(code == 0 and len(again) > len(out) // 2, f"{form}: from standard input, and converted again")


def audited(folder, path):
    code, out, err = folder.run("audit", "--json", path)
    check(code in (0, 1), f"{path} is audited", err)
    return [{k: v for k, v in r.items() if k not in ("file", "line", "conversation")} for r in map(json.loads, out.splitlines())][:-1]


def identity(folder):
    """Arguments are text here and an object there, keys in any order: the conversation is the same, so is its id."""
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{ "b" : 2.0,\n"a":"\\u0041"}'}}
    told = {"id": "t", "messages": [{"role": "user", "content": "find A, 2"}, {"role": "assistant", "content": None, "tool_calls": [call]},
                                    {"role": "tool", "tool_call_id": "c1", "content": "none"}, {"role": "assistant", "content": "None."}]}
    folder.write("told.json", json.dumps(told))
    before = audited(folder, "told.json")
    check(len(before) == 1, "one result")
    for form in FORMS:
        folder.write(f"told.{form}.jsonl", folder.run("convert", "--to", form, "told.json")[1])
        check(audited(folder, f"told.{form}.jsonl") == before, f"{form}: audited likewise, by the same id")
    call["function"]["arguments"] = '{"a":"A","b":3}'
    folder.write("other.json", json.dumps(told))
    check(audited(folder, "other.json")[0]["id"] != before[0]["id"], "another argument is another conversation")


def what_cannot_be_read(folder):
    folder.write("runs/one.json", BROKEN)
    folder.write("runs/two.json", "{")
    code, out, err = folder.run("convert", "--to", "openai", "runs", partial=True)
    check(code == 2 and out.count("\n") == 1, "what can be read is written", out)
    check("a message of the role `pilot`" in err and "two.json" in err, "what cannot is named", err)
    check("\x1b" not in out and json.loads(out)["messages"][0]["content"] == "\x1b[31mhi", "texts are data", out)
    code, out, _ = folder.run("convert", "--to", "openai", "runs", "--json")
    check(code == 2 and any("import_error" in json.loads(line) for line in out.splitlines()), "likewise as JSON", out)


def mistakes(folder):
    wanted = "ledgergate convert: say what to write: --to openai, --to otlp or --to artifact"
    folder.refuses("a form that nobody knows", ("convert", "--to", "csv", CONVERSATION), wanted)
    folder.refuses("no form", ("convert", CONVERSATION), wanted)
    folder.refuses("no recording", ("convert", "--to", "otlp"), "ledgergate convert: give at least one recording")


with _run.Folder() as temporary:
    for test in (forms, identity, what_cannot_be_read, mistakes):
        test(temporary)
_run.done()
