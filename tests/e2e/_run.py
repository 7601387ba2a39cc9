"""Runs the built binary in a folder of its own, and checks what it prints and returns.

A test is a list of cases. Each failed check is one sentence on standard output; done() gives the
exit code. Whatever exits with 2 must leave standard output empty: that is checked for every run, but
for JSON of verbs that report there what they could not read, and for runs of which a part is fine.
"""

import os
import signal
import subprocess
import sys
import tempfile

BIN = os.path.abspath(os.environ["LEDGERGATE_BIN"])
SOURCE = os.path.abspath(os.environ["LEDGERGATE_SOURCE_DIR"])
RETAIL = os.path.join(SOURCE, "packs", "retail")
CONVERSATION = os.path.join(SOURCE, "examples", "conversations", "retail-refund-revised.json")
TIMEOUT_S = 300  # only what hangs: a machine may be busy
TELL_AS_JSON = ("check", "cel", "replay", "show", "validate", "tools", "audit", "stats", "convert", "extract")

checks, failures = 0, 0


def check(ok, sentence, detail=""):
    global checks, failures
    checks += 1
    if not ok:
        failures += 1
        for line in (f"failed: {sentence}", *(f"    {line[:300]}" for line in str(detail).splitlines()[:20])):
            print(line.encode("utf-8", "backslashreplace").decode("utf-8"))
    return ok


def is_sanitized():
    """Is the binary of a build with sanitizers, which is several times slower?"""
    with open(BIN, "rb") as file:
        return b"__asan_init" in file.read()


def done():
    print(f"{checks} checks, {failures} failed")
    sys.exit(0 if failures == 0 and checks > 0 else 1)


class Folder:
    """A folder that is gone at the end; runs happen in it, so messages hold short names."""

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="ledgergate-e2e-")
        self.path = self.temporary.name
        # Answers are cached, but never in the home of whoever runs the tests.
        self.cache = tempfile.TemporaryDirectory(prefix="ledgergate-cache-")
        self.environment = {**os.environ, "XDG_CACHE_HOME": self.cache.name}
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()
        self.cache.cleanup()

    def write(self, name, content):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode("utf-8")
        with open(path, "wb") as file:
            file.write(data)
        return name

    def run(self, *args, stdin=b"", timeout=TIMEOUT_S, partial=False):
        """Returns (exit code, standard output, standard error). `partial`: something can be read."""
        environment = dict(self.environment)
        if args[:1] in (("prove",), ("extract",)):  # the leak checker does not get on with Z3's threads
            environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        try:
            ended = subprocess.run(
                [BIN, *args], cwd=self.path, input=stdin, capture_output=True, timeout=timeout,
                env=environment,
            )
        except subprocess.TimeoutExpired:
            check(False, f"{' '.join(args)} ends within {timeout} seconds")
            return None, "", ""
        out = ended.stdout.decode("utf-8", "replace")
        err = ended.stderr.decode("utf-8", "replace")
        told_as_json = "--json" in args and args[0] in TELL_AS_JSON
        if ended.returncode == 2 and not told_as_json and not partial:
            check(out == "", f"{' '.join(args)}: nothing on standard output with exit code 2", out)
        # A sanitizer ends a program with 1, which also means findings.
        sane = "Sanitizer" not in err and "runtime error:" not in err
        check(sane, f"{' '.join(args)[:300]}: no report of a sanitizer", err)
        printable = all(c in "\n" or c.isprintable() for c in err)
        check(printable, f"{' '.join(args)}: standard error holds no control characters", repr(err))
        return ended.returncode, out, err

    def refuses(self, sentence, args, *wanted, stdin=b"", timeout=TIMEOUT_S):
        """Exit code 2, and the first lines of standard error are `wanted`."""
        code, _, err = self.run(*args, stdin=stdin, timeout=timeout)
        lines = tuple(err.splitlines()[: len(wanted)])
        check(code == 2, f"{sentence}: exit code 2", f"got {code}\n{err}")
        check(lines == wanted, f"{sentence}: its message", "got:\n" + "\n".join(lines) + "\nwant:\n" + "\n".join(wanted))

    def run_into(self, stdout, *args, ignore_pipe=False):
        """Runs with `stdout` (a file) as standard output; returns exit code and standard error."""
        process = subprocess.run(
            [BIN, *args], cwd=self.path, stdin=subprocess.DEVNULL, stdout=stdout,
            stderr=subprocess.PIPE, timeout=TIMEOUT_S, restore_signals=not ignore_pipe,
            env=self.environment,
        )
        return process.returncode, process.stderr.decode("utf-8", "replace")


def killed_by_pipe(code):
    return code == -signal.SIGPIPE
