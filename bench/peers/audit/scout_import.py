"""scout_import.py OPENAI_JSONL DATABASE: the conversations as a database of inspect-scout."""
import asyncio
import json
import sys
import time

from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser
from inspect_ai.tool import ToolCall, ToolCallError
from inspect_scout import Transcript, transcripts_db


def arguments_of(call):
    try:
        arguments = json.loads(call["function"]["arguments"])
    except ValueError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


def message_of(message):
    role, text = message["role"], message.get("content") or ""
    if role == "tool":
        error = ToolCallError(type="unknown", message=text) if message.get("error") else None
        return ChatMessageTool(content=text, tool_call_id=message.get("tool_call_id"),
                               function=message.get("name"), error=error)
    if role == "assistant":
        calls = [ToolCall(id=call.get("id") or str(i), function=call["function"]["name"],
                          arguments=arguments_of(call))
                 for i, call in enumerate(message.get("tool_calls") or [])]
        return ChatMessageAssistant(content=text, tool_calls=calls or None)
    return (ChatMessageUser if role == "user" else ChatMessageSystem)(content=text)


def transcripts(path):
    with open(path, encoding="utf-8") as file:
        for index, line in enumerate(file):
            recording = json.loads(line)
            yield Transcript(transcript_id=str(index), source_type="bench", source_id="bench",
                             source_uri=f"{path}#{index}",
                             messages=[message_of(m) for m in recording["messages"]])


async def main():
    source, target = sys.argv[1:]
    start = time.perf_counter()
    async with transcripts_db(target) as database:
        await database.insert(transcripts(source))
    print(json.dumps({"import": (time.perf_counter() - start) * 1e3}))


asyncio.run(main())
