"""What an operator sees: a line for everything that went wrong, with the sentence that the client got; which law is live; what
came past the gate; what stands open; how it ends. And that a canary is none of what is counted."""

import json
import os
import shutil
import signal
import subprocess

from _serve import DESK, FACES, LOOKED_UP, Folder, Gateway, Reply, Upstream, call, check, done, request, sse
from upstream import completion

PATH = "/v1/chat/completions"
REFUSED, FINE = call("refund", {"order_id": "A1", "amount": 80}, "call_9"), call("refund", {"order_id": "A1", "amount": 20}, "call_8")
ROUTE = '{path: %s, upstream: {url: "%s"%s}, pack: pack.yaml%s}'
MODELS = {"object": "list", "data": []}


def config(upstream, more="", key="", route="", path="/v1"):
    return f"listen: 127.0.0.1:0\nroutes: [{ROUTE % (path, upstream.url, key, route)}]\n{more}"


def token_of(folder):
    _, out, _ = folder.run("serve", "--new-token")
    return [line.split(": ")[1] for line in out.splitlines()]


def metrics(gate, **headers):
    text = gate.get("/metrics", headers).body.decode()
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


def sentence(answer):
    return answer.json["error"]["message"]


def refusals(folder, upstream):
    token, hash_ = token_of(folder)
    folder.write("c.yaml", config(upstream, f"tokens: [{{name: desk, hash: '{hash_}'}}]\nlimits: {{body_bytes: 4K}}\nlog: {{only_problems: true}}\n",
                                  route=", pass: [POST /embeddings]"))
    own = {"x-api-key": token}
    with Gateway(folder, "--config", "c.yaml") as gate:
        asked = [(401, "POST", PATH, {}), (403, "POST", PATH, {**own, "host": "evil.example"}), (403, "POST", PATH, {**own, "origin": "https://x"}),
                 (404, "POST", "/nothing", own), (404, "POST", "/v1/nothing", own), (405, "GET", PATH, own), (405, "DELETE", "/v1/models/x", own),
                 (405, "GET", "/v1/embeddings", own), (404, "POST", "/v1/v1/messages", own), (404, "POST", "/chat/completions", own),
                 (415, "POST", PATH, {**own, "content-encoding": "gzip"}), (413, "POST", PATH, own)]
        for count, (status, method, path, headers) in enumerate(asked, 1):
            answer = gate.ask(method, path, "x" * 8000 if status == 413 else "{}", headers)
            line = gate.wait_line("refused", count)
            check(answer.status == status and line and line["status"] == status, f"{method} {path}: {status}, and a line", f"{answer.body} {line}")
            check(line["level"] == "warn" and line["why"] == answer.json["error"]["message"], "with the sentence that the client got", line)
            check(line["method"] == method and line["path"] == path and line["peer"], "and where it came from", line)
        why = [line["why"] for line in gate.lines if line["event"] == "refused"]
        check(why[5] == "/chat/completions takes POST, and not GET" and why[6] == "/models/x takes GET, and not DELETE", "the method is named", why)
        check("base_url" in why[8] and "twice" in why[8], "a path that stands twice is explained", why[8])
        check("base_url wants `/v1`" in why[9], "and one that is missing", why[9])
        check("body_bytes" in why[11], "413 names the limit", why[11])
        for count, body in enumerate([b"{", b'{"model": "m"}', b'{"model": "m", "messages": 1}'], 1):
            answer = gate.post(PATH, body, own)
            line = gate.wait_line("request", count)
            check(answer.status == 400 and line["level"] == "warn" and line["why"] == sentence(answer), "400: likewise", line)
            check(line["principal"] == "desk", "and whose it was", line)
        answer = gate.post("/v1/responses", {**request("responses", [("user", "hi")]), "tools": [{"type": "web_search"}]}, own)
        check("`allow_unseen: true`" in sentence(answer), "what the route can allow is named as it is called", answer.body)
        check(token not in "\n".join(gate.text), "no line holds a token")


def cut(folder, upstream):
    with Gateway(folder, "--pack", "pack.yaml", "--upstream", upstream.url) as gate:
        upstream.answer = lambda _: sse(FACES["completions"][2]("I look.", [FINE])[:-2], cut="close")
        gate.post(PATH, request("completions", LOOKED_UP, True))
        line = gate.wait_line("request")
        check(line["level"] == "warn" and line["problem"] == "ledgergate_upstream" and line["why"], "a cut stream is a warning", line)


