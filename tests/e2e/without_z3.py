"""Z3 is loaded by `prove` alone: every other verb runs on a machine that does not have it."""

import glob
import json
import os

import _run
from _run import BIN, CONVERSATION, RETAIL, SOURCE, check

TELEHEALTH = os.path.join(SOURCE, "packs", "telehealth")
INSTALL = (
    "ledgergate: proofs need Z3, and its library libz3.so.4 is not on this machine: install it "
    "(Debian and Ubuntu: apt install libz3-4), or name it in LEDGERGATE_Z3\n"
)
PROVE = ("prove", TELEHEALTH, "--only", "reachable", "--no-cache")
CALLS = [{"name": "calculate", "arguments": {"expression": "1 + 1"}}]

# What runs beside an agent, or in a build: (exit code, arguments).
OTHERS = [
    (0, ("--version",)),
    (0, ("prove", "--help")),
    (0, ("check", RETAIL)),
    (0, ("show", RETAIL)),
    (0, ("show", CONVERSATION)),
    (1, ("replay", "--pack", RETAIL, CONVERSATION)),
    (0, ("apply", "--pack", RETAIL, "--state", "state.json", "calls.json")),
    (0, ("validate", "--schema", "schema.json", "calls.json")),
    (0, ("tools", "tools.json")),
    (0, ("cel", "1 + 1")),
]


def files(folder):
    folder.write("state.json", '{"orders": {}, "users": {}, "products": {}}')
    folder.write("calls.json", json.dumps(CALLS))
    folder.write("schema.json", '{"type": "array"}')
    folder.write("tools.json", json.dumps([{"name": "a", "description": "b", "inputSchema": {"type": "object"}}]))


def loaded(folder, *args):
    """Runs it, and returns the names of all libraries that the loader looked for."""
    log = os.path.join(folder.path, "loader")
    folder.environment.update(LD_DEBUG="libs", LD_DEBUG_OUTPUT=log)
    code, _, err = folder.run(*args)
    del folder.environment["LD_DEBUG"], folder.environment["LD_DEBUG_OUTPUT"]
    text = ""
    for name in glob.glob(log + ".*"):
        with open(name, encoding="utf-8", errors="replace") as file:
            text += file.read()
        os.remove(name)
    return code, text, err


def only_prove_loads_it(folder):
    for wanted, args in OTHERS:
        code, text, err = loaded(folder, *args)
        check(code == wanted, f"{args}: exit code {wanted}", f"{code}\n{err}")
        check("find library=libc" in text, f"{args}: what was loaded is known", text[:300])
        check("libz3" not in text, f"{args}: Z3 is not even looked for", text)
    code, text, err = loaded(folder, *PROVE)
    check(code == 0 and "libz3" in text, "prove loads Z3", f"{code}\n{err}")


def nothing_is_linked_with_it():
    with open(BIN, "rb") as file:
        program = file.read()
    check(b"libz3.so.4\0" in program, "the binary knows the name of the library, so the next check sees something")
    # The loader lists what a program needs, as ldd does.
    needed = os.popen(f"LD_TRACE_LOADED_OBJECTS=1 '{BIN}'").read()
    check("libc.so" in needed and "libz3" not in needed, "the binary does not need Z3", needed)
    found = glob.glob(os.path.join(os.path.dirname(BIN), "**", "libledgergate.a"), recursive=True)
    if not found:
        print("skipped: the library for users of the gate (it is not built)")
    for path in found:
        with open(path, "rb") as file:
            archive = file.read()
        check(b"lg_decide" in archive, "the archive has the gate", path)
        check(b"libz3" not in archive and b"dlopen" not in archive, "the library loads no Z3", path)


def machine_without_it(folder):
    """Files that are no libraries stand first where the loader looks."""
    for name in ("libz3.so.4", "libz3.so"):
        folder.write(f"none/{name}", b"no library\n" * 100)
    folder.environment["LD_LIBRARY_PATH"] = os.path.join(folder.path, "none")
    folder.environment.pop("LEDGERGATE_Z3", None)
    for wanted, args in OTHERS:
        code, _, err = folder.run(*args)
        check(code == wanted, f"{args}: exit code {wanted} without Z3", f"{code}\n{err}")
    for args in (PROVE, ("prove", TELEHEALTH), ("prove", "--diff", TELEHEALTH, TELEHEALTH), ("prove", TELEHEALTH, "--json"),
                 ("prove", TELEHEALTH, "--explain")):
        code, out, err = folder.run(*args)
        check((code, out, err) == (3, "", INSTALL), f"{args}: says what to install", f"{code}\n{out}{err}")
    code, _, err = folder.run("prove", "none.yaml")
    check(code == 2 and "none.yaml" in err, "a pack that cannot be read is told before", f"{code}\n{err}")
    del folder.environment["LD_LIBRARY_PATH"]


def library_by_name(folder):
    folder.environment["LEDGERGATE_Z3"] = os.path.join(folder.path, "none", "nothing.so")
    code, _, err = folder.run(*PROVE)
    check(code == 3 and err.startswith("ledgergate: Z3 cannot be loaded from where LEDGERGATE_Z3 says: ") and "nothing.so" in err,
          "a library that is not there is named", f"{code}\n{err}")
    folder.environment["LEDGERGATE_Z3"] = "libm.so.6"
    code, _, err = folder.run(*PROVE)
    check(code == 3 and err.startswith("ledgergate: libm.so.6 is not Z3, or too old a version of it: it has no function Z3_"),
          "a library that is something else is named", f"{code}\n{err}")
    for name in ("libz3.so.4", ""):
        folder.environment["LEDGERGATE_Z3"] = name
        code, _, err = folder.run(*PROVE)
        check(code == 0, f"`{name}` is Z3", f"{code}\n{err}")
    del folder.environment["LEDGERGATE_Z3"]


with _run.Folder() as temporary:
    files(temporary)
    nothing_is_linked_with_it()
    only_prove_loads_it(temporary)
    machine_without_it(temporary)
    library_by_name(temporary)
_run.done()
