"""Questions to a model, over sockets: what is asked, what comes back, every fault, budgets, and runs repeated offline."""

import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from _run import Folder, check, done  # noqa: E402
from scripted_model import ScriptedModel, vector_of  # noqa: E402

ASK = os.path.abspath(os.environ["LEDGERGATE_ASK"])
KEY = "sk-secret-1234567890"
FAST = {"model": "m", "backoff_ms": 1, "most_backoff_ms": 4, "request_ms": 20_000, "key_env": "MODEL_KEY"}
VERDICT = {"type": "object", "properties": {"verdict": {"enum": ["yes", "no"]}, "why": {"type": "string"}},
           "required": ["verdict"], "additionalProperties": False}


def chat(text, **more):
    return {"messages": [{"role": "user", "content": text}], **more}


class Run:
    def __init__(self, folder, model, requests, **options):
        config = {**FAST, **options}
        if model:
            config.setdefault("base_url", model.url)
        begun = time.monotonic()
        ended = subprocess.run(
            [ASK, json.dumps(config)], cwd=folder.path, capture_output=True, timeout=240,
            input="".join(json.dumps(r) + "\n" for r in requests).encode(),
            env={**folder.environment, "MODEL_KEY": KEY})
        self.seconds = time.monotonic() - begun
        self.code, self.out = ended.returncode, ended.stdout.decode()
        self.err = ended.stderr.decode("utf-8", "replace")
        check("Sanitizer" not in self.err and "runtime error:" not in self.err, "no report of a sanitizer", self.err)
        check(KEY not in self.out + self.err, "the key is in no output", self.out + self.err)
        lines = [json.loads(line) for line in self.out.splitlines()]
        self.replies, self.totals = lines[:-1], lines[-1] if lines else None

    @property
    def one(self):
        return self.replies[0] if self.replies else {"end": None, "error": self.err}


def ask_one(folder, say, request=None, **options):
    """One question to a model that says this. Returns the reply and the model's requests."""
    with ScriptedModel([{"say": say}]) as model:
        run = Run(folder, model, [request or chat("Hello?")], **options)
        return run.one, model.requests, run


def expect(sentence, reply, end, *words, **members):
    check(reply["end"] == end, f"{sentence}: ends as {end}", json.dumps(reply)[:1500])
    for word in words:
        check(word in reply["error"], f"{sentence}: its message has `{word}`", reply["error"])
    for name, wanted in members.items():
        check(reply.get(name) == wanted, f"{sentence}: {name}", f"got {reply.get(name)}, want {wanted}")


# --- what is asked, and what comes ---