def past_gate(folder, upstream):
    """The result of a call that was refused."""
    folder.write("c.yaml", config(upstream, "admin: {listen: '127.0.0.1:0'}\n", route=", on_refusal: return"))
    upstream.answer = lambda _: completion(None, [REFUSED])
    with Gateway(folder, "--config", "c.yaml") as gate:
        gate.post(PATH, request("completions", LOOKED_UP), {"authorization": "Bearer sk-1"})
        upstream.answer = lambda _: completion("Fine.")
        turns = LOOKED_UP + [("call", "call_9", "refund", {"order_id": "A1", "amount": 80}), ("result", "call_9", "done")]
        gate.post(PATH, request("completions", turns), {"authorization": "Bearer sk-1"})
        line = gate.wait_line("request", 2)
        check(line["level"] == "warn" and line["finding"] == "result_of_refused" and line["finding_tool"] == "refund", "it is said", line)
        check(line["findings"] == 1 and line["principal"] and len(line["conversation"]) == 32, "of whom, and where", line)
        found = gate.get("/metrics", port=gate.admin_port).body.decode()
        check('ledgergate_findings_total{finding="result_of_refused",route="/v1"} 1\n' in found, "and counted by route", found)
        gate.process.send_signal(signal.SIGHUP)
        gate.wait_line("reloaded")
        found = gate.get("/metrics", port=gate.admin_port).body.decode()
        check('ledgergate_findings_total{finding="result_of_refused",route="/v1"} 1\n' in found, "also behind a reload", found)


def overhead(folder, upstream):
    """Waiting for the upstream's body is none of ours."""
    body = json.dumps(completion("hello")).encode()
    upstream.answer = lambda _: Reply(200, [body[:10], 2, body[10:]], {"content-type": "application/json"})
    with Gateway(folder, "--pack", "pack.yaml", "--upstream", upstream.url) as gate:
        answer = gate.post(PATH, request("completions", [("user", "hi")]))
        line = gate.wait_line("request")
        check(answer.status == 200 and line["total_us"] >= 1900000, "the upstream takes two seconds", line)
        check(line["overhead_us"] <= line["total_us"] - 1000000, "they are not counted as overhead", line)
        check(int(answer.headers["x-ledgergate-overhead-us"]) == line["overhead_us"], "in the header as in the line", answer.headers)


def ids(folder, upstream):
    """The decision has its header also if what is delivered is a text; without a store it has none."""
    def answer(asked):
        return completion("I cannot.") if b"is more than" in asked.body else completion(None, [REFUSED])

    upstream.answer = answer
    with Gateway(folder, "--pack", "pack.yaml", "--upstream", upstream.url, "--store", "ids.db") as gate:
        got = gate.post(PATH, request("completions", LOOKED_UP))
        found = got.json["ledgergate"]["decisions"]
        line = gate.wait_line("request")
        check(got.headers.get("x-ledgergate-decision-id") == found[0]["id"] == line["decision"], "the refused one is named", f"{got.headers} {line}")
        check(not [x for x in gate.lines if x["event"] == "advice"], "with a log there is nothing to say", gate.text)
    folder.write("say.yaml", DESK + "conversation:\n  rules:\n    no_secret:\n      at: {message: agent}\n"
                 "      that: '!message.contains(\"secret\")'\n      say: No secrets.\n")
    upstream.answer = lambda asked: completion("I cannot." if b"No secrets" in asked.body else "a secret")
    with Gateway(folder, "--pack", "say.yaml", "--upstream", upstream.url, "--store", "say.db") as gate:
        got = gate.post(PATH, request("completions", LOOKED_UP))
        found = [d.get("id") for d in got.json.get("ledgergate", {}).get("decisions", [])]
        check(any(found) and got.headers.get("x-ledgergate-decision-id") in found, "one on a text, too", f"{got.headers} {got.body}")
    folder.write("c.yaml", config(upstream, route=", mode: shadow"))
    upstream.answer = lambda _: completion(None, [REFUSED])
    with Gateway(folder, "--config", "c.yaml") as gate:
        gate.post(PATH, request("completions", LOOKED_UP))
        line = gate.wait_line("advice")
        check(line and line["level"] == "warn" and line["key"] == "store" and "no decision" in line["text"], "without a store that is said", gate.text)
    folder.write("c.yaml", config(upstream, route=", shadow_rules: [refund_within_paid]"))
    with Gateway(folder, "--config", "c.yaml") as gate:
        got = gate.post(PATH, request("completions", LOOKED_UP))
        one = got.json["ledgergate"]["decisions"][0]
        check(one["delivered"] and "text" not in one and "was not carried out" in one["would_say"], "what passed was not refused", one)
        check("id" not in one and "x-ledgergate-decision-id" not in got.headers, "and no id where nothing is kept", f"{one} {got.headers}")


