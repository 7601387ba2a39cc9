"""The measures of bench_schema.c, taken of Python's json, jsonschema-rs and fastjsonschema.

    peer.py json INPUTS/json.json
    peer.py schema INPUTS/schema.json

Run by the interpreter of build/peers/schema/venv, where the two packages are.
"""
import json
import statistics
import sys
import time

SAMPLES = 15
SAMPLE_S = 0.01


def median_ns(work):
    rounds = 1
    def repeat():
        start = time.perf_counter()
        for _ in range(rounds):
            work()
        return time.perf_counter() - start
    while repeat() < SAMPLE_S:
        rounds *= 2
    return statistics.median(repeat() / rounds for _ in range(SAMPLES)) * 1e9


def report(tool, what, name, work, units):
    print(json.dumps({"tool": tool, "what": what, "input": name, "ns": median_ns(work) / units}),
          flush=True)


def measure_json(texts):
    for entry in texts:
        report("Python json", "parse", entry["name"], lambda text=entry["text"]: json.loads(text), 1)


def jsonschema_rs_check(schema):
    import jsonschema_rs
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=False).is_valid


def fastjsonschema_check(schema):
    import fastjsonschema
    # It knows drafts up to 7; what is measured here means the same in both.
    text = json.dumps(schema).replace("$defs", "definitions")
    validate = fastjsonschema.compile({**json.loads(text),
                                       "$schema": "http://json-schema.org/draft-07/schema#"},
                                      use_formats=False)
    def check(value):
        validate(value) # raises where it does not hold
        return True
    return check


def measure_tool(tool, compile_one, name, schemas, instances):
    def compile_all():
        for schema in schemas:
            try:
                compile_one(schema)
            except Exception: # a schema it refuses; the others are measured
                pass
    report(tool, "compile", name, compile_all, len(schemas))
    if not instances:
        return
    checks = [compile_one(schema) for schema in schemas]
    cases = [(checks[i["schema"]], i["text"], json.loads(i["text"])) for i in instances]
    def validate():
        for check, _, value in cases:
            if not check(value):
                raise SystemExit(f"{tool}: an instance is not valid")
    def parse_and_validate():
        for check, text, _ in cases:
            check(json.loads(text))
    report(tool, "validate", name, validate, len(cases))
    report(f"Python json and {tool}", "parse and validate", name, parse_and_validate, len(cases))


def main():
    what, path = sys.argv[1:3]
    with open(path) as file:
        inputs = json.load(file)
    if what == "json":
        measure_json(inputs)
        return
    for one in inputs:
        measure_tool("jsonschema-rs (Python)", jsonschema_rs_check, one["name"], one["schemas"],
                     one["instances"])
        if one["instances"]: # it writes and compiles Python source: minutes for the largest set
            measure_tool("fastjsonschema", fastjsonschema_check, one["name"], one["schemas"],
                         one["instances"])


if __name__ == "__main__":
    main()
