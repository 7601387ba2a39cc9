// conversation.js: one conversation, its findings at their turns, and beside it what was known at each: `#/c/ID`.
import { h, said, cut, badge, icon, plural, score, words, count, copy, visible } from './dom.js';
import { SEVERITIES, EVALUATORS, readConversation, parseExact } from './data.js';
import { format, here, replace } from './route.js';
import { jsonView, resultView } from './json.js';

const MESSAGE = 4000; // characters that are shown of one at first

function jump(turn, words_) {
  return h('a', { class: 'jump', href: '#', onclick: (event) => {
    event.preventDefault();
    replace({ t: String(turn), f: '', path: '' });
    document.querySelector(`.turns > li[data-turn="${turn}"]`)?.dispatchEvent(new CustomEvent('show', { bubbles: true }));
  } }, words_ ?? `→ turn ${turn}`);
}

// --- Findings ---------------------------------------------------------------------------------------

function evidenceView(list, mark) {
  if (!list?.length) return null;
  return h('ul', { class: 'evidence' }, list.map((one) => h('li', {},
    h('button', { type: 'button', class: 'path', 'data-path': one.path, onfocus: () => mark(one.path), onmouseenter: () => mark(one.path), onclick: () => { replace({ path: one.path }); mark(one.path, true); } }, visible(String(one.path ?? ''))),
    ' ', h('span', { class: 'is' }, '= ', cut(String(one.value ?? ''), 200, 'said mono')),
    one.tool ? [' ', said(one.tool, 'said mono meta')] : null, one.turn !== undefined && one.turn !== null ? [' ', jump(one.turn)] : null,
    one.stale ? h('span', { class: 'stale' }, '~ stale') : null)));
}

function findingView(finding, mark, all) {
  const root = finding.root !== undefined && finding.root !== finding.id ? all.find((one) => one.id === finding.root) : null;
  return h('div', { class: `box ${finding.severity}`, 'data-finding': finding.id, tabindex: '-1', role: 'group', 'aria-label': `Finding ${finding.id}, ${finding.severity}` },
    h('p', { class: 'boxhead' }, badge(finding.severity), ' ', h('b', {}, words(finding.kind ?? '')), ' ', finding.rule ? said(finding.rule, 'said mono') : null, ' ', h('span', { class: 'by' }, finding.by === 'model' ? 'judged by a model' : 'decided by rules')),
    h('p', {}, cut(String(finding.message ?? ''), 2000, 'said')),
    finding.because ? h('blockquote', {}, said(finding.because)) : null,
    finding.key ? h('p', { class: 'meta' }, 'argument ', said(finding.key, 'said mono')) : null,
    evidenceView(finding.evidence, mark),
    root ? h('p', { class: 'meta' }, `A symptom of finding ${root.id}, `, words(root.kind), root.turn !== undefined ? [' ', jump(root.turn)] : null) : null,
    finding.suggest ? h('p', { class: 'meta' }, 'Would have prevented it: ', said(finding.suggest)) : null);
}

function undecidedView(one) {
  return h('div', { class: 'box undecided' }, h('p', { class: 'boxhead' }, badge('undecided'), ' ', h('b', {}, words(one.kind ?? one.evaluator ?? '')), ' ', one.rule ? said(one.rule, 'said mono') : null), h('p', {}, said(one.why ?? '')));
}

// --- Turns ------------------------------------------------------------------------------------------

function roleOf(event) {
  if (event.kind === 'call') return 'call';
  if (event.kind === 'result' || event.kind === 'error') return event.kind;
  return event.role === 'assistant' ? 'agent' : event.role ?? 'message';
}

function toolName(event) {
  return [h('b', { class: 'mono' }, said(event.tool ?? '')), ' '];
}

