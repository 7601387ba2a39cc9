#!/usr/bin/env python3
"""The packs beside the programs that they model: the same random calls to both, compared after every call.

    tests/differential/tau2.py [CHECKOUT] [--calls N] [--seed N] [--domain NAME...] [--gate] [--replay FILE]

CHECKOUT ($LEDGERGATE_TAU2) is a checkout of tau2-bench (MIT licence); nothing is fetched, and where there is
none the run is skipped. Its environments are imported as they are. Each sequence begins at a state of the
benchmark's own, and each call of it is well formed: it fits the tool's own signature, with values of the
database and odd ones. Compared are error or not, the result (a text byte for byte, a value by value, all
numbers as doubles), and the records that have changed since the beginning.

What differs is either listed (differences.py, and packs/README.md says why) or a failure, with the fewest calls
that still show it; they can be told again with --replay.

With --gate the sequences are those of an agent that reads before it writes. The gate is asked before each
write, and what it refuses is not carried out. Told is what it allows and the tool rejects, and what it refuses
although the tool would have taken it, by rule.

Exit code: 0 all equal or listed, 1 something is not, 2 usage, 77 skipped.
"""
import argparse
import collections
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import time
import types
import warnings

import differences
from generate import GENERATORS

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEQUENCE_CALLS_MAX = 24
SHOWN_MAX = 5  # failures told in full


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


# --- The two sides ------------------------------------------------------------------------------


class Real:
    """A domain of the checkout: its environment, and what it has changed since it was set."""

    def __init__(self, module, message, part):
        self.env = module.get_environment()
        self.ToolCall = message.ToolCall
        self.flat = self.env.user_tools is None
        if part:
            part(self.env.tools.db)
        self.number_bills()
        self.first = self.dump()

    def number_bills(self):
        """A bill that has to be opened gets a random id. Here it gets the one that the pack gives it."""
        uuid = getattr(sys.modules[type(self.env.tools).__module__], "uuid", None)
        if uuid:
            def free():
                taken = {bill.bill_id for bill in self.env.tools.db.bills}
                return next(n for n in range(10000000, 20000000) if f"B{n}" not in taken)
            uuid.uuid4 = lambda: types.SimpleNamespace(hex=str(free()))

    def dump(self):
        db = self.env.tools.db.model_dump(mode="json")
        if self.flat:
            return db
        places = {}
        for name, records in db.items():
            key = name[:-1] + "_id"
            places[name] = {record[key]: record for record in records}
        return {**places, **self.env.user_tools.db.model_dump(mode="json")}

    def state_file(self):
        if self.flat:
            return self.dump()
        return {"db": self.env.tools.db.model_dump(mode="json"),
                "user_db": self.env.user_tools.db.model_dump(mode="json")}

    def set(self, state):
        """Makes a state file's document the state: of a flat database only what was changed is made anew."""
        if self.flat:
            for name, records in self.changed().items():
                held = getattr(self.env.tools.db, name)
                kind = type(next(iter(held.values())))
                for key in records:
                    if key in self.first[name]:
                        held[key] = kind.model_validate(self.first[name][key])
                    else:
                        del held[key]
            return
        for tools, part in ((self.env.tools, "db"), (self.env.user_tools, "user_db")):
            tools.db = type(tools.db).model_validate(copy.deepcopy(state[part]))
        self.first = self.dump()

    def changed(self):
        now = self.dump()
        changes = {}
        for name, records in now.items():
            before = self.first[name]
            found = {key: record for key, record in records.items() if not alike(before.get(key), record)}
            found.update({key: None for key in before if key not in records})
            changes[name] = found
        return changes

    def call(self, call):
        given = self.ToolCall(id="1", name=call["name"], arguments=copy.deepcopy(call["arguments"]),
                              requestor=call["requestor"])
        answer = self.env.get_response(given)
        return {"text": answer.content, "error": answer.error}


