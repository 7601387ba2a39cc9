"""The log of decisions: what it shows, and what both verifiers say of a log that somebody has changed."""

import hashlib
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
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable  # that others may run, too
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


def content(folder, name="log.db"):
    """All that it says, as text."""
    db = sqlite3.connect(os.path.join(folder.path, name))
    text = "\n".join(db.iterdump())
    db.close()
    return text


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
    for line, one in zip(out.splitlines(), shown):
        check(one["id"] in line and " delivered " in line and " /v1 " in line, "with id, outcome and route", line)
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
        check(code == 0 and f"{finding['rule']}  {finding['cause']}  " in out and "delivered" in out, f"explain {name} tells why", out)
        check("law           retail 1.0.0" in out, "by which pack", out)
        for piece in refused[0]["payload"]["decisions"][0]["evidence"]:
            read = f"[{piece['tool']}, turn {piece['turn']}]" if "tool" in piece else ""
            check(f"{piece['path']} = " in out and read in out, "and what was read by what", out)
        for hint in refused[0]["payload"]["decisions"][0]["hints"]:
            check(f"would pass with {hint['path']} = {hint['value']}" in out, "and what would pass", out)
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


def without_a_verdict(folder):
    """More calls without a result than a session keeps: what was proposed is shown all the same."""

    def asks(name, count):
        function = {"name": "get_order_details", "arguments": json.dumps({"order_id": f"#{name}"})}
        return {"role": "assistant", "content": None,
                "tool_calls": [{"id": f"{name}{n}", "type": "function", "function": function} for n in range(count)]}

    talk = [{"role": "user", "content": "x"}, asks("A", 250), {"role": "user", "content": "y"}, asks("B", 20)]
    folder.write("many.json", json.dumps({"messages": talk}))
    record(folder, "many.db", "many.json")
    shown = lines(folder.run("log", "show", "--store", "many.db", "--json")[1])
    failed = [r for r in shown if "error" in r["payload"]]
    check(len(failed) == 1, "a decision without a verdict", str([list(r["payload"]) for r in shown]))
    code, out, err = folder.run("log", "explain", failed[0]["id"], "--store", "many.db")
    check(code == 0 and out.count("no verdict  get_order_details") == 20 and "#B" in out, "explain shows what was proposed", out + err)
    check(failed[0]["payload"]["error"]["message"] in out, "and why there is no verdict", out)


# --- What somebody may do to it -------------------------------------------------------------------

