"""What is let in and what goes on: paths, hosts, origins, tokens, headers; and what an operator's machines ask."""

import json
import socket

from _serve import DESK, FACES, LOOKED_UP, Folder, Gateway, Reply, Upstream, call, check, done, request
from upstream import completion, completion_chunks, message, sse

CONFIG = """
listen: 127.0.0.1:0
routes:
  - {path: /v1, upstream: {url: "%s"}, pack: pack.yaml, pass: [POST /embeddings, GET /files/*]}
"""


def paths(gate, upstream):
    upstream.answer = lambda r: completion("hello") if r.method == "POST" else {"data": []}
    for method, path, wanted in [
        ("GET", "/v1/models", 200), ("GET", "/v1/models/gpt-5.1:x", 200), ("POST", "/v1/embeddings", 200),
        ("GET", "/v1/files/file-1", 200), ("POST", "/v1/chat/completions", 200),
        ("GET", "/v1/models/../responses/resp_1", 404), ("GET", "/v1/models/%2e%2e", 404), ("GET", "/v1/models/..", 404),
        ("GET", "/v1/responses/resp_1", 404), ("GET", "/v1/files/a/b", 404), ("GET", "/v1/files/..", 404),
        ("POST", "/v1/responses/resp_1/cancel", 404), ("POST", "/v1/models", 405), ("DELETE", "/v1/files/file-1", 405),
        ("POST", "/v1/chat/completions/", 404), ("POST", "/v1//chat/completions", 404), ("POST", "/v1/messages/batches", 404),
        ("POST", "/V1/chat/completions", 404), ("POST", "/v1x/chat/completions", 404), ("POST", "/", 404),
        ("GET", "/v1/chat/completions", 405), ("PUT", "/v1/responses", 405), ("GET", "/v1/messages", 405),
    ]:
        before = len(upstream.requests)
        body = json.dumps(request("completions", [("user", "hi")])) if method != "GET" else None
        answer = gate.ask(method, path, body)
        check(answer.status == wanted, f"{method} {path}: {wanted}", f"{answer.status} {answer.body[:200]}")
        check((len(upstream.requests) > before) == (wanted == 200), f"{method} {path}: asked upstream only if so")
        if wanted != 200:
            error = answer.json.get("error", {})
            check(error.get("message", "").count(". ") == 0 and len(error.get("message", "")) > 10,
                  f"{method} {path}: one clear sentence", answer.body)
    for method, path, allow in [("PUT", "/v1/chat/completions", "POST"), ("DELETE", "/v1/models", "GET"), ("GET", "/v1/embeddings", "POST"),
                                ("DELETE", "/v1/files/file-1", "GET"), ("POST", "/livez", "GET, HEAD")]:
        answer = gate.ask(method, path)
        check((answer.status, answer.headers.get("allow")) == (405, allow), f"{method} {path}: says what it takes", answer.headers)
    answer = gate.post("/v1/chat/completions", "{}", {f"x-{n}": "1" for n in range(300)})
    check(answer.status == 431, "too many headers", answer.body)
    check(gate.get("/v1/messages").json["type"] == "error", "an error has its protocol's form")


def headers(gate, upstream):
    upstream.answer = lambda r: Reply(200, json.dumps(message("hello")).encode(), {"x-request-id": "req_9", "connection": "x-hop", "x-hop": "1"})
    answer = gate.post("/v1/messages?beta=true", request("messages", [("user", "hi")]), {
        "anthropic-version": "2026-10-21", "anthropic-beta": "a,b", "x-api-key": "sk-client", "accept-encoding": "gzip",
        "connection": "keep-alive, x-private", "x-private": "1", "te": "trailers", "proxy-authorization": "p",
        "X-LedgerGate-Decision-Id": "forged"})
    asked = upstream.requests[-1]
    check(asked.path == "/v1/messages?beta=true", "the query goes on", asked.path)
    for name, value in [("anthropic-version", "2026-10-21"), ("anthropic-beta", "a,b"), ("x-api-key", "sk-client")]:
        check(asked.fields.get(name) == value, f"{name} goes on", asked.headers)
    for name in ("x-private", "te", "proxy-authorization", "x-ledgergate-decision-id", "accept-encoding"):
        check(name not in asked.fields, f"{name} does not", asked.headers)
    check(asked.fields["host"] == f"127.0.0.1:{upstream.port}", "the upstream is called by its own name", asked.headers)
    check(answer.headers.get("x-request-id") == "req_9", "what the upstream says of the request comes back", answer.headers)
    check(answer.headers.get("x-ledgergate-overhead-us", "").isdigit(), "with the time that judging took", answer.headers)
    check("x-ledgergate-decision-id" not in answer.headers, "and no decision where there was none", answer.headers)
    upstream.answer = lambda r: completion(None, [call("refund", {"order_id": "A1", "amount": 20})])
    answer = gate.post("/v1/chat/completions", request("completions", LOOKED_UP))
    check(len(answer.headers.get("x-ledgergate-decision-id", "")) == 32, "a decision has its id", answer.headers)


