#!/usr/bin/env python3
"""Times the command as a whole process: start-up, a replay of all recordings, peak memory.

Medians of wall time over several runs; peak memory as the operating system counts it.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

BINARY = "build/ledgergate"


def run(command):
    """Wall seconds and peak resident bytes of one run; what it says of files left out is no figure."""
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ,
                         file_actions=[(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)])
    _, status, usage = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code > 1:
        sys.exit(f"{' '.join(command)}: exit code {code}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def report(name, command, runs):
    run(command)
    measured = [run(command) for _ in range(runs)]
    print(json.dumps({"bench": name, "runs": runs,
                      "wall_ms": round(statistics.median(m[0] for m in measured) * 1e3, 2),
                      "peak_mb": round(max(m[1] for m in measured) / 1e6, 1)}), flush=True)


def main():
    data = pathlib.Path(sys.argv[1])
    largest = max((data / "traces").rglob("*.json*"), key=lambda p: p.stat().st_size)
    report("start-up (--version)", [BINARY, "--version"], 51)
    report("start-up (check packs/retail)", [BINARY, "check", "packs/retail"], 51)
    report("replay of all recordings, airline pack",
           [BINARY, "replay", "--quiet", "--pack", "packs/airline", str(data / "traces")], 7)
    report("the same with all decisions as JSON",
           [BINARY, "replay", "--json", "--pack", "packs/airline", str(data / "traces")], 7)
    report(f"replay of the largest file ({largest.stat().st_size / 1e6:.1f} MB)",
           [BINARY, "replay", "--quiet", "--pack", "packs/retail", str(largest)], 7)


if __name__ == "__main__":
    main()
