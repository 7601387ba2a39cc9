// list.js: the list of conversations: real rows, so that the browser's own search finds them. They are no <tr>: what is out
// of view is not laid out (content-visibility), which a browser does not do for parts of a table.
import { h, said, count, score, icon, words } from './dom.js';
import { SEVERITIES, worst } from './data.js';
import { conversationLink, replace } from './route.js';

const SLICE = 200;
const MOST = 2000; // more are shown when they are asked for

export function sortValue(row, key) {
  switch (key) {
  case 'name': return row.title;
  case 'findings': return row.findings.reduce((sum, finding) => sum + 1000 ** finding.severity, 0);
  case 'aggregate': case 'outcome': case 'reward': case 'turns': return row[key];
  case 'class': return row.failure ?? '';
  default: return row[key] ?? '';
  }
}

export function sortRows(rows, sort) {
  const down = sort.startsWith('-'), key = sort.replace(/^-/, '');
  const values = new Map(rows.map((row) => [row, sortValue(row, key)]));
  const compare = typeof values.values().next().value === 'string' ? new Intl.Collator('en', { numeric: true }).compare : (a, b) => a - b;
  return [...rows].sort((a, b) => {
    const one = values.get(a), other = values.get(b);
    if (one === null || other === null || one === undefined || other === undefined) return (one === null || one === undefined) - (other === null || other === undefined) || a.index - b.index;
    return (down ? compare(other, one) : compare(one, other)) || (a.aggregate ?? 101) - (b.aggregate ?? 101) || a.index - b.index;
  });
}

export function severityCounts(row) {
  const counts = [0, 0, 0, 0];
  for (const finding of row.findings) counts[finding.severity]++;
  return counts;
}

function verdicts(row) {
  const parts = [], counts = severityCounts(row);
  for (let i = 3; i >= 0; i--) if (counts[i]) parts.push(h('span', { class: `tally ${SEVERITIES[i]}` }, icon(SEVERITIES[i], SEVERITIES[i]), String(counts[i])));
  if (row.undecided.length) parts.push(h('span', { class: 'tally undecided' }, icon('undecided', 'undecided'), String(row.undecided.length)));
  return parts.length ? parts : h('span', { class: 'tally clean' }, icon('clean'), 'nothing found');
}

const cells = new WeakMap(); // of a row: its element, made once
function element(row) {
  if (cells.has(row)) return cells.get(row);
  const first = row.findings.find((finding) => finding.severity === worst(row));
  const link = h('a', { href: conversationLink(row) }, said(row.title || row.id));
  const cell = (name, ...inside) => h('span', { role: 'cell', class: name }, inside);
  const made = h('div', { role: 'row', 'data-key': row.key },
    h('span', { role: 'rowheader' }, link, h('span', { class: 'sub' }, said(row.domain), ' · ', said(row.model))),
    cell('wide-only', said(row.domain)), cell('wide-only', said(row.model)), cell('n', row.reward === null ? '–' : score(row.reward, Number.isInteger(row.reward) ? 0 : 2)),
    cell('n', score(row.aggregate)), cell('n wide-only', score(row.outcome, 2)),
    cell('verdicts', verdicts(row), first && first.turn !== null ? h('a', { class: 'first wide-only', href: conversationLink(row, first.turn, first.number), 'aria-label': `first ${SEVERITIES[first.severity]} finding, turn ${first.turn}` }, `→ turn ${first.turn}`) : null),
    cell('wide-only', row.failure ? words(row.failure) : '–'), cell('n wide-only', String(row.turns ?? 0)));
  cells.set(row, made);
  return made;
}

const COLUMNS = [['name', 'Conversation', ''], ['domain', 'Domain', 'wide-only'], ['model', 'Model', 'wide-only'], ['reward', 'Reward', 'n'], ['aggregate', 'Aggregate', 'n'],
  ['outcome', 'Outcome', 'n wide-only'], ['findings', 'Findings', ''], ['class', 'Failure', 'wide-only'], ['turns', 'Turns', 'n wide-only']];

function heads(sort) {
  const key = sort.replace(/^-/, '');
  return COLUMNS.map(([name, title, kind]) => {
    const now = name === key ? (sort.startsWith('-') ? 'descending' : 'ascending') : 'none';
    const next = now === 'descending' ? name : now === 'ascending' || !['name', 'domain', 'model', 'class', 'aggregate'].includes(name) ? `-${name}` : name;
    return h('span', { role: 'columnheader', class: kind, 'aria-sort': now }, h('button', { type: 'button', 'data-sort': name, onclick: () => replace({ sort: next }) }, title, h('span', { 'aria-hidden': 'true' }, now === 'descending' ? ' ▼' : now === 'ascending' ? ' ▲' : '')));
  });
}

// Fills `box`. Rows come in slices, so that a page of two thousand can be used at once.
export function makeList() {
  const note = h('p', { class: 'meta', 'data-shown': '' }), head = h('div', { role: 'row' }), body = h('div', { role: 'rowgroup', class: 'rows' });
  const box = h('div', { class: 'list' }, note, h('div', { role: 'table', class: 'conversations', 'aria-label': 'Conversations' }, h('div', { role: 'rowgroup', class: 'head' }, head), body), h('p', { class: 'after' }));
  let turn = 0, shown = [], last = [], sorted = '';
  const say = (all, total) => {
    note.textContent = all === 0 ? '' : `${count(Math.min(all, body.childElementCount))} of ${count(all)}${all < total ? ` (of ${count(total)} in all)` : ''}`;
  };
  const draw = (rows, from, most, total) => {
    const mine = ++turn;
    const next = (at) => {
      if (mine !== turn) return;
      body.append(...rows.slice(at, at + SLICE).map(element));
      say(rows.length, total);
      if (at + SLICE < Math.min(rows.length, most)) setTimeout(next, 0, at + SLICE);
      else box.lastChild.replaceChildren(...rows.length > most ? [h('button', { type: 'button', onclick: () => draw(rows, most, most + MOST, total) }, `show ${count(Math.min(MOST, rows.length - most))} more of ${count(rows.length)}`)] : []);
    };
    next(from);
  };
  return {
    box,
    rows: () => shown,
    // All the rows that may be wanted now: focus goes to one that was not drawn yet.
    reveal(key) {
      const at = shown.findIndex((row) => row.key === key);
      if (at >= 0 && at >= body.childElementCount) {
        turn++;
        body.append(...shown.slice(body.childElementCount, at + 1).map(element));
        draw(shown, at + 1, Math.max(MOST, at + SLICE), shown.length);
      }
      return at >= 0 ? cells.get(shown[at]) : null;
    },
    show(rows, total, sort, empty) {
      const same = sort === sorted && rows.length === last.length && rows.every((row, i) => row === last[i]);
      last = rows;
      if (same && rows.length) return;
      const focused = document.activeElement?.closest?.('[aria-sort]')?.querySelector('button')?.dataset.sort;
      if (sort !== sorted) head.replaceChildren(...heads(sort));
      sorted = sort;
      if (focused) head.querySelector(`[data-sort="${focused}"]`)?.focus();
      shown = sortRows(rows, sort);
      body.replaceChildren();
      box.lastChild.replaceChildren();
      turn++;
      if (rows.length) draw(shown, 0, MOST, total);
      else box.lastChild.replaceChildren(...empty);
      say(rows.length, total);
    },
  };
}
