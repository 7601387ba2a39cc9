"""`ledgergate convert`: recordings as messages, spans and artefacts, and those as recordings again; tools as OpenAPI."""

import json
import os
import sys

import _run
from _run import CONVERSATION, check

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from scripted_model import ScriptedModel  # noqa: E402

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
    wanted = "ledgergate convert: say what to write: --to openai, --to otlp, --to artifact or --to openapi"
    folder.refuses("a form that nobody knows", ("convert", "--to", "csv", CONVERSATION), wanted)
    folder.refuses("no form", ("convert", CONVERSATION), wanted)
    folder.refuses("an option of the other kind", ("convert", "--to", "otlp", CONVERSATION, "--title", "x"),
                   "ledgergate convert: --input, --title and the options of a model go with --to openapi")
    folder.refuses("two files", ("convert", "--to", "openapi", CONVERSATION, CONVERSATION),
                   "ledgergate convert: --to openapi takes one file of tools, and no --format")
    folder.refuses("no recording", ("convert", "--to", "otlp"), "ledgergate convert: give at least one recording")


PYTHON = '''def get_stock(symbol: str, days: int = -1) -> float:
    """Gets a price.

    Args:
        symbol: Which.
    """
'''
WORDS = "Tool: send_note\nSends a </text> note. Takes the person and the text of the note.\n\nTool: get_price\nGets a price.\nParameters:\n- symbol (string): which\n"
FORM = {"parameters": [{"name": "person", "type": "string", "description": "Who", "required": True},
                       {"name": "text", "type": "string", "description": "What", "required": True},
                       {"name": "carrier_pigeon", "type": "boolean", "description": "How", "required": False}],
        "gives": [{"name": "note_id", "type": "string", "description": "Of the note"}, {"name": "error", "type": "string", "description": "no"}],
        "is_list": False}


def tools_of(out):
    """By name: the operation, the schema of its arguments, and of what it gives."""
    content = "application/json"
    operations = [path["post"] for path in json.loads(out)["paths"].values()]
    return {o["operationId"]: (o, o["requestBody"]["content"][content]["schema"], o["responses"]["200"]["content"][content]["schema"]["oneOf"])
            for o in operations}


def tools(folder):
    folder.write("stock.py", PYTHON)
    code, out, err = folder.run("convert", "--to", "openapi", "stock.py", "--title", "Stocks")
    check(code == 0 and err == "" and json.loads(out)["info"]["title"] == "Stocks", "Python is converted", err)
    operation, schema, answers = tools_of(out)["get_stock"]
    check(schema["required"] == ["symbol"] and schema["properties"]["days"]["default"] == -1, "its parameters", out)
    check(answers[0]["type"] == "number" and answers[1]["required"] == ["error"], "success and error", out)
    check(operation["x-ledgergate-by"]["success"] == "signature", "and what they came from")
    folder.write("again.json", out)
    code, listed, _ = folder.run("tools", "again.json", "--json")
    check(code == 0 and "get_stock" in listed.splitlines()[0], "the document is a catalogue", listed)
    code, again, _ = folder.run("convert", "--to", "openapi", "again.json", "--title", "Stocks")
    check(code == 0 and tools_of(again)["get_stock"][1] == schema, "and converts again")
    folder.write("broken.py", "def f(a:\n    pass\n")
    code, out, err = folder.run("convert", "--to", "openapi", "broken.py")
    check(code == 2 and out == "" and "broken.py:1:6: this bracket is never closed" in err and "^" in err, "a place and a caret", err)
    code, out, err = folder.run("convert", "--to", "openapi", "-", "--input", "words", stdin=b"No tool.")
    check(code == 2 and "no tool is named" in err, "words without a tool", err)


def asked(folder):
    """What rules cannot tell is asked; what a model makes up is left out; a model that fails changes nothing."""
    folder.write("notes.txt", WORDS)
    plain = folder.run("convert", "--to", "openapi", "notes.txt")[1]
    with ScriptedModel([{"match": "send_note", "say": {"json": FORM}}, {"say": {"text": "I would rather not."}}]) as model:
        code, out, err = folder.run("convert", "--to", "openapi", "notes.txt", "--model", "m", "--model-url", model.url)
    made = tools_of(out)
    operation, schema, answers = made["send_note"]
    material = next(text for text in model.texts() if "send_note" in text)
    check(material.count("</text>") == 1 and "a < /text> note" in material, "no text ends its section", material)
    check(code == 0 and schema["required"] == ["person", "text"] and "carrier_pigeon" not in schema["properties"], "parameters of the prose", out)
    check("`carrier_pigeon`, which its text does not speak of" in err and "`error`" in err, "what is made up is told", err)
    check(answers[0]["required"] == ["note_id"] and operation["x-ledgergate-by"]["success"] == "model", "what it gives", out)
    check(made["get_price"] == tools_of(plain)["get_price"] and "asked in vain" in err, "no answer: the rules' version", err)


with _run.Folder() as temporary:
    for test in (forms, identity, what_cannot_be_read, mistakes, tools, asked):
        test(temporary)
_run.done()