function content(event, prompt) {
  if (event.kind === 'call') return h('div', { class: 'tree' }, event.args === undefined || event.args === null ? [toolName(event), said(event.text ?? '', 'said mono')] : jsonView(event.args, 0, '', toolName(event)));
  const text = typeof event.text === 'string' ? event.text : event.text === undefined || event.text === null ? '' : JSON.stringify(event.text);
  if (event.kind === 'result' || event.kind === 'error') return resultView(text);
  if (prompt && event.role === 'system' && text === prompt) return h('p', { class: 'meta' }, `the instructions, as above (${plural(text.length, 'character')})`);
  return h('div', { class: 'text' }, text ? cut(text, MESSAGE, 'said') : h('span', { class: 'meta' }, 'without text'));
}

function turnView(event, boxes, first, prompt) {
  const role = roleOf(event), changes = event.ledger?.length;
  return h('li', { class: `event ${role}`, 'data-event': event.event, 'data-turn': event.turn, tabindex: first ? 0 : -1 },
    h('div', { class: 'who' }, h('span', { class: 'turn' }, String(event.turn ?? '')), ' ', h('span', { class: 'role' }, role), event.kind && event.kind !== 'call' && event.tool ? [' ', said(event.tool, 'said mono meta')] : null,
      changes ? h('span', { class: 'meta' }, ` ledger +${changes}`) : null),
    content(event, prompt), boxes);
}

// --- The ledger -------------------------------------------------------------------------------------

function fold(events, turn) {
  const ledger = new Map();
  for (const event of events) {
    if (turn !== null && event.turn > turn) break;
    for (const change of event.ledger ?? []) {
      const known = ledger.get(change.path);
      if (change.value === undefined && known) ledger.set(change.path, { ...known, stale: change.stale ? event.turn : null, changed: event.turn });
      else ledger.set(change.path, { value: change.value, tool: change.tool, turn: change.turn ?? event.turn, stale: change.stale ? event.turn : null, changed: event.turn });
    }
  }
  return ledger;
}

function bare(path) {
  return String(path ?? '').replace(/^ledger\./, '');
}

function valueOf(value) {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value;
  try {
    return parseExact(value);
  } catch {
    return value;
  }
}

function ledgerView(events, turn, hasLedger) {
  const ledger = fold(events, turn);
  const head = h('h2', {}, 'Ledger ', h('span', { class: 'meta' }, turn === null ? 'at the end' : `after turn ${turn}`));
  if (!hasLedger) return [head, h('p', { class: 'meta' }, 'No ledger was kept: no pack fits these tools, or nothing was read.')];
  if (!ledger.size) return [head, h('p', { class: 'meta' }, 'Nothing is known yet.')];
  return [head, h('ul', { class: 'records' }, [...ledger].map(([path, record]) => h('li', { class: `record${record.stale !== null ? ' is-stale' : ''}${record.changed === turn ? ' is-new' : ''}`, 'data-record': bare(path) },
    h('div', { class: 'recordhead' }, said(bare(path), 'said mono'), ' ', h('span', { class: 'meta' }, said(record.tool ?? '', 'said mono'), ' ', jump(record.turn, `turn ${record.turn}`)),
      record.stale !== null ? h('span', { class: 'stale' }, `~ stale since turn ${record.stale}`) : null),
    jsonView(valueOf(record.value), 1))))];
}

// --- What stands above ------------------------------------------------------------------------------

