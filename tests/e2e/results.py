"""docs/results.md is what the program says about the recorded conversations today."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("LEDGERGATE_SOURCE_DIR")
                    or pathlib.Path(__file__).resolve().parents[2])
DATA = pathlib.Path(os.environ.get("LEDGERGATE_DATA") or ROOT.parent / "shared")
SKIPPED = 77


def run(*arguments):
    return subprocess.run([sys.executable, "-B", ROOT / "scripts" / "results.py", *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def main():
    absent = run("--check", "--data", str(ROOT / "tests" / "e2e"))
    if absent.returncode != 1 or "there are no recordings at" not in absent.stdout:
        sys.exit(f"a folder without recordings is not named: {absent.returncode}\n{absent.stdout}")
    if not (DATA / "data" / "traces").is_dir():
        print("skipped: results (no shared data)")
        sys.exit(SKIPPED)
    checked = run("--check")
    print(checked.stdout, end="")
    sys.exit(checked.returncode)


main()