def requests_and_replies(folder):
    reply, seen, _ = ask_one(folder, {"text": "Good day. \u00fc \U0001f600"}, {
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello?"}],
        "temperature": 0, "seed": 7, "max_tokens": 50, "more": {"top_p": 0.5, "stream": True, "model": "other"}})
    expect("a chat", reply, "ok", text="Good day. \u00fc \U0001f600", finish="stop", attempts=1, rounds=1, status=200)
    check(seen[0].path == "/v1/chat/completions", "the path of a chat", seen[0].path)
    check(seen[0].fields.get("authorization") == f"Bearer {KEY}", "the key goes to the server")
    check(seen[0].json == {"model": "m", "temperature": 0, "seed": 7, "max_tokens": 50, "top_p": 0.5, "messages": [
        {"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello?"}]}, "its body", seen[0].body)
    canonical = json.dumps(seen[0].json, sort_keys=True, separators=(",", ":"))
    check(seen[0].body.decode() == canonical, "a body is canonical JSON", seen[0].body)

    tools = [{"type": "function", "function": {"name": "add", "parameters": {"type": "object"}}}]
    say = {"calls": [{"name": "add", "arguments": {"a": 1}}, {"name": "add", "arguments": "{broken"}]}
    plain, seen, _ = ask_one(folder, say, chat("Add.", tools=tools, tool_choice="auto"))
    streamed, also, _ = ask_one(folder, say, chat("Add.", tools=tools, tool_choice="auto", stream=True))
    expect("calls", plain, "ok", finish="tool_calls", calls=[
        {"id": "call_0", "name": "add", "args": '{"a": 1}'}, {"id": "call_1", "name": "add", "args": "{broken"}])
    check(plain == streamed, "calls that are streamed are the same", f"{plain}\n{streamed}")
    check(seen[0].json["tools"] == tools and seen[0].json["tool_choice"] == "auto", "tools go to the server")
    check(also[0].json["stream"] is True and also[0].json["stream_options"] == {"include_usage": True}, "so does stream")

    say = {"text": "Yes, \u00e4.", "logprobs": [["Yes", -0.1, {"No": -2.5, "Yes": -0.1}], [",", -1.5, {}]]}
    plain, seen, _ = ask_one(folder, say, chat("Is it?", top_logprobs=2))
    streamed, _, _ = ask_one(folder, say, chat("Is it?", top_logprobs=2, stream=True))
    expect("logprobs", plain, "ok", tokens=[{"text": "Yes", "logprob": -0.1, "top": ["Yes", "No"]},
                                            {"text": ",", "logprob": -1.5, "top": []}])
    check(plain == streamed, "logprobs that are streamed are the same", f"{plain}\n{streamed}")
    check(seen[0].json["logprobs"] is True and seen[0].json["top_logprobs"] == 2, "logprobs are asked for")

    reply, _, _ = ask_one(folder, {"text": None, "refusal": "I will not."})
    expect("a refusal of the model", reply, "ok", text="", refusal="I will not.")

    texts = ["one fish", "two fish", "red"]
    reply, seen, _ = ask_one(folder, {}, {"kind": "embeddings", "texts": texts})
    check(seen[0].path == "/v1/embeddings" and seen[0].json == {"model": "m", "input": texts}, "embeddings are asked for")
    near = all(abs(a - b) < 1e-6 for v, t in zip(reply["vectors"], texts) for a, b in zip(v, vector_of(t)))
    check(len(reply["vectors"]) == 3 and near, "embeddings by the index of their text", json.dumps(reply))
    reply, seen, _ = ask_one(folder, {}, {"kind": "rerank", "query": "red fish", "texts": texts, "top_n": 2})
    check(seen[0].json == {"model": "m", "query": "red fish", "documents": texts, "top_n": 2}, "a ranking is asked for")
    expect("a ranking", reply, "ok", ranks=[[0, 0.5], [1, 0.5]])


def formats(folder):
    wanted = {
        "schema": {"type": "json_schema", "json_schema": {"name": "answer", "schema": VERDICT, "strict": True}},
        "object_schema": {"type": "json_object", "schema": VERDICT}, "object": {"type": "json_object"}, "prompt": None}
    for name, format in wanted.items():
        reply, seen, _ = ask_one(folder, {"json": {"verdict": "yes"}}, chat("?", schema=VERDICT), format=name)
        check(seen[0].json.get("response_format") == format, f"the format {name}", seen[0].body)
        expect(f"the format {name}", reply, "ok", value={"verdict": "yes"})


def judged(folder):
    good = '{"verdict": "no", "why": "a \\"}\\" in it"}'
    for name, text in {
        "alone": good, "in a fence": f"Here it is:\n```json\n{good}\n```\nBye.", "between words": f"I say {good}, so.",
        "after thoughts": "<think>{\"verdict\": \"maybe\"} or []</think>\n" + good, "in a fence that lacks its end": f"```\n{good}",
    }.items():
        reply, seen, _ = ask_one(folder, {"text": text}, chat("?", schema=VERDICT))
        expect(f"JSON {name}", reply, "ok", value=json.loads(good), rounds=1)

    reply, seen, _ = ask_one(folder, [{"text": "I think so."}, {"json": {"verdict": "maybe", "more": 1}},
                                      {"json": {"verdict": "yes"}}], chat("?", schema=VERDICT))
    expect("at the third time", reply, "ok", value={"verdict": "yes"}, rounds=3, attempts=3)
    third = seen[-1].json["messages"]
    check([m["role"] for m in third] == ["user", "assistant", "user", "assistant", "user"], "what was said before goes along")
    check(third[1]["content"] == "I think so." and "no JSON" in third[2]["content"], "what was wrong", str(third))
    check("/verdict" in third[4]["content"] and "more" in third[4]["content"], "each violation is named", str(third[4]))
    reply, seen, _ = ask_one(folder, {"text": "{\"verdict\": "}, chat("?", schema=VERDICT), rounds=2)
    expect("never", reply, "invalid", "after 2 rounds", "no well-formed JSON", rounds=2, value=None)
    reply, _, _ = ask_one(folder, {"text": "x"}, chat("?", schema={"type": "no type"}))
    expect("a schema that is none", reply, "failed", "schema", attempts=0)
    reply, _, _ = ask_one(folder, {"calls": [{"name": "look"}]}, chat("?", schema=VERDICT))
    expect("a call before the answer", reply, "ok", value=None, rounds=1)


