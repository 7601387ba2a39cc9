// findings.js: what goes wrong, each thing once: findings of one kind and one rule are one, in as many conversations.
import { h, said, cut, badge, icon, plural, count, words } from './dom.js';
import { SEVERITIES } from './data.js';
import { conversationLink, format, here, replace } from './route.js';

const INSTANCES = 20; // shown at first
const FIRST = 25;     // likewise of the groups

export function wantedFinding(summary, keys) {
  const kind = keys.get('kind'), rule = keys.get('rule'), severity = SEVERITIES.indexOf(keys.get('severity'));
  return (finding) => {
    const group = summary.groups[finding.group];
    return (!kind || group?.kind === kind) && (!rule || group?.rule === rule) && (severity < 0 || finding.severity === severity);
  };
}

// In how many conversations it is as bad as it gets.
function worstOf(one) {
  return one.severity < 0 ? one.conversations.size : new Set(one.instances.filter((instance) => instance.severity === one.severity).map((instance) => instance.row)).size;
}

// Groups with what they hold in these rows, the worst first, then in how many conversations.
export function collect(summary, rows, keys) {
  const wanted = wantedFinding(summary, keys), groups = new Map();
  const open = (index, what) => {
    const key = `${what}${index}`;
    if (!groups.has(key)) groups.set(key, { group: summary.groups[index] ?? { kind: 'more kinds than are told apart', index: null }, what, severity: 0, by: [0, 0, 0, 0], found: 0, symptoms: 0, conversations: new Set(), instances: [] });
    return groups.get(key);
  };
  const undecided = keys.get('severity') === 'undecided';
  for (const row of rows) {
    for (const finding of undecided ? [] : row.findings) {
      if (!wanted(finding)) continue;
      const all = open(finding.group, 'found');
      all.severity = Math.max(all.severity, finding.severity);
      all.by[finding.severity]++;
      all.found++;
      if (finding.root !== undefined) all.symptoms++;
      all.conversations.add(row);
      all.instances.push({ row, turn: finding.turn, number: finding.number, tool: finding.tool, severity: finding.severity });
    }
    for (const one of row.undecided) {
      const group = summary.groups[one.group];
      if (!undecided && (keys.get('severity') || keys.get('kind') && group?.kind !== keys.get('kind') || keys.get('rule') && group?.rule !== keys.get('rule'))) continue;
      const all = open(one.group, 'undecided');
      all.severity = -1;
      all.found++;
      all.conversations.add(row);
      all.instances.push({ row, turn: one.turn });
    }
  }
  for (const one of groups.values()) one.instances.sort((a, b) => (b.severity ?? -1) - (a.severity ?? -1));
  return [...groups.values()].sort((a, b) => b.severity - a.severity || worstOf(b) - worstOf(a) || b.found - a.found);
}

export function groupName(group) {
  return [group.kind, group.rule].filter(Boolean).join('/');
}

function instance({ row, turn, number, tool, severity }) {
  return h('li', {}, severity === undefined ? null : [icon(SEVERITIES[severity], SEVERITIES[severity]), ' '], h('a', { href: conversationLink(row, turn, number) }, said(row.title || row.id), turn === null || turn === undefined ? '' : ` turn ${turn}`),
    ' ', h('span', { class: 'meta' }, said(row.model), tool ? [' · ', said(tool, 'said mono')] : null));
}

function instances(all) {
  const list = h('ul', { class: 'instances' }, all.slice(0, INSTANCES).map(instance));
  if (all.length > INSTANCES) {
    const more = h('button', { type: 'button', class: 'more', 'data-more': '' }, `show all ${count(all.length)}`);
    more.addEventListener('click', () => { more.remove(); list.append(...all.slice(INSTANCES).map(instance)); });
    return [list, more];
  }
  return list;
}