# (what, statements, does it show without a head that was seen before?)
CHANGES = [
    ("a payload was changed", ["UPDATE record SET body = replace(body, 'verdict', 'verdikt') WHERE sequence = 5"]),
    ("a payload of the same length", ["UPDATE record SET body = zeroblob(length(body)) WHERE sequence = 6"]),
    ("a salt was changed", ["UPDATE record SET salt = zeroblob(16) WHERE sequence = 6"]),
    ("a key was changed", ["UPDATE record SET key = zeroblob(16) WHERE sequence = 5"]),
    ("a payload is gone", ["UPDATE record SET salt = x'', key = NULL, body = x'' WHERE sequence = 7"]),
    ("a digest was changed with its payload", ["UPDATE record SET payload = zeroblob(32) WHERE sequence = 4"]),
    ("a link was changed", ["UPDATE record SET chain = zeroblob(32) WHERE sequence = 4"]),
    ("a kind was changed", ["UPDATE record SET kind = 'event' WHERE kind = 'decision' AND sequence < 9"]),
    ("a time was changed", ["UPDATE record SET time = time - 1 WHERE sequence = 3"]),
    ("a record is gone", ["DELETE FROM record WHERE sequence = 4"]),
    ("the first is gone", ["DELETE FROM record WHERE sequence = 1"]),
    ("the last is gone", ["DELETE FROM record WHERE sequence = (SELECT max(sequence) FROM record)"]),
    ("all are gone", ["DELETE FROM record"]),
    (
        "two have changed their places",
        [
            "UPDATE record SET sequence = -1 WHERE sequence = 4", "UPDATE record SET sequence = 4 WHERE sequence = 5",
            "UPDATE record SET sequence = 5 WHERE sequence = -1",
        ],
    ),
    ("a record was added", ["INSERT INTO record SELECT 9999, kind, time, payload, chain, salt, NULL, body FROM record WHERE sequence = 3"]),
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


# --- People who begin alike -----------------------------------------------------------------------


def conversation_of(who):
    """The example, whose user says who he is behind the greeting, in a file of the same name."""
    with open(_run.CONVERSATION, encoding="utf-8") as file:
        talk = json.load(file)
    messages = talk["messages"] if isinstance(talk, dict) else talk
    at = next(i for i, m in enumerate(messages) if m["role"] == "user")
    messages[at + 1 : at + 1] = [{"role": "user", "content": f"I am {who}"}]
    return json.dumps(talk)


def alike(folder):
    for who in ("Ann", "Bob"):
        folder.write("talk.json", conversation_of(who))
        record(folder, "alike.db", "talk.json")
    run = lambda *args: folder.run("log", *args, "--store", "alike.db")
    shown = lines(run("show", "--json")[1])
    name = shown[0]["payload"]["conversation"]
    mine = [r for r in shown if r["sequence"] <= shown[len(shown) // 2 - 1]["sequence"]]
    check({r["payload"]["conversation"] for r in shown} == {name}, "both have one name", name)
    before = content(folder, "alike.db")
    code, out, err = run("redact", "--conversation", name)
    check(code == 2 and out == "" and "2 conversations" in err and mine[-1]["id"] in err and shown[-1]["id"] in err,
          "a name of two is refused, with a list of them", out + err)
    check("I am Ann" in err and "I am Bob" in err, "which says what each said first", err)
    code, out, err = run("redact", "--conversation", name, "--all-alike", "--dry-run")
    check(code == 0 and f"{len(shown)} decisions among them" in out, "all of them can be meant", out + err)
    check(content(folder, "alike.db") == before, "nothing is changed so far")
    code, out, err = run("redact", "--conversation", mine[-1]["id"])
    check(code == 0 and f"{len(mine)} decision" in out and "stay: other conversations" in out, "one goes by an id", out + err)
    left = lines(run("export")[1])
    texts = json.dumps(left)
    check("I am Bob" in texts and "I am Ann" not in texts, "hers is gone, his stays")
    code, out, err = run("verify", "--re-execute", "--json")
    check(code == 0 and lines(out)[-1]["same"] == len(shown) - len(mine), "and is decided again", out + err)
    code, out, err = run("redact", "--conversation", name)
    check(code == 0, "now the name is one conversation's", out + err)


def beside_a_reader(folder):
    """Somebody reads while a conversation is taken out: it is said what to do when he has gone, and that does it."""
    record(folder, "read.db")
    db = sqlite3.connect(os.path.join(folder.path, "read.db"))
    db.execute("BEGIN")
    db.execute("SELECT count(*) FROM record").fetchone()

    def left():
        return any(b"Bruno Keita" in open(os.path.join(folder.path, "read.db" + end), "rb").read()
                   for end in ("", "-wal") if os.path.exists(os.path.join(folder.path, "read.db" + end)))

    name = lines(folder.run("log", "show", "--store", "read.db", "--json")[1])[0]["payload"]["conversation"]
    code, out, err = folder.run("log", "redact", "--conversation", name, "--store", "read.db")
    check(code == 3 and "reading the log" in err and out == "" and left(), "a reader is in the way", f"{code}\n{out}{err}")
    db.close()
    again = err.split("ledgergate log redact ")[-1].split()
    check(len(again) == 1 and again[0].isdigit(), "and what to do then is said", err)
    code, out, err = folder.run("log", "redact", again[0], "--store", "read.db")
    check(code == 0 and not left(), "which overwrites it", out + err)
    both_say(folder, 0, "a log that was redacted beside a reader", name="read.db")


# --- Keys, folders, copies ------------------------------------------------------------------------


def unusable_key(folder):
    """A key file that is there and cannot be used is no reason to believe whatever the log says."""
    key = os.path.join(folder.path, "log.db.key")
    with open(key, encoding="ascii") as file:
        text = file.read()
    os.chmod(key, 0o644)
    code, out, err = folder.run("log", "verify", "--store", "log.db")
    check(code == 2 and "chmod 600" in err and out == "", "a key file that others can read", out + err)
    check(folder.run("log", "show", "--store", "log.db")[0] == 0, "to look, none is needed")
    os.chmod(key, 0o600)
    with open(key, "w", encoding="ascii") as file:
        file.write(text[:-9] + "\n")
    code, out, err = folder.run("log", "verify", "--store", "log.db")
    check(code == 2 and "no key file" in err and out == "", "a key file that was damaged", out + err)
    with open(key, "w", encoding="ascii") as file:
        file.write(text)
    code, out, err = folder.run("log", "verify", "--store", "log.db", "--json")
    own = lines(out)[-1]["public_key"]
    os.chmod(key, 0o644)
    code, out, err = folder.run("log", "verify", "--store", "log.db", "--public-key", own)
    check(code == 0, "with the public key, the file is not needed", out + err)
    os.chmod(key, 0o600)


def copies(folder, said):
    code, out, err = folder.run("log", "backup", "copy.db", "--store", "log.db", "--json")
    check(code == 0 and lines(out)[0]["head"] == said["head"], "a backup says its head", out + err)
    check(os.stat(os.path.join(folder.path, "copy.db")).st_mode & 0o777 == 0o600, "nobody else may read it")
    check(not os.path.exists(os.path.join(folder.path, "copy.db-wal")), "it is one file")
    check(content(folder, "copy.db") == content(folder), "with all that the log has")
    both_say(folder, 0, "a backup", "--head", said["head"], name="copy.db")
    code, out, err = folder.run("log", "backup", "copy.db", "--store", "log.db")
    check(code == 2 and "copy.db" in err, "a file that is there is not written over", out + err)
    with _run.Folder() as away:
        for part in PARTS[:2]:
            shutil.copy(os.path.join(folder.path, part.replace("log", "copy") if part == "log.db" else part), os.path.join(away.path, part))
        record(away)
        both_say(away, 0, "a backup that goes on with its key file", "--head", said["head"])


def read_only(folder):
    """An auditor may read a log in a folder that he may not write to."""
    if os.geteuid() != 0:
        print("skipped: a read-only folder (only root can be somebody else)")
        return
    with _run.Folder() as shelf:
        shutil.copy(os.path.join(folder.path, "log.db"), os.path.join(shelf.path, "log.db"))
        os.chmod(os.path.join(shelf.path, "log.db"), 0o644)
        os.chmod(shelf.path, 0o555)

        def as_nobody(*command):
            done = subprocess.run(command, cwd=shelf.path, user=65534, group=65534, extra_groups=[], capture_output=True,
                                  text=True, timeout=_run.TIMEOUT_S, env=shelf.environment)
            return done.returncode, done.stdout + done.stderr

        try:
            as_nobody(_run.BIN, "--version")
        except PermissionError:
            print("skipped: a read-only folder (others may not run the program)")
            return
        for args in (("show",), ("verify",), ("export",)):
            code, text = as_nobody(_run.BIN, "log", *args, "--store", "log.db")
            check(code == 0, f"log {args[0]} reads in a read-only folder", text)
        code, text = as_nobody(PYTHON, "-B", VERIFY, "log.db")
        check(code == 0, "and so does the other verifier", text)
        check(sorted(os.listdir(shelf.path)) == ["log.db"], "and leaves nothing there", str(os.listdir(shelf.path)))
        with open(os.path.join(shelf.path, "log.db-wal"), "wb") as file:
            file.write(b"x" * 64)
        for command in ((_run.BIN, "log", "show", "--store", "log.db"), (PYTHON, "-B", VERIFY, "log.db")):
            code, text = as_nobody(*command)
            check(code == 2 and "copy both" in text, "what waits in the write-ahead log is not passed over", text)
        os.chmod(shelf.path, 0o755)


def verifiers_agree(folder):
    """A file of another form is no log for either, and so is one that is made to end them."""
    with open(os.path.join(folder.path, "log.db"), "rb") as file:
        kept = file.read()
    for what, statement in (
        ("a table more", "CREATE TABLE more(x)"),
        ("an index more", "CREATE INDEX more ON record(time)"),
        ("an index less", "DROP INDEX record_key"),
        ("a trigger", "CREATE TRIGGER t AFTER INSERT ON head BEGIN SELECT 1; END"),
        ("a digest as text", "UPDATE record SET payload = cast(payload AS TEXT) WHERE sequence = 2"),
        ("the format as text", "UPDATE meta SET value = cast(value AS TEXT) WHERE name = 'format'"),
        ("a kind as bytes", "UPDATE record SET kind = cast(kind AS BLOB) WHERE sequence = 2"),
        ("a salt of another length", "UPDATE record SET salt = x'00' WHERE sequence = 2"),
    ):
        change(folder, statement)
        both_say(folder, 2, what)
        with open(os.path.join(folder.path, "log.db"), "wb") as file:
            file.write(kept)
    change(folder, "UPDATE record SET kind = 'redaction' WHERE sequence = 2",
           ("UPDATE record SET body = ? WHERE sequence = 2", (b"[" * 100000,)))
    both_say(folder, 1, "a redaction that nests without end")
    with open(os.path.join(folder.path, "log.db"), "wb") as file:
        file.write(kept)


def empty(folder):
    """A head of a log without records holds, too, and is that of this log."""
    change_of = os.path.join(folder.path, "empty.db")
    done = subprocess.run([RECORD, _run.RETAIL, "empty.db"], cwd=folder.path, capture_output=True, text=True, timeout=_run.TIMEOUT_S)
    check(done.returncode == 0 and os.path.exists(change_of), "a log of a law alone", done.stderr)
    db = sqlite3.connect(change_of)
    log_id, public = (db.execute("SELECT value FROM meta WHERE name = ?", (n,)).fetchone()[0] for n in ("log", "public_key"))
    db.close()
    first = hashlib.blake2b(b"ledgergate log 1\n" + log_id + public, digest_size=32).hexdigest()
    both_say(folder, 0, "the head of no record", "--head", f"0:{first}", name="empty.db")
    both_say(folder, 1, "another log's head of no record", "--head", "0:" + "00" * 32, name="empty.db")


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
    code, out, err = folder.run("log", "redact", str(first["sequence"]), "--store", "log.db", "--json")
    check(code == 0 and lines(out) == [{"redacted": 0, "decisions": 0, "shared": 0}], "once more is nothing more", out + err)
    conversation = first["payload"]["conversation"]
    before = content(folder)
    code, out, err = folder.run("log", "redact", "--conversation", conversation, "--dry-run", "--store", "log.db", "--json")
    would = lines(out)[-1]
    check(code == 0 and len(lines(out)) == decisions and would["decisions"] == decisions - 1, "a dry run lists the decisions", out + err)
    check(content(folder) == before, "and changes nothing")
    code, out, err = folder.run("log", "redact", "--conversation", conversation, "--store", "log.db", "--json")
    check(code == 0 and lines(out)[0]["redacted"] == would["would_redact"], "redact takes out what the dry run said", out + err)
    code, out, err = folder.run("log", "redact", "--conversation", conversation, "--store", "log.db")
    check(code == 2 and "there is no conversation" in err, "a conversation that is nowhere is a mistake", out + err)
    both_say(folder, 0, "a log whose conversation was redacted")
    code, out, _ = folder.run("log", "verify", "--store", "log.db", "--re-execute", "--json")
    said = lines(out)[-1]
    check(code == 0 and said["not_executable"] == decisions, "nothing can be decided again", out)
    _, out, _ = folder.run("log", "export", "--store", "log.db")
    left = [r for r in lines(out) if "payload" in r]
    check({r["kind"] for r in left} == {"law", "redaction"}, "the laws and the redactions stay", out)
    change(folder, "UPDATE record SET salt = x'', key = NULL, body = x'' WHERE sequence = (SELECT max(sequence) FROM record WHERE kind = 'redaction')")
    both_say(folder, 1, "a redaction is gone")


def prunes(folder):
    record(folder, "old.db")
    before = content(folder, "old.db")
    code, out, err = folder.run("log", "prune", "--before", "2100-01-01T00:00:00Z", "--store", "old.db")
    check(code == 2 and "in the future" in err and "--force" in err, "a time in the future is a mistake", out + err)
    code, out, err = folder.run("log", "prune", "--before", "2100-01-01T00:00:00Z", "--force", "--dry-run", "--store", "old.db", "--json")
    check(code == 0 and lines(out)[-1]["would_redact"] > 5, "unless it is meant", out + err)
    check(content(folder, "old.db") == before, "neither changes anything")
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
        (("log", "show", "--store", "text.db"), "it is no database"),
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
        (("log", "redact", "1", "--all-alike", "--store", "log.db"), "--all-alike with --conversation"),
        (("log", "redact", "9999", "--store", "log.db"), "there is no decision"),
        (("log", "redact", "--conversation", "nosuch", "--store", "log.db"), "there is no conversation"),
        (("log", "redact", "--conversation", "f" * 32, "--store", "log.db"), "there is no conversation"),
        (("log", "prune", "--conversation", "x", "--before", "2023-11-14T22:13:21Z", "--store", "log.db"), "prune takes no --conversation"),
        (("log", "redact", "1", "--before", "2023-11-14T22:13:21Z", "--store", "log.db"), "redact takes no --before"),
        (("log", "show", "--conversation", "x", "--store", "log.db"), "show takes no --conversation, which is for redact"),
        (("log", "verify", "--conversation", "x", "--store", "log.db"), "verify takes no --conversation"),
        (("log", "export", "--all", "--store", "log.db"), "export takes no --all"),
        (("log", "export", "--re-execute", "--store", "log.db"), "export takes no --re-execute"),
        (("log", "explain", "1", "--from", "1", "--store", "log.db"), "explain takes no --from"),
        (("log", "backup", "--store", "log.db"), "backup takes the name of one file"),
        (("log", "show", "--store", "nowhere.db"), "there is no such file"),
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
    unusable_key(f)
    copies(f, summary)
    read_only(f)
    verifiers_agree(f)
    without_a_verdict(f)
    empty(f)
    alike(f)
    beside_a_reader(f)
    redacts(f, count)
    prunes(f)
_run.done()
