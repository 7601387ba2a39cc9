#!/usr/bin/env python3
"""Makes the inputs that LedgerGate and its peers are all measured on, out of the shared data.

    make_inputs.py DATA TO

TO/json.json    texts to parse: [{"name", "text"}]
TO/trace.json   50 MB of recorded conversations in one array
TO/schema.json  sets of schemas and texts to validate: [{"name", "schemas", "instances": [{"schema",
                "text"}]}]; all instances are valid

The texts are strings in a file, so that every program parses the very same bytes.
"""
import json
import pathlib
import sys

DOMAINS = ("airline", "retail", "telecom", "telehealth")
TRACE_BYTES = 50_000_000


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def orders(data):
    return list(json.loads((data / "tau2/retail/db.json").read_text())["orders"].values())


def json_texts(data):
    """Two messages of 2 KB: an order inside as JSON, and the same as a string full of escapes."""
    def message(order, content):
        return {"role": "tool", "tool_call_id": "call_1", "name": "get_order_details",
                "requestor": "assistant", "error": False, "turn_idx": 7, "cost": 0.00225,
                "content": content(order)}
    def nearest(content):
        texts = [json.dumps(message(o, content)) for o in two]
        return min(texts, key=lambda text: abs(len(text.encode()) - 2048))
    all_orders = orders(data)
    two = [[a, b] for a, b in zip(all_orders, all_orders[1:])]
    return [{"name": "message of 2 KB", "text": nearest(lambda o: o)},
            {"name": "message of 2 KB, escaped", "text": nearest(json.dumps)}]


def trace_texts(data):
    """The text of every recording, as it stands in its file."""
    for path in sorted((data / "traces").rglob("*.json*")):
        text = path.read_text()
        yield from [text] if path.suffix == ".json" else filter(None, text.splitlines())


def write_trace(data, path):
    texts = list(trace_texts(data))
    size = 0
    with open(path, "w") as file:
        file.write("[")
        while size < TRACE_BYTES:
            for text in texts:
                file.write(",\n" if size else "")
                size += file.write(text)
                if size >= TRACE_BYTES:
                    break
        file.write("]\n")


def parameters(tool):
    return tool.get("function", tool)["parameters"]


def tool_calls(data):
    """The schemas of each domain's tools and the arguments of all its gold calls."""
    schemas, instances = [], []
    for domain in DOMAINS:
        names = {}
        for tool in json.loads((data / f"tau2/{domain}/tools.json").read_text()):
            names[tool.get("function", tool)["name"]] = len(schemas)
            schemas.append(parameters(tool))
        for trace in lines(data / f"tau2/{domain}/gold_traces.jsonl"):
            for call in trace["calls"]:
                if call["name"] in names and not call.get("error"):
                    instances.append({"schema": names[call["name"]],
                                      "text": json.dumps(call["arguments"])})
    return {"name": "tool calls", "schemas": schemas, "instances": instances}


def retail_orders(data, count):
    """The first orders of the database: a hundred of them, once parsed, fit a second-level cache."""
    schema = json.loads((pathlib.Path(__file__).parent / "retail_order.json").read_text())
    return {"name": f"{count} retail orders", "schemas": [schema],
            "instances": [{"schema": 0, "text": json.dumps(o)} for o in orders(data)[:count]]}


def server_tools(data):
    """The tools of public servers: only compiled, since there are no calls of them."""
    schemas = []
    for path in sorted((data / "mcp/tools-list").glob("*.json")):
        tools = json.loads(path.read_text())
        for tool in tools.get("tools", []) if isinstance(tools, dict) else []:
            if isinstance(tool.get("inputSchema"), dict):
                schemas.append(tool["inputSchema"])
    return {"name": "tools of public servers", "schemas": schemas, "instances": []}


def main():
    data, to = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    to.mkdir(parents=True, exist_ok=True)
    (to / "json.json").write_text(json.dumps(json_texts(data)))
    sets = [tool_calls(data), retail_orders(data, 100), retail_orders(data, 1000), server_tools(data)]
    (to / "schema.json").write_text(json.dumps(sets))
    write_trace(data, to / "trace.json")


if __name__ == "__main__":
    main()
