"""Spans for a collector: what stands in them, and that a collector which is slow, wrong or gone holds up nobody."""

import time

from _serve import DESK, LOOKED_UP, Folder, Gateway, Reply, Upstream, call, check, done, request
from upstream import completion

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def numbers(gate):
    text = gate.get("/metrics").body.decode()
    found = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return int(found["ledgergate_spans_sent_total"]), int(found["ledgergate_spans_dropped_total"])


def until(condition):
    end = time.monotonic() + 30
    while time.monotonic() < end and not condition():
        time.sleep(0.05)
    return condition()


def values(of):
    return {a["key"]: list(a["value"].values())[0] for a in of["attributes"]}


with Folder() as folder, Upstream() as upstream, Upstream() as collector:
    folder.write("pack.yaml", DESK)
    folder.write("c.yaml", f"""
listen: 127.0.0.1:0
routes: [{{path: /v1, upstream: {{url: "{upstream.url}"}}, pack: pack.yaml}}]
otlp: {{url: "http://127.0.0.1:{collector.port}/v1/traces", service: shop, headers: {{x-collector: "${{C}}"}}}}
""")
    upstream.answer = lambda r: completion("secret words", [call("refund", {"order_id": "A1", "amount": 20})])
    collector.answer = lambda r: {}
    with Gateway(folder, "--config", "c.yaml", environment={"C": "c1"}) as gate:
        gate.post("/v1/chat/completions", request("completions", LOOKED_UP), {"traceparent": TRACE, "authorization": "Bearer sk-1"})
        check(until(lambda: collector.requests), "a span is sent")
        sent = collector.requests[0]
        check(sent.path == "/v1/traces" and sent.fields["x-collector"] == "c1", "to the collector, with its headers", sent.headers)
        resource = sent.json["resourceSpans"][0]
        check(resource["resource"]["attributes"] == [{"key": "service.name", "value": {"stringValue": "shop"}}], "whose it is", resource)
        span = resource["scopeSpans"][0]["spans"][0]
        found = values(span)
        check(span["name"] == "chat scripted" and span["kind"] == 3, "its name", span)
        check(span["traceId"] == TRACE[3:35] and span["parentSpanId"] == TRACE[36:52], "in the client's trace", span)
        check(int(span["endTimeUnixNano"]) > int(span["startTimeUnixNano"]) > 10**18, "its times", span)
        for key, value in [("gen_ai.operation.name", "chat"), ("gen_ai.provider.name", "openai"), ("gen_ai.request.model", "scripted"),
                           ("http.response.status_code", "200"), ("ledgergate.decisions", "1"), ("ledgergate.refused", "0"),
                           ("ledgergate.route", "/v1"), ("ledgergate.mode", "enforce")]:
            check(found.get(key) == value, f"{key} is {value}", found)
        for key, value in [("gen_ai.response.id", "chatcmpl-1"), ("gen_ai.response.model", "scripted"),
                           ("gen_ai.response.finish_reasons", {"values": [{"stringValue": "tool_calls"}]}),
                           ("gen_ai.usage.input_tokens", "10"), ("gen_ai.usage.output_tokens", "5"),
                           ("server.address", "127.0.0.1"), ("server.port", str(upstream.port))]:
            check(found.get(key) == value, f"{key} is {value}", found)
        check("error.type" not in found and span["status"]["code"] == 0, "no error", span)
        event = span["events"][0]
        check(event["name"] == "gen_ai.evaluation.result" and event["timeUnixNano"] == span["endTimeUnixNano"], "an event", event)
        check(values(event) == {"gen_ai.evaluation.name": "ledgergate", "gen_ai.evaluation.score.label": "allowed",
                                "gen_ai.response.id": "chatcmpl-1"}, "of what was decided", event)
        check(b"secret" not in sent.body and b"sk-1" not in sent.body, "nothing of what was said", sent.body)
        check(until(lambda: numbers(gate) == (1, 0)), "it is counted", numbers(gate))

        collector.answer = lambda r: Reply(503, b"")
        gate.post("/v1/chat/completions", request("completions", LOOKED_UP))
        check(until(lambda: numbers(gate) == (1, 1)), "what the collector does not take is dropped, and counted", numbers(gate))
        collector.answer = lambda r: Reply(cut="silent")
        gate.post("/v1/chat/completions", request("completions", LOOKED_UP))
        check(until(lambda: len(collector.requests) == 3), "a collector that says nothing")
        begun = len(upstream.requests)
        for _ in range(20):
            gate.post("/v1/chat/completions", request("completions", LOOKED_UP))
        check(len(upstream.requests) == begun + 20, "holds up nobody")
        collector.answer = lambda r: {}
        check(until(lambda: numbers(gate) == (21, 2)), "and the rest goes when it is back", numbers(gate))
        gate.post("/v1/chat/completions", request("completions", LOOKED_UP))
    check(len(collector.requests) == 5, "what waits at the end is sent", len(collector.requests))
done()