# --- faults ---


def faults(folder):
    then = {"text": "At last."}
    for stream in (False, True):
        request = chat("Hello?", stream=stream)
        way = "streamed" if stream else "plain"
        for name in ("reset", "close", "reset_within", "garbage", "malformed"):
            reply, seen, _ = ask_one(folder, [{"fault": name, "text": "Half of it is lost."}, then], request)
            expect(f"{name}, {way}, then well", reply, "ok", text="At last.", attempts=2)
        for status in (408, 409, 425, 429, 500, 502, 503, 504, 529):
            reply, seen, _ = ask_one(folder, [{"status": status}, {"status": status}, then], request)
            expect(f"{status}, {way}, then well", reply, "ok", text="At last.", attempts=3)
    for name in ("no_done", "cut_event", "error_event"):
        reply, _, _ = ask_one(folder, [{"fault": name, "text": "Half of it is lost."}, then], chat("?", stream=True))
        expect(f"a stream with {name}, then well", reply, "ok", text="At last.", attempts=2)
    for status in (400, 401, 403, 404, 405, 413, 422):
        reply, seen, _ = ask_one(folder, [{"status": status, "body": {"error": {"message": f"No.\x1b[31m {KEY}"}}}, then])
        expect(f"{status}", reply, "refused", str(status), "No.", attempts=1, status=status)
        check("\x1b" not in reply["error"], "a message commands no terminal", repr(reply["error"]))
    reply, _, _ = ask_one(folder, {"status": 503, "body": {"error": {"message": "too busy"}}}, attempts=3)
    expect("503 for ever", reply, "refused", "503", "too busy", "3 attempts", attempts=3)
    quota = {"status": 429, "body": {"error": {"message": "no credit", "code": "insufficient_quota"}}}
    moved = {"status": 301, "headers": {"location": "http://127.0.0.1:9/v1"}}
    expect("a redirection", ask_one(folder, moved)[0], "refused", "301", "elsewhere", attempts=1)
    expect("no credit", ask_one(folder, quota)[0], "refused", "no credit", attempts=1)
    hidden = {"body": {"error": {"message": "busy", "code": 502}}}
    expect("an error in a 200", ask_one(folder, [hidden, then])[0], "ok", attempts=2)
    expect("a stream for ever without its end", ask_one(folder, {"fault": "no_done", "text": "abc"}, chat("?", stream=True),
                                                        attempts=2)[0], "unreachable", "last event", attempts=2)
    expect("a reset for ever", ask_one(folder, {"fault": "reset"}, attempts=2)[0], "unreachable", "2 attempts")
    expect("silence", ask_one(folder, {"fault": "silent"}, attempts=2, request_ms=200)[0], "timeout", attempts=2)
    reply, _, run = ask_one(folder, {"fault": "silent"}, attempts=50, request_ms=200, total_ms=500)
    check(run.seconds < 20, "a request has a time with all its attempts", f"{run.seconds} s")
    expect("a time for all attempts", reply, "timeout")
    for name in ("held_open", "cut_behind"):
        reply, _, _ = ask_one(folder, {"fault": name, "text": "All of it."}, chat("?", stream=True), attempts=1, request_ms=2000)
        expect(f"a stream with its last event, {name}", reply, "ok", text="All of it.")
    slow = {"text": "word " * 30, "pause_s": 0.4}
    expect("pauses", ask_one(folder, slow, chat("?", stream=True), attempts=1, idle_ms=100)[0], "timeout")
    refused = Run(folder, None, [chat("?")], base_url="http://127.0.0.1:9/v1", attempts=2).one
    expect("nobody there", refused, "unreachable", "127.0.0.1:9", "2 attempts")