def doubled(gate, upstream):
    """A header that comes twice says both."""
    def send(*more):
        connection = gate.connect()
        body = json.dumps(request("completions", [("user", "hi")])).encode()
        connection.putrequest("POST", "/v1/chat/completions")
        for name, value in [("content-type", "application/json"), ("content-length", str(len(body))), *more]:
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    upstream.answer = lambda r: completion("hello")
    check(send(("connection", "x-one"), ("connection", "x-two"), ("x-one", "1"), ("x-two", "2")) == 200, "two Connection headers pass")
    fields = upstream.requests[-1].fields
    check("x-one" not in fields and "x-two" not in fields, "what either names stays here", fields)
    check(send(("content-encoding", "identity"), ("content-encoding", "gzip")) == 415, "a coding is seen behind another one")


def redirects(gate, upstream):
    """Clients follow them by themselves, past the gate."""
    for status in (302, 307, 308):
        upstream.answer = lambda r: Reply(status, b"{}", {"location": "http://127.0.0.1:9/v1/chat/completions"})
        answer = gate.post("/v1/chat/completions", request("completions", [("user", "hi")]))
        check(answer.status == 502 and "location" not in answer.headers, f"{status} is not passed on", answer.headers)
        check("redirect" in answer.json["error"]["message"], "and it is said why", answer.body)
    upstream.answer = lambda r: completion("hello")


def hosts(gate):
    body = request("completions", [("user", "hi")])
    for host, wanted in [("localhost", 200), (f"127.0.0.1:{gate.port}", 200), ("[::1]:80", 200), ("evil.example", 403),
                         ("localhost.evil.example", 403), ("127.0.0.1.evil.example:80", 403)]:
        answer = gate.post("/v1/chat/completions", body, {"host": host})
        check(answer.status == wanted, f"Host {host}: {wanted}", answer.body)
    for origin in ("https://evil.example", "null", "http://localhost"):
        answer = gate.post("/v1/chat/completions", body, {"origin": origin})
        check(answer.status == 403 and "origins" in answer.json["error"]["message"], f"Origin {origin}: 403", answer.body)


def pages(folder, upstream):
    """What a browser does for a page: it asks first, without a token, and lets the page read what it may."""
    page = "https://app.example"
    _, out, _ = folder.run("serve", "--new-token")
    token, hash_ = (line.split(": ")[1] for line in out.splitlines())
    folder.write("o.yaml", CONFIG % upstream.url + f"origins: ['{page}']\ntokens: [{{name: desk, hash: '{hash_}'}}]\n")
    asks = {"access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type,x-stainless-os"}
    upstream.answer = lambda r: Reply(200, json.dumps(completion("hello")).encode(),
                                      {"content-type": "application/json", "access-control-allow-origin": "*"})
    body = request("completions", [("user", "hi")])
    with Gateway(folder, "--config", "o.yaml") as gate:
        path, before = "/v1/chat/completions", len(upstream.requests)
        answer = gate.ask("OPTIONS", path, headers={"origin": page, **asks})
        got = answer.headers
        check(answer.status == 204 and got["access-control-allow-origin"] == page, "a preflight is answered", f"{answer.status} {got}")
        check("POST" in got["access-control-allow-methods"] and got["access-control-allow-headers"] == asks["access-control-request-headers"],
              "with what it asks for", got)
        check("Origin" in got["vary"] and int(got["access-control-max-age"]) > 0, "for a while, for this origin", got)
        check(len(upstream.requests) == before, "and nobody else is asked")
        answer = gate.ask("OPTIONS", path, headers={"origin": "https://evil.example", **asks})
        check(answer.status == 403 and "access-control-allow-origin" not in answer.headers, "another page: 403, and it may read nothing", answer.headers)
        check(gate.ask("OPTIONS", path, headers=asks).status == 401, "what is no preflight wants a token")
        answer = gate.post(path, body, {"origin": page, "authorization": f"Bearer {token}"})
        check(answer.status == 200 and answer.headers["access-control-allow-origin"] == page, "the answer may be read", answer.headers)
        check("x-ledgergate-decision-id" in answer.headers["access-control-expose-headers"], "with its headers", answer.headers)
        for what, answer in [("no token", gate.post(path, body, {"origin": page})), ("another path", gate.get("/nothing", {"origin": page, "x-api-key": token}))]:
            check(answer.status in (401, 404) and answer.headers["access-control-allow-origin"] == page, f"{what}: the page may read why", answer.headers)
        answer = gate.post(path, body, {"x-api-key": token})
        check(answer.headers["access-control-allow-origin"] == "*", "without an origin, the upstream's words go on", answer.headers)


