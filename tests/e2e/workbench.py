"""The verbs that look at one thing: tools, validate, cel. Good input, bad input, exit codes, words."""

import json

import _run
from _run import check

SCHEMA = """{
  "type": "object",
  "properties": {
    "id": {"type": "string", "format": "uuid"},
    "count": {"type": "integer", "minimum": 1}
  },
  "required": ["id"],
  "additionalProperties": false
}
"""
GOOD = '{"id": "x", "count": 2}\n'
BAD = '{\n  "id": "x",\n  "count": 0,\n  "note": 1\n}\n'
LINES = '{"id": "a"}\n\n{"id": 7}\n'

TOOLS = """{"tools": [
  {"name": "find_order", "description": "Finds an order.\\nSlow.", "inputSchema": {"type": "object",
    "properties": {"order_id": {"type": "string"}, "deep": {"type": "boolean"}}, "required": ["order_id"]}},
  {"name": "ping", "description": "Answers.", "inputSchema": {"type": "object"}}
]}
"""
BROKEN = """{"tools": [
  {"name": "a", "inputSchema": {"type": "object", "required": ["x"]}},
  {"name": "a", "description": "d", "inputSchema": {"type": "thing"}}
]}
"""
API = """openapi: 3.1.0
paths:
  /pets/{id}:
    get:
      operationId: getPet
      summary: One pet
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer}}
"""


def prints(folder, sentence, args, want_code, *want, stdin=b""):
    code, out, err = folder.run(*args, stdin=stdin)
    check(code == want_code, f"{sentence}: exit code {want_code}", f"got {code}\n{out}{err}")
    lines = tuple(out.splitlines())
    check(lines == want, f"{sentence}: its output", "got:\n" + out + "want:\n" + "\n".join(want))
    return out


def as_json(folder, sentence, args, want_code):
    code, out, err = folder.run(*args, "--json")
    check(code == want_code, f"{sentence}: exit code {want_code}", f"got {code}\n{out}{err}")
    try:
        return [json.loads(line) for line in out.splitlines()]
    except ValueError as why:
        check(False, f"{sentence}: every line is JSON", f"{why}\n{out}")
        return []


def validate(folder):
    for name, text in (("s.json", SCHEMA), ("good.json", GOOD), ("bad.json", BAD), ("l.jsonl", LINES)):
        folder.write(name, text)
    use = ("validate", "--schema", "s.json")
    prints(folder, "a valid file", (*use, "good.json"), 0, "1 file, 1 value: all valid")
    prints(
        folder, "an invalid file", (*use, "bad.json"), 1,
        "bad.json:3:12: `count` must be at least 1; got 0",
        "    value /count   schema /properties/count/minimum",
        "bad.json:4:11: `note` is not allowed here; allowed: `id`, `count`",
        "    value /note   schema /additionalProperties",
        "1 file, 1 value: 1 invalid, 2 violations",
    )
    prints(
        folder, "JSON Lines", (*use, "good.json", "l.jsonl"), 1,
        "l.jsonl:3:8: `id` must be a string; got the number 7",
        "    value /id   schema /properties/id/type",
        "2 files, 3 values: 1 invalid, 1 violation",
    )
    prints(folder, "standard input", (*use, "-"), 0, "1 file, 1 value: all valid", stdin=GOOD.encode())
    code, out, _ = folder.run(*use, "--formats", "good.json")
    check(code == 1 and "good.json:1:8: `id` must be a UUID" in out, "a format that is checked", out)
    code, out, _ = folder.run(*use, "--draft", "7", "good.json")
    check(code == 0, "another draft", out)
    lines = as_json(folder, "violations as JSON", (*use, "bad.json"), 1)
    check(len(lines) == 3, "one line a violation and one for the counts", lines)
    if len(lines) == 3:
        first = {"file": "bad.json", "line": 3, "column": 12, "instance": "/count", "keyword": "minimum"}
        check(first.items() <= lines[0].items() and lines[0]["fault"] == "range", "a violation as JSON", lines[0])
        want = {"files": 1, "values": 1, "invalid": 1, "violations": 2, "broken_files": 0, "skipped_files": 0}
        check(lines[2] == {"summary": want}, "the counts as JSON", lines[2])
    many = json.dumps([{"x": 1}] * 500)
    folder.write("many.json", many)
    folder.write("none.json", '{"items": {"properties": {"x": false}}}')
    code, out, _ = folder.run("validate", "--schema", "none.json", "many.json")
    check(code == 1 and out.endswith("500 violations\n"), "all of many violations are listed", out[-200:])