def hostile(folder):
    text = f"Your key is {KEY}."
    expect("a server that repeats the key", ask_one(folder, {"text": text})[0], "ok", text="Your key is " + "*" * len(KEY) + ".")
    expect("a page", ask_one(folder, {"fault": "html"})[0], "bad", "text/html", attempts=1)
    expect("a page of a gateway", ask_one(folder, {"fault": "html", "status": 502}, attempts=2)[0], "refused", "502")
    expect("a page where nothing is", ask_one(folder, {"fault": "html", "status": 404})[0], "refused", "404", attempts=1)
    expect("deep", ask_one(folder, {"fault": "deep"})[0], "bad", attempts=1)
    expect("without end", ask_one(folder, {"fault": "endless"}, reply_bytes=1_000_000)[0], "bad", attempts=1)
    expect("too long", ask_one(folder, {"text": "x" * 100_000}, reply_bytes=50_000)[0], "bad", attempts=1)
    for name, body in {"a list": "[]", "nothing": "", "a word": "null", "no choices": "{}", "choices of nothing": '{"choices":[]}',
                       "a message that is none": '{"choices":[{"message":7}]}', "bytes": "\udcff\udcfe{}", "two": "{}{}",
                       "content that is none": '{"choices":[{"message":{"content":7}}]}',
                       "calls that are none": '{"choices":[{"message":{"tool_calls":[7]}}]}',
                       "the same key twice": '{"choices":[],"choices":[]}'}.items():
        expect(f"body: {name}", ask_one(folder, {"body": body}, attempts=2)[0], "bad", attempts=2)
        streamed = {"body": f"data: {body}\n\ndata: [DONE]\n\n", "type": "text/event-stream"}
        reply = ask_one(folder, streamed, chat("?", stream=True), attempts=2)[0]
        check(reply["end"] == "bad", f"an event: {name}", json.dumps(reply))
    for index in ("-1", "128", "1e9", '"x"'):
        event = '{"choices":[{"delta":{"tool_calls":[{"index":%s,"function":{"name":"x"}}]}}]}' % index
        say = {"body": f"data: {event}\n\ndata: [DONE]\n\n", "type": "text/event-stream"}
        expect(f"a call at {index}", ask_one(folder, say, chat("?", stream=True), attempts=1)[0], "bad")
    for vectors in ([[1, 2]], [[1, 2], [1]], [[1, 2], ["x", 2]], [[1, 2], []], [[1], [1], [1]], [[1, 1e40], [1, 2]]):
        reply = ask_one(folder, {"vectors": vectors}, {"kind": "embeddings", "texts": ["a", "b"]}, attempts=1)[0]
        expect(f"vectors {vectors}", reply, "bad")
    for results in ([[0, 1], [0, 1]], [[0, 1], [2, 1]], [[0, 1], [-1, 1]], [[0, 1]], [[0, 1], [1, None]], [[0, "x"], [1, 1]],
                    [[0, 1], [1, 1], [1, 1]]):
        body = json.dumps({"results": [{"index": i, "relevance_score": s} for i, s in results]})
        reply = ask_one(folder, {"body": body}, {"kind": "rerank", "query": "q", "texts": ["a", "b"]}, attempts=1)[0]
        expect(f"ranks {results}", reply, "bad")
    for usage in (None, {}, {"prompt_tokens": -5, "completion_tokens": 1}, {"prompt_tokens": 1e300, "completion_tokens": 1}, [], 7):
        reply = ask_one(folder, {"text": "abcdefgh", "usage": usage})[0]
        check(reply["end"] == "ok" and reply["usage"]["estimated"], f"usage {usage} is estimated", json.dumps(reply))
    split = {"body": 'data: {"choices":[{"delta":\rdata: {"content":"a"}}]}\r\n\r: a comment\n\nevent: x\ndata:{"choices":[{"delta":'
                     '{"content":"b"},"finish_reason":"stop"}]}\n\ndata: [DONE]', "type": "text/event-stream"}
    expect("a stream of all line ends", ask_one(folder, split, chat("?", stream=True))[0], "ok", text="ab", finish="stop")
    whole = ask_one(folder, {"body": {"choices": [{"message": {"content": "whole"}}]}}, chat("?", stream=True))[0]
    expect("a server that does not stream", whole, "ok", text="whole")