def hidden(folder):
    """A client knows no host behind the gate, and learns of none; the operator's line has it."""
    for host, port in (("no-such-host.invalid", 9), ("127.0.0.1", 1)):
        with Gateway(folder, "--pack", "pack.yaml", "--upstream", f"http://{host}:{port}/v1") as gate:
            for stream in (False, True):
                answer = gate.post("/v1/chat/completions", request("completions", [("user", "hi")], stream))
                check(answer.status == 502 and host not in answer.body.decode(), f"{host}: 502 without a name", answer.body)
                check("could not be reached" in answer.json["error"]["message"], "and why", answer.body)
            line = gate.wait_line("request", 2)
            check(line and line["upstream"] == "refused" and host in line["upstream_why"], "the line says where", line)


def said_of_bytes(gate, upstream):
    """What a header says of the bytes goes on where they do."""
    said = {"etag": '"1"', "digest": "sha-256=x", "content-md5": "y", "content-digest": "sha-256=:z:", "accept-ranges": "bytes"}
    upstream.answer = lambda r: Reply(200, json.dumps(completion("hello")).encode(), {"content-type": "application/json", **said})
    answer = gate.post("/v1/chat/completions", request("completions", [("user", "hi")]))
    check(not set(said) & set(answer.headers), "not with a body that was judged", answer.headers)
    answer = gate.get("/v1/models")
    check({name: answer.headers.get(name) for name in said} == said, "with one that goes on as it is", answer.headers)
    upstream.answer = lambda r: completion("hello")


def tokens(folder, upstream):
    _, out, _ = folder.run("serve", "--new-token")
    token, hash_ = (line.split(": ")[1] for line in out.splitlines())
    text = (CONFIG % upstream.url).replace("pack.yaml,", "pack.yaml, ").replace("}}", '}}') + f"tokens: [{{name: desk, hash: '{hash_}'}}]\n"
    folder.write("t.yaml", text)
    upstream.answer = lambda r: completion("hello")
    body = request("completions", [("user", "hi")])
    with Gateway(folder, "--config", "t.yaml") as gate:
        for name, sent, wanted in [
            ("Bearer", {"authorization": f"Bearer {token}"}, 200), ("bearer", {"authorization": f"bearer {token}"}, 200),
            ("x-api-key", {"x-api-key": token}, 200), ("beside another", {"authorization": "Bearer nobody", "x-api-key": token}, 200), ("none", {}, 401), ("another", {"authorization": f"Bearer {token}x"}, 401),
            ("a shorter", {"authorization": f"Bearer {token[:-1]}"}, 401), ("empty", {"authorization": "Bearer "}, 401),
            ("the hash", {"authorization": f"Bearer {hash_}"}, 401), ("basic", {"authorization": f"Basic {token}"}, 401),
        ]:
            before = len(upstream.requests)
            answer = gate.post("/v1/chat/completions", body, {**sent, "cookie": "c=1"})
            check(answer.status == wanted, f"token, {name}: {wanted}", answer.body)
            if wanted == 200:
                fields = upstream.requests[-1].fields
                check(not {"authorization", "x-api-key", "cookie"} & set(fields), f"token, {name}: it stays here", fields)
            else:
                check(len(upstream.requests) == before, f"token, {name}: nobody is asked")
        check(gate.get("/metrics").status == 401, "numbers want a token where they stand with the clients' paths")
        check(gate.get("/metrics", {"x-api-key": token}).status == 200, "and come with one")
        check(gate.get("/livez").status == 200 and gate.get("/readyz").status == 200, "life and readiness do not")
        check(gate.get("/nothing").status == 401, "what is there is not told to strangers")
        line = gate.wait_line("request")
        check(line["principal"] == "desk" and token not in "\n".join(gate.text), "the principal is the token's name", line)


