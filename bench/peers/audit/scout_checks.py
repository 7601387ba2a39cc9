"""The checks as one scanner of inspect-scout: `scout scan scout_checks.py -T DATABASE`."""
import json
import os

from inspect_scout import Result, Scanner, Transcript, scanner

with open(os.environ["AUDIT_CHECKS"], encoding="utf-8") as file:
    WANTS = json.load(file)


def text_of(message):
    return message.text.strip()


def failed(messages):
    assistant = [m for m in messages if m.role == "assistant"]
    calls = [call for m in assistant for call in m.tool_calls or []]
    names = [call.function for call in calls]
    first, then = WANTS["sequence"]
    wanted = WANTS["args"]
    return {
        "used": WANTS["used"] in names,
        "many": names.count(WANTS["many"]["tool"]) > WANTS["many"]["most"],
        "sequence": first in names and then in names[names.index(first) + 1:],
        "args": any(call.function == wanted["tool"] and call.arguments.get(wanted["name"]) == wanted["value"]
                    for call in calls),
        "calls": len(names) > WANTS["calls"]["most"],
        "errors": any(m.role == "tool" and m.error for m in messages),
        "edge": tuple(WANTS["edge"]) in zip(names, names[1:]),
        "single_call_per_turn": any(len(m.tool_calls or []) > 1 for m in assistant),
        "no_text_with_call": any(m.tool_calls and text_of(m) for m in assistant),
    }


@scanner(messages="all")
def checks() -> Scanner[Transcript]:
    async def scan(transcript: Transcript) -> Result:
        return Result(value=failed(transcript.messages))

    return scan