def waits(folder):
    for after in (1, "+1"):
        reply, seen, run = ask_one(folder, [{"status": 429, "retry_after": after}, {"text": "now"}])
        gap = seen[1].at - seen[0].at
        check(reply["end"] == "ok" and gap >= 0.95, f"Retry-After {after} is waited for", f"{gap} s")
    reply, seen, run = ask_one(folder, {"status": 503, "retry_after": 100_000})
    expect("a wait that is too long", reply, "refused", "100000 s", attempts=1)
    reply, seen, run = ask_one(folder, [{"status": 503, "retry_after": "soon"}, {"text": "now"}])
    expect("a wait that is none", reply, "ok", attempts=2)
    with ScriptedModel([{"times": 1, "say": {"status": 429, "retry_after": 1}}, {"say": {"text": "now"}}]) as model:
        Run(folder, model, [chat("a"), chat("b"), chat("c")], in_flight=1)
        check(len(model.requests) == 4, "one wait", len(model.requests))


# --- many ---


def many(folder):
    script = [{"match": "7", "say": {"status": 404}}, {"ask": lambda r: {"text": r.json["messages"][-1]["content"] + "!", "wait_s": 0.02}}]
    with ScriptedModel(script) as model:
        run = Run(folder, model, [chat(f"question {i}") for i in range(60)], in_flight=6)
        check([r["text"] for r in run.replies] == ["" if "7" in str(i) else f"question {i}!" for i in range(60)],
              "replies by index, and a failure leaves the others", run.out[:500])
        check(2 <= model.most_busy <= 6, "as many at a time as were allowed", model.most_busy)
        check(model.connections <= 6, "connections are used again", model.connections)
        check(run.totals["failed"] == 6 and run.totals["made"] == run.totals["sent"], "what it took", json.dumps(run.totals))
        check(run.totals["sent"]["attempts"] == 60, "attempts", json.dumps(run.totals))


def budgets(folder):
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    questions = [chat(f"q{i}") for i in range(10)]

    def ends(budget, **more):
        with ScriptedModel([{"say": {"text": "x", "usage": usage}}]) as model:
            run = Run(folder, model, questions, budget=budget, in_flight=1, **more)
            ok = [r["end"] for r in run.replies]
            check(ok == ["ok"] * ok.count("ok") + ["spent"] * ok.count("spent"), f"{budget}: then it is spent", str(ok))
            check(all("budget" in r["error"] for r in run.replies if r["end"] == "spent"), f"{budget}: the reason")
            check(len(model.requests) == ok.count("ok"), f"{budget}: no more is asked", len(model.requests))
            return ok.count("ok"), run

    check(ends("calls=4")[0] == 4, "a budget of calls")
    check(ends("tokens=300")[0] == 3, "a budget of tokens")
    check(ends("prompt_tokens=150")[0] == 2, "a budget of prompts")
    check(ends("completion_tokens=40")[0] == 4, "a budget of completions")
    count, run = ends("money=0.0008", prompt_price=2, completion_price=10)
    check(count == 3 and abs(run.totals["sent"]["money"] - 0.0009) < 1e-12, "a budget of money", json.dumps(run.totals))
    with ScriptedModel([{"regex": "q[01]", "say": {"text": "x"}}, {"say": {"fault": "silent"}}]) as model:
        run = Run(folder, model, questions, budget="seconds=2", in_flight=2)
        check([r["end"] for r in run.replies] == ["ok"] * 2 + ["spent"] * 8, "a budget of seconds", run.out[:800])
        check(run.seconds < 20, "and it ends", run.seconds)
    with ScriptedModel([{"say": {"status": 500}}]) as model:
        run = Run(folder, model, questions[:1], budget="calls=2")
        expect("calls that are sent again count", run.one, "spent", attempts=2)
    for wrong in ("calls", "calls=0", "calls=1,calls=2", "calls=-1", "hours=3", "calls=1.5", "money=1e3", ""):
        if wrong:
            run = Run(folder, None, [], base_url="http://x/v1", budget=wrong)
            check(run.code == 2 and "budget" in run.err, f"budget {wrong}", run.err)


# --- recordings ---


def drop_reused(run):
    return [{k: v for k, v in r.items() if k != "reused"} for r in run.replies]