def refused_schemas_and_files(folder):
    folder.write("type.json", '{\n  "properties": {"a": {"type": "thing"}}\n}\n')
    folder.write("good.json", GOOD)
    folder.write("s.json", SCHEMA)
    folder.write("cut.json", '{"id": ')
    folder.write("cut.jsonl", '{"id": "a"}\n{"id" 1}\n')
    use = ("validate", "--schema", "s.json")
    folder.refuses(
        "a schema that is none", ("validate", "--schema", "type.json", "good.json"),
        "type.json:2:32: /properties/a/type: must be string, number, integer, boolean, array, object or "
        'null, but is the string "thing"',
        '  "properties": {"a": {"type": "thing"}}',
        "                               ^",
        "type.json: 1 error",
    )
    folder.refuses(
        "a file that is no JSON, although another is invalid", (*use, "cut.json"),
        "cut.json:1:8: expected a value, found the end of the text",
    )
    folder.refuses("a broken line", (*use, "cut.jsonl"), "cut.jsonl:2:7: expected `:` after a key, found `1`")
    folder.refuses(
        "a file that is not there", (*use, "absent.json"),
        "ledgergate: cannot read absent.json: No such file or directory",
    )
    folder.refuses("no schema", ("validate", "good.json"), "ledgergate validate: say which schema to validate against: --schema SCHEMA")
    folder.refuses("no file", use, "ledgergate validate: give at least one file")
    folder.refuses(
        "an unknown draft", (*use, "--draft", "5", "good.json"),
        "ledgergate validate: no draft is called `5`; known are 2020-12, 7, openapi-3.0",
    )


def cel(folder):
    folder.write("order.json", '{"total": 12.5, "items": [{"n": 1}, {"n": 2}], "id": "#1", "not a name": 1}')
    bind = ("--bind", "order.json")
    for expression, value in (
        ("1 + 2", "3"), ("'a' + 'b'", "ab"), ("[1, 2].map(x, x * 2)", "[2,4]"), ("2 > 1", "true"), ("null", "null"),
    ):
        prints(folder, expression, ("cel", expression), 0, value)
    prints(folder, "a bound variable", ("cel", "items.all(i, i.n > 0) && total == 12.5", *bind), 0, "true")
    prints(folder, "an expression that begins with a minus", ("cel", "--", "-1"), 0, "-1")
    for expression, want in (
        ("id", {"value": "#1", "type": "string"}), ("7u", {"value": 7, "type": "uint"}),
        ("duration('90s')", {"value": "90s", "type": "duration"}), ("type(1)", {"value": "int", "type": "type"}),
    ):
        lines = as_json(folder, f"{expression} as JSON", ("cel", expression, *bind), 0)
        check(lines == [want], f"{expression} as JSON", lines)

    code, out, err = folder.run("cel", "items[0].m", *bind)
    want = "expression:1:10: no such key: m\nitems[0].m\n         ^\n"
    check(code == 1 and out == "" and err == want, "an evaluation that fails, with a caret", err)
    lines = as_json(folder, "a failed evaluation as JSON", ("cel", "1 / 0"), 1)
    check(lines == [{"error": "division by zero", "line": 1, "column": 3}], "a failed evaluation as JSON", lines)
    folder.refuses("what does not compile", ("cel", "1 + 'a'"), "expression:1:3: no overload of `+` for (int, string)", "1 + 'a'", "  ^")
    lines = as_json(folder, "what does not compile, as JSON", ("cel", "unknown"), 2)
    check(len(lines) == 1 and {"error", "line", "column"} <= lines[0].keys(), "an error as JSON", lines)
    folder.write("list.json", "[1]")
    folder.refuses(
        "bindings that are no object", ("cel", "1", "--bind", "list.json"),
        "ledgergate cel: list.json must hold an object, whose members are the variables",
    )
    folder.refuses("no expression", ("cel",), "ledgergate cel: give one expression; quote it, so that the shell leaves it alone")
    folder.refuses("no bindings file", ("cel", "1", "--bind", "absent.json"), "ledgergate: cannot read absent.json: No such file or directory")


