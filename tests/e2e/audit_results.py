"""docs/audit-results.md is what the program says of the recorded conversations today."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("LEDGERGATE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
DATA = pathlib.Path(os.environ.get("LEDGERGATE_DATA") or ROOT.parent / "shared")
SKIPPED = 77


def main():
    if not (DATA / "data" / "traces").is_dir():
        print("skipped: audit results (no shared data)")
        sys.exit(SKIPPED)
    checked = subprocess.run([sys.executable, "-B", ROOT / "scripts" / "audit_results.py", "--check"], check=False)
    sys.exit(checked.returncode)


main()
