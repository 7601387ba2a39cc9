"""A configuration: what is wrong with it is said with line and caret, the schema says the same, and a reload takes all of
it or nothing."""

import json
import signal

from _serve import DESK, LOOKED_UP, Folder, Gateway, Upstream, call, calls_in, check, done, request
from upstream import completion

ROUTE = 'routes: [{path: /v1, upstream: {url: "http://127.0.0.1:9/v1"}}]\n'

# (what is wrong, the configuration, the first lines of the message)
WRONG = [
    ("no routes", "listen: 127.0.0.1:0\n", "c.yaml:1:1: a configuration needs `routes`", "listen: 127.0.0.1:0", "^"),
    ("a key that is none", "lisen: x\n" + ROUTE, "c.yaml:1:1: unknown key `lisen` in a configuration; did you mean `listen`?"),
    ("a key of a route", 'routes:\n  - path: /v1\n    upstream: {url: "http://x"}\n    packs: p\n',
     "c.yaml:4:5: unknown key `packs` in a route; did you mean `pack`?", "    packs: p", "    ^"),
    ("a word", ROUTE.replace("}}]", "}, mode: enforced}]"), "c.yaml:1:70: `mode` is one of enforce, shadow"),
    ("an address", "listen: 8080\n" + ROUTE, "c.yaml:1:9: `listen` must be a text; put it in quotes"),
    ("no port", "listen: localhost\n" + ROUTE, "c.yaml:1:9: `listen` must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080: no http:// before it, and a port of at most 65535"),
    ("an address of the web", "listen: http://127.0.0.1:80\n" + ROUTE, "c.yaml:1:9: `listen` must be HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080: no http:// before it, and a port of at most 65535"),
    ("an origin", "origins: [a.example]\n" + ROUTE,
     "c.yaml:1:11: `origins`: `a.example` is none: it is like https://app.example.com, with the scheme and without a path"),
    ("one address for two", "listen: 127.0.0.1:81\nadmin: {listen: '127.0.0.1:81'}\n" + ROUTE,
     "c.yaml:2:8: `admin` listens where clients do: give it another port, or leave it out"),
    ("a map", "store: {path: a}\n" + ROUTE, "c.yaml:1:8: `store` must be a text, and this is a map"),
    ("an upstream", 'routes: [{path: /v1, upstream: "http://x"}]\n', "c.yaml:1:32: an upstream must be a map, such as {url: ...}"),
    ("no pack there", ROUTE.replace("}}]", "}, pack: none}]"), "c.yaml:1:10: `pack` of route `/v1`: there is no none"),
    ("no log", "store: c.yaml\n" + ROUTE, "c.yaml:1:1: `store`: c.yaml is no log of LedgerGate: name a new file"),
    ("a time without a unit", "timeouts: {stop: 5}\n" + ROUTE,
     "c.yaml:1:18: `stop` must be a time with its unit, such as 500ms, 30s, 5m or 1h"),
    ("a time that is long", "timeouts: {stop: 100h}\n" + ROUTE,
     "c.yaml:1:18: `stop` must be from 1 to 86400000 ms, and this is 360000000"),
    ("a size", "limits: {body_bytes: 3T}\n" + ROUTE, "c.yaml:1:22: `body_bytes` must be a size, such as 65536, 64K, 16M or 1G"),
    ("a key as it is", ROUTE.replace("}}]", ", key: sk-1}}]"),
     'c.yaml:1:68: a secret does not stand in a configuration: `key` is "${NAME}", of the environment, or "file:PATH"'),
    ("a variable that is not there", ROUTE.replace("}}]", ', key: "${NOT_THERE}"}}]'),
     "c.yaml:1:68: the environment has no variable `NOT_THERE`"),
    ("a file that is not there", ROUTE.replace("}}]", ', key: "file:none"}}]'), "c.yaml:1:68: cannot read none: No such file or directory"),
    ("an upstream with a name in it", ROUTE.replace("127.0.0.1:9", "u:p@host"),
     "c.yaml:1:38: `url` must be an address that begins with http:// or https://, without a name, a query or a fragment in it"),
    ("two routes", ROUTE.replace("]", ', {path: /v1, upstream: {url: "http://x"}}]'), "c.yaml:1:65: two routes have the path `/v1`"),
    ("a path", ROUTE.replace("/v1, up", "/v1/, up"),
     "c.yaml:1:10: `path` of a route: no slash at its end, and no empty or dotted segments"),
    ("a face that is not judged", ROUTE.replace("}}]", "}, pack: p, pass: [GET /responses/*]}]"),
     "c.yaml:1:10: `pass` of route `/v1`: `GET /responses/*` gives replies that the pack has not judged"),
    ("a hash", ROUTE + "tokens: [{name: a, hash: abc}]\n",
     "c.yaml:2:10: `hash` of a token is what `ledgergate serve --hash-token` says: sha256: and 64 hexadecimal digits"),
    ("half of tls", ROUTE + "tls: {cert: a.pem}\n", "c.yaml:2:6: tls needs `key`"),
    ("no YAML", "a: [\n", "c.yaml:2:1: not well-formed YAML: did not find expected node content, while parsing a flow node; within { } and [ ], a text with any of [ ] { } , : # needs quotes"),
    ("a list", "- a\n", "c.yaml:1:1: a configuration must be a map, such as {listen: ...}"),
]