def own_key(folder, upstream):
    text = (CONFIG % upstream.url).replace('"}, pack', '", key: "${KEY}"}, pack')
    folder.write("k.yaml", text)
    with Gateway(folder, "--config", "k.yaml", environment={"KEY": "sk-ours"}) as gate:
        for sent, wanted in [({"authorization": "Bearer theirs"}, ("authorization", "Bearer sk-ours")),
                             ({"x-api-key": "theirs"}, ("x-api-key", "sk-ours")), ({}, ("authorization", "Bearer sk-ours"))]:
            gate.post("/v1/chat/completions", request("completions", [("user", "hi")]), sent)
            fields = upstream.requests[-1].fields
            check(fields.get(wanted[0]) == wanted[1], f"the upstream's key in place of {list(sent)}", fields)
            check("theirs" not in str(fields), "and the client's own nowhere", fields)
        check("sk-ours" not in "\n".join(gate.text), "no line holds a key")


def numbers(folder, upstream):
    folder.write("a.yaml", CONFIG % upstream.url + "admin: {listen: '127.0.0.1:0'}\nstore: n.db\n")
    upstream.answer = lambda r: completion(None, [call("refund", {"order_id": "A1", "amount": 20})])
    with Gateway(folder, "--config", "a.yaml") as gate:
        for path in ("/livez", "/readyz", "/metrics"):
            check(gate.get(path).status == 404, f"{path} is not where clients are")
            check(gate.get(path, port=gate.admin_port).status == 200, f"{path} is at the operator's address")
        check(gate.get("/v1/models", port=gate.admin_port).status == 404, "and nothing else")
        for _ in range(3):
            gate.post("/v1/chat/completions", request("completions", LOOKED_UP))
        gate.wait_line("request", 3)
        text = gate.get("/metrics", port=gate.admin_port).body.decode()
        found = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        key = 'ledgergate_decisions_total{route="/v1",verdict="allow",rule="",tool="refund"}'
        check(found.get(key) == "3", "decisions by route, verdict, rule and tool", text)
        check(found.get('ledgergate_http_answers_total{status="2xx"}') == "3", "answers by class", text)
        check(found.get("ledgergate_overhead_seconds_count") == "3", "histograms", text)
        check(found.get("ledgergate_delivered_total") == "3" and found.get("ledgergate_store_up") == "1", "the proxy and the log", text)
        for name in {line.split("{")[0].split(" ")[0] for line in text.splitlines() if not line.startswith("#")}:
            base = name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count")
            check(f"# TYPE {base} " in text or f"# TYPE {name} " in text, f"{name} has a type")


def open_route(folder, upstream):
    """Without a pack the traffic is the same as without the gateway."""
    data = b'{"object": "x", \t"n": 1.50}\r\n'
    with Gateway(folder, "--upstream", upstream.url) as gate:
        for method, path, status in [("POST", "/chat/completions", 200), ("GET", "/responses/resp_1", 200), ("DELETE", "/files/f-1", 204),
                                     ("POST", "/messages/count_tokens", 200), ("GET", "/models", 503), ("PUT", "/a/b.c", 404)]:
            upstream.say(Reply(status, b"" if status == 204 else data, {"x-other": "a, b", "content-encoding": "br", "etag": '"1"'}))
            answer = gate.ask(method, "/v1" + path + "?a=1&b=%2F", None if method in ("GET", "DELETE") else data, {"accept-encoding": "br", "x-own": "1"})
            asked = upstream.requests[-1]
            check((asked.method, asked.path) == (method, "/v1" + path + "?a=1&b=%2F"), f"{method} {path}: as it is", asked.path)
            check(asked.body == (b"" if method in ("GET", "DELETE") else data), f"{method} {path}: its body, byte for byte", asked.body)
            check(asked.fields.get("accept-encoding") == "br" and asked.fields.get("x-own") == "1", f"{method} {path}: its headers", asked.headers)
            check(answer.status == status and answer.body == (b"" if status == 204 else data), f"{method} {path}: the answer", answer.body)
            check(answer.headers.get("content-encoding") == "br" and answer.headers.get("x-other") == "a, b", f"{method} {path}: its headers",
                  answer.headers)
        upstream.answer = lambda r: Reply(200, data)
        for path in ("/models/org%2Fname", "/models/a@b~c", "/f/a+b,(c)=$!*';d", "/a//b", "/.git", "/x%20y", "/..a/b..", "/%zz", "/%252F"):
            answer = gate.get("/v1" + path)
            check(answer.status == 200 and upstream.requests[-1].path == "/v1" + path, f"{path}: goes on as it is", f"{answer.body} {upstream.requests[-1].path}")
        for path in ("/v1/../admin", "/v1/%2e%2e/admin", "/v1/a/..;x/b", "/v1/%2E%2e%2fadmin", "/v1/..%5cadmin", "/v1/%252e%252e/admin", "/v1/a/.", "/v1/%25252525252e./x"):
            answer = gate.get(path)
            check(answer.status == 404 and "leads out of it" in answer.json["error"]["message"], f"{path}: no way out", answer.body)
        head = b"GET /v1/m/\xc3\xa9 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
        with socket.create_connection(("127.0.0.1", gate.port), 60) as raw:
            raw.sendall(head)
            got = raw.makefile("rb").read()
        check(b" 200 " in got.split(b"\r\n")[0], "bytes that are no ASCII: likewise", got)


