"""The systemd unit: systemd knows all that stands in it, its sandbox is as tight as it says, and what it starts there is."""

import os
import re
import shutil
import subprocess

import _run
from _run import check

UNIT = os.path.join(_run.SOURCE, "dist", "ledgergate.service")
EXPOSURE = 1.2  # as `systemd-analyze security` counts, of 10; a service that serves has a network


def analyze(folder, *args):
    done = subprocess.run(["systemd-analyze", *args], cwd=folder.path, capture_output=True, text=True, timeout=_run.TIMEOUT_S)
    return done.returncode, done.stdout + done.stderr


def commands(folder, text):
    """What the unit calls, this program takes."""
    folder.write("ledgergate.yaml", 'routes: [{path: /v1, upstream: {url: "http://127.0.0.1:9/v1"}}]\n')
    line = re.search("^ExecStartPre=/usr/local/bin/ledgergate (.*)$", text, re.M)
    check(line is not None, "the unit looks at the configuration first")
    if line:
        args = line.group(1).replace("/etc/ledgergate/ledgergate.yaml", "ledgergate.yaml").split()
        code, out, err = folder.run(*args)
        check(code == 0, "as the program takes it", out + err)


with _run.Folder() as folder:
    with open(UNIT) as file:
        text = file.read()
    commands(folder, text)
    if not shutil.which("systemd-analyze"):
        print("skipped: verify, security (no systemd-analyze)")
    else:
        folder.write("ledgergate.service", text.replace("/usr/local/bin/ledgergate", os.path.abspath(_run.BIN)))
        code, out = analyze(folder, "verify", "./ledgergate.service")
        check(code == 0 and not out.strip(), "systemd-analyze verify has nothing to say", f"{code}\n{out}")
        code, out = analyze(folder, "security", "--offline=true", f"--threshold={round(EXPOSURE * 10)}", "./ledgergate.service")
        check(code == 0, f"its exposure is at most {EXPOSURE}", out)
        folder.write("ledgergate.service", text.replace("PrivateUsers=yes", "PrivateUser=yes"))
        check(analyze(folder, "verify", "./ledgergate.service")[1] != "", "and a word that is none would show")
_run.done()
