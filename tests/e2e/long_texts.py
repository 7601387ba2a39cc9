"""Every verb with ids, keys, names, texts and file names of every length.

0 to 600 bytes, and those about the sizes of pages, of 16 bits, and beyond. A process a length would
take too long, so one run takes a file with all lengths wherever a verb can; only what there is once in
a run (the path of a pack, a state, a schema) has a run for each of some lengths. No run may end by a
signal, by a sanitizer or with exit code 3, and none may print a control character. LG_SLOW=1: more of the lengths that
have a run each.
"""

import json
import os
import re
import subprocess

import _run
from _run import check

LONG = (4095, 4096, 4097, 65535, 65536, 70000)
LENGTHS = (*range(601), *LONG)
FEW = (0, 1, 2, 31, 63, 64, 127, 128, 199, 200, 201, *range(250, 260), *range(508, 516), 599, 600, *LONG)
# A process a length and option costs more than all else: of those, the sizes of buffers and their neighbours.
ONCE = FEW if os.environ.get("LG_SLOW") else (0, 1, 63, 64, 128, 200, 201, 255, 256, 257, 511, 512, 513, 600, 4096, 65536, 70000)
HOSTILE = '"\\\x1b[31m\n~/\x7f\x9b\u20ac%s'
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def plain(size):
    return "x" * size


