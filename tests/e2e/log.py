"""The log of decisions: what it shows, and what both verifiers say of a log that somebody has changed."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys

import _run
from _run import check

RECORD = os.environ["LEDGERGATE_RECORD"]
VERIFY = os.path.join(_run.SOURCE, "scripts", "verify_log.py")
PARTS = ("log.db", "log.db.key", "log.db-wal", "log.db-shm")


def record(folder, name="log.db", recording=_run.CONVERSATION):
    done = subprocess.run(
        [RECORD, _run.RETAIL, name, recording], cwd=folder.path, capture_output=True, text=True, timeout=_run.TIMEOUT_S
    )
    check(done.returncode == 0, "a recording is put into a log", done.stderr)
    return [int(n) for n in done.stdout.split()]


def independent(folder, name, *args):
    done = subprocess.run(
        [sys.executable, "-B", VERIFY, name, *args], cwd=folder.path, capture_output=True, text=True, timeout=_run.TIMEOUT_S
    )
    return done.returncode, done.stdout + done.stderr


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def both_say(folder, code, what, *args, name="log.db"):
    """Our verifier and the independent one agree."""
    ours, out, err = folder.run("log", "verify", "--store", name, *args)
    theirs, text = independent(folder, name, *args)
    check(ours == code, f"{what}: log verify exits with {code}", f"{ours}\n{out}{err}")
    check(theirs == code, f"{what}: verify_log.py exits with {code}", f"{theirs}\n{text}")
    return out + text


def change(folder, *statements):
    db = sqlite3.connect(os.path.join(folder.path, "log.db"))
    for statement in statements:
        db.execute(*statement) if isinstance(statement, tuple) else db.execute(statement)
    db.commit()
    db.close()


# --- What it shows --------------------------------------------------------------------------------


def shows(folder, decisions):
    code, out, _ = folder.run("log", "show", "--store", "log.db", "--json")
    shown = lines(out)
    check(code == 0 and len(shown) == decisions, "show lists every decision", out)
    code, out, _ = folder.run("log", "show", "--store", "log.db")
    check(code == 0 and len(out.splitlines()) == decisions, "show has a line each", out)
    code, out, _ = folder.run("log", "export", "--store", "log.db")
    exported = lines(out)
    kinds = {r["kind"] for r in exported}
    check(code == 0 and kinds == {"law", "event", "decision", "outcome"}, "export has all kinds", str(kinds))
    check([r["sequence"] for r in exported] == list(range(1, len(exported) + 1)), "export has every record", out)
    events = sum(r["kind"] == "event" for r in exported)
    ids = {r["id"] for r in exported if r["kind"] == "event"}
    check(events == len(ids), "a conversation that is sent again is kept once", f"{events} {len(ids)}")
    refused = [r for r in shown if any(d["verdict"] != "allow" for d in r["payload"]["decisions"])]
    check(refused, "a call of the example is refused")
    for name in (refused[0]["id"], str(refused[0]["sequence"])):
        code, out, _ = folder.run("log", "explain", name, "--store", "log.db")
        finding = refused[0]["payload"]["decisions"][0]["findings"][0]
        check(code == 0 and finding["rule"] in out and "delivered" in out, f"explain {name} tells why", out)
    code, out, _ = folder.run("log", "explain", refused[0]["id"], "--store", "log.db", "--json")
    check(code == 0 and [r["kind"] for r in lines(out)] == ["decision", "outcome"], "explain --json", out)
    return exported


def replay_agrees(folder, exported):
    """The log holds the report byte for byte."""
    _, out, _ = folder.run("replay", "--pack", _run.RETAIL, "--json", _run.CONVERSATION)
    wanted = [r["decision"] for r in lines(out) if "decision" in r]
    got = [d for r in exported if r["kind"] == "decision" for d in r["payload"]["decisions"] if d["gated"]]
    check(wanted and got == wanted, "the log's verdicts are those of replay", f"{len(wanted)} {len(got)}")


def verifies(folder, decisions):
    text = both_say(folder, 0, "a log")
    check(text.count("the log is whole") == 2, "both say so", text)
    code, out, _ = folder.run("log", "verify", "--store", "log.db", "--re-execute", "--json")
    said = lines(out)[-1]
    check(code == 0 and said["same"] == decisions == said["decisions"], "all is decided again", out)
    check(said["key_compared"], "with the key file", out)
    both_say(folder, 0, "a head that was seen", "--head", said["head"])
    both_say(folder, 0, "the key", "--public-key", said["public_key"])
    both_say(folder, 1, "another key", "--public-key", "00" * 32)
    both_say(folder, 1, "another head", "--head", "3:" + "00" * 32)
    return said


# --- What somebody may do to it -------------------------------------------------------------------

# (what, statements, does it show without a head that was seen before?)
CHANGES = [
    ("a payload was changed", ["UPDATE payload SET body = replace(body, 'verdict', 'verdikt') WHERE sequence = 5"]),
    ("a payload of the same length", ["UPDATE payload SET body = zeroblob(length(body)) WHERE sequence = 6"]),
    ("a salt was changed", ["UPDATE payload SET salt = zeroblob(16) WHERE sequence = 6"]),
    ("a key was changed", ["UPDATE payload SET key = zeroblob(16) WHERE sequence = 5"]),
    ("a payload is gone", ["DELETE FROM payload WHERE sequence = 7"]),
    ("a payload of nobody", ["INSERT INTO payload VALUES(9999, zeroblob(16), zeroblob(16), x'00')"]),
    ("a digest was changed with its payload", ["UPDATE record SET payload = zeroblob(32) WHERE sequence = 4"]),
    ("a link was changed", ["UPDATE record SET chain = zeroblob(32) WHERE sequence = 4"]),
    ("a kind was changed", ["UPDATE record SET kind = 'event' WHERE kind = 'decision' AND sequence < 9"]),
    ("a time was changed", ["UPDATE record SET time = time - 1 WHERE sequence = 3"]),
    ("a record is gone", ["DELETE FROM record WHERE sequence = 4", "DELETE FROM payload WHERE sequence = 4"]),
    ("the first is gone", ["DELETE FROM record WHERE sequence = 1", "DELETE FROM payload WHERE sequence = 1"]),
    ("the last is gone", ["DELETE FROM record WHERE sequence = (SELECT max(sequence) FROM record)"]),
    ("all are gone", ["DELETE FROM record", "DELETE FROM payload"]),
    (
        "two have changed their places",
        [
            "UPDATE record SET sequence = -1 WHERE sequence = 4", "UPDATE record SET sequence = 4 WHERE sequence = 5",
            "UPDATE record SET sequence = 5 WHERE sequence = -1",
        ],
    ),
    ("a record was added", ["INSERT INTO record SELECT 9999, kind, time, payload, chain FROM record WHERE sequence = 3"]),
    ("the head was changed", ["UPDATE head SET sequence = sequence - 1"]),
    ("the signature was changed", ["UPDATE head SET signature = zeroblob(64)"]),
    ("the log's id was changed", ["UPDATE meta SET value = zeroblob(16) WHERE name = 'log'"]),
]


def changes_show(folder):
    for part in PARTS[:2]:
        shutil.copy(os.path.join(folder.path, part), os.path.join(folder.path, part + ".kept"))
    for what, statements in CHANGES:
        for part in PARTS[:2]:
            shutil.copy(os.path.join(folder.path, part + ".kept"), os.path.join(folder.path, part))
        change(folder, *statements)
        both_say(folder, 1, what)
    for part in PARTS[:2]:
        shutil.copy(os.path.join(folder.path, part + ".kept"), os.path.join(folder.path, part))


def cuts_show(folder, said):
    """Somebody kept an old copy, and puts it back: only a head that was seen before tells."""
    with _run.Folder() as old:
        record(old)
        shutil.copy(os.path.join(folder.path, "log.db"), os.path.join(old.path, "log.db"))
        shutil.copy(os.path.join(folder.path, "log.db.key"), os.path.join(old.path, "log.db.key"))
        done = subprocess.run(
            [RECORD, _run.RETAIL, "log.db", _run.CONVERSATION], cwd=old.path, capture_output=True, text=True, timeout=_run.TIMEOUT_S
        )
        check(done.returncode == 0, "a log goes on", done.stderr)
        _, out, _ = old.run("log", "verify", "--store", "log.db", "--json")
        head = lines(out)[-1]["head"]
        check(int(head.split(":")[0]) > int(said["head"].split(":")[0]), "it has grown", head)
        both_say(old, 0, "the old head is in it", "--head", said["head"])
    both_say(folder, 0, "an old copy by itself")
    both_say(folder, 1, "an old copy, with the newer head", "--head", head)


def another_key(folder):
    """Somebody without the key writes a log of his own in its place."""
    with _run.Folder() as other:
        record(other)
        shutil.copy(os.path.join(other.path, "log.db"), os.path.join(folder.path, "forged.db"))
    both_say(folder, 0, "a forged log by itself", name="forged.db")
    shutil.copy(os.path.join(folder.path, "log.db.key"), os.path.join(folder.path, "forged.db.key"))
    code, out, _ = folder.run("log", "verify", "--store", "forged.db")
    check(code == 1 and "not signed with the key" in out, "a forged log beside our key file", out)


# --- Redaction ------------------------------------------------------------------------------------


def redacts(folder, decisions):
    _, out, _ = folder.run("log", "show", "--store", "log.db", "--json")
    first = lines(out)[0]
    code, out, err = folder.run("log", "redact", first["id"], "--why", "asked for", "--store", "log.db", "--json")
    check(code == 0 and lines(out) == [{"redacted": 2, "decisions": 1, "shared": 0}], "redact takes out a decision and its outcome", out + err)
    both_say(folder, 0, "a redacted log")
    code, out, _ = folder.run("log", "verify", "--store", "log.db", "--re-execute", "--json")
    said = lines(out)[-1]
    check(code == 0 and said["not_executable"] == 1 and said["same"] == decisions - 1, "it is not re-executable", out)
    code, out, err = folder.run("log", "explain", first["id"], "--store", "log.db")
    check(code == 2 and "there is no decision" in err, "its id is gone, too", out + err)
    code, out, _ = folder.run("log", "explain", str(first["sequence"]), "--store", "log.db")
    check(code == 0 and "redacted" in out, "its record says so", out)
    conversation = first["payload"]["conversation"]
    code, out, err = folder.run("log", "redact", "--conversation", conversation, "--store", "log.db")
    check(code == 0 and "decision" in out, "redact takes out a conversation", out + err)
    both_say(folder, 0, "a log whose conversation was redacted")
    code, out, _ = folder.run("log", "verify", "--store", "log.db", "--re-execute", "--json")
    said = lines(out)[-1]
    check(code == 0 and said["not_executable"] == decisions, "nothing can be decided again", out)
    _, out, _ = folder.run("log", "export", "--store", "log.db")
    left = [r for r in lines(out) if "payload" in r]
    check({r["kind"] for r in left} == {"law", "redaction"}, "the laws and the redactions stay", out)
    change(folder, "DELETE FROM payload WHERE sequence = (SELECT max(sequence) FROM record WHERE kind = 'redaction')")
    both_say(folder, 1, "a redaction is gone")


def prunes(folder):
    record(folder, "old.db")
    code, out, err = folder.run("log", "prune", "--before", "2023-11-14T22:13:20Z", "--store", "old.db", "--json")
    check(code == 0 and lines(out)[0]["redacted"] == 0, "prune leaves what is not older", out + err)
    code, out, err = folder.run("log", "prune", "--before", "2023-11-14T22:13:21Z", "--store", "old.db", "--json")
    check(code == 0 and lines(out)[0]["redacted"] > 5, "prune takes out what is older", out + err)
    both_say(folder, 0, "a pruned log", name="old.db")


# --- Mistakes -------------------------------------------------------------------------------------


def mistakes(folder):
    folder.write("text.db", "this is no log")
    folder.write("open.key", "ledgergate-key-1 " + "0" * 128 + "\n")
    os.chmod(os.path.join(folder.path, "open.key"), 0o644)
    for args, word in (
        (("log",), "say what to do"),
        (("log", "frobnicate"), "say what to do"),
        (("log", "verify", "more"), "takes no operand"),
        (("log", "explain"), "takes the id of one decision"),
        (("log", "show"), "ledgergate.db"),
        (("log", "show", "--store", ""), "no file name"),
        (("log", "show", "--store", "text.db"), "text.db"),
        (("log", "show", "--store", "log.db", "--from", "x"), "--from is the number"),
        (("log", "explain", "xyz", "--store", "log.db"), "is no decision"),
        (("log", "explain", "1", "--store", "log.db"), "there is no decision"),
        (("log", "explain", "f" * 32, "--store", "log.db"), "there is no decision"),
        (("log", "verify", "--store", "log.db", "--head", "7"), "--head is what"),
        (("log", "verify", "--store", "log.db", "--public-key", "7"), "64 hexadecimal digits"),
        (("log", "verify", "--store", "log.db", "--key", "none.key"), "none.key"),
        (("log", "verify", "--store", "log.db", "--key", "open.key"), "chmod 600"),
        (("log", "redact", "--store", "log.db"), "redact takes"),
        (("log", "redact", "1", "--conversation", "x", "--store", "log.db"), "redact takes"),
        (("log", "prune", "--store", "log.db"), "--before TIME"),
        (("log", "prune", "--before", "yesterday", "--store", "log.db"), "--before TIME"),
    ):
        code, out, err = folder.run(*args)
        check(code == 2 and word in err and out == "", f"{args}: says {word}", f"{code}\n{out}{err}")
    check(independent(folder, "text.db")[0] == 2, "verify_log.py cannot read what is no log")
    check(independent(folder, "none.db")[0] == 2, "verify_log.py cannot read what is not there")


with _run.Folder() as f:
    count, gated = record(f)
    check(gated > 0, "the example has calls that are judged")
    records = shows(f, count)
    replay_agrees(f, records)
    summary = verifies(f, count)
    changes_show(f)
    cuts_show(f, summary)
    another_key(f)
    mistakes(f)
    redacts(f, count)
    prunes(f)
_run.done()
