"""An agent on one of the vendors' Python SDKs or frameworks: jobs come as lines of JSON, what was done goes out likewise.

    sdk.py KIND      one of the classes in KINDS

A job: base_url, stream, model, system, users, tools, results. The answer: `made`, the calls that were made, and `said`, the
model's last text to each user's message; or `error`, the exception that ended it.
"""

import asyncio
import json
import logging
import os
import sys

KEY = "scripted-key"


class Agent:
    def __init__(self, job):
        self.job, self.made = job, []
        self.common = {"model": job["model"]}

    def use(self, name, arguments):
        """Makes a call."""
        self.made.append([name, arguments if isinstance(arguments, dict) else json.loads(arguments)])
        return self.job["results"][name]

    def run(self):
        return [self.answer(user) for user in self.job["users"]]


class OpenAIChat(Agent):
    def __init__(self, job):
        super().__init__(job)
        import openai
        self.client = openai.OpenAI(base_url=job["base_url"] + "/v1", api_key=KEY)
        self.messages = [{"role": "system", "content": job["system"]}]
        self.common["tools"] = [{"type": "function", "function": tool} for tool in job["tools"]]

    def ask(self):
        if not self.job["stream"]:
            return self.client.chat.completions.create(messages=self.messages, **self.common)
        with self.client.chat.completions.stream(messages=self.messages, **self.common) as stream:
            for _ in stream:
                pass
            return stream.get_final_completion()

    def answer(self, user):
        self.messages.append({"role": "user", "content": user})
        while True:
            message = self.ask().choices[0].message
            self.messages.append(message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
            if not message.tool_calls:
                return message.content
            for call in message.tool_calls:
                text = self.use(call.function.name, call.function.arguments)
                self.messages.append({"role": "tool", "tool_call_id": call.id, "content": text})


class OpenAIResponses(Agent):
    def __init__(self, job):
        super().__init__(job)
        import openai
        self.client = openai.OpenAI(base_url=job["base_url"] + "/v1", api_key=KEY)
        self.items = []
        self.common["tools"] = [{"type": "function", "strict": True, **tool} for tool in job["tools"]]
        self.common.update(instructions=job["system"], store=False)

    def ask(self):
        if not self.job["stream"]:
            return self.client.responses.create(input=self.items, **self.common)
        with self.client.responses.stream(input=self.items, **self.common) as stream:
            for _ in stream:
                pass
            return stream.get_final_response()

    def answer(self, user):
        self.items.append({"role": "user", "content": user})
        while True:
            response = self.ask()
            self.items += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in response.output]
            calls = [item for item in response.output if item.type == "function_call"]
            if not calls:
                return response.output_text
            for call in calls:
                self.items.append({"type": "function_call_output", "call_id": call.call_id,
                                   "output": self.use(call.name, call.arguments)})


class OpenAIStoredResponses(OpenAIResponses):
    """The same, which leaves the conversation with the vendor: a request has what is new, and names the reply before."""

    def __init__(self, job):
        super().__init__(job)
        self.common.update(store=True)

    def ask(self):
        response = super().ask()
        self.common["previous_response_id"] = response.id
        self.items = []
        return response

    def answer(self, user):
        self.items = [{"role": "user", "content": user}]
        while True:
            response = self.ask()
            calls = [item for item in response.output if item.type == "function_call"]
            if not calls:
                return response.output_text
            self.items = [{"type": "function_call_output", "call_id": call.call_id,
                           "output": self.use(call.name, call.arguments)} for call in calls]


class Anthropic(Agent):
    def __init__(self, job):
        super().__init__(job)
        import anthropic
        self.client = anthropic.Anthropic(base_url=job["base_url"], api_key=KEY)
        self.messages = []
        self.common["tools"] = [{"name": tool["name"], "description": tool["description"],
                                 "input_schema": tool["parameters"]} for tool in job["tools"]]
        self.common.update(system=job["system"], max_tokens=1024)

    def ask(self):
        if not self.job["stream"]:
            return self.client.messages.create(messages=self.messages, **self.common)
        with self.client.messages.stream(messages=self.messages, **self.common) as stream:
            for _ in stream:
                pass
            return stream.get_final_message()

    def answer(self, user):
        self.messages.append({"role": "user", "content": user})
        while True:
            message = self.ask()
            self.messages.append({"role": "assistant", "content": message.content})
            calls = [block for block in message.content if block.type == "tool_use"]
            if not calls:
                return "".join(block.text for block in message.content if block.type == "text")
            self.messages.append({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call.id, "content": self.use(call.name, call.input)}
                for call in calls]})