def hostile(size):
    """Exactly `size` bytes of UTF-8."""
    unit = len(HOSTILE.encode())
    return "a" * (size % unit) + HOSTILE * (size // unit)


FILLS = ((plain, LENGTHS), (hostile, FEW))


def lines(values):
    return "".join(json.dumps(v, ensure_ascii=False) + "\n" for v in values)


def run(folder, codes, *args, is_json=False, timeout=300):
    """One run; returns its standard output."""
    code, out, err = folder.run(*args, timeout=timeout)
    name = " ".join(a if len(a) < 60 else a[:40] + f"... ({len(a)})" for a in args)
    check(code in codes, f"{name}: exit code {codes}", f"got {code}\n{err[:3000]}")
    check(not CONTROL.search(out), f"{name}: no control characters", repr(CONTROL.search(out)))
    if is_json and code in (0, 1):
        for line in out.splitlines():
            json.loads(line)
    return out


# --- Conversations --------------------------------------------------------------------------------

PACK = """pack: desk
version: '1'
clock: 2024-05-15T15:00:00Z
state: {orders.*: {type: object}}
ledger: {orders.*: {type: object}, notes.*: {type: string}}
tools:
  get:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
    returns: {type: object}
    gives: state.orders[args.id]
    stores: [{at: 'orders[args.id]'}]
  note:
    kind: read
    parameters: {type: object, properties: {id: {type: string}}, required: [id]}
    returns: text
    answer: '{args.id}'
    stores: [{at: 'notes[args.id]'}]
  pay:
    kind: write
    parameters: {type: object, properties: {id: {type: string}, to: {type: string}}, required: [id]}
    effects:
      - {fail: 'Error: no {args.id}', when: "!(args.id in state.orders)"}
      - {set: 'orders[args.id].name', to: args.to}
rules:
  known:
    tools: [pay]
    that: ledger.orders[args.id].name == args.to
    needs: ['ledger.orders[args.id]']
    say: 'order {args.id} is {ledger.orders[args.id]}'
  noted:
    tools: [pay]
    that: ledger.notes[args.id] == args.to
    needs: ['ledger.notes[args.id]']
    stale: reread
    otherwise: block
    say: '{ledger.notes[args.id]}'
conversation:
  rules:
    once: {never: {from: {result: pay, key: args.id}, to: {call: pay, key: args.id}}}
    then: {after: {result: get, key: args.id}, must: {result: pay, key: args.id}, say: 'pay {key}'}
    short: {that: 'message.size() < 300', at: {message: agent}, say: '{message}'}
"""


def call(index, name, arguments):
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": f"c{index}", "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def recording(text, index):
    order = json.dumps({"name": "n", text: text})
    steps = [
        ("pay", {"id": text}, "Error: " + text), ("get", {"id": text, text: text}, order),
        ("note", {"id": text}, text), ("pay", {"id": text, "to": text}, text),
        ("pay", {"id": text, "to": text, text: text}, text), (text or "none", {text: text}, text),
        ("get", {"id": text}, text),
    ]
    messages = [{"role": "user", "content": text}, {"role": "assistant", "content": text}]
    for i, (name, arguments, result) in enumerate(steps):
        messages += [call(i, name, arguments), {"role": "tool", "tool_call_id": f"c{i}", "content": result}]
    return {"id": f"{index}-{text}", "task_id": text, "model": text, "messages": messages}


def conversations(folder):
    folder.write("pack.yaml", PACK)
    for fill, lengths in FILLS:
        folder.write("all.jsonl", lines(recording(fill(n), n) for n in lengths))
        replay = ("replay", "--pack", "pack.yaml", "all.jsonl")
        out = run(folder, (1,), *replay)
        check(out.count("blocked") > 0, "the conversations are judged")
        if fill is plain:
            for n in (255, 256, 257, 600, 65536):
                check(f"ledger.orders.{fill(n)}.name = " in out, f"an id of {n} bytes is shown in full")
        run(folder, (1,), *replay, "--reads", "--ledger")
        out = run(folder, (1,), *replay, "--json", is_json=True)
        judged = {json.loads(line).get("trace") for line in out.splitlines()}
        check(len(judged) >= len(lengths), "every conversation is judged", len(judged))
        run(folder, (0,), "show", "--events", "all.jsonl")
        run(folder, (0,), "show", "all.jsonl")
        run(folder, (0,), "show", "--events", "--json", "all.jsonl", is_json=True)


def gold(text, index):
    calls = [
        {"name": "get", "arguments": {"id": text}, "requestor": "assistant", "write": False, "kind": "read",
         "inserted": False, "result": json.dumps({"name": text}), "error": False},
        {"name": "pay", "arguments": {"id": text, "to": text}, "requestor": "assistant", "write": True,
         "kind": "write", "inserted": False, "result": text, "error": False},
    ]
    return {"domain": "desk", "task_id": f"{index}{text}", "calls": calls, "changed": {text: text}}


def probes_and_states(folder):
    folder.write("pack.yaml", PACK)
    for fill, lengths in FILLS:
        texts = [fill(n) for n in lengths]
        folder.write("gold.jsonl", lines(gold(t, i) for i, t in enumerate(texts)))
        folder.write("probes.jsonl", lines(
            {"task_id": f"{i}{t}", "position": 1, "call": {"name": "pay", "arguments": {"id": t, t: t}},
             "expected_predicate": t, "expected_verdict": "allow", "mutation": t}
            for i, t in enumerate(texts)))
        probe = ("replay", "--pack", "pack.yaml", "--probe", "probes.jsonl", "gold.jsonl", "--all")
        run(folder, (1,), *probe)
        run(folder, (1,), *probe, "--json", is_json=True)
        folder.write("state.json", json.dumps({"orders": {t: {"name": t, t: t} for t in texts}}))
        folder.write("calls.jsonl", lines(
            {"name": name, "arguments": {"id": t, "to": t}, "requestor": "assistant"}
            for t in texts for name in ("get", "pay", "note", t or "none")))
        apply = ("apply", "--pack", "pack.yaml", "--state", "state.json")
        run(folder, (0,), *apply, "calls.jsonl", "--out", "after.json")
        run(folder, (0,), *apply, "calls.jsonl", "--json", is_json=True)
        run(folder, (1,), *apply, "--check", "gold.jsonl")
        run(folder, (1,), *apply, "--check", "gold.jsonl", "--json", is_json=True)
        run(folder, (0,), "check", "pack.yaml", "--state", "after.json")
        # A number as the id of a task has as many digits as it likes.
        folder.write("tasks.jsonl", "".join('{"task_id": %s, "orders": {}}\n' % ("1" * n) for n in lengths if n))
        run(folder, (2,), *apply[:4], "tasks.jsonl", "calls.jsonl", "--task", "1" * 600 + "2")
        for i in range(0, len(texts), 40):  # as many as are told at once
            folder.write("bad.json", json.dumps({"orders": {t: t for t in texts[i : i + 40]}}))
            run(folder, (2,), "check", "pack.yaml", "--state", "bad.json")


# --- Packs ----------------------------------------------------------------------------------------


def pack_of_names(names):
    """A pack in which names of every length are those of tools, arguments, places and rules."""
    tools = {}
    for n in names:
        schema = {"type": "object", "properties": {n: {"type": "string"}}}
        tools[n] = {"kind": "write", "description": n, "parameters": schema, "effects": []}
        tools[n + "r"] = {"kind": "read", "parameters": schema, "returns": {"type": "object"},
                          "stores": [{"at": f"{n}[args.{n}]"}]}
    rules = {n: {"tools": [n], "that": f"args.{n} != '{n}'", "say": n, "because": n} for n in names}
    return {"pack": names[-1], "version": names[-1], "description": names[-1],
            "ledger": {n + ".*": {"type": "object"} for n in names}, "tools": tools, "rules": rules}


def names_of_packs(folder):
    # Not one name for both kinds of tool; an expression has at most 64 KiB.
    names = ["a" * n for n in LENGTHS if 0 < n < 30000]
    folder.write("names.yaml", json.dumps(pack_of_names(names)))
    run(folder, (0,), "check", "names.yaml")
    run(folder, (0,), "check", "names.yaml", "--json", is_json=True)
    out = run(folder, (0,), "show", "names.yaml")
    check("a" * 4097 in out, "a long name is shown")
    run(folder, (0,), "show", "names.yaml", "--json", is_json=True)
    for fill in (plain, hostile):
        for i in range(0, len(LENGTHS), 40):
            some = [fill(n) for n in LENGTHS[i : i + 40]]
            tools = {t + "!": {"kind": t, t: t} for t in some}
            bad = {"pack": "p", "version": "1", "tools": tools, "ledger": {t + ".*": t for t in some if t}}
            folder.write("bad.json", json.dumps(bad))
            run(folder, (2,), "check", "bad.json")
            run(folder, (2,), "check", "bad.json", "--json")


def text_pack(texts):
    """Tools whose rules work with texts of these lengths, and one that nothing allows."""
    tools, rules = {}, {}
    for t in texts:
        name = f"t{len(t)}"
        tools[name] = {"kind": "write", "effects": [], "parameters": {
            "type": "object", "properties": {"k": {"type": "string"}, "j": {"type": "string"}}, "required": ["k"]}}
        rules[name] = {"tools": [name], "that": f"(args.k + '{t}').startsWith('{t}')", "say": t}
    tools["never"] = {"kind": "write", "parameters": {"type": "object"}}
    rules["never"] = {"tools": ["never"], "that": "false", "say": texts[-1]}
    return {"pack": "p", "version": "1", "ledger": {"s": {"type": "string"}}, "tools": tools, "rules": rules}


def cut_names(folder):
    """Texts that differ behind what a name may hold are two texts: what rests on one is not proved."""
    pack = {"pack": "p", "version": "1", "ledger": {"s": {"type": "string"}}, "state": {"bad": {"type": "boolean"}},
            "invariants": [{"id": "ok", "that": "!state.bad"}]}
    for n in FEW:
        if n < 30000:
            rule = f"!('{plain(n)}p' + args.q).contains('q')"
            when = f"('{plain(n)}q' + args.q).contains('q')"
            schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
            pack["tools"] = {"act": {"kind": "write", "parameters": schema,
                                     "effects": [{"set": "bad", "to": "true", "when": when}]}}
            pack["rules"] = {"r": {"tools": ["act"], "that": rule, "otherwise": "block", "say": "no"}}
            folder.write("cut.json", json.dumps(pack))
            out = run(folder, (0, 1), "prove", "--no-cache", "cut.json", "--only", "preserves")
            check(not re.search("preserves +proved", out), f"constants of {n} bytes: not proved", out[:600])


def proofs(folder):
    texts = [plain(n) for n in FEW if n < 30000]
    folder.write("old.json", json.dumps(text_pack(texts)))
    folder.write("new.json", json.dumps(text_pack([t + "y" for t in texts])))
    folder.write("named.json", json.dumps(pack_of_names(["a" * n for n in FEW if 0 < n < 30000])))
    for pack in ("old.json", "named.json"):
        run(folder, (0, 1), "prove", "--no-cache", pack, "--examples")
        run(folder, (0, 1), "prove", "--no-cache", pack, "--json", is_json=True)
        run(folder, (0, 1), "prove", "--no-cache", pack, "--sarif")
        run(folder, (0, 1), "prove", "--no-cache", "--explain", pack)
        run(folder, (0, 1), "prove", "--no-cache", "--explain", pack, "--json", is_json=True)
    run(folder, (0, 1), "prove", "--no-cache", "--diff", "old.json", "new.json")
    run(folder, (0, 1), "prove", "--no-cache", "--diff", "old.json", "named.json", "--json", is_json=True)
    run(folder, (0, 1), "prove", "--no-cache", "--diff", "old.json", "named.json", "--sarif")


def statistics(folder):
    """Results of an audit with names of every length."""
    for fill, lengths in FILLS:
        some = [fill(n) for n in lengths if n < 5000]
        results = [{"id": t + "i", "task": t, "domain": t, "model": t, "customer": t, "reward": i % 2, "checks": {t: 1},
                    "scores": {"outcome": 0.5}, "class": t, "findings": [{"kind": t + "k", "severity": "minor"}]}
                   for i, t in enumerate(some)]
        folder.write("results.jsonl", lines(results))
        folder.write("named.jsonl", lines({"id": t, "scores": {}, "evaluators": [{"name": t + "e", "score": 1}]} for t in some[-28:]))
        for name in ("results.jsonl", "named.jsonl"):
            run(folder, (0,), "stats", "--runs", "--compare", name, name)
            run(folder, (0,), "stats", "--runs", "--compare", name, name, "--json", is_json=True)


def logs(folder):
    """Conversations of texts of every length in a log, and options of the verb likewise."""
    folder.write("pack.yaml", PACK)
    for fill, lengths in FILLS:
        name = f"{fill.__name__}.db"
        folder.write("long.jsonl", lines(recording(fill(n), n) for n in lengths))
        done = subprocess.run([os.environ["LEDGERGATE_RECORD"], "pack.yaml", name, "long.jsonl"], cwd=folder.path,
                              capture_output=True, text=True, timeout=300)
        check(done.returncode == 0, f"{name}: recorded", done.stderr)
        run(folder, (0,), "log", "verify", "--store", name, "--re-execute")
        run(folder, (0,), "log", "verify", "--store", name, "--re-execute", "--json", is_json=True)
        run(folder, (0,), "log", "show", "--all", "--store", name)
        run(folder, (0,), "log", "export", "--store", name)
        shown = run(folder, (0,), "log", "show", "--store", name, "--json", is_json=True).splitlines()
        for line in shown[:: max(1, len(shown) // 20)]:
            run(folder, (0,), "log", "explain", json.loads(line)["id"], "--store", name)
        run(folder, (0,), "log", "redact", json.loads(shown[-1])["id"], "--why", fill(600), "--store", name)
        run(folder, (0,), "log", "prune", "--before", "2100-01-01T00:00:00Z", "--force", "--why", fill(4097), "--store", name)
        run(folder, (0,), "log", "verify", "--store", name, "--re-execute")
    for n in ONCE:
        text = plain(n)
        run(folder, (2,), "log", text)
        run(folder, (2,), "log", "explain", text, "--store", "plain.db")
        run(folder, (2,), "log", "redact", "--conversation", text, "--store", "plain.db")
        for option in ("--head", "--public-key", "--key"):
            run(folder, (2,), "log", "verify", option, text, "--store", "plain.db")
        run(folder, (2,), "log", "show", "--store", text)
        run(folder, (2,), "log", "show", "--from", text, "--store", "plain.db")


def configurations(folder):
    """Texts of every length in each place of a gateway's configuration."""
    for fill, lengths in FILLS:
        for n in lengths[:: max(1, len(lengths) // 5)]:
            t = fill(n)
            upstream = {"url": f"http://x/{t}", "headers": {t: t}, "key": "${%s}" % t}
            route = {"path": "/" + t, "upstream": upstream, "pack": t, "mode": t, "shadow_rules": [t], "pass": [t], t: t}
            whole = {"listen": t, "routes": [route, route], "tokens": [{"name": t, "hash": t}], "hosts": [t], "store": t,
                     "timeouts": {"stop": t}, "limits": {"body_bytes": t}, t: t}
            folder.write("long.yaml", json.dumps(whole, ensure_ascii=False))
            run(folder, (2,), "serve", "--check", "--config", "long.yaml")
            run(folder, (2,), "doctor", "--config", "long.yaml")
    folder.write("fine.yaml", json.dumps({"routes": [{"path": "/v1", "upstream": {"url": "http://127.0.0.1:1"}}]}))
    for n in ONCE:
        text = plain(n)
        run(folder, (2,), "serve", text)
        run(folder, (2, 3), "serve", "--check", "--config", text)
        run(folder, (0, 2), "serve", "--check", "--upstream", "http://x/" + text[:60000], "--path", "/" + text[:60000])
        run(folder, (1, 2), "doctor", "--probe", "--config", "fine.yaml", "--url", "http://127.0.0.1:1/" + text[:60000])


def simulators(folder):
    """Texts of many lengths as what the simulator is given: none of them is served."""
    folder.write("fine.json", json.dumps([{"name": "t", "description": "T.", "parameters": {"type": "object"}}]))
    for n in ONCE[::3]:
        text = plain(n)
        run(folder, (2,), "simulate", text)
        run(folder, (2,), "simulate", "--pack", text)
        run(folder, (2,), "simulate", "--recorded", text)
        run(folder, (2,), "simulate", "--record", text, "--to", text)
        for option in ("--listen", "--token", "--seed", "--memory", "--latency", "--fault-rate", "--fault-status", "--state"):
            run(folder, (2, 3), "simulate", "fine.json", option, text)


# --- Tools, schemas, expressions ------------------------------------------------------------------


def catalogues(folder):
    for fill, lengths in FILLS:
        tools = []
        for n in lengths:
            t = fill(n)
            schema = {"type": "object", "properties": {t: {"type": t, "description": t, "default": t, "enum": [t]}},
                      "required": [t, t + "?"], "$ref": "#/" + t}
            tools.append({"name": t, "description": t, "inputSchema": schema})
        folder.write("tools.json", json.dumps({"tools": tools}))
        for options in ((), ("--findings",)):
            run(folder, (1,), "tools", "tools.json", *options)
        run(folder, (1,), "tools", "tools.json", "--json", is_json=True)


def schemas(folder):
    for fill, lengths in FILLS:
        texts = [fill(n) for n in lengths]
        schema = {"properties": {t: {"enum": [t], "title": t} for t in texts}, "additionalProperties": False,
                  "patternProperties": {"^z+$": {"pattern": "^y{3}$", "maxLength": 3}}}
        folder.write("s.json", json.dumps(schema))
        folder.write("d.jsonl", lines({t: t + "!", t + "?": t, "z" * (len(t) + 1): t} for t in texts))
        run(folder, (1,), "validate", "--schema", "s.json", "d.jsonl")
        run(folder, (1,), "validate", "--schema", "s.json", "d.jsonl", "--json", is_json=True)
        for t in texts[:: 20 if fill is plain else 3]:
            folder.write("bad.json", json.dumps({t: t, "type": t, "pattern": "(" + t, "$ref": t, "properties": {t: t}}))
            run(folder, (2,), "validate", "--schema", "bad.json", "d.jsonl")


def expressions(folder):
    folder.write("b.json", json.dumps({"m": {plain(n): n for n in LENGTHS}, "h": {hostile(n): hostile(n) for n in FEW}}))
    run(folder, (0,), "cel", "[m.map(k, k), h.map(k, h[k])]", "--bind", "b.json")
    run(folder, (0,), "cel", "[m.map(k, k), h.map(k, h[k])]", "--bind", "b.json", "--json", is_json=True)
    chunk, size = [], 0
    for n in LENGTHS:
        chunk.append(n)
        size += n + 4
        if size > 40000 or n == LENGTHS[-1]:
            short = size < 65536
            text = ", ".join(f"'{plain(k)}'" for k in chunk)
            for options in ((), ("--json",)):
                run(folder, (0,) if short else (2,), "cel", f"[{text}]", *options)
                run(folder, (2,), "cel", text.replace("'", ""), *options)  # names
            chunk, size = [], 0
    for n in FEW:
        run(folder, (0, 1, 2), "cel", f"m['{plain(n // 2)}!'] + {'1' * (n // 2 + 1)}", "--bind", "b.json")


# --- Files ----------------------------------------------------------------------------------------


def path_of(name, size):
    """A path of `size` bytes to the file `name`, as far as that is possible."""
    rest = max(0, size - len(name))
    return "./" * (rest // 2) + name if rest % 2 == 0 else "./" * (rest // 2 - 1) + ".//" * (rest > 2) + name


def names_of_files(folder):
    folder.write("pack.yaml", PACK)
    one = lines([recording("x", 0)])
    for fill, sizes in ((plain, range(1, 250)), (hostile, (1, 2, 20, 100, 200, 249))):
        names = [f"{fill.__name__}/{fill(n).replace('/', '-')}.json" for n in sizes]
        for name in names:
            folder.write(name, one)
        for verb in (("replay", "--pack", "pack.yaml"), ("show",)):
            run(folder, (0, 1), *verb, fill.__name__)
            run(folder, (0, 1), *verb, *names)
            run(folder, (0, 1), *verb, *names, "--json", is_json=True)
        for verb in (("tools",), ("validate", "--schema", names[0])):
            run(folder, (0, 1, 2), *verb, *names)
    for n in FEW:
        run(folder, (2,), "show", plain(n) or "")


def long_paths(folder):
    folder.write("pack.yaml", PACK)
    folder.write("x.json", lines([recording("x", 0)]))
    folder.write("s.json", json.dumps({"orders": {"x": {}}}))
    folder.write("c.jsonl", lines([{"name": "get", "arguments": {"id": "x"}}]))
    folder.write("t.json", json.dumps({"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}))
    for n in (255, 256, 257, 4090, 4095, 4096, 4097, 65535, 65536, 70000):
        pack, state, calls = (path_of(f, n) for f in ("pack.yaml", "s.json", "c.jsonl"))
        codes = (0, 1) if n < 4096 else (2,)
        run(folder, codes, "check", pack, "--json")
        run(folder, codes, "replay", "--pack", pack, "x.json")
        run(folder, codes, "apply", "--pack", "pack.yaml", "--state", state, calls)
        run(folder, (0, 2, 3), "apply", "--pack", "pack.yaml", "--state", "s.json", "c.jsonl", "--out", path_of("o", n))
        run(folder, codes, "validate", "--schema", state, calls)
        run(folder, codes, "cel", "orders", "--bind", state)
        run(folder, codes, "tools", path_of("t.json", n))
        run(folder, (0, 1, 2), "prove", pack, "--sarif", "--cache", path_of("cache", n), "--timeout", "1")
        run(folder, (2,), plain(n))
        run(folder, (2,), "check", "--" + plain(n))
        run(folder, (2,), "replay", "--pack", "pack.yaml", "--format", plain(n), "x.json")
        run(folder, (2,), "prove", "pack.yaml", "--only", plain(n), "--tool", plain(n))


with _run.Folder() as temporary:
    for test in (conversations, probes_and_states, names_of_packs, cut_names, proofs, logs, statistics, configurations, simulators,
                 catalogues, schemas, expressions, names_of_files, long_paths):
        test(temporary)
_run.done()