class Ours:
    def __init__(self, domain, teller):
        self.process = subprocess.Popen([teller, str(ROOT / "packs" / domain)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def tell(self, command):
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the teller has ended: {json.dumps(command)[:2000]}")
        return json.loads(line)

    def changed(self):
        return self.tell({"changed": True})["changed"]

    def call(self, call, judge=False):
        told = self.tell({"do": call, "judge": judge})
        told["error"] = told.get("end") in ("failed", "bad_arguments", "unknown_tool", "fault")
        return told


# --- Comparing ----------------------------------------------------------------------------------


def alike(a, b):
    """The same value: numbers as doubles, and absent is as good as null."""
    if isinstance(a, bool) or isinstance(b, bool) or isinstance(a, str) or isinstance(b, str):
        return type(a) is type(b) and a == b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or float(a) == float(b)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return all(alike(a.get(key), b.get(key)) for key in {*a, *b})
    return a is b


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def same_answer(real, ours):
    if real["error"] != ours["error"]:
        return False
    if real["text"] == ours.get("text"):
        return True
    value = None if real["error"] else parsed(real["text"])
    return isinstance(value, (dict, list)) and alike(value, parsed(ours.get("text", "")))


def same_state(real, ours):
    return alike(real, ours)


def kind_of(call, real, ours, states):
    """None: equal. Else the name of the listed difference, or `unexplained`; and whether the states still agree."""
    agree = states is None or same_state(*states)
    states = None if agree else states
    if same_answer(real, ours) and agree:
        return None, True
    return differences.name_of(call, real, ours, states) or "unexplained", agree


class Domain:
    def __init__(self, name, teller, module, message, seed):
        """With a seed: on a part of the database, since all of it is compared over and over."""
        part = getattr(GENERATORS[name], "part", None)
        self.name = name
        self.real = Real(module, message, part and seed and (lambda db: part(random.Random(seed), db)))
        self.ours = Ours(name, teller)
        self.start = self.real.state_file()
        self.ours.tell({"load": self.start})
        self.generate = GENERATORS[name]

    def begin(self, state):
        self.real.set(state)
        self.ours.tell({"start": True} if self.real.flat else {"load": state})

    def both(self, call, with_state):
        real, ours = self.real.call(call), self.ours.call(call)
        states = (self.real.changed(), self.ours.changed()) if with_state else None
        return real, ours, states

    def first_difference(self, state, calls):
        """(index, kind, real, ours, states) of the first call that differs when the state is compared after each."""
        self.begin(state)
        for i, call in enumerate(calls):
            real, ours, states = self.both(call, True)
            kind, agree = kind_of(call, real, ours, states)
            if kind == "unexplained" or not agree:
                return i, kind, real, ours, states
        return None

    def shrink(self, state, calls):
        """The fewest of the calls, of which the last differs."""
        kept = list(calls)
        i = len(kept) - 2
        while i >= 0:
            without = kept[:i] + kept[i + 1:]
            found = self.first_difference(state, without)
            if found and found[0] == len(without) - 1 and found[1] == "unexplained":
                kept = without
            i -= 1
        return kept


# --- A run --------------------------------------------------------------------------------------


def run_sequence(domain, dice, counts, failures):
    """Tells one sequence to both. The states are compared at its end, and after each call if they differ there."""
    state = domain.generate.state(dice, domain.real) or domain.start
    domain.begin(state)
    calls, pending = [], []
    for _ in range(dice.randint(1, SEQUENCE_CALLS_MAX)):
        call = domain.generate.call(dice, domain.real)
        calls.append(call)
        real, ours, _ = domain.both(call, False)
        kind, _ = kind_of(call, real, ours, None)
        pending.append(kind or "equal")
        if kind and not (real["error"] and ours["error"]):  # what fails changes nothing, or it is seen below
            break
    if not same_state(domain.real.changed(), domain.ours.changed()):
        found = domain.first_difference(state, calls)
        if not found:
            sys.exit(f"a difference that comes and goes: {json.dumps(calls)}")
        calls = calls[:found[0] + 1]
        pending = pending[:found[0]] + [found[1]]
    if "unexplained" in pending:
        failures.append((domain, state, calls[:pending.index("unexplained") + 1]))
    counts.update(pending)
    for call, kind in zip(calls, pending):
        counts[f"tool {call['name']}", kind] += 1
    return len(calls)


def tell_failure(failure):
    domain, state, calls = failure
    calls = domain.shrink(state, calls)
    found = domain.first_difference(state, calls)
    if not found:
        print("  (does not show again)")
        return
    _, _, real, ours, states = found
    print(f"\nunexplained, {domain.name}:")
    for call in calls:
        print("  " + json.dumps(call))
    print(f"  there: {'error ' if real['error'] else ''}{real['text'][:1500]!r}")
    print(f"  here:  {ours.get('end')} {(ours.get('text') or ours.get('fault', ''))[:1500]!r}")
    for name in states[0]:
        for key in {*states[0][name], *states[1][name]}:
            a, b = states[0][name].get(key), states[1][name].get(key)
            if not alike(a, b):
                print(f"  {name}.{key}\n    there: {json.dumps(a)[:1500]}\n    here:  {json.dumps(b)[:1500]}")


def write_failure(failure, path):
    domain, state, calls = failure
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"domain": domain.name, "state": None if state is domain.start else state, "calls": calls}, file)


