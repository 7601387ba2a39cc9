"""What `make install` installs is found with pkg-config, and a program of a stranger links with it."""

import os
import shutil
import subprocess
import sys

from _run import BIN, RETAIL, SOURCE, Folder, check, done

BUILD = os.path.dirname(BIN)
EXAMPLE = os.path.join(SOURCE, "examples", "gate_a_call.c")


def run(*words, **env):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, env={**os.environ, **env})


def cached(name):
    """A variable of the build: which compiler, and which sanitizers the library needs."""
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if line.startswith(f"{name}:")]
    return lines[0].split("=", 1)[1] if lines else ""


def link(folder, prefix):
    found = [os.path.join(at, "ledgergate.pc") for at, _, names in os.walk(prefix) if "ledgergate.pc" in names]
    if not check(len(found) == 1, "one ledgergate.pc is installed", found):
        return
    path = ":".join(filter(None, (os.path.dirname(found[0]), os.environ.get("PKG_CONFIG_PATH"))))
    flags = run("pkg-config", "--cflags", "--libs", "ledgergate", PKG_CONFIG_PATH=path)
    if not check(flags.returncode == 0, "pkg-config knows it", flags.stderr):
        return
    check(os.path.realpath(prefix) in os.path.realpath(flags.stdout.split("-I")[1].split()[0]), "below the prefix",
          flags.stdout)
    program = os.path.join(folder.path, "gate_a_call")
    sanitize = [f"-fsanitize={cached('LG_SANITIZE')}"] if cached("LG_SANITIZE") else []
    built = run(cached("CMAKE_C_COMPILER"), "-std=c17", *sanitize, EXAMPLE, "-o", program, *flags.stdout.split())
    if check(built.returncode == 0, "the example links with what it says", built.stderr):
        ran = run(program, RETAIL)
        check(ran.returncode == 0 and "\nrevise\n" in ran.stdout, "and judges", ran.stdout + ran.stderr)


def serving(prefix):
    """What who serves needs beside the command."""
    share = os.path.join(prefix, "share", "ledgergate")
    check(os.path.exists(os.path.join(share, "serve.schema.json")), "the schema of a configuration is there")
    ran = run(sys.executable, "-B", os.path.join(share, "verify_log.py"), "--help")
    check(ran.returncode == 0 and "usage" in ran.stdout.lower(), "and the log's other verifier, which runs", ran.stdout + ran.stderr)
    unit = os.path.join(prefix, "lib", "systemd", "system", "ledgergate.service")
    with open(unit, encoding="utf-8") as file:
        text = file.read()
    check(f"ExecStart={prefix}/bin/ledgergate serve" in text and "/usr/local/bin/" not in text, "and the unit, with the command's own place", text)


def main():
    if not all(map(shutil.which, ("cmake", "pkg-config"))) or cached("LG_COVERAGE") == "ON":
        print("skipped: installed (needs cmake, pkg-config and a build that links by itself)")
        sys.exit(77)
    with Folder() as folder:
        # Another name than it was configured for, with a space: the file says where it is by itself.
        prefix = os.path.join(folder.path, "else where")
        installed = run("cmake", "--install", BUILD, "--prefix", prefix)
        if check(installed.returncode == 0, "it can be installed", installed.stderr):
            check(os.access(os.path.join(prefix, "bin", "ledgergate"), os.X_OK), "with its command")
            serving(prefix)
            os.symlink(prefix, os.path.join(folder.path, "plain"))
            link(folder, os.path.join(folder.path, "plain"))
    done()


main()
