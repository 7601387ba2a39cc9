"""cel-python and common-expression-language on the benchmark's cases and on the conformance tests.

    python3 python.py LIBRARY time CASES
    python3 python.py LIBRARY conformance FOLDER [verbose]
"""
import base64
import datetime
import glob
import json
import logging
import math
import os
import re
import struct
import sys
import time

BATCHES = 15
BATCH_NS = 2_000_000
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class Unsupported(Exception):
    pass


def nanos_of(given):
    return int(given["seconds"]) * 10**9 + int(given.get("nanos", 0))


def micros(given):
    nanos = nanos_of(given)
    if nanos % 1000:
        raise Unsupported("nanoseconds")
    return datetime.timedelta(microseconds=nanos // 1000)


def bits(value):
    return "nan" if math.isnan(value) else struct.pack(">d", value)


# --- The two libraries ------------------------------------------------------------------------------


class CelPython:
    """cel-python: CEL types of its own, values converted once."""

    def __init__(self):
        import celpy
        from celpy import celtypes

        logging.disable(logging.CRITICAL)
        self.celpy, self.t = celpy, celtypes

    def from_json(self, value):
        t = self.t
        if isinstance(value, bool):
            return t.BoolType(value)
        if isinstance(value, (int, float)):
            return t.DoubleType(value)
        if isinstance(value, str):
            return t.StringType(value)
        if isinstance(value, list):
            return t.ListType([self.from_json(item) for item in value])
        if isinstance(value, dict):
            return t.MapType({t.StringType(k): self.from_json(v) for k, v in value.items()})
        return None

    def read(self, typed):
        t = self.t
        ((kind, given),) = typed.items()
        try:
            return {
                "json": lambda: self.from_json(given),
                "null": lambda: None,
                "bool": lambda: t.BoolType(given),
                "int": lambda: t.IntType(int(given)),
                "uint": lambda: t.UintType(int(given)),
                "double": lambda: t.DoubleType(float(given)),
                "string": lambda: t.StringType(given),
                "bytes": lambda: t.BytesType(base64.b64decode(given)),
                "list": lambda: t.ListType([self.read(item) for item in given]),
                "map": lambda: t.MapType({self.read(k): self.read(v) for k, v in given}),
                "timestamp": lambda: t.TimestampType(EPOCH + micros(given)),
                "duration": lambda: t.DurationType(micros(given)),
            }[kind]()
        except (KeyError, OverflowError, ValueError) as error:
            raise Unsupported(kind) from error

    def same(self, typed, got):
        t = self.t
        ((kind, given),) = typed.items()
        if kind == "type":
            names = {"list": "ListType", "map": "MapType", "null_type": "NoneType"}
            shown = getattr(got, "__name__", str(got))
            return shown.lower() in (given, names.get(given, given + "type").lower(),
                                     given.split(".")[-1].lower() + "type")
        if kind == "null":
            return got is None
        cls = {"bool": t.BoolType, "int": t.IntType, "uint": t.UintType, "double": t.DoubleType,
               "string": t.StringType, "bytes": t.BytesType, "list": t.ListType, "map": t.MapType,
               "timestamp": t.TimestampType, "duration": t.DurationType}[kind]
        # Some of its operations hand back Python's own values.
        native = {"bool": bool, "double": float, "string": str, "bytes": bytes, "list": list, "map": dict,
                  "timestamp": datetime.datetime, "duration": datetime.timedelta}
        if kind in native and isinstance(got, native[kind]):
            cls = native[kind]
        if not isinstance(got, cls):
            return False
        if kind == "double":
            return bits(float(got)) == bits(float(given))
        if kind == "list":
            return len(got) == len(given) and all(map(self.same, given, got))
        if kind == "map":
            return len(got) == len(given) and all(
                any(self.same(k, l) and self.same(v, w) for l, w in got.items()) for k, v in given)
        return bool(got == self.read(typed))

    # Of its two runners the compiled one is the faster and passes a little more of the tests.
    def prepare(self, source, container=None):
        environment = self.celpy.Environment(package=container, runner_class=self.celpy.CompiledRunner)

        def compile_it():
            return environment.program(environment.compile(source), functions=FUNCTIONS(self.t))

        program = compile_it()
        return program.evaluate, compile_it

    @staticmethod
    def values(values):
        return values


def FUNCTIONS(t):
    return {"range": lambda n: t.ListType([t.IntType(i) for i in range(int(n))]),
            "sum": lambda items: t.DoubleType(sum(float(item) for item in items))}


class CommonExpressionLanguage:
    """common-expression-language: Rust behind plain Python values, kept in a context."""

    def __init__(self):
        import cel
        from cel.stdlib import add_stdlib_to_context

        self.cel, self.add = cel, add_stdlib_to_context

    def from_json(self, value):
        if isinstance(value, bool) or value is None or isinstance(value, str):
            return value
        if isinstance(value, (int, float)):
            return float(value)
        if isinstance(value, list):
            return [self.from_json(item) for item in value]
        return {k: self.from_json(v) for k, v in value.items()}

    def read(self, typed):
        ((kind, given),) = typed.items()
        try:
            return {
                "json": lambda: self.from_json(given),
                "null": lambda: None,
                "bool": lambda: given,
                "int": lambda: int(given),
                "double": lambda: float(given),
                "string": lambda: given,
                "bytes": lambda: base64.b64decode(given),
                "list": lambda: [self.read(item) for item in given],
                "map": lambda: {self.read(k): self.read(v) for k, v in given},
                "timestamp": lambda: EPOCH + micros(given),
                "duration": lambda: micros(given),
            }[kind]()
        except (KeyError, OverflowError, TypeError) as error:
            raise Unsupported(kind) from error

    # Python has one integer: a uint passes where the number is right.
    def same(self, typed, got):
        ((kind, given),) = typed.items()
        if kind == "null":
            return got is None
        if kind == "type":
            return got == given
        if kind == "uint":
            return type(got) is int and got == int(given)
        cls = {"bool": bool, "int": int, "double": float, "string": str, "bytes": bytes,
               "list": list, "map": dict, "timestamp": datetime.datetime,
               "duration": datetime.timedelta}[kind]
        if type(got) is not cls:
            return False
        if kind == "double":
            return bits(got) == bits(float(given))
        if kind == "list":
            return len(got) == len(given) and all(map(self.same, given, got))
        if kind == "map":
            return len(got) == len(given) and all(
                any(self.same(k, l) and self.same(v, w) for l, w in got.items()) for k, v in given)
        return got == self.read(typed)

    def prepare(self, source, container=None):
        if container:
            raise Unsupported("containers")
        return self.cel.compile(source).execute, lambda: self.cel.compile(source)

    def values(self, values):
        context = self.cel.Context()
        self.add(context)
        context.add_function("range", lambda n: list(range(n)))
        context.add_function("sum", lambda items: float(sum(items)))
        context.update(values)
        return context


# --- Time -------------------------------------------------------------------------------------------


def median_ns(once):
    rounds = 1
    while True:
        start = time.perf_counter_ns()
        for _ in range(rounds):
            once()
        if time.perf_counter_ns() - start >= BATCH_NS:
            break
        rounds *= 2
    figures = []
    for _ in range(BATCHES):
        start = time.perf_counter_ns()
        for _ in range(rounds):
            once()
        figures.append((time.perf_counter_ns() - start) / rounds)
    return sorted(figures)[BATCHES // 2]


def time_case(given, library):
    try:
        values = library.values({name: library.read(typed) for name, typed in given["bindings"].items()})
        run, compile_it = library.prepare(given["expr"])
        got = run(values)
        if got != library.read(given["expect"]):
            raise ValueError(f"got {got}")
        return {"eval_ns": median_ns(lambda: run(values)), "compile_ns": median_ns(compile_it)}
    except Exception as error:  # whatever a library raises is its answer
        return {"error": f"{type(error).__name__}: {error}".splitlines()[0][:150]}


# --- Conformance ------------------------------------------------------------------------------------

EXTENSION = re.compile(r"_ext$|^macros2$|^optionals$")
UNKNOWN = re.compile(r"undeclared|unknown|unexpected|no such overload|syntax|extraneous|mismatched"
                     r"|undefined|not defined|unbound|CELParseError|not supported|evaluation error", re.I)


def judge(given, library):
    """"" if the case passes; else why not."""
    expect = given["expect"]
    wants_error = "error" in expect
    if given.get("check_only"):
        return "unsupported: no checker"
    if any("overloads" in declared for declared in given.get("type_env", [])):
        return "unsupported: declares a function without a body"
    try:
        values = {name: library.read(bound["value"]) for name, bound in given.get("bindings", {}).items()}
        run, _ = library.prepare(given["expr"], given.get("container"))
        got = run(library.values(values))
    except Unsupported as error:
        return f"unsupported: {error}"
    except BaseException as error:  # a Rust panic is a BaseException
        if isinstance(error, KeyboardInterrupt):
            raise
        return "" if wants_error else f"{type(error).__name__}: {error}"
    if wants_error:
        return f"got {got!r}"
    try:
        return "" if library.same(expect["value"], got) else f"got {got!r}"
    except Unsupported as error:
        return f"unsupported: {error}"


def conform(folder, library, verbose):
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        counts = {"file": os.path.basename(path)[:-6], "passed": 0, "failed": 0, "unsupported": 0}
        for line in open(path, encoding="utf-8"):
            given = json.loads(line)
            if given.get("needs_proto"):
                continue
            why = judge(given, library)
            if why and EXTENSION.search(given["file"]) and UNKNOWN.search(why):
                why = f"unsupported: {why}"
            counts["passed" if not why else "unsupported" if why.startswith("unsupported") else "failed"] += 1
            if why and verbose:
                print(f"{given['section']}/{given['name']}: {given['expr']}\n    {why[:300]!r}")
        print(json.dumps(counts))


def main():
    name, mode, target = sys.argv[1:4]
    library = CelPython() if name == "cel-python" else CommonExpressionLanguage()
    if mode == "time":
        for line in open(target, encoding="utf-8"):
            print(json.dumps(time_case(json.loads(line), library)), flush=True)
    else:
        conform(target, library, len(sys.argv) > 4)


main()