def recordings(folder):
    script = [{"match": "wrong", "say": {"status": 400, "body": {"error": {"message": "wrong it is"}}}},
              {"match": "judge", "say": [{"text": "hm"}, {"json": {"verdict": "yes"}}]},
              {"regex": "^This answer", "say": {"json": {"verdict": "no"}}},
              {"path": "/chat/completions", "ask": lambda r: {"text": f"{r.at}", "wait_s": 0.05}}, {"say": {}}]
    questions = [chat("a"), chat("b", stream=True), chat("a"), chat("wrong"), chat("judge", schema=VERDICT), chat("a", sample=1),
                 {"kind": "embeddings", "texts": ["x", "y z"]}, {"kind": "rerank", "query": "x", "texts": ["x", "y"]}]
    with ScriptedModel(script) as model:
        first = Run(folder, model, questions, mode="record", recording="r.jsonl", prompt_price=1)
        sent = len(model.requests)
        check([r["end"] for r in first.replies] == ["ok"] * 3 + ["refused"] + ["ok"] * 4, "recorded", first.out)
        check(first.replies[0]["text"] == first.replies[2]["text"], "the same question is asked once")
        check(first.replies[0]["text"] != first.replies[5]["text"], "another sample is another question")
        check(sent == 8, "as many requests as there are questions", sent)
        with open(os.path.join(folder.path, "r.jsonl"), encoding="utf-8") as file:
            text = file.read()
        fine = "".join(line for line in text.splitlines() if '"end":"ok"' in line)
        check(KEY not in text and model.url not in fine, "no key in it, and no address in what went well", text)
        check(len(text.splitlines()) == 8, "a line a question", text)
        second = Run(folder, model, questions, mode="record", recording="r.jsonl", prompt_price=1)
        check(drop_reused(second) == drop_reused(first), "what is there is the same again", second.out)
        check(len(model.requests) == sent + 1, "only the failure is asked again", len(model.requests) - sent)
        check(second.totals["made"] == first.totals["made"], "it took the same when it was made", f"{second.totals}\n{first.totals}")
        check(second.totals["sent"]["exchanges"] == 1, "and little of it now", json.dumps(second.totals))
        gone = len(model.requests)
        third = Run(folder, None, questions, mode="replay", recording="r.jsonl", prompt_price=1)
        fourth = Run(folder, None, questions, mode="replay", recording="r.jsonl", prompt_price=1, in_flight=1)
        check(drop_reused(third) == drop_reused(first), "replayed, it is the same", f"{third.out}\n{first.out}")
        check(third.out == fourth.out, "byte for byte, whatever is in flight")
        check(third.totals["made"] == first.totals["made"] and third.totals["sent"]["attempts"] == 0, "and costs nothing")
        check(len(model.requests) == gone, "nothing is asked")
    missing = Run(folder, None, [chat("a"), chat("never asked")], mode="replay", recording="r.jsonl").replies
    expect("what is there", missing[0], "ok")
    expect("what is not there", missing[1], "not_recorded", missing[1]["hash"], "r.jsonl")
    broken_recordings(folder, text, questions, first)