def law(folder, upstream):
    """Which pack is live."""
    upstream.answer = lambda _: completion("hello")
    with Gateway(folder, "--pack", "pack.yaml", "--upstream", upstream.url) as gate:
        before = gate.wait_line("listening")["packs"]
        check([(p["route"], p["pack"], p["version"]) for p in before] == [("/v1", "desk", "1.0.0")] and len(before[0]["hash"]) == 64, "listening", before)
        check(gate.get("/readyz").json["packs"] == before, "and /readyz", before)
        folder.write("pack.yaml", DESK.replace("1.0.0", "1.0.1"))
        gate.process.send_signal(signal.SIGHUP)
        after = gate.wait_line("reloaded")
        check(after and after["packs"][0]["version"] == "1.0.1" and after["packs"][0]["hash"] != before[0]["hash"], "options: SIGHUP takes the pack anew", after)
        found = metrics(gate)
        info = 'ledgergate_pack_info{route="/v1",pack="desk",version="1.0.1",hash="%s"}' % after["packs"][0]["hash"]
        check(found.get(info) == "1", "and the metrics have it", found)
        folder.write("pack.yaml", DESK.replace("that: args", "that: arg"))
        gate.process.send_signal(signal.SIGHUP)
        kept = gate.wait_line("kept")
        check(kept and kept["packs"] == after["packs"], "one that fails changes nothing", kept)
        found = metrics(gate)
        check(found['ledgergate_reloads_total{result="taken"}'] == "1" and found['ledgergate_reloads_total{result="failed"}'] == "1", "both are counted", found)
    folder.write("pack.yaml", DESK)
    token, hash_ = token_of(folder)
    folder.write("c.yaml", config(upstream, f"tokens: [{{name: desk, hash: '{hash_}'}}]\n"))
    with Gateway(folder, "--config", "c.yaml") as gate:
        check("packs" not in gate.get("/readyz").json, "strangers are not told of it", gate.get("/readyz").body)


def fixed(folder, upstream):
    """What a reload cannot take is named, all of it, with its place."""
    folder.write("c.yaml", config(upstream, "otlp: {url: 'http://127.0.0.1:9/v1/traces', headers: {x-a: '1'}}\n"))
    with Gateway(folder, "--config", "c.yaml") as gate:
        changed = "timeouts: {keep_alive: 1s}\notlp: {url: 'http://127.0.0.1:9/v1/traces', headers: {x-a: '2'}}\nstore: x.db\n"
        folder.write("c.yaml", config(upstream, changed))
        gate.process.send_signal(signal.SIGHUP)
        check(gate.wait_line("kept") is not None, "it stays as it is", gate.text)
        said = [(x["why"].split("`")[1], x["line"]) for x in gate.lines if x["event"] == "reload_failed"]
        check(sorted(said) == [("otlp", 4), ("store", 5), ("timeouts", 3)], "and all is named", said)
        folder.write("c.yaml", config(upstream, "otlp: {url: 'http://127.0.0.1:9/v1/traces', headers: {x-a: '1'}}\ntimeouts: {idle: 1s, stop: 1s}\n"))
        gate.process.send_signal(signal.SIGHUP)
        check(gate.wait_line("reloaded") is not None, "the upstream's times are taken", gate.text)


def failed_log(folder, upstream):
    upstream.answer = lambda _: completion(None, [FINE])
    os.makedirs(os.path.join(folder.path, "run"))
    folder.write("c.yaml", config(upstream, "store: run/f.db\nlog: {only_problems: true}\n"))
    with Gateway(folder, "--config", "c.yaml") as gate:
        gate.post(PATH, request("completions", LOOKED_UP))
        check(gate.wait_line("log_failed", seconds=0.1) is None, "a log that works is no news", gate.text)
        os.rename(os.path.join(folder.path, "run", "f.db"), os.path.join(folder.path, "run", "g.db"))
        gate.post(PATH, request("completions", LOOKED_UP))
        line = gate.wait_line("log_failed")
        check(line and line["level"] == "error" and line["store"] == "run/f.db" and len(line["why"]) > 10, "a log that fails is an error, at once", gate.text)
        line = gate.wait_line("request")
        check(line["level"] == "warn" and line["problem"] == "ledgergate_journal" and line["why"], "and the call's line says why", line)
        code, out, _ = folder.run("doctor", "--config", "c.yaml", "--probe", "--json", "--url", f"http://127.0.0.1:{gate.port}")
        wrong = [f for f in map(json.loads, out.splitlines()) if f["state"] == "wrong"]
        check(code == 1 and any("is not ready" in f["text"] for f in wrong), "the doctor has asked the gateway", wrong)
        check(any("takes no decision" in f["text"] for f in wrong), "and sees it in the canary's answer", wrong)
        check(gate.stop() == 3 and gate.wait_line("ended")["level"] == "error" and gate.wait_line("ended")["why"], "the end says so, too", gate.text)