class AgentsSdk(Agent):
    """OpenAI's Agents SDK."""

    def __init__(self, job, responses):
        super().__init__(job)
        import agents
        from openai import AsyncOpenAI
        self.agents = agents
        agents.set_tracing_disabled(True)  # it would be sent to the vendor
        self.client = AsyncOpenAI(base_url=job["base_url"] + "/v1", api_key=KEY)
        kind = agents.OpenAIResponsesModel if responses else agents.OpenAIChatCompletionsModel
        self.agent = agents.Agent(
            name="clerk", instructions=job["system"], model=kind(model=job["model"], openai_client=self.client),
            tools=[self.tool(tool) for tool in job["tools"]])

    def tool(self, tool):
        async def invoke(_, arguments):
            return self.use(tool["name"], arguments)
        return self.agents.FunctionTool(name=tool["name"], description=tool["description"],
                                        params_json_schema=tool["parameters"], on_invoke_tool=invoke)

    async def turn(self, items):
        if not self.job["stream"]:
            return await self.agents.Runner.run(self.agent, items)
        result = self.agents.Runner.run_streamed(self.agent, items)
        async for _ in result.stream_events():
            pass
        return result

    async def turns(self):
        items, said = [], []
        async with self.client:
            for user in self.job["users"]:
                result = await self.turn(items + [{"role": "user", "content": user}])
                said.append(result.final_output)
                items = result.to_input_list()
        return said

    def run(self):
        return asyncio.run(self.turns())


class LangGraph(Agent):
    def __init__(self, job, model):
        super().__init__(job)
        from langchain_core.tools import StructuredTool
        from langgraph.prebuilt import create_react_agent

        def bound(tool):
            return StructuredTool.from_function(lambda **arguments: self.use(tool["name"], arguments), name=tool["name"],
                                                description=tool["description"], args_schema=tool["parameters"])
        self.agent = create_react_agent(model, [bound(tool) for tool in job["tools"]], prompt=job["system"])
        self.messages = []

    def answer(self, user):
        self.messages = self.agent.invoke({"messages": self.messages + [("user", user)]})["messages"]
        return self.messages[-1].text


def langgraph_openai(job, responses):
    from langchain_openai import ChatOpenAI
    return LangGraph(job, ChatOpenAI(base_url=job["base_url"] + "/v1", api_key=KEY, model=job["model"],
                                     streaming=job["stream"], use_responses_api=responses))


def langgraph_anthropic(job):
    from langchain_anthropic import ChatAnthropic
    return LangGraph(job, ChatAnthropic(base_url=job["base_url"], api_key=KEY, model=job["model"], max_tokens=1024,
                                        streaming=job["stream"]))


KINDS = {
    "openai-chat": OpenAIChat,
    "openai-responses": OpenAIResponses,
    "openai-stored-responses": OpenAIStoredResponses,
    "anthropic": Anthropic,
    "agents-chat": lambda job: AgentsSdk(job, responses=False),
    "agents-responses": lambda job: AgentsSdk(job, responses=True),
    "langgraph-openai-chat": lambda job: langgraph_openai(job, responses=False),
    "langgraph-openai-responses": lambda job: langgraph_openai(job, responses=True),
    "langgraph-anthropic": langgraph_anthropic,
}


def main():
    logging.disable()  # what ends a job is in its answer
    os.environ.update(OPENAI_AGENTS_DISABLE_TRACING="1", LANGSMITH_TRACING="false")
    for line in sys.stdin:
        job, agent = json.loads(line), None
        try:
            agent = KINDS[sys.argv[1]](job)
            answer = {"said": agent.run()}
        except Exception as problem:
            answer = {"error": f"{type(problem).__name__}: {problem}"}
        print(json.dumps({"made": agent.made if agent else [], **answer}), flush=True)


main()