def broken_recordings(folder, text, questions, first):
    lines = sorted(text.splitlines(keepends=True), key=lambda line: '"kind":"rerank"' in line)
    text = "".join(lines)  # they came in any order
    folder.write("cut.jsonl", "".join(lines[:-1]) + lines[-1][: len(lines[-1]) // 2])
    run = Run(folder, None, questions, mode="replay", recording="cut.jsonl")
    check([r["end"] for r in run.replies].count("not_recorded") == 1, "a last line that is cut is none", run.out + run.err)
    with ScriptedModel([{"match": "wrong", "say": {"status": 400}}, {"path": "/chat/completions", "say": {"text": "late"}},
                        {"say": {}}]) as model:
        run = Run(folder, model, questions, mode="record", recording="cut.jsonl")
        check(run.code == 0 and len(model.requests) == 2, "what is lost, and what failed, is asked again", run.err)
    run = Run(folder, None, questions, mode="replay", recording="cut.jsonl")
    check("not_recorded" not in run.out, "and is there", run.out)
    folder.write("no-end.jsonl", text.rstrip("\n"))
    run = Run(folder, None, questions, mode="replay", recording="no-end.jsonl")
    check("not_recorded" not in run.out, "a last line without a line end is one", run.out)
    with ScriptedModel([{"say": {"text": "new"}}]) as model:
        Run(folder, model, [chat("something new")], mode="record", recording="no-end.jsonl")
    run = Run(folder, None, [*questions, chat("something new")], mode="replay", recording="no-end.jsonl")
    check(run.code == 0 and "not_recorded" not in run.out, "and another is appended behind it", run.err + run.out)
    for name, content, word in (("middle", lines[0][:50] + "\n" + lines[1], "middle.jsonl"), ("strange", "{}\n", "hash"),
                                ("binary", b"\x00\xff\n", "recording")):
        folder.write(f"{name}.jsonl", content)
        run = Run(folder, None, questions, mode="replay", recording=f"{name}.jsonl")
        check(run.code == 2 and word in run.err, f"a recording that is {name}", run.err)
    for old, new in ((b'"content":"a"', b'"content":"z"'), (b'"response":{', b'"reply":{'), (b'"status":200', b'"status":-1')):
        folder.write("changed.jsonl", text.encode().replace(old, new))
        run = Run(folder, None, questions[:1], mode="replay", recording="changed.jsonl")
        expect(f"a line that was changed: {new}", run.one, "failed", "changed")
    run = Run(folder, None, questions, mode="replay", recording="none.jsonl")
    check(run.code == 2 and "none.jsonl" in run.err, "a recording that is not there", run.err)
    run = Run(folder, None, questions, mode="record", recording="/dev/full", base_url="http://127.0.0.1:9/v1")
    check(run.code == 2, "a recording that is a device", run.err)


def together(folder):
    """Two processes record into one file, line by line."""
    with ScriptedModel([{"ask": lambda r: {"text": "x" * 20_000}}]) as model:
        config = json.dumps({**FAST, "base_url": model.url, "mode": "record", "recording": "both.jsonl"})
        asked = [[chat(f"{who} {i}") for i in range(40)] for who in "ab"]
        running = [subprocess.Popen([ASK, config], cwd=folder.path, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                    env=folder.environment) for _ in asked]
        for process, questions in zip(running, asked):
            process.stdin.write("".join(json.dumps(q) + "\n" for q in questions).encode())
            process.stdin.close()
        check([p.wait(120) for p in running] == [0, 0], "two record at the same time")
    run = Run(folder, None, asked[0] + asked[1], mode="replay", recording="both.jsonl")
    check(all(r["end"] == "ok" for r in run.replies), "and both are there", run.err + run.out[:300])


def configurations(folder):
    for options, words in (({"base_url": "ftp://x"}, "http://"), ({"base_url": ""}, "http://"), ({"base_url": "http://u:p@x/v1"}, "password"),
                           ({"mode": "record"}, "named"), ({"in_flight": 1000}, "256"), ({"budget": "money=1"}, "prices")):
        run = Run(folder, None, [], **{"base_url": "http://x/v1", **options})
        check(run.code == 2 and words in run.err, f"{options}", run.err)
    environment = {**folder.environment, "MODEL_KEY": "sk-a\r\nX-Evil: 1"}
    ended = subprocess.run([ASK, json.dumps({**FAST, "base_url": "http://x/v1"})], input=b"", capture_output=True, env=environment)
    check(ended.returncode == 2 and b"Evil" not in ended.stderr, "a key that would be another header", ended.stderr)
    with ScriptedModel([{"say": {"text": "x"}}]) as model:
        Run(folder, model, [chat("?")], base_url=model.url + "/?api-version=1")
        check(model.requests[0].path == "/v1/chat/completions?api-version=1", "an address with a query", model.requests[0].path)
    for request, words in ((chat("?", top_logprobs=21), "20"), ({"messages": []}, "messages"), ({"kind": "rerank"}, "texts"),
                           (chat("?", more=[]), "object")):
        run = Run(folder, None, [request], base_url="http://127.0.0.1:9/v1")
        expect(f"a request that is none: {request}", run.one, "failed", words, attempts=0)


with Folder() as here:
    for part in (requests_and_replies, formats, judged, faults, hostile, waits, many, budgets, recordings, together, configurations):
        if len(sys.argv) < 2 or part.__name__ in sys.argv[1:]:
            part(here)
done()
