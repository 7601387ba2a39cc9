// promptfoo.mjs SPANS CHECKS OUT: the checks as promptfoo's assertions, offline, one after the other.
//
// SPANS has a conversation a line: {spans, messages}; OUT gets by check the lines it fails on. Run with the folder that
// has node_modules as its working folder. Prints what was spent on what, in milliseconds.
import fs from 'node:fs';
import { pathToFileURL } from 'node:url';

const [spansFile, checksFile, outFile] = process.argv.slice(2);
const started = performance.now();
const library = pathToFileURL('node_modules/promptfoo/dist/src/index.js');
const { assertions } = await import(library);
const imported = performance.now();
const wants = JSON.parse(fs.readFileSync(checksFile, 'utf8'));
const lines = fs.readFileSync(spansFile, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
const read = performance.now();

let messages = []; // of the conversation at hand: an output is made a text for each assertion, which would cost it more
const callsOf = (message) => (message.role === 'assistant' && message.tool_calls) || [];
const checks = {
    used: { type: 'not-trajectory:tool-used', value: wants.used },
    many: { type: 'not-trajectory:tool-used', value: { name: wants.many.tool, min: wants.many.most + 1 } },
    sequence: { type: 'not-trajectory:tool-sequence', value: { steps: wants.sequence } },
    args: {
        type: 'not-trajectory:tool-args-match',
        value: { name: wants.args.tool, args: { [wants.args.name]: wants.args.value } },
    },
    calls: { type: 'trajectory:step-count', value: { type: 'tool', max: wants.calls.most } },
    errors: { type: 'trace-error-spans', value: { max_count: 0 } },
    // It has no assertion of its own for these three.
    edge: {
        type: 'javascript',
        value: () => {
            const names = messages.flatMap((m) => callsOf(m).map((call) => call.function.name));
            return !names.some((name, i) => name === wants.edge[0] && names[i + 1] === wants.edge[1]);
        },
    },
    single_call_per_turn: {
        type: 'javascript',
        value: () => !messages.some((m) => callsOf(m).length > 1),
    },
    no_text_with_call: {
        type: 'javascript',
        value: () => !messages.some((m) => callsOf(m).length > 0 && (m.content || '').trim()),
    },
};

const failed = Object.fromEntries(Object.keys(checks).map((name) => [name, []]));
for (const [index, line] of lines.entries()) {
    messages = line.messages;
    const traceId = String(index);
    const traceData = { traceId, evaluationId: 'bench', testCaseId: traceId, spans: line.spans };
    for (const [name, assertion] of Object.entries(checks)) {
        const result = await assertions.runAssertion({
            assertion,
            test: { vars: {} },
            providerResponse: { output: '' },
            traceId,
            traceData,
        });
        if (!result.pass) {
            failed[name].push(index);
        }
    }
}
const checked = performance.now();
fs.writeFileSync(outFile, JSON.stringify(failed));
console.log(
    JSON.stringify({ start: imported - started, read: read - imported, check: checked - read }),
);
process.exit(0);
