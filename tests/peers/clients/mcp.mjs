// A client of MCP on the protocol's own SDKs for JavaScript: lists the tools of a server and calls some.
//
//     mcp.mjs KIND PACKAGES URL CALLS   KIND: sdk (1.x), client (2.x) or client-modern; CALLS: a JSON list of [name, arguments]
//
// Prints {"revision", "tools", "results": [the result, or {"thrown": message}]}.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [kind, packages, url, calls] = process.argv.slice(2);
const require = createRequire(path.resolve(packages, 'package.json'));
const load = async (name) => import(pathToFileURL(require.resolve(name)));

async function open() {
  if (kind === 'sdk') {
    const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js');
    return [new Client({ name: 'peer', version: '1' }), new StreamableHTTPClientTransport(new URL(url))];
  }
  const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
  const options = kind === 'client-modern' ? { versionNegotiation: { mode: 'auto' } } : {};
  return [new Client({ name: 'peer', version: '1' }, options), new StreamableHTTPClientTransport(new URL(url))];
}

const [client, transport] = await open();
await client.connect(transport);
const tools = [];
let cursor;
do {
  const page = await client.listTools(cursor ? { cursor } : undefined);
  tools.push(...page.tools.map((tool) => tool.name));
  cursor = page.nextCursor;
} while (cursor);
const results = [];
for (const [name, args] of JSON.parse(calls)) {
  try {
    results.push(await client.callTool({ name, arguments: args }));
  } catch (error) {
    results.push({ thrown: String(error.message) });
  }
}
const revision = transport.protocolVersion ?? client.getNegotiatedProtocolVersion?.() ?? null;
await client.close();
console.log(JSON.stringify({ revision, tools, results }));
