"""The gold conversations and the violating calls of the shared data, as what a client and a model say turn by turn.

A gold trace has calls and no messages: a user's sentence opens it, each call is a message of the model, its result follows,
and a sentence of the model closes it. What the customer did on a device of their own the agent never saw, so it is left out.
"""

import collections
import json
import os

DOMAINS = ("airline", "retail", "telecom")
CLOSING = "That is all done."

Turn = collections.namedtuple("Turn", "before text calls")  # the conversation so far, and what the model says then


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Domain:
    def __init__(self, data, name):
        folder = os.path.join(data, "data", "tau2", name)
        self.name = name
        self.gold = read_lines(os.path.join(folder, "gold_traces.jsonl"))
        self.violating = read_lines(os.path.join(folder, "violating_calls.jsonl"))
        with open(os.path.join(folder, "tools.json"), encoding="utf-8") as file:
            self.tools = [tool["function"] for tool in json.load(file)]
        self.by_task = {trace["task_id"]: trace for trace in self.gold}

    @staticmethod
    def is_here(data, name):
        return os.path.exists(os.path.join(data, "data", "tau2", name, "violating_calls.jsonl"))


def opening(trace):
    return [{"role": "system", "content": None, "text": "You serve customers."},
            {"role": "user", "text": trace["user_instructions"]["reason_for_call"]}]


def is_agents(call):
    return call["requestor"] == "assistant"


def proposed(number, call):
    return f"call_{number}", call["name"], json.dumps(call["arguments"], ensure_ascii=False)


def returned(number, call):
    return f"call_{number}", call["result"], bool(call.get("error"))


def exchange(conversation, group):
    """The conversation after these calls, which are made in one message."""
    calls = [proposed(number, call) for number, call in group]
    results = [returned(number, call) for number, call in group]
    return conversation + [{"role": "assistant", "text": None, "calls": calls}, {"role": "tool", "results": results}]


def groups_of(calls, together):
    """Runs of reads are made in one message if `together`; a write stands alone."""
    group = []
    for number, call in enumerate(calls):
        if group and (not together or call["write"] or group[-1][1]["write"]):
            yield group
            group = []
        group.append((number, call))
    if group:
        yield group


def gold_turns(trace, together=False):
    """What the model says, turn by turn."""
    conversation = opening(trace)
    for group in groups_of([call for call in trace["calls"] if is_agents(call)], together):
        yield Turn(conversation, None, [proposed(number, call) for number, call in group])
        conversation = exchange(conversation, group)
    yield Turn(conversation, CLOSING, [])


def violating_turn(domain, probe):
    """The turn in which the model proposes the violating call."""
    trace = domain.by_task[probe["task_id"]]
    before = [call for index, call in enumerate(trace["calls"][:probe["position"]])
              if index not in probe["omit"] and is_agents(call)]
    made = before + [call for call in probe["extra_calls"] if is_agents(call)]
    conversation = opening(trace)
    for number, call in enumerate(made):
        conversation = exchange(conversation, [(number, call)])
    return Turn(conversation, None, [proposed(len(made), probe["call"])])
