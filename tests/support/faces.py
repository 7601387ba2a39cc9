"""The three protocols of model APIs, from the outside: what clients send and what an upstream answers.

A conversation is a list of neutral messages:

    {"role": "system" | "user", "text": ...}
    {"role": "assistant", "text": ..., "calls": [(id, tool, arguments as text)]}
    {"role": "tool", "results": [(id, text, failed)]}

    face = FACES["completions"]           # or "responses", "messages"
    body = face.request(conversation, tools, model="m", stream=True)
    reply = face.reply("id", text, calls) # what an upstream answers, unstreamed
    sse = face.stream(reply)              # the same as the vendors stream it
    assert face.assemble(sse) == reply    # what a client makes of a stream
    face.said(reply), face.calls(reply), face.recording(body, reply)

Written from the vendors' documents, sharing no code with the program: it checks it.
"""

import json

STEP = 24  # bytes of one delta


def dump(value):
    return json.dumps(value, ensure_ascii=False)


def steps(text):
    return [text[i:i + STEP] for i in range(0, len(text), STEP)]


def events_of(sse):
    """(event, data) of a stream. What no blank line ends is no event."""
    frames = sse.replace(b"\r\n", b"\n").split(b"\n\n")[:-1]
    for frame in b"\n\n".join(frames).decode().split("\n\n"):
        name, data = None, []
        for line in frame.split("\n"):
            if line.startswith("event:"):
                name = line[6:].strip()
            elif line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
        if data:
            yield name, "\n".join(data)


class Cut(Exception):
    """The stream has no last event, or it tells an error."""


class Invalid(Exception):
    """A request that the vendor's API answers with 400."""


def must(ok, sentence):
    if not ok:
        raise Invalid(sentence)


class Face:
    name, path = None, None

    def headers(self):
        return {"content-type": "application/json", "authorization": "Bearer scripted"}


# --- OpenAI: chat completions ---------------------------------------------------------------------

