"""The packs live: what is judged between an agent and its model is what `replay` says of the same messages.

Every gold conversation of airline, retail and telecom, turn by turn, and every call of violating_calls at its place, through
each of the three protocols, streamed and not. Of each reply: what is allowed came as the upstream sent it, byte for byte
but for the field; of what is refused there is no call left; and the decision in the field, and in the log, has the bytes
that `replay --json` writes of the same messages.

A process a domain, each with a gateway and an upstream of its own. A build with sanitizers plays each fifth of them;
LG_SLOW=1: all.
"""

import collections
import http.client
import json
import os
import multiprocessing
import re
import subprocess
import sys
import time

import _run
from _run import BIN, SOURCE, Folder, check, is_sanitized
from _serve import Gateway, Reply, Upstream

import faces
import recorded

DATA = os.environ.get("LEDGERGATE_DATA") or os.path.join(SOURCE, "..", "shared")
EXPECTED = {"airline": (31, 234), "retail": (77, 202), "telecom": (79, 167)}
LOST = {"airline": 0, "retail": 1, "telecom": 0}  # gold writes that the environment itself refuses, too
DECLINED = "I am sorry, that cannot be done."

Case = collections.namedtuple("Case", "face stream turns violating")  # turns: of one conversation


def raw_member(text, key, at=0):
    """The bytes of the value of a member, where it first stands at or behind `at`."""
    begin = text.index(f'"{key}":', at) + len(key) + 3
    begin += len(text[begin:]) - len(text[begin:].lstrip(" "))
    return text[begin:json.JSONDecoder().raw_decode(text, begin)[1]]


def raw_items(text):
    """The bytes of each element of a list."""
    at, items, decoder = 1, [], json.JSONDecoder()
    while text[at] != "]":
        end = decoder.raw_decode(text, at)[1]
        items.append(text[at:end])
        at = end + (text[end] == ",")
    return items


def gold_cases(domain, face, stream):
    for number, trace in enumerate(domain.gold):
        # Of one half, reads that follow each other are proposed in one message.
        yield Case(face, stream, list(recorded.gold_turns(trace, together=number % 2 == 1)), None)


def violating_cases(domain, face, stream):
    for probe in domain.violating:
        yield Case(face, stream, [recorded.violating_turn(domain, probe)], probe)


class Model:
    """The upstream: what the model says next stands under the name that the request gives as its model. A request that the
    vendor would not take it does not take either."""

    def __init__(self):
        self.scripts = {}

    def answer(self, request):
        body = request.json
        try:
            faces.face_of(request.path).validate(body)
        except faces.Invalid as why:
            return Reply(400, json.dumps({"error": {"message": str(why)}}).encode())
        script = self.scripts[body["model"]]
        return script.pop(0) if len(script) > 1 else script[0]

    def script(self, name, case, reply):
        face = faces.FACES[case.face]
        declined = face.reply("declined", DECLINED)
        self.scripts[name] = [self.reply(face, case.stream, one) for one in (reply, declined)]

    @staticmethod
    def reply(face, stream, value):
        if stream:
            sse = face.stream(value)
            pieces = [sse[i:i + 700] for i in range(0, len(sse), 700)]
            return Reply(200, pieces, {"content-type": "text/event-stream"}, chunked=True)
        return Reply(200, faces.dump(value).encode())


