#!/usr/bin/env python3
"""Verifies a LedgerGate log of decisions, from docs/log.md alone.

    scripts/verify_log.py ledgergate.db [--public-key HEX] [--head N:DIGEST]

A second verifier that shares no code with the first: Python's standard library, and Ed25519 (RFC 8032) written out below.
It looks at the numbers, the chain, the payloads, the redactions, the signature and the head, names whatever is wrong, and
prints the head. Exit codes: 0 fine, 1 something is wrong, 2 it cannot be read. Deciding again needs the gate itself:
`ledgergate log verify --re-execute`.
"""

import argparse
import bisect
import hashlib
import json
import os
import pathlib
import re
import sqlite3
import struct
import sys

# --- Ed25519 (RFC 8032 section 5.1) ---------------------------------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)  # of -1


def add(a, b):
    """Two points in extended coordinates (X, Y, Z, T)."""
    e, f = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    g, h = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = f - e, h - g, h + g, f + e
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number, point):
    result = (0, 1, 1, 0)
    while number:
        result = add(result, point) if number & 1 else result
        point = add(point, point)
        number >>= 1
    return result


def same(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


def recover_x(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if y >= P or (x * x - square) % P or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x


def decode(text):
    y = int.from_bytes(text, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


BASE = decode((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signed(public_key, text, signature):
    """Does the signature hold? Points of small order are refused, as libsodium does."""
    key, r = decode(public_key), decode(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or key is None or r is None or s >= ORDER:
        return False
    if any(same(times(8, point), (0, 1, 1, 0)) for point in (key, r)):
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public_key + text).digest(), "little") % ORDER
    return same(times(s, BASE), add(r, times(k, key)))


# --- What is digested (docs/log.md) ---------------------------------------------------------------


def digest(*parts):
    return hashlib.blake2b(b"".join(parts), digest_size=32).digest()


def payload_digest(salt, key, body):
    return digest(b"ledgergate payload 1\n", salt, bytes([len(key)]), key, body)


def next_link(chain, sequence, time, kind, payload):
    return digest(b"ledgergate record 1\n", chain, struct.pack(">Qq", sequence, time), bytes([len(kind)]), kind, payload)


# --- The log --------------------------------------------------------------------------------------


TABLES = [
    "TABLE head(id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL, chain BLOB NOT NULL, signature BLOB NOT NULL)",
    "TABLE meta(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    "TABLE record(sequence INTEGER PRIMARY KEY, kind TEXT NOT NULL, time INTEGER NOT NULL, payload BLOB NOT NULL, "
    "chain BLOB NOT NULL, salt BLOB NOT NULL, key BLOB, body BLOB NOT NULL)",
    "UNIQUE INDEX record_key ON record(key) WHERE key IS NOT NULL",
    "TABLE redacted(mark BLOB PRIMARY KEY, sequence INTEGER NOT NULL) WITHOUT ROWID",
]


# What was taken out leaves empty columns.
BODY = "CASE WHEN salt = x'' AND key IS NULL AND body = x'' THEN NULL ELSE body END"


class Unreadable(Exception):
    pass


class Text(bytes):
    """What stands in the database as TEXT; a BLOB is `bytes`."""


def is_blob(value, size):
    return type(value) is bytes and len(value) == size


def connect(path):
    """Where SQLite may make no file beside it, and no write-ahead log waits there, the database is all of it."""
    db = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        db.execute("SELECT 1 FROM sqlite_schema")
    except sqlite3.OperationalError as why:
        wal = path.with_name(path.name + "-wal")
        if os.access(path.parent, os.W_OK) or (wal.exists() and wal.stat().st_size):
            raise Unreadable(f"{why}; where its folder is read-only, copy both it and its -wal elsewhere") from None
        db = sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)
    return db


class Log:
    def __init__(self, path):
        if not pathlib.Path(path).is_file():
            raise Unreadable("there is no such file")
        self.db = connect(pathlib.Path(path).absolute())
        self.db.text_factory = Text
        self.db.execute("BEGIN")  # all that follows sees one moment
        tables = self.db.execute("SELECT sql FROM sqlite_schema ORDER BY name").fetchall()
        if tables != [(b"CREATE " + table.encode(),) for table in TABLES]:
            raise Unreadable("it has other tables than a log")
        self.faults = []
        if self.meta("format", 1) != b"2":
            raise Unreadable("it is of another format")
        self.log_id, self.public_key = self.meta("log", 16), self.meta("public_key", 32)

    def meta(self, name, size):
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        if row is None or not is_blob(row[0], size):
            raise Unreadable(f"it does not say its {name}, or not as it should")
        return row[0]

    def fault(self, sequence, what):
        self.faults.append(f"record {sequence}: {what}" if sequence else f"the log: {what}")

    def redactions(self):
        """Runs of numbers whose payloads are gone, sorted."""
        runs = []
        for sequence, body in self.db.execute(f"SELECT sequence, {BODY} FROM record WHERE kind = 'redaction'"):
            try:
                for start, end in json.loads(body)["sequences"]:
                    if not 0 < start <= end:
                        raise ValueError(start)
                    runs.append((start, end))
            except (ValueError, TypeError, KeyError, RecursionError):
                self.fault(sequence, "the redaction does not say what it has taken out")
        merged = []
        for start, end in sorted(runs):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged

    def records(self):
        columns = "sequence, kind, time, payload, chain, salt, key"
        return self.db.execute(f"SELECT {columns}, {BODY} FROM record ORDER BY sequence")

    def kept_out(self, is_gone):
        for (sequence,) in self.db.execute("SELECT sequence FROM redacted ORDER BY sequence"):
            if not is_gone(sequence):
                self.fault(sequence, "its like is kept out of the log, and no redaction says so")


class Verification:
    def __init__(self, log, seen):
        self.log, self.seen, self.has_seen = log, seen, False
        self.runs = log.redactions()
        self.starts = [run[0] for run in self.runs]
        self.count = self.payloads = self.redacted = 0

    def is_gone(self, sequence):
        at = bisect.bisect_right(self.starts, sequence) - 1
        return at >= 0 and sequence <= self.runs[at][1]

    def payload(self, sequence, kind, expected, salt, key, body):
        gone = self.is_gone(sequence) and kind != b"redaction"
        if body is None:
            self.redacted += gone
            if not gone:
                self.log.fault(sequence, "its payload is gone, and no redaction says so")
            return
        self.payloads += 1
        if not is_blob(salt, 16) or len(key or b"") > 32:
            raise Unreadable(f"record {sequence} is no record")
        if payload_digest(salt, key or b"", body) != expected:
            self.log.fault(sequence, "its payload is not what was written")
        elif gone:
            self.log.fault(sequence, "it was redacted, and its payload is there")

    def chain(self):
        """Goes through all records; returns the number and the digest of the last."""
        log, last = self.log, 0
        chain = digest(b"ledgergate log 1\n", log.log_id, log.public_key)
        self.has_seen = self.seen == (0, chain)
        for sequence, kind, time, payload, claimed, salt, key, body in log.records():
            fine = type(kind) is Text and 0 < len(kind) <= 32 and isinstance(time, int)
            if not (fine and is_blob(payload, 32) and is_blob(claimed, 32)):
                raise Unreadable(f"record {sequence} is no record")
            if sequence != last + 1:
                log.fault(last + 1, f"it is missing: record {sequence} follows")
            if next_link(chain, sequence, time, kind, payload) != claimed:
                log.fault(sequence, "the chain breaks here: this record, or what came before it, was changed")
            chain, last = claimed, sequence
            self.payload(sequence, kind, payload, salt, key, body)
            if self.seen and sequence == self.seen[0]:
                self.has_seen = claimed == self.seen[1]
            self.count += 1
        return last, chain

    def head(self, last, chain, wanted_key):
        log = self.log
        row = log.db.execute("SELECT sequence, chain, signature FROM head WHERE id = 1").fetchone()
        sequence, claimed, signature = row or (None, None, None)
        if not (isinstance(sequence, int) and is_blob(claimed, 32) and is_blob(signature, 64)):
            raise Unreadable("it has no head")
        if wanted_key and wanted_key != log.public_key:
            log.fault(0, "the log is not signed with the key that was asked for")
        text = b"ledgergate head 1\n" + log.log_id + struct.pack(">Q", sequence) + claimed
        if not is_signed(log.public_key, text, signature):
            log.fault(0, "the signature of the head does not hold")
        if sequence != last:
            log.fault(0, f"the head is that of record {sequence}, and the last record is {last}")
        elif claimed != chain:
            log.fault(0, "the head is not that of the last record")
        if self.seen and not self.has_seen:
            log.fault(0, "the log does not have the head that was seen before: it was cut, or is another log")
        return f"{sequence}:{claimed.hex()}"


def arguments():
    parser = argparse.ArgumentParser(description="verifies a LedgerGate log of decisions")
    parser.add_argument("log")
    parser.add_argument("--public-key", metavar="HEX", help="of whom the signature has to be")
    parser.add_argument("--head", metavar="N:DIGEST", help="a head that was seen before")
    options = parser.parse_args()
    if options.public_key and not re.fullmatch("[0-9a-f]{64}", options.public_key):
        parser.error("--public-key is 64 hexadecimal digits")
    if options.head and not re.fullmatch("(0|[1-9][0-9]{0,17}):[0-9a-f]{64}", options.head):
        parser.error("--head is N:DIGEST")
    return options


def main():
    options = arguments()
    seen = options.head.split(":") if options.head else None
    try:
        log = Log(options.log)
        v = Verification(log, seen and (int(seen[0]), bytes.fromhex(seen[1])))
        last, chain = v.chain()
        log.kept_out(v.is_gone)
        head = v.head(last, chain, bytes.fromhex(options.public_key or ""))
    except (Unreadable, sqlite3.Error, TypeError, struct.error) as problem:
        print(f"{options.log}: {problem}", file=sys.stderr)
        return 2
    for fault in log.faults:
        print(fault)
    print(f"{v.count} records, {v.payloads} with their payload, {v.redacted} redacted")
    print(f"head {head}\nsigned by {log.public_key.hex()}")
    print(f"{len(log.faults)} things are wrong" if log.faults else "the log is whole")
    return 1 if log.faults else 0


if __name__ == "__main__":
    sys.exit(main())
