// An agent on one of the vendors' SDKs for JavaScript: jobs come as lines of JSON, what was done goes out likewise.
// As sdk.py, which says what a job is.
//
//     sdk.mjs KIND PACKAGES      PACKAGES: the folder with node_modules
import { createRequire } from 'node:module';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const [kind, packages] = process.argv.slice(2);
const require = createRequire(path.join(packages, 'package.json'));
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const KEY = 'scripted-key';

class Agent {
  constructor(job) {
    this.job = job;
    this.made = [];
  }
  use(name, args) {
    this.made.push([name, typeof args === 'string' ? JSON.parse(args) : args]);
    return this.job.results[name];
  }
  async run() {
    const said = [];
    for (const user of this.job.users) said.push(await this.answer(user));
    return said;
  }
}

class Chat extends Agent {
  constructor(job, { OpenAI }) {
    super(job);
    this.client = new OpenAI({ baseURL: job.base_url + '/v1', apiKey: KEY });
    this.messages = [{ role: 'system', content: job.system }];
    this.tools = job.tools.map((tool) => ({ type: 'function', function: tool }));
  }
  async ask() {
    const body = { model: this.job.model, messages: this.messages, tools: this.tools };
    if (!this.job.stream) return this.client.chat.completions.create(body);
    return this.client.chat.completions.stream(body).finalChatCompletion();
  }
  async answer(user) {
    this.messages.push({ role: 'user', content: user });
    for (;;) {
      const { role, content, tool_calls } = (await this.ask()).choices[0].message;
      this.messages.push({ role, content, ...(tool_calls?.length ? { tool_calls } : {}) });
      if (!tool_calls?.length) return content;
      for (const call of tool_calls) {
        const text = this.use(call.function.name, call.function.arguments);
        this.messages.push({ role: 'tool', tool_call_id: call.id, content: text });
      }
    }
  }
}

class Responses extends Agent {
  constructor(job, { OpenAI }) {
    super(job);
    this.client = new OpenAI({ baseURL: job.base_url + '/v1', apiKey: KEY });
    this.items = [];
    this.tools = job.tools.map((tool) => ({ type: 'function', strict: true, ...tool }));
  }
  async ask() {
    const body = {
      model: this.job.model, instructions: this.job.system, input: this.items, tools: this.tools, store: false,
    };
    if (!this.job.stream) return this.client.responses.create(body);
    return this.client.responses.stream(body).finalResponse();
  }
  async answer(user) {
    this.items.push({ role: 'user', content: user });
    for (;;) {
      const response = await this.ask();
      this.items.push(...response.output.map(({ parsed_arguments, ...item }) => item));
      const calls = response.output.filter((item) => item.type === 'function_call');
      if (!calls.length) return response.output_text;
      for (const call of calls) {
        const output = this.use(call.name, call.arguments);
        this.items.push({ type: 'function_call_output', call_id: call.call_id, output });
      }
    }
  }
}

class Messages extends Agent {
  constructor(job, { Anthropic }) {
    super(job);
    this.client = new Anthropic({ baseURL: job.base_url, apiKey: KEY });
    this.messages = [];
    this.tools = job.tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters }));
  }
  async ask() {
    const body = {
      model: this.job.model, max_tokens: 1024, system: this.job.system, messages: this.messages, tools: this.tools,
    };
    if (!this.job.stream) return this.client.messages.create(body);
    return this.client.messages.stream(body).finalMessage();
  }
  async answer(user) {
    this.messages.push({ role: 'user', content: user });
    for (;;) {
      const { role, content } = await this.ask();
      this.messages.push({ role, content });
      const calls = content.filter((block) => block.type === 'tool_use');
      if (!calls.length) return content.filter((block) => block.type === 'text').map((block) => block.text).join('');
      this.messages.push({
        role: 'user',
        content: calls.map((call) => ({ type: 'tool_result', tool_use_id: call.id, content: this.use(call.name, call.input) })),
      });
    }
  }
}

const KINDS = {
  'openai-chat': [Chat, 'openai'],
  'openai-responses': [Responses, 'openai'],
  'anthropic': [Messages, '@anthropic-ai/sdk'],
};

const [Kind, name] = KINDS[kind];
const sdk = await load(name);
for await (const line of readline.createInterface({ input: process.stdin })) {
  const agent = new Kind(JSON.parse(line), sdk.default?.OpenAI || sdk.default?.Anthropic ? sdk.default : sdk);
  let answer;
  try {
    answer = { said: await agent.run() };
  } catch (problem) {
    answer = { error: `${problem?.constructor?.name}: ${problem?.message}` };
  }
  console.log(JSON.stringify({ made: agent.made, ...answer }));
}
