"""The third opinion of differential.mjs: jsonschema-rs on lines of cases, in the format and with the
answers of bench_schema_lines.c."""
import json
import sys

import jsonschema_rs

for line in sys.stdin:
    case = json.loads(line)
    kind = jsonschema_rs.Draft7Validator if case["draft"] == 7 else jsonschema_rs.Draft202012Validator
    try:
        validator = kind(case["schema"], validate_formats=False)
        print("".join("01"[validator.is_valid(i)] for i in case["instances"]))
    except Exception as error:
        print(f"error: {error}".replace("\n", " "))
