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


def first_link(log_id, public_key):
    return digest(b"ledgergate log 1\n", log_id, public_key)


def payload_digest(salt, key, body):
    return digest(b"ledgergate payload 1\n", salt, bytes([len(key)]), key, body)


def next_link(chain, sequence, time, kind, payload):
    return digest(
        b"ledgergate record 1\n", chain, struct.pack(">Qq", sequence, time), bytes([len(kind)]), kind, payload
    )


def head_text(log_id, sequence, chain):
    return b"ledgergate head 1\n" + log_id + struct.pack(">Q", sequence) + chain


# --- The log --------------------------------------------------------------------------------------


class Unreadable(Exception):
    pass


# What was taken out leaves an empty row.
WITH_PAYLOAD = """FROM record r LEFT JOIN payload p ON p.sequence = r.sequence
                  AND NOT (p.salt = x'' AND p.key IS NULL AND p.body = x'')"""


class Log:
    def __init__(self, path):
        if not pathlib.Path(path).is_file():
            raise Unreadable("there is no such file")
        self.db = sqlite3.connect(f"{pathlib.Path(path).absolute().as_uri()}?mode=ro", uri=True)
        self.db.text_factory = bytes
        self.db.execute("BEGIN")  # all that follows sees one moment
        self.faults = []
        self.format = self.meta("format")
        if self.format != b"1":
            raise Unreadable("it is of another format")
        self.log_id, self.public_key = self.meta("log"), self.meta("public_key")
        if len(self.log_id) != 16 or len(self.public_key) != 32:
            raise Unreadable("it does not say its id or its key")

    def meta(self, name):
        row = self.db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        if row is None or not isinstance(row[0], bytes):
            raise Unreadable(f"it does not say its {name}")
        return row[0]

    def fault(self, sequence, what):
        self.faults.append(f"record {sequence}: {what}" if sequence else f"the log: {what}")

    def redactions(self):
        """Runs of numbers whose payloads are gone, sorted."""
        runs = []
        query = f"SELECT r.sequence, p.body {WITH_PAYLOAD} WHERE r.kind = 'redaction'"
        for sequence, body in self.db.execute(query):
            try:
                for start, end in json.loads(body)["sequences"]:
                    if not 0 < start <= end:
                        raise ValueError(start)
                    runs.append((start, end))
            except (ValueError, TypeError, KeyError):
                self.fault(sequence, "the redaction does not say what it has taken out")
        merged = []
        for start, end in sorted(runs):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged

    def records(self):
        return self.db.execute(
            f"SELECT r.sequence, r.kind, r.time, r.payload, r.chain, p.salt, p.key, p.body {WITH_PAYLOAD} ORDER BY r.sequence"
        )

    def strays(self):
        query = "SELECT sequence FROM payload WHERE sequence NOT IN (SELECT sequence FROM record)"
        for (sequence,) in self.db.execute(query):
            self.fault(sequence, "there is a payload and no record")

    def kept_out(self, is_gone):
        for (sequence,) in self.db.execute("SELECT sequence FROM redacted ORDER BY sequence"):
            if not is_gone(sequence):
                self.fault(sequence, "its like is kept out of the log, and no redaction says so")


class Verification:
    def __init__(self, log, seen):
        self.log, self.seen = log, seen
        self.has_seen = False
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
        if not isinstance(salt, bytes) or len(salt) != 16 or payload_digest(salt, key or b"", body) != expected:
            self.log.fault(sequence, "its payload is not what was written")
        elif gone:
            self.log.fault(sequence, "it was redacted, and its payload is there")

    def chain(self):
        """Goes through all records; returns the number and the digest of the last."""
        log, last = self.log, 0
        chain = first_link(log.log_id, log.public_key)
        for sequence, kind, time, payload, claimed, salt, key, body in log.records():
            if not (isinstance(kind, bytes) and 0 < len(kind) <= 32 and isinstance(time, int) and len(payload) == 32):
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
        if row is None:
            raise Unreadable("it has no head")
        sequence, claimed, signature = row
        if wanted_key and wanted_key != log.public_key:
            log.fault(0, "the log is not signed with the key that was asked for")
        if not is_signed(log.public_key, head_text(log.log_id, sequence, claimed), signature):
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
    if options.head and not re.fullmatch("[1-9][0-9]{0,17}:[0-9a-f]{64}", options.head):
        parser.error("--head is N:DIGEST")
    return options


def main():
    options = arguments()
    seen = options.head.split(":") if options.head else None
    try:
        log = Log(options.log)
        v = Verification(log, seen and (int(seen[0]), bytes.fromhex(seen[1])))
        last, chain = v.chain()
        log.strays()
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