class Run:
    """One domain through one gateway."""

    def __init__(self, folder, domain, gateway, model):
        self.folder, self.domain, self.gateway, self.model = folder, domain, gateway, model
        self.connection = None
        self.counts = collections.Counter()
        self.recordings = []  # (what it is, the recording as text, decisions of the turns: {turn's number: [bytes]})
        self.decided = collections.Counter()  # bytes of decisions that clients were told

    def ask(self, face, body):
        for again in (False, True):  # a connection that was idle may have been closed
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.gateway.port, timeout=120)
            try:
                self.connection.request("POST", "/v1" + face.path, faces.dump(body).encode(), face.headers())
                got = self.connection.getresponse()
                return got.status, got.read()
            except (http.client.RemoteDisconnected, ConnectionError):
                self.connection = None
                if again:
                    raise
        return None

    def case(self, case, name):
        """Plays one conversation: each turn is a request with all before it."""
        face = faces.FACES[case.face]
        told = []
        for number, turn in enumerate(case.turns):
            key = f"{name}/{number}"
            reply = face.reply(key, turn.text, turn.calls, model=key)
            self.model.script(key, case, reply)
            body = face.request(turn.before, self.domain.tools, model=key, stream=case.stream)
            told += self.turn(face, case, key, body, reply)
            del self.model.scripts[key]
        self.recordings.append((name, case, faces.dump(face.recording(body, reply)), told))

    def turn(self, face, case, key, body, reply):
        """One request. Returns the decisions of it, in their order, as bytes."""
        self.counts["requests"] += 1
        status, raw = self.ask(face, body)
        if not check(status == 200, f"{key}: 200", raw):
            return []
        text = raw.decode()
        try:
            got = face.assemble(raw) if case.stream else json.loads(raw)
        except (faces.Cut, KeyError, ValueError) as why:
            check(False, f"{key}: a whole reply", f"{why!r}\n{text}")
            return []
        field = got.pop("ledgergate", None)
        if not check(field is not None, f"{key}: its verdicts are told", text):
            return []
        first = [item for item in field["decisions"] if item["round"] == 0]
        refused = {item["call"] for item in first if item["verdict"] != "allow"}
        if refused:
            self.look_at_refusal(face, key, got, field, reply)
        else:
            check(got == reply, f"{key}: what is allowed comes as it was", f"{faces.dump(got)}\n{faces.dump(reply)}")
            if not case.stream:
                self.look_at_bytes(key, text, faces.dump(reply))
        self.counts["stopped" if case.violating else "lost"] += len(refused)
        if case.violating:
            check(len(refused) == 1, f"{key}: {case.violating['mutation']} is stopped", text)
        return self.decisions(text, first)

    def look_at_refusal(self, face, key, got, field, reply):
        check(face.calls(got) == [], f"{key}: no refused call reaches the client", faces.dump(got))
        check(face.said(got) == DECLINED, f"{key}: the model was asked again, and declined", faces.dump(got))
        check(field["revisions"] == 1, f"{key}: once", field)
        usage = {name: value for name, value in got["usage"].items() if isinstance(value, int)}
        check(all(value == 2 * reply["usage"][name] for name, value in usage.items()), f"{key}: usage of both", usage)

    def look_at_bytes(self, key, text, sent):
        value = raw_member(text, "ledgergate")
        check(re.sub(r',\s*"ledgergate":\s*$', "", text.replace(value, "", 1)[:-1]) == sent[:-1],
              f"{key}: byte for byte but for the field", f"{text}\n{sent}")

    def decisions(self, text, first):
        told = []
        if not first:
            return told
        for item in raw_items(raw_member(raw_member(text, "ledgergate"), "decisions"))[:len(first)]:
            if '"decision":' in item:
                told.append(raw_member(item, "decision"))
        self.decided.update(told)
        return told

    def compare(self):
        """All that was told beside what replay says of the same messages."""
        for number, face in enumerate(faces.FACES):
            ours = [r for r in self.recordings if r[1].face == face]
            path = os.path.join(self.folder.path, f"{face}-{number}.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(text + "\n" for _, _, text, _ in ours)
            pack = os.path.join(SOURCE, "packs", self.domain.name)
            ran = subprocess.run([BIN, "replay", "--json", "--pack", pack, path], capture_output=True, timeout=300)
            check(ran.returncode in (0, 1), f"{face}: the recordings can be replayed", ran.stderr.decode())
            said = collections.defaultdict(list)
            for line in ran.stdout.decode().splitlines():
                value = json.loads(line)
                if "decision" in value:
                    said[value["line"]].append((value["turn"], raw_member(line, "decision")))
            for line, (name, case, _, told) in enumerate(ours, 1):
                replayed = said[line]
                if case.violating and replayed:  # what was before it is the gold conversation's
                    replayed = [one for one in replayed if one[0] == replayed[-1][0]]
                replayed = [decision for _, decision in replayed]
                self.counts["compared"] += len(replayed)
                check(told == replayed, f"{name}: live is what is replayed", "\n".join(map(str, [
                    f"{len(told)} live, {len(replayed)} replayed"] + [
                        f"live {a}\nreplay {b}" for a, b in zip(told, replayed) if a != b][:1])))

    def compare_log(self, store):
        """Each decision that a client was told stands in the log, as often."""
        ran = subprocess.run([BIN, "log", "export", "--store", store], cwd=self.folder.path, capture_output=True,
                             timeout=300)
        check(ran.returncode == 0, "the log can be exported", ran.stderr.decode())
        kept = collections.Counter()
        for line in ran.stdout.decode().splitlines():
            if '"decisions":' in line:
                for one in raw_items(raw_member(line, "decisions")):
                    kept[one] += 1
        missing = self.decided - kept
        check(not missing, f"{self.domain.name}: what was told stands in the log",
              f"{sum(missing.values())} of {sum(self.decided.values())}\n{next(iter(missing), '')}")
        self.counts["in the log"] += sum(self.decided.values()) - sum(missing.values())
        verified = subprocess.run([BIN, "log", "verify", "--store", store], cwd=self.folder.path, capture_output=True,
                                  timeout=300)
        check(verified.returncode == 0, "the log verifies", verified.stdout.decode() + verified.stderr.decode())


def play(name, every):
    """One domain: its counts, and how many checks there were and failed."""
    domain = recorded.Domain(DATA, name)
    model = Model()
    begin = time.monotonic()
    with Folder() as folder, Upstream() as upstream:
        upstream.answer = model.answer
        options = ["--pack", os.path.join(SOURCE, "packs", name), "--upstream", upstream.url, "--store", "log.db"]
        with Gateway(folder, *options) as gateway:
            run = Run(folder, domain, gateway, model)
            for face in faces.FACES:
                for stream in (False, True):
                    cases = [*gold_cases(domain, face, stream), *violating_cases(domain, face, stream)]
                    for number, case in enumerate(cases):
                        if number % every == 0:
                            kind = "gold" if case.violating is None else "violating"
                            run.case(case, f"{name} {face}{' streamed' if stream else ''} {kind} {number}")
                            run.counts[kind] += 1
        run.compare_log("log.db")
        run.compare()
    gold, violating = EXPECTED[name]
    if every == 1:
        check(run.counts["gold"] == 6 * gold, f"{name}: {run.counts['gold']} gold conversations")
        check(run.counts["stopped"] == 6 * violating, f"{name}: {run.counts['stopped']} stopped of {6 * violating}")
        check(run.counts["lost"] == 6 * LOST[name], f"{name}: {run.counts['lost']} gold calls refused")
    check(run.counts["lost"] <= 6 * LOST[name], f"{name}: {run.counts['lost']} gold calls refused")
    return name, run.counts, time.monotonic() - begin, _run.checks, _run.failures


def main():
    here = [name for name in recorded.DOMAINS if recorded.Domain.is_here(DATA, name)]
    if not here:
        print("skipped: serve_live (no shared data)")
        sys.exit(77)
    every = 5 if is_sanitized() and not os.environ.get("LG_SLOW") else 1
    total = collections.Counter()
    with multiprocessing.Pool(len(here)) as pool:
        for name, counts, seconds, checks, failures in pool.starmap(play, [(name, every) for name in here], 1):
            _run.checks += checks
            _run.failures += failures
            total += counts
            print(f"{name}: {counts['requests']} requests in {seconds:.0f} s, " + ", ".join(
                f"{counts[key]} {key}" for key in ("gold", "lost", "violating", "stopped", "compared", "in the log")))
    print(f"together: {total['requests']} requests, {total['compared']} decisions as replayed, "
          f"{total['stopped']} of {total['violating']} violating calls stopped, {total['lost']} gold calls refused")
    _run.done()


if __name__ == "__main__":
    main()