WHOLE = """# yaml-language-server: $schema=serve.schema.json
listen: 127.0.0.1:0
routes:
  - path: /v1
    upstream: {url: "%s", key: "${UPSTREAM_KEY}"}
    pack: packs/desk.yaml
    block: append
    max_revisions: 0
  - path: /open
    upstream: {url: "%s", key: "file:key.txt", key_header: x-api-key, headers: {x-team: "${TEAM}"}}
limits: {body_bytes: 64K}
timeouts: {stop: 5s}
"""


def messages(folder):
    for sentence, text, *wanted in WRONG:
        folder.write("c.yaml", text)
        folder.refuses(sentence, ["serve", "--check", "--config", "c.yaml"], *wanted)


def schema(folder):
    with open(__import__("os").path.join(__import__("_serve").SOURCE, "docs", "serve.schema.json"), encoding="utf-8") as file:
        published = file.read()
    code, printed, _ = folder.run("serve", "--schema")
    check(code == 0 and printed == published, "docs/serve.schema.json is what --schema prints")
    folder.write("schema.json", published)
    folder.write("c.yaml", WHOLE % ("http://127.0.0.1:9/v1", "http://127.0.0.1:9"))
    code, out, err = folder.run("validate", "--schema", "schema.json", "c.yaml")
    check(code == 0, "a whole configuration fits the schema", out + err)
    beyond = ("two routes", "a file that", "a variable", "an upstream with", "a path", "a face", "a hash", "no YAML", "a time that",
              "an address of", "an origin", "one address", "no pack", "no log")
    for sentence, text, *_ in WRONG:
        if not sentence.startswith(beyond):
            folder.write("c.yaml", text)
            code, _, _ = folder.run("validate", "--schema", "schema.json", "c.yaml")
            check(code == 1, f"{sentence}: the schema finds it, too", code)


def pack_errors(folder):
    folder.write("packs/desk.yaml", DESK.replace("args.amount <= o.paid", "args.amount <= o.payed"))
    folder.write("c.yaml", 'routes: [{path: /v1, upstream: {url: "http://x"}, pack: packs/desk.yaml}]\n')
    code, out, err = folder.run("serve", "--check", "--config", "c.yaml")
    check(code == 2 and "packs/desk.yaml:" in err and "payed" in err and "^" in err, "a pack's error has its place", err)
    folder.write("packs/desk.yaml", DESK)
    folder.write("c.yaml", 'routes: [{path: /v1, upstream: {url: "http://x"}, pack: packs/desk.yaml, shadow_rules: [nope]}]\n')
    code, out, err = folder.run("serve", "--check", "--config", "c.yaml")
    check(code == 2 and err.startswith("c.yaml:1:10: ") and "nope" in err, "a shadow rule that the pack does not have", err)