def canaries(folder, upstream):
    upstream.answer = lambda r: MODELS if r.method == "GET" else completion("hello")
    folder.write("c.yaml", config(upstream, "store: can.db\n"))
    with Gateway(folder, "--config", "c.yaml") as gate:
        before = metrics(gate)
        code, out, err = folder.run("doctor", "--config", "c.yaml", "--probe", "--url", f"http://127.0.0.1:{gate.port}")
        check(code == 0 and "is ready" in out, "the canaries are refused", out + err)
        after = metrics(gate)
        changed = {n for n in after if after[n] != before.get(n)} - {n for n in after if "store_" in n or n.startswith("process_")}
        check(changed <= {"ledgergate_probes_total", "ledgergate_connections", "ledgergate_requests_in_flight"}, "in no number but their own", changed)
        check(after["ledgergate_probes_total"] == "6", "of which there are six", after["ledgergate_probes_total"])
        check(gate.wait_line("request", 6)["probe"], "the lines say that it was one", gate.lines[-1])
    _, out, _ = folder.run("log", "show", "--store", "can.db", "--json", "--all")
    kinds = [json.loads(line)["kind"] for line in out.splitlines()]
    check(kinds.count("decision") == 6, "one decision a canary", kinds)


def routes(folder, upstream):
    upstream.answer = lambda r: MODELS if r.method == "GET" else completion("hello")
    open_ = '{path: /raw, upstream: {url: "%s"}}' % upstream.url
    shadow = ROUTE % ("/shadow", upstream.url, "", ", mode: shadow")
    folder.write("c.yaml", f"listen: 127.0.0.1:0\nroutes: [{ROUTE % ('/v1', upstream.url, '', '')}, {open_}, {shadow}]\n")
    with Gateway(folder, "--config", "c.yaml") as gate:
        url = ["--probe", "--url", f"http://127.0.0.1:{gate.port}"]
        code, out, _ = folder.run("doctor", "--config", "c.yaml", *url)
        check(code == 1 and "probe /raw: nothing is judged here" in out, "a route without a pack is no gate", out)
        code, out, _ = folder.run("doctor", "--config", "c.yaml", *url, "--route", "/v1")
        check(code == 0 and "wrong" not in out and out.count("probe /v1") == 6, "who means one route names it", out)
        code, _, err = folder.run("doctor", "--config", "c.yaml", *url, "--route", "/v2")
        check(code == 2 and "no route `/v2`" in err, "which has to be there", err)


def looked_at(folder, upstream):
    """--check: all that is wrong, in one go."""
    folder.write("bad.yaml", DESK.replace("that: args", "that: arg"))
    folder.write("c.yaml", f'listen: nowhere\nroutes: [{{path: /v1, upstream: {{url: "{upstream.url}"}}, pack: bad.yaml}}]\n'
                           "store: none/x.db\ntls: {cert: no.pem, key: k.pem}\n")
    code, _, err = folder.run("serve", "--check", "--config", "c.yaml")
    for wanted in ("c.yaml:1:9: `listen` must be", "c.yaml:3:1: `store`: there is no folder none", "c.yaml:4:1: `tls`: ", "no.pem", "bad.yaml:"):
        check(code == 2 and wanted in err, f"{wanted} is said", err)
    folder.write("c.yaml", config(upstream, "store: none/x.db\n"))
    code, _, err = folder.run("serve", "--check", "--config", "c.yaml")
    check(code == 2 and err.startswith("c.yaml:3:1: `store`: there is no folder none\nstore: none/x.db\n^"), "with its place", err)
    for item in ("'* /y'", "post /z", "FETCH /q"):
        folder.write("c.yaml", config(upstream, route=f", pass: [{item}]"))
        code, _, err = folder.run("serve", "--check", "--config", "c.yaml")
        check(code == 2 and "is not like `GET /files`" in err, f"{item} passes nothing", err)
    folder.write("c.yaml", config(upstream, route=", shadow_rules: [x]").replace("pack: pack.yaml, ", ""))
    code, _, err = folder.run("serve", "--check", "--config", "c.yaml")
    check(code == 2 and "without a `pack` there are none" in err, "shadow rules want a pack", err)