def tools(folder):
    for name, text in (("t.json", TOOLS), ("broken.json", BROKEN), ("api.yaml", API)):
        folder.write(name, text)
    prints(
        folder, "a catalogue", ("tools", "t.json"), 0,
        "t.json: 2 tools, mcp", "",
        "  find_order", "      Finds an order.", "    * order_id  string", "      deep      boolean", "",
        "  ping", "      Answers.", "",
        "2 tools, 2 arguments: nothing wrong",
    )
    prints(
        folder, "an OpenAPI document in YAML", ("tools", "api.yaml"), 0,
        "api.yaml: 1 tool, openapi", "",
        "  getPet  GET /pets/{id}", "      One pet", "    * id  integer  path", "",
        "1 tool, 1 argument: nothing wrong",
    )
    prints(
        folder, "what is wrong", ("tools", "--findings", "broken.json"), 1,
        "broken.json:2:3: warning: a: no description",
        "    /tools/0",
        "broken.json:2:64: error: a: the argument `x` is required, but `properties` does not define it",
        "    /tools/0/inputSchema/required/0",
        "broken.json:3:12: error: a: tool 1 is called `a` already",
        "    /tools/1/name",
        'broken.json:3:61: error: a: invalid schema: MCP asks for "type": "object"',
        "    /tools/1/inputSchema/type",
        "2 tools, 0 arguments: 3 errors, 1 warning",
    )
    folder.write("plain.json", '[{"name": "a", "parameters": {"type": "object"}}]')
    code, _, _ = folder.run("tools", "plain.json")
    check(code == 0, "warnings alone leave the exit code at 0")
    lines = as_json(folder, "a catalogue as JSON", ("tools", "t.json"), 0)
    check(len(lines) == 3, "one line a tool and one for the counts", lines)
    if len(lines) == 3:
        want = {"name": "order_id", "type": "string", "required": True}
        check(lines[0]["tool"] == "find_order" and lines[0]["arguments"][0] == want, "a tool as JSON", lines[0])
        counts = {"files": 1, "tools": 2, "arguments": 2, "errors": 0, "warnings": 0, "broken_files": 0, "skipped_files": 0}
        check(lines[2] == {"summary": counts}, "the counts as JSON", lines[2])
    lines = as_json(folder, "findings as JSON", ("tools", "--findings", "broken.json"), 1)
    kinds = [line.get("finding") for line in lines[:-1]]
    check(kinds == ["no_description", "required_unknown", "duplicate_name", "invalid_schema"], "the kinds of findings", kinds)
    folder.write("no.json", "{}")
    folder.write("cut.json", "[{")
    folder.refuses(
        "what is no catalogue", ("tools", "no.json"),
        "no.json:1:1: no list of tools: expected an MCP tools/list result, OpenAI or Anthropic functions, "
        "BFCL questions, or an OpenAPI document",
    )
    code, out, err = folder.run("tools", "t.json", "cut.json", partial=True)
    check(code == 2 and err.startswith("cut.json:1:3: expected a key in double quotes or `}`, found the end of the text\n"),
          "a broken catalogue beside a good one", f"{code}\n{err}")
    check(out.endswith("2 tools, 2 arguments: nothing wrong\n"), "the good one is listed", out)
    folder.refuses("no catalogue", ("tools",), "ledgergate tools: give at least one catalogue")


def main():
    with _run.Folder() as folder:
        validate(folder)
        refused_schemas_and_files(folder)
        cel(folder)
        tools(folder)
    _run.done()


main()