def reload(folder):
    folder.write("packs/desk.yaml", DESK)
    folder.write("key.txt", "from-a-file\n")
    environment = {"UPSTREAM_KEY": "from-environment", "TEAM": "red"}
    with Upstream() as upstream:
        folder.write("etc/c.yaml", (WHOLE % (upstream.url, upstream.url)).replace("packs/", "../packs/").replace("key.txt", "../key.txt"))
        with Gateway(folder, "--config", "etc/c.yaml", environment=environment) as gate:
            upstream.answer = lambda _: completion(None, [call("refund", {"order_id": "A1", "amount": 20})])
            answer = gate.post("/v1/chat/completions", request("completions", LOOKED_UP))
            check(len(calls_in("completions", answer, False)) == 1, "paths begin at the configuration's folder", answer.body)
            check(upstream.requests[-1].fields.get("authorization") == "Bearer from-environment", "${NAME} is the environment's",
                  upstream.requests[-1].headers)
            gate.get("/open/models")
            fields = upstream.requests[-1].fields
            check(fields.get("x-api-key") == "from-a-file" and fields.get("x-team") == "red", "file:PATH, and headers", fields)
            check(upstream.requests[-1].path == "/v1/models", "what follows the route's path follows the upstream's", upstream.requests[-1].path)

            folder.write("packs/desk.yaml", DESK.replace("<= o.paid", "<= o.paid - 40.0"))
            gate.process.send_signal(signal.SIGHUP)
            check(gate.wait_line("reloaded") is not None, "SIGHUP loads anew", gate.text)
            begins = request("completions", [("user", "Please refund order A1."), *LOOKED_UP[1:]])
            answer = gate.post("/v1/chat/completions", begins)
            check(calls_in("completions", answer, False) == [], "and the other pack judges", answer.body)
            answer = gate.post("/v1/chat/completions", request("completions", LOOKED_UP))
            check(len(calls_in("completions", answer, False)) == 1, "what has begun keeps its pack", answer.body)

            folder.write("packs/desk.yaml", DESK.replace("that: args", "that: arg"))
            gate.process.send_signal(signal.SIGHUP)
            line = gate.wait_line("reload_failed")
            check(line and line["line"] > 0 and gate.wait_line("kept"), "a pack that fails to load is said", gate.text)
            answer = gate.post("/v1/chat/completions", begins)
            check(answer.status == 200 and calls_in("completions", answer, False) == [], "and the old one goes on judging", answer.body)

            folder.write("etc/c.yaml", "listen: 127.0.0.1:1\n" + ROUTE)
            gate.process.send_signal(signal.SIGHUP)
            check(gate.wait_line("kept", 2) is not None, "what cannot change is refused", gate.text)
            said = [line["why"] for line in gate.lines if line["event"] == "reload_failed"]
            check(any("`listen` cannot change" in why for why in said), "and named", said)
            check(gate.get("/open/models").status == 200, "and all of the old one stays")


with Folder() as folder:
    messages(folder)
    schema(folder)
    pack_errors(folder)
    reload(folder)
    code, out, err = folder.run("serve", "--upstream", "ftp://x")
    check(code == 2 and "`url` must be" in err, "options are looked at as a file is", err)
    code, out, _ = folder.run("serve", "--new-token")
    token, hash_ = (line.split(": ")[1] for line in out.splitlines())
    code, out, _ = folder.run("serve", "--hash-token", stdin=token.encode() + b"\n")
    check(out.strip() == hash_, "a token's hash is the same each time")
    code, _, err = folder.run("serve", "--hash-token", stdin=b"secret\n")
    check(code == 2 and "can be guessed" in err, "a short token is none", err)
done()