function body({ group, what, instances: all, symptoms }) {
  const filter = format('findings', '', new Map([['kind', group.kind], ['rule', group.rule], what === 'undecided' ? ['severity', 'undecided'] : ['severity', '']]));
  return h('div', { class: 'inside' },
    group.message ? h('blockquote', { class: 'example' }, said(group.message), group.cut ? '…' : '', h('span', { class: 'meta' }, group.cut ? ' (one of them; the conversation has all of the text)' : all.length > 1 ? ' (one of them)' : '')) : null,
    group.suggest ? h('p', {}, h('b', {}, 'Would have prevented it: '), said(group.suggest)) : null,
    symptoms ? h('p', { class: 'meta' }, `${count(symptoms)} of these ${symptoms === 1 ? 'is a symptom' : 'are symptoms'} of another finding.`) : null,
    instances(all), h('p', {}, h('a', { href: filter }, 'only these conversations in all of the page')));
}

function groupRow(one) {
  const { group, what, severity, found, conversations, by } = one, name = groupName(group);
  const mixed = by.filter(Boolean).length > 1 ? [3, 2, 1, 0].filter((i) => by[i]).map((i) => `${count(by[i])} ${SEVERITIES[i]}`).join(', ') : null;
  const kind = what === 'undecided' ? 'undecided' : SEVERITIES[severity];
  const details = h('details', { class: 'finding', 'data-group': name, 'data-what': what },
    h('summary', {}, badge(kind), h('span', { class: 'what' }, h('b', {}, words(group.kind ?? '')), ' ', group.rule ? said(group.rule, 'said mono') : null,
      group.message ? h('span', { class: 'lead' }, said(group.message)) : null),
    h('span', { class: 'times' }, h('b', {}, count(found)), ` in ${plural(conversations.size, 'conversation')}`, mixed ? h('span', { class: 'meta mixed' }, mixed) : null)));
  const fill = () => { if (details.childElementCount === 1) details.append(body(one)); };
  details.addEventListener('toggle', () => {
    if (details.open) fill();
    if ('auto' in details.dataset) {
      delete details.dataset.auto;
      return;
    }
    const open = here().keys.get('open');
    if (here().view !== 'findings') return;
    if (details.open && open !== name) replace({ open: name });
    else if (!details.open && open === name) replace({ open: '' });
  });
  if (here().keys.get('open') === name) {
    fill();
    details.open = true;
  }
  return details;
}

// What was asked, where nothing was found: it is not the same as that all is well.
function nothing(summary, rows) {
  if (!rows.length) return h('p', { class: 'meta' }, 'There is no conversation to look at.');
  const ran = rows.reduce((sum, row) => sum + row.evaluators.filter((value) => value !== null).length, 0);
  return h('div', { class: 'nothing' }, h('p', {}, icon('clean'), ` Nothing was found in ${plural(rows.length, 'conversation')}.`),
    h('p', { class: 'meta' }, `${plural(ran, 'evaluation')} ran, of ${count(rows.length * 7)} that there are: seven for each conversation. What did not run is below, under “not checked”.`));
}

export function notChecked(summary, rows) {
  const times = new Map();
  for (const row of rows) for (const index of row.notChecked) times.set(index, (times.get(index) ?? 0) + 1);
  if (!times.size) return null;
  return h('details', { class: 'unchecked' }, h('summary', {}, `Not checked: ${plural(times.size, 'part')}`),
    h('ul', {}, [...times].sort((a, b) => b[1] - a[1]).map(([index, n]) => {
      const group = summary.groups[index] ?? {};
      return h('li', {}, words([group.evaluator, group.part, group.kind].filter(Boolean).join(', ')), ': ', said(group.message ?? ''), h('span', { class: 'meta' }, ` in ${plural(n, 'conversation')}`));
    })));
}

