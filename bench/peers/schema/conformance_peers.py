"""The JSON Schema Test Suite run by jsonschema-rs and fastjsonschema, and JSONTestSuite by Python's
json. As conformance.mjs, in whose words the answer is. Run by build/peers/schema/venv.

    conformance_peers.py DATA
"""
import json
import pathlib
import sys

import fastjsonschema
import jsonschema_rs

DATA = pathlib.Path(sys.argv[1])
SUITE = DATA / "json-schema-test-suite"
REMOTES = {f"http://localhost:1234/{path.relative_to(SUITE / 'remotes')}": json.loads(path.read_text())
           for path in sorted((SUITE / "remotes").rglob("*.json"))}


def with_jsonschema_rs(draft, formats, schema):
    kind = jsonschema_rs.Draft7 if draft == "draft7" else jsonschema_rs.Draft202012
    remotes = [(uri, doc) for uri, doc in REMOTES.items() if "/draft" not in uri or draft in uri]
    registry = jsonschema_rs.Registry(remotes, draft=kind)
    make = jsonschema_rs.Draft7Validator if draft == "draft7" else jsonschema_rs.Draft202012Validator
    return make(schema, validate_formats=formats, registry=registry).is_valid


def with_fastjsonschema(draft, formats, schema):
    if draft != "draft7":
        raise NotImplementedError # it knows drafts 4, 6 and 7
    if isinstance(schema, dict):
        schema = {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
    validate = fastjsonschema.compile(schema, use_formats=formats, handlers={"http": REMOTES.__getitem__})
    def check(value):
        try:
            validate(value)
            return True
        except fastjsonschema.JsonSchemaValueException:
            return False
    return check


def run_group(compile_one, draft, formats, group):
    passed = 0
    try:
        check = compile_one(draft, formats, group["schema"])
    except BaseException: # a panic of the Rust library is none of Exception
        return 0
    for test in group["tests"]:
        try:
            passed += check(test["data"]) == test["valid"]
        except BaseException:
            pass
    return passed


def run_part(compile_one, draft, part):
    passed = total = 0
    for path in sorted((SUITE / "tests" / draft / part).glob("*.json")):
        for group in json.loads(path.read_text()):
            passed += run_group(compile_one, draft, part == "optional/format", group)
            total += len(group["tests"])
    return [passed, total - passed]


def run_parsing():
    sums = {"y": [0, 0], "n": [0, 0], "i": [0, 0]}
    for path in sorted((DATA / "json-parsing/test_parsing").glob("*.json")):
        try:
            json.loads(path.read_bytes())
            taken = True
        except (ValueError, RecursionError):
            taken = False
        sums[path.name[0]][(path.name[0] == "n") == taken] += 1
    return sums


def main():
    answer = {"Python json": run_parsing()}
    for name, compile_one in (("jsonschema-rs (Python)", with_jsonschema_rs),
                              ("fastjsonschema", with_fastjsonschema)):
        answer[name] = {}
        for draft in ("draft2020-12", "draft7"):
            if name == "fastjsonschema" and draft != "draft7":
                continue
            for part in ("", "optional", "optional/format"):
                answer[name][f"{draft}/{part}".rstrip("/")] = run_part(compile_one, draft, part)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