def run_domain(domain, options):
    counts, failures = collections.Counter(), []
    done = number = 0
    end = time.monotonic() + options.seconds
    while done < options.calls and time.monotonic() < end:
        dice = random.Random(f"{options.seed}/{domain.name}/{number}")
        done += run_sequence(domain, dice, counts, failures)
        number += 1
    kinds = {key: count for key, count in counts.items() if isinstance(key, str)}
    print(f"{domain.name}: {done} calls in {number} sequences, seed {options.seed}")
    for kind, count in sorted(kinds.items(), key=lambda item: -item[1]):
        print(f"  {count:7} {kind}")
        if kind != "equal" and options.tools:
            for key, times in counts.items():
                if isinstance(key, tuple) and key[1] == kind:
                    print(f"          {times:5} {key[0]}")
    for number, failure in enumerate(failures[:options.shown]):
        tell_failure(failure)
        if options.save:
            write_failure(failure, f"{options.save}-{domain.name}-{number}.json")
    return kinds


def replay(domains, path):
    with open(path, encoding="utf-8") as file:
        told = json.load(file)
    domain = domains([told["domain"]])[0]
    state = told["state"] or domain.start
    found = domain.first_difference(state, told["calls"])
    if not found:
        print("equal, or listed")
        return 0
    tell_failure((domain, state, told["calls"]))
    return 1 if found[1] == "unexplained" else 0


# --- The checkout -------------------------------------------------------------------------------


def import_domains(checkout):
    """The modules of the domains. The package's own __init__ would load every agent and model client."""
    if not checkout:
        skip("no checkout of tau2-bench: give its path, or set LEDGERGATE_TAU2")
    source = pathlib.Path(checkout) / "src" / "tau2"
    if not (source / "domains").is_dir():
        skip(f"{checkout} is no checkout of tau2-bench: there is no src/tau2/domains")
    os.environ["TAU2_DATA_DIR"] = str(pathlib.Path(checkout).resolve() / "data")
    package = types.ModuleType("tau2")
    package.__path__ = [str(source)]
    sys.modules["tau2"] = package
    try:
        import importlib
        from loguru import logger
        logger.remove()
        names = ("airline", "retail", "telecom")
        modules = {name: importlib.import_module(f"tau2.domains.{name}.environment") for name in names}
        return modules, importlib.import_module("tau2.data_model.message")
    except ModuleNotFoundError as missing:
        skip(f"the checkout needs {missing.name}: pip install pydantic loguru docstring-parser addict deepdiff "
             "toml PyYAML python-dotenv pandas, in an environment that runs this")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?", default=os.environ.get("LEDGERGATE_TAU2"))
    parser.add_argument("--calls", type=int, default=5000, help="of each domain")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="of each domain, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--domain", nargs="*", default=list(GENERATORS), choices=list(GENERATORS))
    parser.add_argument("--gate", action="store_true")
    parser.add_argument("--whole", action="store_true", help="on the whole databases; slower")
    parser.add_argument("--tools", action="store_true", help="say of which tools the differences are")
    parser.add_argument("--shown", type=int, default=SHOWN_MAX, help="failures told in full")
    parser.add_argument("--save", help="write the failures to files that begin so, for --replay")
    parser.add_argument("--replay")
    options = parser.parse_args()
    modules, message = import_domains(options.checkout)
    warnings.simplefilter("ignore")  # of calculations, and of records that hold 2.0 where an int is declared
    teller = os.environ.get("LEDGERGATE_TELLER") or str(ROOT / "build/release/tests/differential_teller")
    if not os.path.exists(teller):
        sys.exit(f"{teller} is not built: `make differential` builds it")

    def domains(names):
        return [Domain(name, teller, modules[name], message, None if options.whole else options.seed) for name in names]

    if options.replay:
        return replay(domains, options.replay)
    if options.gate:
        import gate
        return gate.run(domains(options.domain), options)
    unexplained = 0
    total = collections.Counter()
    for domain in domains(options.domain):
        kinds = run_domain(domain, options)
        total.update(kinds)
        unexplained += kinds.get("unexplained", 0)
    print(f"{sum(total.values())} calls: {total['equal']} equal, {unexplained} unexplained, "
          f"{sum(total.values()) - total['equal'] - unexplained} with a listed difference")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