def certificates(folder, upstream):
    if not shutil.which("openssl"):
        print("skipped: certificates (no openssl)")
        return
    def make(name, *dates):
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", name + ".key", "-out", name + ".pem", "-subj", "/CN=x"]
        subprocess.run([*command, *dates], cwd=folder.path, check=True, capture_output=True)

    make("a", "-days", "100")
    make("b", "-days", "1")
    for cert, key, code, said in [("a.pem", "a.key", 0, ""), ("a.key", "a.pem", 2, "do not belong together"), ("a.pem", "b.key", 2, "do not belong together"),
                                  ("b.pem", "b.key", 0, "b.pem is valid until ")]:
        folder.write("c.yaml", config(upstream, f"store: c.db\ntls: {{cert: {cert}, key: {key}}}\n"))
        got, _, err = folder.run("serve", "--check", "--config", "c.yaml")
        check(got == code and said in err and (said or not err), f"{cert} with {key}", f"{got} {err}")


def stands_open(folder, upstream):
    """Lawful, and perhaps not meant."""
    _, hash_ = token_of(folder)
    tokens = f"tokens: [{{name: desk, hash: '{hash_}'}}]\n"
    key, everywhere = ', key: "${KEY}"', ("127.0.0.1:0", "0.0.0.0:0")
    folder.environment["KEY"] = "sk-ours"
    for said, text in [("spends the key of route `/v1`", config(upstream, "store: c.db\n", key).replace(*everywhere)),
                       ("gets no credential", config(upstream, "store: c.db\n" + tokens)),
                       ("without TLS", config(upstream, "store: c.db\n" + tokens, key).replace(*everywhere)),
                       ("no decision of route", config(upstream))]:
        folder.write("c.yaml", text)
        code, out, err = folder.run("serve", "--check", "--config", "c.yaml")
        check(code == 0 and said in err and err.count("note: ") == 1, f"--check: {said}", err)
    folder.write("c.yaml", config(upstream, "store: c.db\n", key))
    code, _, err = folder.run("serve", "--check", "--config", "c.yaml")
    check(code == 0 and not err, "else there is nothing to say", err)
    folder.write("c.yaml", config(upstream, "store: c.db\n" + tokens, key))
    with Gateway(folder, "--config", "c.yaml") as gate:
        check(not [x for x in gate.lines if x["event"] == "advice"], "nor here", gate.text)
        folder.write("c.yaml", config(upstream, "store: c.db\n", key))
        gate.process.send_signal(signal.SIGHUP)
        line = gate.wait_line("advice")
        check(line and line["key"] == "tokens" and "there were `tokens`" in line["text"], "a reload that opens the gate says so", gate.text)


def ends(folder, upstream):
    folder.write("c.yaml", config(upstream, "timeouts: {stop: 100ms}\n"))
    with Gateway(folder, "--config", "c.yaml") as gate:
        gate.stop()
        events = [x["event"] for x in gate.lines]
        check(events[-2:] == ["ending", "ended"] and gate.lines[-1]["cut"] == 0 and gate.lines[-1]["level"] == "info", "the end is said", gate.text)
    upstream.answer = lambda _: Reply(200, [30, b"x"])
    with Gateway(folder, "--config", "c.yaml") as gate:
        connection = gate.connect()
        connection.request("POST", PATH, json.dumps(request("completions", [("user", "hi")])))
        while gate.get("/metrics").body.decode().count("ledgergate_requests_in_flight 1\n") == 0:
            pass
        gate.stop()
        check(gate.lines[-1]["event"] == "ended" and gate.lines[-1]["cut"] == 1 and gate.lines[-1]["level"] == "warn", "with what was cut", gate.text)
        connection.close()


with Folder() as folder, Upstream() as upstream:
    folder.write("pack.yaml", DESK)
    for part in (refusals, cut, past_gate, overhead, ids, law, fixed, failed_log, canaries, routes, looked_at, certificates, stands_open, ends):
        part(folder, upstream)
done()