class Completions(Face):
    name, path = "completions", "/chat/completions"

    def request(self, conversation, tools=(), **fields):
        messages = []
        for message in conversation:
            if message["role"] == "assistant":
                messages.append(self.message(message.get("text"), message.get("calls", ())))
            elif message["role"] == "tool":
                messages += [{"role": "tool", "tool_call_id": i, "content": text} for i, text, _ in message["results"]]
            else:
                messages.append({"role": message["role"], "content": message["text"]})
        if fields.get("stream"):
            fields.setdefault("stream_options", {"include_usage": True})
        listed = [{"type": "function", "function": tool} for tool in tools]
        return {**fields, **({"tools": listed} if listed else {}), "messages": messages}

    @staticmethod
    def message(text, calls):
        message = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [{"id": i, "type": "function", "function": {"name": tool, "arguments": args}}
                                     for i, tool, args in calls]
        return message

    def reply(self, name, text, calls=(), model="scripted"):
        return {"id": f"chatcmpl-{name}", "object": "chat.completion", "created": 1760000000, "model": model,
                "choices": [{"index": 0, "message": self.message(text, calls),
                             "finish_reason": "tool_calls" if calls else "stop"}],
                "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}

    def stream(self, reply):
        message, reason = reply["choices"][0]["message"], reply["choices"][0]["finish_reason"]
        deltas = [({"role": "assistant", "content": "" if message["content"] else None}, None)]
        deltas += [({"content": piece}, None) for piece in steps(message["content"] or "")]
        for index, call in enumerate(message.get("tool_calls", ())):
            head = {"index": index, "id": call["id"], "type": "function",
                    "function": {"name": call["function"]["name"], "arguments": ""}}
            deltas.append(({"tool_calls": [head]}, None))
            deltas += [({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}, None)
                       for piece in steps(call["function"]["arguments"])]
        deltas.append(({}, reason))
        about = {"id": reply["id"], "object": "chat.completion.chunk", "created": reply["created"],
                 "model": reply["model"]}
        chunks = [{**about, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in deltas]
        chunks.append({**about, "choices": [], "usage": reply["usage"]})
        return "".join(f"data: {dump(chunk)}\n\n" for chunk in chunks).encode() + b"data: [DONE]\n\n"

    def assemble(self, sse):
        reply, done, roles = None, False, 0
        message, calls, reason = {"role": "assistant", "content": None}, {}, None
        for _, data in events_of(sse):
            if data == "[DONE]":
                done = True
                continue
            chunk = json.loads(data)
            if "error" in chunk or done:
                raise Cut(data)
            reply = reply or {key: chunk[key] for key in ("id", "object", "created", "model")}
            if chunk["id"] != reply["id"]:
                raise Cut(f"a chunk of {chunk['id']} in the stream of {reply['id']}")
            reply.update({key: chunk[key] for key in ("usage", "ledgergate") if chunk.get(key) is not None})
            for choice in chunk["choices"]:
                delta = choice["delta"]
                roles += "role" in delta  # clients put texts together: a second one is a role of its own
                if delta.get("content") is not None:
                    message["content"] = (message["content"] or "") + delta["content"]
                for piece in delta.get("tool_calls") or ():
                    call = calls.setdefault(piece["index"], {"id": piece.get("id"), "type": piece.get("type"),
                                                             "function": {"name": "", "arguments": ""}})
                    for key, value in piece.get("function", {}).items():
                        call["function"][key] += value
                reason = choice["finish_reason"] or reason
        if not done or reason is None or roles != 1:
            raise Cut(f"no [DONE], or {roles} roles")
        if sorted(calls) != list(range(len(calls))):
            raise Cut(f"indices {sorted(calls)}")
        if calls:
            message["tool_calls"] = [calls[index] for index in sorted(calls)]
        choices = [{"index": 0, "message": message, "finish_reason": reason}]
        return {**reply, "object": "chat.completion", "choices": choices}

    def validate(self, body):
        """What the vendor asks of a request's messages."""
        waiting = []
        for message in body["messages"]:
            role = message["role"]
            must(role in ("system", "developer", "user", "assistant", "tool"), f"the role {role}")
            if role == "tool":
                must(message["tool_call_id"] in waiting, f"a result for {message['tool_call_id']}, which waits for none")
                waiting.remove(message["tool_call_id"])
                continue
            must(not waiting, f"no result for {waiting}")
            waiting = [call["id"] for call in message.get("tool_calls") or ()]
            must(message.get("content") or waiting, f"a message of {role} without content")
        must(not waiting, f"no result for {waiting}")

    def said(self, reply):
        return reply["choices"][0]["message"].get("content") or ""

    def calls(self, reply):
        return [(call["id"], call["function"]["name"], call["function"]["arguments"])
                for call in reply["choices"][0]["message"].get("tool_calls") or ()]

    def recording(self, body, reply):
        return {"messages": body["messages"] + [reply["choices"][0]["message"]]}

    def error(self, message, code):
        return {"error": {"message": message, "type": code, "param": None, "code": code}}


# --- OpenAI: responses ----------------------------------------------------------------------------

class Responses(Face):
    name, path = "responses", "/responses"

    def request(self, conversation, tools=(), **fields):
        items = []
        for message in conversation:
            if message["role"] == "system":
                fields["instructions"] = message["text"]
            elif message["role"] == "user":
                items.append({"role": "user", "content": message["text"]})
            elif message["role"] == "assistant":
                items += self.items(message.get("text"), message.get("calls", ()), f"h{len(items)}")
            else:
                items += [{"type": "function_call_output", "call_id": i, "output": text}
                          for i, text, _ in message["results"]]
        listed = [{"type": "function", "strict": False, **tool} for tool in tools]
        return {**fields, **({"tools": listed} if listed else {}), "input": items, "store": False}

    @staticmethod
    def items(text, calls, name):
        items = []
        if text:
            items.append({"id": f"msg_{name}", "type": "message", "status": "completed", "role": "assistant",
                          "content": [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]})
        return items + [{"id": f"fc_{i}", "type": "function_call", "status": "completed", "call_id": i, "name": tool,
                         "arguments": args} for i, tool, args in calls]

    def reply(self, name, text, calls=(), model="scripted"):
        return {"id": f"resp_{name}", "object": "response", "created_at": 1760000000, "status": "completed",
                "error": None, "incomplete_details": None, "instructions": None, "metadata": {}, "model": model,
                "output": self.items(text, calls, name), "parallel_tool_calls": True, "temperature": 1.0,
                "tool_choice": "auto", "tools": [], "top_p": 1.0,
                "usage": {"input_tokens": 11, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 7,
                          "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 18}}

    def stream(self, reply):
        begun = {**reply, "status": "in_progress", "output": [], "usage": None}
        told = [("response.created", {"response": begun}), ("response.in_progress", {"response": begun})]
        for index, item in enumerate(reply["output"]):
            at = {"item_id": item["id"], "output_index": index}
            if item["type"] == "message":
                told += self.message_events(item, index, at)
            else:
                told.append(("response.output_item.added", {
                    "output_index": index, "item": {**item, "status": "in_progress", "arguments": ""}}))
                told += [("response.function_call_arguments.delta", {**at, "delta": piece})
                         for piece in steps(item["arguments"])]
                told.append(("response.function_call_arguments.done", {
                    **at, "name": item["name"], "arguments": item["arguments"]}))
            told.append(("response.output_item.done", {"output_index": index, "item": item}))
        told.append(("response.completed", {"response": reply}))
        return "".join(f"event: {name}\ndata: {dump({'type': name, 'sequence_number': number, **data})}\n\n"
                       for number, (name, data) in enumerate(told)).encode()

    @staticmethod
    def message_events(item, index, at):
        part = item["content"][0]
        at = {**at, "content_index": 0}
        told = [("response.output_item.added", {
            "output_index": index, "item": {**item, "status": "in_progress", "content": []}}),
            ("response.content_part.added", {**at, "part": {**part, "text": ""}})]
        told += [("response.output_text.delta", {**at, "delta": piece, "logprobs": []})
                 for piece in steps(part["text"])]
        return told + [("response.output_text.done", {**at, "text": part["text"], "logprobs": []}),
                       ("response.content_part.done", {**at, "part": part})]

    def assemble(self, sse):
        reply, number, items, texts, args, identity = None, -1, {}, {}, {}, None
        for name, data in events_of(sse):
            event = json.loads(data)
            if reply or name in ("error", "response.failed") or name != event["type"]:
                raise Cut(data)
            if event["sequence_number"] <= number:
                raise Cut(f"sequence number {event['sequence_number']} after {number}")
            number = event["sequence_number"]
            identity = identity or event["response"]["id"]
            if event.get("response", {}).get("id", identity) != identity:
                raise Cut(f"{name} is of another response than {identity}")
            if name == "response.output_text.delta":
                texts[event["output_index"]] = texts.get(event["output_index"], "") + event["delta"]
            elif name == "response.function_call_arguments.delta":
                args[event["output_index"]] = args.get(event["output_index"], "") + event["delta"]
            elif name == "response.output_item.done":
                items[event["output_index"]] = event["item"]
            elif name in ("response.completed", "response.incomplete"):
                reply = event["response"]
        if not reply:
            raise Cut("no response.completed")
        # What the events have said, piece by piece, is what the last one says again.
        if [items[index] for index in sorted(items)] != reply["output"] or sorted(items) != list(range(len(items))):
            raise Cut(f"items {items} and at the end {reply['output']}")
        for index, item in items.items():
            if item["type"] == "function_call" and args.get(index, "") != item["arguments"]:
                raise Cut(f"arguments {args.get(index)} of {item}")
            if item["type"] == "message" and texts.get(index, "") != "".join(p["text"] for p in item["content"]):
                raise Cut(f"text {texts.get(index)} of {item}")
        return reply

    def validate(self, body, kept=None):
        """What the vendor asks of a request's items; `kept`: replies by their id, that it may continue."""
        waiting, previous = set(), body.get("previous_response_id")
        if previous is not None:
            must(kept and previous in kept, f"no response {previous}")
            waiting = {call_id for call_id, _, _ in self.calls(kept[previous])}
        items = body["input"] if isinstance(body["input"], list) else []
        for item in items:
            if item.get("type") == "function_call":
                waiting.add(item["call_id"])
            elif item.get("type") == "function_call_output":
                must(item["call_id"] in waiting, f"an output for {item['call_id']}, which waits for none")
                waiting.remove(item["call_id"])
        must(not waiting, f"no output for {waiting}")

    def said(self, reply):
        return "".join(part.get("text", "") for item in reply["output"] if item["type"] == "message"
                       for part in item["content"])

    def calls(self, reply):
        return [(item["call_id"], item["name"], item["arguments"]) for item in reply["output"]
                if item["type"] == "function_call"]

    def recording(self, body, reply):
        return {"request": body, "response": reply}

    def error(self, message, code):
        return {"error": {"message": message, "type": code, "param": None, "code": code}}


# --- Anthropic: messages --------------------------------------------------------------------------

class Messages(Face):
    name, path = "messages", "/messages"

    def headers(self):
        return {**super().headers(), "anthropic-version": "2023-06-01"}

    def request(self, conversation, tools=(), **fields):
        messages = []
        for message in conversation:
            if message["role"] == "system":
                fields["system"] = message["text"]
            elif message["role"] == "assistant":
                messages.append({"role": "assistant",
                                 "content": self.blocks(message.get("text"), message.get("calls", ()))})
            elif message["role"] == "tool":
                messages.append({"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": i, "content": text, **({"is_error": True} if failed else {})}
                    for i, text, failed in message["results"]]})
            else:
                messages.append({"role": "user", "content": message["text"]})
        listed = [{"name": tool["name"], "description": tool.get("description", ""),
                   "input_schema": tool["parameters"]} for tool in tools]
        return {"max_tokens": 1024, **fields, **({"tools": listed} if listed else {}), "messages": messages}

    @staticmethod
    def blocks(text, calls):
        blocks = [{"type": "text", "text": text}] if text else []
        return blocks + [{"type": "tool_use", "id": i, "name": tool, "input": json.loads(args)}
                         for i, tool, args in calls]

    def reply(self, name, text, calls=(), model="scripted"):
        return {"id": f"msg_{name}", "type": "message", "role": "assistant", "model": model,
                "content": self.blocks(text, calls), "stop_reason": "tool_use" if calls else "end_turn",
                "stop_sequence": None, "usage": {"input_tokens": 11, "output_tokens": 7}}

    def stream(self, reply):
        begun = {**reply, "content": [], "stop_reason": None, "usage": {**reply["usage"], "output_tokens": 1}}
        told = [("message_start", {"message": begun})]
        for index, block in enumerate(reply["content"]):
            if block["type"] == "text":
                empty = {**block, "text": ""}
                deltas = [{"type": "text_delta", "text": piece} for piece in steps(block["text"])]
            else:
                empty = {**block, "input": {}}
                deltas = [{"type": "input_json_delta", "partial_json": piece}
                          for piece in ["", *steps(dump(block["input"]))]]
            told.append(("content_block_start", {"index": index, "content_block": empty}))
            if index == 0:
                told.append(("ping", {}))
            told += [("content_block_delta", {"index": index, "delta": delta}) for delta in deltas]
            told.append(("content_block_stop", {"index": index}))
        told.append(("message_delta", {"delta": {"stop_reason": reply["stop_reason"], "stop_sequence": None},
                                       "usage": {"output_tokens": reply["usage"]["output_tokens"]}}))
        told.append(("message_stop", {}))
        return "".join(f"event: {name}\ndata: {dump({'type': name, **data})}\n\n" for name, data in told).encode()

    def assemble(self, sse):
        reply, stopped, open_block, args = None, False, None, ""
        for name, data in events_of(sse):
            event = json.loads(data)
            if stopped or name == "error" or name != event["type"]:
                raise Cut(data)
            if name == "message_start":
                reply = event["message"]
            elif name == "content_block_start":
                if open_block is not None or event["index"] != len(reply["content"]):
                    raise Cut(f"block {event['index']} behind {len(reply['content'])}")
                open_block, args = event["content_block"], ""
            elif name == "content_block_delta":
                delta = event["delta"]
                if delta["type"] == "text_delta":
                    open_block["text"] += delta["text"]
                else:
                    args += delta["partial_json"]
            elif name == "content_block_stop":
                if open_block["type"] == "tool_use":
                    open_block["input"] = json.loads(args or "{}")
                reply["content"].append(open_block)
                open_block = None
            elif name == "message_delta":
                reply.update(event["delta"])
                reply["usage"].update(event.get("usage", {}))
            elif name == "message_stop":
                stopped = True
            if reply and "ledgergate" in event:
                reply["ledgergate"] = event["ledgergate"]
        if not stopped or open_block is not None:
            raise Cut("no message_stop")
        return reply

    def validate(self, body):
        """What the vendor asks of a request's messages."""
        waiting, before = [], None
        for message in body["messages"]:
            role, content = message["role"], message["content"]
            must(role in ("user", "assistant"), f"the role {role}")
            must(before or role == "user", "the first message is not the user's")
            blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
            results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
            must(sorted(results) == sorted(waiting), f"results for {results}, and {waiting} wait for theirs")
            must(all(block["type"] == "tool_result" for block in blocks[:len(results)]), "something before results")
            must(all(block["text"].strip() for block in blocks if block["type"] == "text"), "a text that is empty")
            must(blocks, "a message without content")
            waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
            before = role
        must(not waiting, f"no result for {waiting}")

    def said(self, reply):
        return "".join(block.get("text", "") for block in reply["content"] if block["type"] == "text")

    def calls(self, reply):
        return [(block["id"], block["name"], dump(block["input"])) for block in reply["content"]
                if block["type"] == "tool_use"]

    def recording(self, body, reply):
        return {"request": body, "response": reply}

    def error(self, message, code):
        return {"type": "error", "error": {"type": code, "message": message}}


FACES = {face.name: face for face in (Completions(), Responses(), Messages())}


def face_of(target):
    """That of a request's path."""
    return next(face for face in FACES.values() if target.split("?")[0].endswith(face.path))
