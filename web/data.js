// data.js: what the page holds: the summary, which is read at once, and the conversations, which are read when they are
// opened: src/page/row.c and src/page/text.c write them.

export const SEVERITIES = ['hint', 'minor', 'moderate', 'severe'];
export const EVALUATORS = ['output', 'transition', 'forbidden_edges', 'argument_groundedness', 'argument', 'predicted_plan', 'predicted_final_state'];
export const MEASURES = ['aggregate', 'aggregate_once', 'outcome', 'process'];
const PER_BLOCK = 16;
const KEPT_BLOCKS = 24;

function readRow(list, names, index, keys) {
  const name = (value) => (typeof value === 'number' ? names[value] : value);
  const [id, title, file, line, task, trial, domain, model, customer, reward, composite, ended, pack, failure, scores, evaluators, counts,
    findings, findingCount, undecided, notChecked, place, path, before] = list;
  let key = id || String(index);
  for (let i = 2; keys.has(key); i++) key = `${id}~${i}`;
  return {
    key, id, index, before, title, line, trial, reward, composite, findingCount, place, path, evaluators,
    file: name(file), task: name(task), domain: name(domain) ?? 'no domain', model: name(model) ?? 'no model', customer: name(customer),
    ended: name(ended), pack: name(pack), failure: name(failure),
    aggregate: scores[0], aggregate_once: scores[1], outcome: scores[2], process: scores[3],
    turns: counts[0], calls: counts[2], writes: counts[4],
    findings: findings.map(([group, severity, turn, number, tool, root]) => ({ group, severity, turn, number, tool: name(tool), root })),
    undecided: undecided.map(([group, turn]) => ({ group, turn })),
    notChecked: notChecked.map(([group]) => group),
  };
}

export function readSummary(text) {
  const { names, groups, rows: lists, stats } = JSON.parse(text);
  const byKey = new Map(), rows = [], before = [];
  groups.forEach((group, index) => { group.index = index; });
  for (const list of lists) {
    const row = readRow(list, names, rows.length, list.at(-1) ? new Map() : byKey);
    if (row.before) {
      before.push(row);
      continue;
    }
    byKey.set(row.key, row);
    rows.push(row);
  }
  return { rows, before, byKey, groups, stats };
}

export function worst(row) {
  return row.findings.reduce((most, finding) => Math.max(most, finding.severity), -1);
}

// --- Conversations --------------------------------------------------------------------------------

let loaded = null; // the document is whole: all blocks are there
export function whole() {
  loaded ??= new Promise((resolve) => {
    if (document.readyState !== 'loading') resolve();
    else document.addEventListener('DOMContentLoaded', resolve, { once: true });
  });
  return loaded;
}

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const binary = atob(base64), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`this page has no block ${id}: it may have been cut off`);
  const stream = new Blob([bytesOf(element.textContent)]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return (await new Response(stream).text()).split('\n');
}

const blocks = new Map(); // the latest, as promises of lines
function block(id) {
  const known = blocks.get(id) ?? inflate(id);
  blocks.delete(id);
  blocks.set(id, known);
  known.catch(() => blocks.delete(id));
  if (blocks.size > KEPT_BLOCKS) blocks.delete(blocks.keys().next().value);
  return known;
}

let starts = null; // of each block of long texts: its first
function textBlocks() {
  starts ??= [...document.querySelectorAll('script[data-from]')].map((element) => ({ id: element.id, from: Number(element.dataset.from) }));
  return starts;
}

function textBlock(number) {
  const all = textBlocks();
  let low = 0, high = all.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (all[middle].from <= number) low = middle; else high = middle;
  }
  return all[low];
}

const REFERENCE = /"\\u0001(\d+)"/g;

// Integers that a double cannot hold keep their digits.
export class BigNumber {
  constructor(source) { this.source = source; }
}

function exact(key, value, context) {
  const isBig = typeof value === 'number' && context?.source && !Number.isSafeInteger(value) && /^-?\d{16,}$/.test(context.source);
  return isBig ? new BigNumber(context.source) : value;
}

export function parseExact(text) {
  return JSON.parse(text, exact);
}

function revive(texts) {
  return function (key, value, context) {
    if (typeof value === 'string' && value.charCodeAt(0) === 1) return value[1] === '=' ? value.slice(2) : texts.get(Number(value.slice(1))) ?? '';
    return exact(key, value, context);
  };
}

// What is shown of a recording: its events, each with its number. An artefact has them as `events`, where a call's arguments
// are `value`, or `args` as text where they were no JSON; what the ledger learnt of an event stands in it, or in a list of
// its own.
function normalise(conversation, ledger) {
  if (!conversation) return {};
  const messages = conversation.messages ?? (conversation.events ?? []).map((event, i) => {
    const call = event.kind === 'call';
    return { ...event, event: event.event ?? i, kind: event.kind === 'message' ? undefined : event.kind, args: call ? event.value : undefined, text: call ? (typeof event.args === 'string' ? event.args : undefined) : event.text };
  });
  for (const change of Array.isArray(ledger) ? ledger : []) {
    const event = messages[change.event];
    if (event) (event.ledger ??= []).push(change);
  }
  return { ...conversation, messages };
}

export async function readConversation(row) {
  await whole();
  const lines = await block(`c${Math.floor(row.place / PER_BLOCK)}`);
  const line = lines[row.place % PER_BLOCK];
  const numbers = new Set([...line.matchAll(REFERENCE)].map((match) => Number(match[1])));
  const texts = new Map();
  await Promise.all([...numbers].map(async (number) => {
    const { id, from } = textBlock(number);
    texts.set(number, JSON.parse((await block(id))[number - from]));
  }));
  const { conversation, ledger, audit } = JSON.parse(line, revive(texts));
  return { conversation: normalise(conversation, ledger), audit: audit ?? {} };
}

// --- Find in all conversations -----------------------------------------------------------------------

// Places of the conversations whose text has `words`. `step(share)` is called between slices, and stops it by returning false.
export async function findPlaces(words, step) {
  await whole();
  const needle = JSON.stringify(words).slice(1, -1).toLowerCase();
  const hits = new Set(), places = new Set();
  const ids = [...document.querySelectorAll('script[id^="c"][type="text/plain"]')].map((element) => element.id);
  const all = textBlocks(), steps = all.length + ids.length;
  let done = 0, last = performance.now();
  const rest = async () => {
    done++;
    if (performance.now() - last > 40) {
      await new Promise((resolve) => setTimeout(resolve));
      last = performance.now();
    }
    return step(done / steps);
  };
  for (const { id, from } of all) {
    const lines = await inflate(id);
    lines.forEach((line, i) => { if (line.toLowerCase().includes(needle)) hits.add(from + i); });
    if (await rest() === false) return null;
  }
  for (const id of ids) {
    const lines = await inflate(id), first = Number(id.slice(1)) * PER_BLOCK;
    lines.forEach((line, i) => {
      if (!line) return;
      if (line.toLowerCase().includes(needle)) places.add(first + i);
      else if (hits.size) for (const match of line.matchAll(REFERENCE)) if (hits.has(Number(match[1]))) { places.add(first + i); break; }
    });
    if (await rest() === false) return null;
  }
  return places;
}