export function findingsView(summary, rows, keys) {
  const groups = collect(summary, rows, keys);
  if (!groups.length) return nothing(summary, rows);
  const named = groups.findIndex((one) => groupName(one.group) === keys.get('open')), first = Math.max(FIRST, named + 1);
  const box = h('div', { class: 'findings' }, groups.slice(0, first).map(groupRow));
  if (groups.length > first) {
    const more = h('button', { type: 'button', class: 'more', 'data-more': '' }, `show all ${count(groups.length)}`);
    more.addEventListener('click', () => {
      const made = groups.slice(first).map(groupRow);
      more.replaceWith(...made);
      made[0].firstChild.focus();
    });
    box.append(more);
  }
  return box;
}

// --- Kinds by model -----------------------------------------------------------------------------------

function shade(part, all) {
  const share = all ? part / all : 0;
  return part === 0 ? '' : share < 0.1 ? 's1' : share < 0.25 ? 's2' : share < 0.5 ? 's3' : 's4';
}

// How many conversations of a model have a finding of a kind. `0`: looked for, and not there; `–`: not looked for.
export function matrix(summary, rows, keys, evaluators) {
  const without = new Map([...keys].filter(([key]) => key !== 'kind' && key !== 'rule'));
  const wanted = wantedFinding(summary, without), models = new Map(), kinds = new Map();
  for (const row of rows) {
    if (!models.has(row.model)) models.set(row.model, { n: 0, ran: new Set() });
    const model = models.get(row.model), seen = new Set();
    model.n++;
    row.evaluators.forEach((value, i) => { if (value !== null) model.ran.add(evaluators[i]); });
    for (const finding of row.findings) {
      const group = summary.groups[finding.group];
      if (!group || !wanted(finding)) continue;
      if (!kinds.has(group.kind)) kinds.set(group.kind, { severity: 0, evaluator: group.evaluator, total: 0, in: new Map() });
      const kind = kinds.get(group.kind);
      kind.severity = Math.max(kind.severity, finding.severity);
      if (seen.has(group.kind)) continue;
      seen.add(group.kind);
      kind.total++;
      kind.in.set(row.model, (kind.in.get(row.model) ?? 0) + 1);
    }
  }
  if (!kinds.size) return h('p', { class: 'meta' }, 'No kind of finding to compare.');
  const columns = [...models].sort((a, b) => b[1].n - a[1].n).slice(0, 30);
  const lines = [...kinds].sort((a, b) => b[1].severity - a[1].severity || b[1].total - a[1].total);
  const cell = (kind, name, model, value) => {
    const n = value.in.get(name) ?? 0;
    if (!n) return h('td', { class: 'n' }, model.ran.has(value.evaluator) || !value.evaluator ? '0' : '–');
    const link = new Map(without);
    link.set('kind', kind).set('model', name).delete('open');
    return h('td', { class: `n ${shade(n, model.n)}` }, h('a', { href: format('findings', '', link), title: `${n} of ${model.n} conversations`, 'aria-label': `${words(kind)}, ${name}: ${n} of ${model.n} conversations` }, count(n)));
  };
  const note = h('p', { class: 'meta' }, `Conversations with a finding of the kind. 0: looked for and not there; –: not looked for. Darker: a larger share of the model’s.${models.size > columns.length ? ` The ${columns.length} models with most of ${models.size}.` : ''}`);
  return h('div', {}, note, h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Violations by kind and model' }, h('table', { class: 'matrix' },
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Kind'), columns.map(([name, model]) => h('th', { scope: 'col', class: 'n' }, said(name), ' ', h('span', { class: 'meta' }, `n ${count(model.n)}`))), h('th', { scope: 'col', class: 'n' }, 'all'))),
    h('tbody', {}, lines.map(([kind, value]) => h('tr', {}, h('th', { scope: 'row' }, icon(SEVERITIES[value.severity], SEVERITIES[value.severity]), ' ', words(kind)), columns.map(([name, model]) => cell(kind, name, model, value)), h('td', { class: 'n' }, count(value.total))))))));
}