function facts(row, audit) {
  const pack = audit.pack ? `${audit.pack.name ?? ''} ${audit.pack.version ?? ''}`.trim() : null;
  const lines = [['model', said(row.model)], ['domain', said(row.domain)], ['task', row.task ? said(row.task) : '–'], ['reward', row.reward === null ? 'none recorded' : String(row.reward)],
    ['checks', audit.checks ? Object.entries(audit.checks).map(([name, value], i) => [i ? ', ' : '', said(name), ` ${typeof value === 'object' ? JSON.stringify(value) : value}`]) : null],
    ['aggregate', row.aggregate === null ? '–' : [score(row.aggregate), row.aggregate_once !== null && row.aggregate_once !== row.aggregate ? ` (${score(row.aggregate_once)} counting each cause once)` : '']],
    ['outcome', score(row.outcome, 2)], ['process', score(row.process)], ['failure', row.failure ? words(row.failure) : 'none'], ['customer', row.customer ? said(row.customer) : null],
    ['pack', pack ? said(pack) : 'none fits'], ['ended', row.ended ? said(row.ended) : null],
    ['unrecoverable', audit.first_unrecoverable ? jump(audit.first_unrecoverable.turn, `from turn ${audit.first_unrecoverable.turn}`) : null],
    ['recorded in', row.file ? [said(row.file, 'said mono'), row.line ? ` line ${row.line}` : ''] : null], ['left out', audit.counts?.delegated ? `${plural(audit.counts.delegated, 'delegated task')}: what was done there is not in the recording` : null]];
  return h('dl', { class: 'facts' }, lines.filter(([, value]) => value !== null).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

function evaluatorsView(audit) {
  const list = audit.evaluators ?? [];
  const open = audit.not_checked ?? [];
  return h('details', { class: 'evaluators' }, h('summary', {}, `What was checked: ${list.filter((one) => one.score !== null && one.score !== undefined).length} of ${EVALUATORS.length} evaluators ran`),
    h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Evaluators' }, h('table', { class: 'plain' }, h('thead', {}, h('tr', {}, ['Evaluator', 'Tier', 'Score', 'Decided by rules', 'Judged by a model'].map((name) => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, list.map((one) => h('tr', {}, h('th', { scope: 'row' }, words(one.name ?? '')), h('td', {}, words(one.tier ?? '')), h('td', { class: 'n' }, one.score === null || one.score === undefined ? h('span', { class: 'undecided-text' }, 'did not run') : score(one.score)),
        h('td', {}, one.decided ? `${plural(one.decided.violated ?? 0, 'violation')} in ${plural(one.decided.checked ?? 0, 'check')}${one.decided.checked === 0 ? ': no rule applied' : ''}` : said(one.why ?? '–')),
        h('td', {}, one.judged ? [score(one.judged.score ?? null), ' ', said(one.judged.reasoning ?? '')] : 'not asked')))))),
    open.length ? [h('p', {}, 'Not checked:'), h('ul', {}, open.map((one) => h('li', {}, words([one.evaluator, one.part, one.kind].filter(Boolean).join(', ')), one.rule ? [' ', said(one.rule, 'said mono')] : null, ': ', said(one.why ?? ''))))] : null);
}

function background(conversation) {
  const parts = [];
  const add = (title, size, fill) => {
    const details = h('details', {}, h('summary', {}, title, h('span', { class: 'meta' }, ` ${size}`)));
    details.addEventListener('toggle', () => { if (details.childElementCount === 1) details.append(fill()); });
    parts.push(details);
  };
  if (conversation.prompt) add('Instructions', plural(conversation.prompt.length, 'character'), () => h('div', { class: 'text long' }, said(conversation.prompt)));
  if (conversation.tools?.length) add('Tools', count(conversation.tools.length), () => h('div', { class: 'tree' }, jsonView(conversation.tools, 1)));
  if (conversation.request) add('The task as the customer had it', '', () => h('div', { class: 'text long' }, said(typeof conversation.request === 'string' ? conversation.request : JSON.stringify(conversation.request))));
  if (conversation.expected?.length) add('What was expected to be done', `${plural(conversation.expected.length, 'action')}, as recorded; no score knows it`, () => h('div', { class: 'tree' }, jsonView(conversation.expected, 0)));
  if (conversation.initial) add('The state before', '', () => h('div', { class: 'tree' }, jsonView(conversation.initial, 1)));
  return h('div', { class: 'background' }, parts);
}

// --- The view ---------------------------------------------------------------------------------------

