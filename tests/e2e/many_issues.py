"""A recording with more defects than are kept: text and JSON lines say how many there were."""

import json

import _run
from _run import RETAIL, check

KEPT = 50
DEFECTS = KEPT + 3


def main():
    messages = [{"role": "user", "content": "a"}] + [7] * DEFECTS
    with _run.Folder() as folder:
        folder.write("x.json", json.dumps({"messages": messages}))
        _, out, err = folder.run("replay", "--pack", RETAIL, "--json", "x.json")
        lines = [json.loads(line) for line in out.splitlines()]
        kept = sum("import_error" in line for line in lines)
        check(kept == KEPT, f"{KEPT} defects are kept", f"{kept}\n{err}")
        dropped = [line["import_errors_dropped"] for line in lines if "import_errors_dropped" in line]
        check(dropped == [{"file": "x.json", "count": DEFECTS - KEPT}],
              "a JSON line says how many defects were not kept", dropped)
        summary = [line["summary"] for line in lines if "summary" in line]
        check([s["import_errors"] for s in summary] == [DEFECTS], "the summary counts all", summary)
        check([s["left_out"] for s in summary] == [DEFECTS], "also those that were left out and not kept", summary)
        code, out, err = folder.run("replay", "--pack", RETAIL, "x.json", partial=True)
        check(code == 2 and f"ledgergate: {DEFECTS} parts of the conversations could not be read" in err,
              "exit code 2, and how many parts", f"{code}\n{err}")
        check(f"x.json: and {DEFECTS - KEPT} more" in str(out), "the text says how many more", out)
    _run.done()


main()
