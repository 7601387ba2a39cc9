#!/usr/bin/env python3
"""Runs the published conformance suites and writes build/conformance.json.

    {"cel": {"passed", "failed", "skipped", "failures": [names], "skips": [names]},
     "json-schema-2020-12": ..., "json-schema-7": ..., "json": ...}

The runners are tests/conformance; each is a test of `make check` too. Needs the shared data.
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release/tests"


def run(name, *arguments):
    done = subprocess.run([BUILD / name, *arguments], stdout=subprocess.PIPE, text=True, check=False,
                          cwd=ROOT)
    if "skipped:" in done.stdout.splitlines()[0]:
        sys.exit(f"conformance: {name} has nothing to run: there is no shared data")
    if done.returncode:
        sys.stdout.write(done.stdout)
    return done


def by_file(name):
    """A runner that writes its own sums."""
    path = ROOT / "build" / f"{name}.json"
    path.unlink(missing_ok=True)
    run(name, "--json", str(path))
    if not path.exists():
        sys.exit(f"conformance: {name} wrote no sums")
    return json.loads(path.read_text())


def main():
    sums = {}
    for runner in ("cel_conformance", "schema_conformance", "json_suite"):
        sums |= by_file(f"conformance_{runner}")
    (ROOT / "build/conformance.json").write_text(json.dumps(sums, indent=1) + "\n")
    for name, s in sums.items():
        print(f"{name}: {s['passed']} passed, {s['failed']} failed, {s['skipped']} skipped")
    # What fails on purpose is in the list of the JSON runner, which checks it.
    return 1 if any(s["failed"] for name, s in sums.items() if name != "json") else 0


if __name__ == "__main__":
    sys.exit(main())
