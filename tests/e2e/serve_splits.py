"""A stream's bytes may be cut anywhere: the client's view of it is that of the reply unstreamed.

For some replies of each protocol the upstream sends its stream cut at every offset, in two chunks of HTTP, then one byte a
chunk, then cut at some offsets by a pause on the connection. What the client makes of the stream is, field and all, what
the same exchange gives unstreamed. A build with sanitizers takes each fifth offset; LG_SLOW=1: all.
"""

import http.client
import json
import multiprocessing
import os

import _run
from _run import Folder, check, is_sanitized
from _serve import DESK, Gateway, Reply, Upstream

import faces

READ = ("call_r", "get_order", '{"order_id": "B2 é"}')
FINE = ("call_f", "refund", '{"order_id": "A1", "amount": 20}')
TOO_MUCH = ("call_m", "refund", '{"order_id": "A1", "amount": 70}')

# What the model says, and says when it is asked again; which calls the client then has.
REPLIES = {
    "text": [("Sofort, schönen Tag – gern! \U0001f642", [])],
    "one of three is refused": [(None, [READ, TOO_MUCH, FINE])],
    "refused, and mended": [("At once: 70.", [TOO_MUCH]), ("Only 20, then.", [FINE])],
}
LEFT = {"text": [], "one of three is refused": ["call_r", "call_f"], "refused, and mended": ["call_f"]}

CONVERSATION = [
    {"role": "user", "text": "Refund order A1, please."},
    {"role": "assistant", "text": None, "calls": [("call_1", "get_order", '{"order_id": "A1"}')]},
    {"role": "tool", "results": [("call_1", '{"order_id": "A1", "paid": 50}', False)]},
]


def cut(sse, ends, pause=None):
    """The bytes in pieces that end at these offsets."""
    ends = [end for end in ends if 0 < end < len(sse)] + [len(sse)]
    pieces = [sse[a:b] for a, b in zip([0, *ends], ends)]
    return pieces if pause is None else [one for piece in pieces for one in (piece, pause)][:-1]


class Split:
    def __init__(self, gateway, upstream, face):
        self.gateway, self.upstream, self.face = gateway, upstream, face
        self.connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=60)
        self.count = 0

    def exchange(self, replies, stream):
        self.upstream.say(*replies)
        body = self.face.request(CONVERSATION, model="m", stream=stream)
        self.connection.request("POST", "/v1" + self.face.path, json.dumps(body), self.face.headers())
        got = self.connection.getresponse()
        self.count += 1
        return got.status, got.read()

    def unstreamed(self, name, replies):
        status, raw = self.exchange([Reply(200, faces.dump(one).encode()) for one in replies], False)
        view = json.loads(raw)
        calls = [call[0] for call in self.face.calls(view)]
        check(status == 200 and calls == LEFT[name], f"{self.face.name}, {name}: the right calls are left", raw)
        return view

    def streamed(self, streams, ends, **options):
        """What a client makes of it."""
        fields = {"content-type": "text/event-stream"}
        replies = [Reply(200, cut(sse, ends, **options), fields, chunked=True) for sse in streams]
        status, raw = self.exchange(replies, True)
        try:
            return self.face.assemble(raw) if status == 200 else f"status {status}: {raw}"
        except (faces.Cut, KeyError, TypeError, ValueError) as why:
            return f"{why!r}\n{raw.decode('utf-8', 'replace')}"

    def in_one_piece(self, what, view, values, streams):
        """The view of a stream in one piece, which is that of the reply unstreamed. Where the model was asked again, its
        first words have gone on by then."""
        whole = self.streamed(streams, [])
        if not check(isinstance(whole, dict), f"{what}: in one piece", whole):
            return None
        between = "\n\n" if self.face.name == "completions" else ""
        said = between.join(text for text in map(self.face.said, values) if text)
        check(self.face.said(whole) == said, f"{what}: all that was said comes", self.face.said(whole))
        check(self.face.calls(whole) == self.face.calls(view), f"{what}: the calls of the reply unstreamed", whole)
        for key in ("ledgergate", "usage", *(view if len(values) == 1 else ())):
            check(whole.get(key) == view[key], f"{what}: `{key}` as unstreamed", f"{whole}\n{view}")
        return whole

    def every_cut(self, name, step):
        what = f"{self.face.name}, {name}"
        values = [self.face.reply(f"{number}", *said) for number, said in enumerate(REPLIES[name])]
        streams = [self.face.stream(value) for value in values]
        whole = self.in_one_piece(what, self.unstreamed(name, values), values, streams)
        longest = max(map(len, streams))
        cuts = [([end], {}) for end in range(0, longest, step)]
        cuts.append((list(range(longest)), {}))
        cuts += [([end], {"pause": 0.003}) for end in range(7, longest, max(1, longest // 9))]
        for ends, options in cuts if whole else ():
            got = self.streamed(streams, ends, **options)
            if not check(got == whole, f"{what}: cut at {ends[:3]}, {options}", f"{got}\n{whole}"):
                break


def split_all(name):
    """All replies of one protocol; how many exchanges, checks and failures there were."""
    step = 5 if is_sanitized() and not os.environ.get("LG_SLOW") else 1
    with Folder() as folder, Upstream() as upstream:
        folder.write("pack.yaml", DESK)
        with Gateway(folder, "--pack", "pack.yaml", "--upstream", upstream.url) as gateway:
            split = Split(gateway, upstream, faces.FACES[name])
            for reply in REPLIES:
                split.every_cut(reply, step)
    return split.count, _run.checks, _run.failures


def main():
    total = 0
    with multiprocessing.Pool(len(faces.FACES)) as pool:
        for count, checks, failures in pool.map(split_all, faces.FACES, 1):
            total += count
            _run.checks += checks
            _run.failures += failures
    print(f"{total} exchanges")
    _run.done()


if __name__ == "__main__":
    main()