def tls(folder, upstream):
    import shutil
    import ssl
    import subprocess
    import urllib.request
    if not shutil.which("openssl"):
        print("skipped: TLS (no openssl)")
        return
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "k.pem", "-out", "c.pem", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], cwd=folder.path, check=True, capture_output=True)
    folder.write("s.yaml", CONFIG % upstream.url + "tls: {cert: c.pem, key: k.pem}\nadmin: {listen: '127.0.0.1:0'}\n")
    upstream.answer = lambda r: completion("hello")
    with Gateway(folder, "--config", "s.yaml") as gate:
        context = ssl.create_default_context(cafile=folder.path + "/c.pem")
        asked = urllib.request.Request(f"https://localhost:{gate.port}/v1/chat/completions",
                                       json.dumps(request("completions", [("user", "hi")])).encode())
        with urllib.request.urlopen(asked, context=context) as answer:
            check(json.load(answer)["choices"][0]["message"]["content"] == "hello", "TLS")
        check(gate.get("/readyz", port=gate.admin_port).status == 200, "the operator's address speaks plainly")
        half_closed(gate, upstream, context)


def half_closed(gate, upstream, context):
    """Who says below TLS, in the midst of a stream, that he sends no more, and closes that side, still gets the rest."""
    import ssl
    chunks = completion_chunks("I look for it, and that takes a while.")
    upstream.answer = lambda r: sse(chunks, pause_s=0.1)
    body = json.dumps(request("completions", [("user", "hi")], True)).encode()
    inward, outward = ssl.MemoryBIO(), ssl.MemoryBIO()
    with socket.create_connection(("localhost", gate.port), timeout=20) as connection:
        talk = context.wrap_bio(inward, outward, server_hostname="localhost")

        def turn(act):
            while True:
                try:
                    return act()
                except ssl.SSLWantReadError:
                    if outward.pending:
                        connection.sendall(outward.read())
                    if not (more := connection.recv(65536)):
                        return b""
                    inward.write(more)

        turn(talk.do_handshake)
        talk.write(b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                   b"Content-Length: %d\r\n\r\n" % len(body) + body)
        connection.sendall(outward.read())
        got = b""
        while b"data: " not in got:
            got += turn(lambda: talk.read(65536))
        try:
            talk.unwrap()
        except ssl.SSLWantReadError:
            pass
        connection.sendall(outward.read())
        connection.shutdown(socket.SHUT_WR)
        while b"[DONE]" not in got and (more := turn(lambda: talk.read(65536))):
            got += more
    check(b'"stop"' in got and b"[DONE]" in got, "below TLS: half-closed within a stream, answered", got)


with Folder() as folder, Upstream() as upstream:
    folder.write("pack.yaml", DESK)
    folder.write("c.yaml", CONFIG % upstream.url + "store: c.db\n")
    with Gateway(folder, "--config", "c.yaml") as gate:
        paths(gate, upstream)
        headers(gate, upstream)
        doubled(gate, upstream)
        redirects(gate, upstream)
        hosts(gate)
        said_of_bytes(gate, upstream)
    pages(folder, upstream)
    hidden(folder)
    tokens(folder, upstream)
    own_key(folder, upstream)
    numbers(folder, upstream)
    open_route(folder, upstream)
    tls(folder, upstream)
done()