function placeBoxes(audit, events, mark) {
  const at = new Map(), of = [], known = new Set(events.map((event) => event.event));
  const put = (one, box) => {
    if (!known.has(one.event)) {
      of.push(box);
      return;
    }
    if (!at.has(one.event)) at.set(one.event, []);
    at.get(one.event).push(box);
  };
  const findings = audit.findings ?? [];
  for (const finding of findings) put(finding, findingView(finding, mark, findings));
  for (const one of audit.undecided ?? []) put(one, undecidedView(one));
  return { at, of };
}

export function makeConversation(row, artefact, neighbours) {
  const { audit, conversation } = artefact, events = conversation.messages ?? [];
  const hasLedger = events.some((event) => event.ledger?.length);
  const ledger = h('aside', { class: 'ledger', tabindex: 0, role: 'region', 'aria-label': 'Ledger' });
  let turn = null, atFinding = 0;

  function mark(path, reveal) {
    let best = null;
    for (const record of ledger.querySelectorAll('[data-record]')) {
      record.classList.remove('marked');
      const name = record.dataset.record;
      if (bare(path).startsWith(name) && (!best || name.length > best.dataset.record.length)) best = record;
    }
    best?.classList.add('marked');
    if (reveal && best) best.scrollIntoView({ block: 'nearest' });
  }

  const { at, of } = placeBoxes(audit, events, mark);
  const turns = h('ol', { class: 'turns' }, events.map((event, i) => turnView(event, at.get(event.event) ?? [], i === 0, conversation.prompt)));
  const boxes = () => [...root.querySelectorAll('[data-finding]')];
  const number = h('span', { class: 'position' });
  const nav = h('div', { class: 'nav' });
  const tab = (name, title) => h('button', { type: 'button', class: 'tab', 'data-tab': name, 'aria-pressed': String((here().keys.get('tab') || 'turns') === name), onclick: () => { replace({ tab: name }); showTab(); } }, title);
  const link = h('button', { type: 'button', onclick: () => copy(location.href, link) }, 'copy link');
  const findings = audit.findings ?? [];
  const root = h('article', { class: 'conversation', 'data-key': row.key },
    h('header', {}, h('p', { class: 'crumbs' }, h('a', { href: '#/findings', 'data-back': '' }, '‹ list'), ' ', neighbours.before ? h('a', { href: format('c', neighbours.before.key, []), rel: 'prev' }, '[ previous') : null, ' ', neighbours.after ? h('a', { href: format('c', neighbours.after.key, []), rel: 'next' }, 'next ]') : null, link),
      h('h2', { tabindex: -1 }, said(row.title || row.id), ' ', h('span', { class: 'meta' }, said(row.model))), facts(row, audit)),
    findings.length ? null : h('p', { class: 'nothing' }, icon('clean'), ' Nothing was found. What was checked, and what was not, stands below.'),
    evaluatorsView(audit), background(conversation),
    of.length ? h('section', { class: 'whole', 'aria-label': 'Of the conversation as a whole' }, h('h3', {}, 'Of the conversation as a whole'), of) : null,
    h('div', { class: 'stick' }, nav, h('div', { class: 'tabs' }, tab('turns', 'Turns'), tab('ledger', 'Ledger'))),
    h('div', { class: 'columns' }, h('div', { class: 'turns-column' }, events.length ? turns : h('p', { class: 'meta' }, 'The recording has no events.')), ledger));
  nav.append(findings.length ? h('button', { type: 'button', 'aria-label': 'previous finding', onclick: () => step(-1) }, '◀') : '', number, findings.length ? h('button', { type: 'button', 'aria-label': 'next finding', onclick: () => step(1) }, '▶') : '');

  function showTab() {
    const now = here().keys.get('tab') || 'turns';
    root.dataset.tab = now;
    for (const button of root.querySelectorAll('.tab')) button.setAttribute('aria-pressed', String(button.dataset.tab === now));
  }

  function showLedger(now) {
    if (now === turn && ledger.childElementCount) return;
    turn = now;
    ledger.replaceChildren(...ledgerView(events, turn, hasLedger));
  }

  function current(item) {
    for (const other of turns.querySelectorAll('li.event[tabindex="0"]')) other.setAttribute('tabindex', '-1');
    item.setAttribute('tabindex', '0');
    showLedger(Number(item.dataset.turn));
  }

  turns.addEventListener('focusin', (event) => {
    const item = event.target.closest('li.event');
    if (item) current(item);
  });
  turns.addEventListener('click', (event) => {
    const item = event.target.closest('li.event');
    if (item) current(item);
  });
  root.addEventListener('show', () => open(false));

  function step(by) {
    const all = boxes();
    if (!all.length) return;
    const now = all.findIndex((box) => box === document.activeElement || box.contains(document.activeElement));
    atFinding = now >= 0 ? (now + by + all.length) % all.length : Math.min(all.length - 1, Math.max(0, atFinding - 1 + (by > 0 ? 1 : 0)));
    const box = all[atFinding], item = box.closest('li.event');
    replace({ f: box.dataset.finding, t: item?.dataset.turn ?? '', path: '' });
    open(false);
  }

  // What the address names is in view, outlined and focused.
  function open(first) {
    const { keys } = here(), f = keys.get('f'), t = keys.get('t');
    showTab();
    for (const old of root.querySelectorAll('.linked')) old.classList.remove('linked');
    const box = f ? [...root.querySelectorAll('[data-finding]')].find((one) => one.dataset.finding === f) : null;
    const item = box?.closest('li.event') ?? (t ? turns.querySelector(`li[data-turn="${CSS.escape(t)}"]`) : null);
    const target = box ?? item;
    const all = boxes(), at_ = box ? all.indexOf(box) : -1;
    if (box) atFinding = at_ + 1;
    number.textContent = all.length ? ` finding ${at_ >= 0 ? at_ + 1 : '–'}/${all.length} ` : ' no finding ';
    if (item) {
      item.classList.add('linked');
      current(item);
    } else showLedger(null);
    if (target) {
      target.scrollIntoView({ block: 'center' });
      target.focus({ preventScroll: true });
    } else if (first) {
      window.scrollTo(0, 0);
      root.querySelector('h2').focus({ preventScroll: true });
    }
    if (keys.get('path')) mark(keys.get('path'), true);
    if ((f && !box) || (t && !item)) return `This conversation has no ${f && !box ? `finding ${f}` : `turn ${t}`}.`;
    return '';
  }

  function walk(by) {
    const items = [...turns.children], now = items.findIndex((item) => item.contains(document.activeElement));
    const item = items[Math.max(0, Math.min(items.length - 1, now + by))];
    if (!item) return;
    replace({ t: item.dataset.turn, f: '', path: '' });
    item.scrollIntoView({ block: 'nearest' });
    item.focus({ preventScroll: true });
  }

  return { root, open, step, walk };
}

export async function openConversation(row, neighbours) {
  if (row.place === null) {
    const back = h('a', { href: '#/findings', 'data-back': '' }, '‹ list');
    const where = row.path ? ['Its artefact lies in ', h('a', { href: row.path.split('/').map(encodeURIComponent).join('/') }, row.path), '.'] : 'Audit this file alone to see it.';
    const audit = { findings: [], evaluators: [] };
    return { root: h('article', { class: 'conversation' }, h('p', { class: 'crumbs' }, back), h('h2', { tabindex: -1 }, said(row.title || row.id)), facts(row, audit),
      h('p', {}, 'The turns of this conversation are not in the page, which would have become too large. ', where), h('ul', {}, row.findings.map((finding) => h('li', {}, badge(SEVERITIES[finding.severity]), ` turn ${finding.turn ?? '–'}`)))),
    open: () => '', step: () => {}, walk: () => {} };
  }
  return makeConversation(row, await readConversation(row), neighbours);
}
