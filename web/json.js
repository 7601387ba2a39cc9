// json.js: a JSON value as a tree: two levels open, what is long is shortened, says so, and opens in place.
import { h, said, cut, count, plural, visible } from './dom.js';
import { BigNumber, parseExact } from './data.js';

const OPEN_LEVELS = 2;
const ITEMS = 10; // shown of more than twice as many
const CHARACTERS = 400;

function scalar(value) {
  if (value instanceof BigNumber) return h('span', { class: 'num' }, value.source);
  if (value === null) return h('span', { class: 'null' }, 'null');
  return h('span', { class: typeof value === 'number' ? 'num' : 'bool' }, String(value));
}

// A text that is JSON by itself can be looked into.
function parsed(text) {
  if (text.length < 2 || !/^\s*[[{]/.test(text)) return null;
  try {
    return parseExact(text);
  } catch {
    return null;
  }
}

function string(text, level) {
  const inner = parsed(text);
  const shown = [h('span', { class: 'quote' }, '"'), cut(text, CHARACTERS, 'str'), h('span', { class: 'quote' }, '"')];
  if (inner === null) return h('span', { class: 'value' }, shown);
  const box = h('span', { class: 'value' }, shown, ' ');
  box.append(h('button', { type: 'button', class: 'more', onclick: () => box.replaceChildren(h('span', {}, jsonView(inner, level))) }, 'parse'));
  return box;
}

function members(entries, level, path, isList) {
  const list = h('ul', {});
  const add = (from, to) => {
    for (const [key, value] of entries.slice(from, to)) {
      const at = path + (isList ? `[${key}]` : `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`);
      list.append(h('li', { 'data-path': at }, jsonView(value, level + 1, at, isList ? null : [said(key, 'key'), ': '])));
    }
  };
  const first = entries.length > 2 * ITEMS ? ITEMS : entries.length;
  add(0, first);
  if (first < entries.length) {
    const more = h('button', { type: 'button', class: 'more', 'data-more': '' }, `show all ${count(entries.length)}`);
    more.addEventListener('click', () => { more.parentNode.remove(); add(first, entries.length); });
    list.append(h('li', {}, more));
  }
  return list;
}

// Few short values stand on one line.
function isShort(entries) {
  return entries.length <= 8 && entries.every(([, item]) => item === null || item instanceof BigNumber || typeof item !== 'object') &&
    entries.reduce((sum, [key, item]) => sum + String(key).length + String(item).length + 4, 0) <= 90;
}

// `label` stands before it, on its first line.
export function jsonView(value, level = 0, path = '', label = null) {
  if (typeof value === 'string') return [label, string(value, level)];
  if (value === null || typeof value !== 'object' || value instanceof BigNumber) return [label, scalar(value)];
  const isList = Array.isArray(value), entries = isList ? [...value.entries()] : Object.entries(value);
  if (isShort(entries)) {
    return [label, h('span', { class: 'value' }, isList ? '[' : '{', entries.map(([key, item], i) => [i ? ', ' : '', jsonView(item, level, '', isList ? null : [said(key, 'key'), ': '])]), isList ? ']' : '}')];
  }
  const summary = h('summary', {}, label, isList ? `[${plural(entries.length, 'item')}]` : `{${plural(entries.length, 'member')}}`);
  const details = h('details', { class: 'json' }, summary);
  const fill = () => { if (details.childElementCount === 1) details.append(members(entries, level, path, isList)); };
  if (level < OPEN_LEVELS) {
    fill();
    details.open = true;
  }
  details.addEventListener('toggle', fill);
  return details;
}

// A value in one line, for tables.
export function shortValue(value, most = 120) {
  const text = value instanceof BigNumber ? value.source : JSON.stringify(value, (key, inner) => (inner instanceof BigNumber ? JSON.rawJSON(inner.source) : inner)) ?? '';
  return h('code', { class: 'said', dir: 'auto', title: text.length > most ? `${count(text.length)} characters` : null }, visible(text.length > most ? text.slice(0, most) + '…' : text));
}

// A tool's result: JSON if it is.
export function resultView(text) {
  const inner = parsed(text);
  return inner === null ? h('div', { class: 'text' }, cut(text, 2000, 'said')) : h('div', { class: 'tree' }, jsonView(inner));
}
