// sim_main.js: what would this call do? Tools, the calls of a session, and the state as it changes.
//
// The address is the state: `#/sim/ID?call=2&a=SNAPSHOT&b=SNAPSHOT&tool=NAME&tab=calls`. While the page can be seen, the session's history
// is looked at every second and a half from the last known call on, so that what others do appears and little is sent.
import { h, said, announce, plural, count } from './dom.js';
import { ask, historyFrom, sessionPath, setToken } from './sim_api.js';
import { toolForm } from './sim_form.js';
import { judgePanel } from './sim_judge.js';
import { callList, differences, showState } from './sim_view.js';

const POLL_MS = 1500;
const SESSIONS_EVERY = 4; // polls
const TABS = ['tools', 'calls', 'state'];
const SIM_KEYS = [['/', 'find a tool'], ['j k', 'next and previous call'], ['c', 'to the form of the tool'], ['?', 'these keys'], ['Esc', 'leave a field']];

const now = { session: '', call: '', a: '', b: '', tool: '', tab: '', tools: [], sessions: [], calls: [], dropped: 0, snapshots: 0, all: false, drafts: new Map() };
const parts = {};
let loading = 0, polls = 0, busy = false;

// --- The address ----------------------------------------------------------------------------------

function address(changes = {}) {
  const at = { session: now.session, call: now.call, a: now.a, b: now.b, tool: now.tool, tab: now.tab, ...changes };
  const query = ['call', 'a', 'b', 'tool', 'tab'].filter((key) => at[key] && (key !== 'b' || at.a)).map((key) => `${key}=${encodeURIComponent(at[key])}`).join('&');
  return `#/sim/${encodeURIComponent(at.session)}${query ? `?${query}` : ''}`;
}

function part(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readAddress() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const keys = new Map(query.split('&').filter(Boolean).map((word) => word.split(/=(.*)/s).map(part)));
  return { session: part(path.split('/')[1] ?? ''), call: keys.get('call') ?? '', a: keys.get('a') ?? '', b: keys.get('a') ? keys.get('b') ?? '' : '', tool: keys.get('tool') ?? '', tab: TABS.includes(keys.get('tab')) ? keys.get('tab') : 'tools' };
}

function goTo(changes, replace = false) {
  if (replace) history.replaceState(null, '', address(changes)); else history.pushState(null, '', address(changes));
  return follow();
}

// --- Failures -------------------------------------------------------------------------------------

function tokenForm(again) {
  const token = h('input', { type: 'password', id: 'token', autocomplete: 'off' });
  return h('form', { class: 'session-bar', onsubmit: (event) => {
    event.preventDefault();
    setToken(token.value.trim());
    parts.trouble.replaceChildren();
    again();
  } }, h('label', { for: 'token' }, h('span', { class: 'meta' }, 'token'), token), h('button', { type: 'submit', class: 'main' }, 'show it'));
}

function trouble(error, again) {
  if (error.status === 401) {
    parts.trouble.replaceChildren(h('div', { class: 'banner', role: 'alert' }, h('p', {}, 'The simulator wants to see its token.'), tokenForm(again)));
    return;
  }
  parts.trouble.replaceChildren(h('div', { class: 'banner', role: 'alert' }, h('p', {}, said(error.message)),
    h('p', {}, h('button', { type: 'button', onclick: () => { parts.trouble.replaceChildren(); again(); } }, 'try again'))));
}

// Does `what`, and says what came in its way.
async function attempt(what) {
  try {
    await what();
    if (parts.trouble.firstChild) parts.trouble.replaceChildren();
    return true;
  } catch (error) {
    trouble(error, () => attempt(what));
    return false;
  }
}

// --- Tools ----------------------------------------------------------------------------------------

function drawTools() {
  const wanted = parts.filter.value.trim().toLowerCase();
  const found = now.tools.filter((tool) => !wanted || tool.name.toLowerCase().includes(wanted) || (tool.description ?? '').toLowerCase().includes(wanted) || tool.kind === wanted);
  parts.toolList.replaceChildren(...found.map((tool) => h('li', {}, h('a', { href: address({ tool: tool.name }), 'aria-current': tool.name === now.tool ? 'true' : null },
    said(tool.name, 'said mono'), h('span', { class: `kind ${tool.kind}` }, tool.kind, tool.guessed ? ' (guessed)' : '', tool.requestor === 'user' ? ', customer' : '')))));
  parts.toolList.hidden = !found.length;
  parts.toolCount.textContent = found.length === now.tools.length ? plural(found.length, 'tool') : `${count(found.length)} of ${plural(now.tools.length, 'tool')}`;
  parts.noTools.hidden = found.length > 0;
  parts.noTools.replaceChildren(...(now.tools.length ? [h('p', { class: 'nothing' }, 'No tool has these words. ', h('button', { type: 'button', class: 'more', onclick: () => { parts.filter.value = ''; drawTools(); parts.filter.focus(); } }, 'clear'))] : [h('p', { class: 'nothing' }, 'The simulator has no tools.')]));
}

// A form is kept with what was typed into it, whichever tool is looked at in between.
function drawForm() {
  const tool = now.tools.find((one) => one.name === now.tool);
  if (!tool) {
    parts.form.replaceChildren(h('p', { class: 'nothing' }, now.tool ? ['There is no tool ', said(now.tool, 'said mono'), '.'] : 'Choose a tool to call it.'));
    return;
  }
  if (!now.drafts.has(tool.name)) now.drafts.set(tool.name, toolForm(tool, (text) => makeCall(tool, text)));
  const form = now.drafts.get(tool.name);
  if (parts.form.firstChild !== form) parts.form.replaceChildren(form);
}

async function makeCall(tool, text) {
  const session = now.session || await newSession('{}');
  const answer = await ask('POST', sessionPath(session, '/calls'), `{"name": ${JSON.stringify(tool.name)}, "arguments": ${text}${tool.requestor === 'user' ? ', "requestor": "user"' : ''}}`);
  announce(`call ${answer.number}: ${answer.error ? `error, ${answer.error}` : 'done'}`);
  const bad = answer.end === 'bad_arguments';
  history.replaceState(null, '', address({ session, call: String(answer.number), a: '', tab: bad ? 'tools' : 'calls' }));
  await follow();
  await refresh(true);
  return answer;
}

// --- Sessions -------------------------------------------------------------------------------------

async function loadSessions() {
  const list = await ask('GET', 'sessions');
  now.sessions = list.sessions;
  const options = now.sessions.map((one) => h('option', { value: one.session }, `${one.session}${one.calls === undefined ? ' (busy)' : `, ${plural(one.calls, 'call')}`}`));
  if (!now.sessions.some((one) => one.session === now.session)) options.unshift(h('option', { value: '' }, now.session ? `${now.session} (gone)` : 'none yet'));
  parts.sessions.replaceChildren(...options);
  parts.sessions.value = now.sessions.some((one) => one.session === now.session) ? now.session : '';
}

async function newSession(body) {
  const made = await ask('POST', 'sessions', body);
  return made.session;
}

async function act(path, body = '{}') {
  return ask('POST', sessionPath(now.session, path), body);
}

async function fork(snapshot = null) {
  const made = await act('/fork');
  if (snapshot !== null) await ask('POST', sessionPath(made.session, '/restore'), JSON.stringify({ snapshot }));
  announce(snapshot === null ? `forked: this is ${made.session}` : `snapshot ${snapshot} goes on as ${made.session}`);
  await goTo({ session: made.session, call: '', a: '' });
}

function sessionActions() {
  const button = (text, what, attributes = {}) => h('button', { type: 'button', ...attributes, onclick: () => attempt(what) }, text);
  parts.actions = [
    button('fork', () => fork(), { title: 'a copy that goes its own way' }),
    button('snapshot', async () => { const made = await act('/snapshots'); announce(`snapshot ${made.snapshot} is made`); await goTo({ tab: 'state' }, true); await refresh(true); }),
    button('delete', async () => { const old = now.session; await ask('DELETE', sessionPath(old)); announce(`session ${old} is deleted`); await loadSessions(); await goTo({ session: now.sessions[0]?.session ?? '', call: '', a: '' }); }),
    button('reset', async () => { await act('/reset'); announce('the session begins anew'); await goTo({ call: '', a: '' }, true); await refresh(true); }),
  ];
  return parts.actions;
}

function newSessionForm() {
  const task = h('input', { type: 'text', id: 'new-task', autocomplete: 'off' });
  const seed = h('input', { type: 'text', id: 'new-seed', inputmode: 'numeric', autocomplete: 'off' });
  const state = h('textarea', { id: 'new-state', rows: 4, spellcheck: 'false' });
  const wrong = h('p', { class: 'wrong', role: 'alert' });
  const box = h('details', { class: 'more-of' }, h('summary', {}, 'new session'));
  box.append(h('form', { novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    const members = [];
    if (task.value) members.push(`"task_id": ${JSON.stringify(task.value)}`);
    if (seed.value.trim()) members.push(`"seed": ${seed.value.trim()}`);
    if (state.value.trim()) members.push(`"state": ${state.value.trim()}`);
    wrong.textContent = '';
    try {
      const session = await newSession(`{${members.join(', ')}}`);
      box.open = false;
      announce(`session ${session} has begun`);
      await goTo({ session, call: '', a: '' });
    } catch (error) {
      wrong.textContent = error.message;
    }
  } }, h('div', { class: 'session-bar' }, h('label', {}, h('span', { class: 'meta' }, 'task, if a file of states has it'), task), h('label', {}, h('span', { class: 'meta' }, 'seed'), seed)),
  h('div', { class: 'field' }, h('label', { for: 'new-state' }, 'first state as JSON (empty: that of the simulator)'), state), wrong, h('button', { type: 'submit', class: 'main' }, 'begin')));
  return box;
}

// --- Calls and state ------------------------------------------------------------------------------

function violationsOf(call) {
  return call.violations ?? [];
}

function drawCalls() {
  const focused = document.activeElement?.closest?.('.call-row')?.dataset.call;
  parts.calls.replaceChildren(...callList(now.calls, now.dropped, now.call, violationsOf, (number) => address({ call: String(number), a: '', tab: 'calls' }), now.all, () => { now.all = true; drawCalls(); }).flat());
  if (focused) parts.calls.querySelector(`[data-call="${CSS.escape(focused)}"] > a`)?.focus({ preventScroll: true });
  parts.callsTab.textContent = `Calls${now.calls.length + now.dropped ? ` ${count(now.calls.length + now.dropped)}` : ''}`;
}

function named(snapshot) {
  return String(snapshot) === '0' ? 'the beginning' : `snapshot ${snapshot}`;
}

function drawSnapshots() {
  const items = [...Array(now.snapshots + 1).keys()].slice(-50).map((number) => h('li', {},
    h('a', { href: address({ a: String(number), b: '', call: '', tab: 'state' }), 'aria-current': now.a === String(number) ? 'true' : null, 'aria-label': number ? `what changed since snapshot ${number}` : 'what changed since the beginning' }, number ? `snapshot ${number}` : 'beginning'),
    now.a && now.a !== String(number) ? h('a', { class: 'compare', href: address({ b: String(number), call: '', tab: 'state' }), 'aria-current': now.b === String(number) ? 'true' : null, 'aria-label': `compare: what changed from ${named(now.a)} to ${named(number)}` }, 'compare') : null,
    h('button', { type: 'button', class: 'more', 'aria-label': number ? `fork from here, snapshot ${number}` : 'fork from here, the beginning', onclick: () => attempt(() => fork(number)) }, 'fork from here')));
  parts.snapshots.replaceChildren(...items);
}

async function drawChanges() {
  const last = now.calls.at(-1)?.number;
  const of = now.a ? `from=${encodeURIComponent(now.a)}${now.b ? `&to=${encodeURIComponent(now.b)}` : ''}` : now.call ? `call=${encodeURIComponent(now.call)}` : last ? `call=${last}` : null;
  const what = now.b ? `From ${named(now.a)} to ${named(now.b)}` : now.a ? `Since ${named(now.a)}` : `By call ${now.call || last}`;
  if (!of) {
    parts.changes.replaceChildren(h('p', { class: 'meta' }, 'What a call changes is shown here.'));
    return;
  }
  let body;
  try {
    body = differences(await ask('GET', sessionPath(now.session, `/diff?${of}`)));
  } catch (error) {
    if (error.status === 0) throw error;
    body = h('p', { class: 'meta' }, said(error.message));
  }
  parts.changes.replaceChildren(h('h3', {}, what), ...[body].flat().filter(Boolean));
}

async function drawState() {
  const state = await ask('GET', sessionPath(now.session, '/state'));
  showState(parts.state, state);
}

function clearSession() {
  now.calls = [];
  now.dropped = now.snapshots = 0;
  parts.calls.replaceChildren(h('p', { class: 'nothing' }, 'There is no session yet. A call begins one, and so does “new session”.'));
  parts.changes.replaceChildren();
  parts.snapshots.replaceChildren();
  parts.state.replaceChildren(h('p', { class: 'meta' }, 'No session, no state.'));
}

// All of the session anew, if something changed or `always`.
async function refresh(always = false) {
  const session = now.session;
  if (!session) return;
  const known = now.calls.at(-1), from = known ? known.number : now.dropped + 1;
  const [part, about] = await Promise.all([historyFrom(session, from), ask('GET', sessionPath(session))]);
  if (session !== now.session) return; // somebody went on
  const same = !known || (part.calls[0] && JSON.stringify(part.calls[0]) === JSON.stringify(known));
  const news = same ? part.calls.slice(known ? 1 : 0) : [];
  const changed = !same || news.length > 0 || about.snapshots !== now.snapshots || part.dropped !== now.dropped;
  if (!same) {
    const whole = await historyFrom(session, 0);
    now.calls = whole.calls;
    now.dropped = whole.dropped;
    if (now.call && !now.calls.some((call) => String(call.number) === now.call)) await goTo({ call: '' }, true);
  } else {
    now.dropped = part.dropped;
    now.calls = [...now.calls, ...news].filter((call) => call.number > now.dropped);
  }
  now.snapshots = about.snapshots;
  if (!changed && !always) return;
  drawCalls();
  drawSnapshots();
  await Promise.all([drawChanges(), drawState()]);
  await loadSessions();
}

async function load() {
  const mine = ++loading;
  parts.calls.replaceChildren();
  const late = setTimeout(() => { if (mine === loading && !parts.calls.firstChild) parts.calls.replaceChildren(h('p', { class: 'meta' }, 'loading …')); }, 200);
  now.calls = [];
  now.dropped = now.snapshots = 0;
  now.all = false;
  try {
    await refresh(true);
  } finally {
    clearTimeout(late);
  }
}

// --- Following the address ------------------------------------------------------------------------

async function follow() {
  const at = readAddress(), other = at.session !== now.session;
  if (!at.session && now.sessions.length && !other) at.session = now.session;
  Object.assign(now, at);
  parts.panels.dataset.tab = now.tab;
  for (const button of parts.tabs.children) button.setAttribute('aria-pressed', String(button.dataset.tab === now.tab));
  for (const button of parts.actions) button.disabled = !now.session;
  document.title = now.session ? `${now.session} · Simulator` : 'Simulator';
  drawTools();
  drawForm();
  if (!now.session) {
    clearSession();
    return true;
  }
  if (other) return attempt(async () => { await loadSessions(); await load(); });
  drawCalls();
  drawSnapshots();
  return attempt(drawChanges);
}

async function poll() {
  if (busy || document.hidden || parts.trouble.firstChild) return;
  busy = true;
  try {
    if (polls++ % SESSIONS_EVERY === 0 && document.activeElement !== parts.sessions) await loadSessions();
    await refresh();
  } catch (error) {
    if (error.status !== 409) trouble(error, () => attempt(() => refresh(true))); // another client has it: soon it has not
  } finally {
    busy = false;
  }
}

// --- Keys -----------------------------------------------------------------------------------------

function step(by) {
  if (!now.calls.length) return;
  const at = now.calls.findIndex((call) => String(call.number) === now.call);
  const next = now.calls[Math.max(0, Math.min(now.calls.length - 1, at < 0 ? now.calls.length - 1 : at + by))];
  goTo({ call: String(next.number), a: '' }, true);
  const row = parts.calls.querySelector(`[data-call="${next.number}"] > a`);
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
}

function keys(help) {
  document.addEventListener('keydown', (event) => {
    const typing = event.target.matches('input, textarea, select');
    if (event.key === 'Escape' && typing) event.target.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const acts = { '/': () => { if (now.tab !== 'tools') goTo({ tab: 'tools' }, true); parts.filter.focus(); }, j: () => step(1), k: () => step(-1), '?': () => help.showModal(),
      c: () => { if (now.tab !== 'tools') goTo({ tab: 'tools' }, true); parts.form.querySelector('input, select, textarea, button')?.focus(); } };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });
}

// --- The page -------------------------------------------------------------------------------------

function theme() {
  const names = ['system', 'light', 'dark'], button = h('button', { type: 'button' });
  const set = (name) => {
    if (name === 'system') delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = name;
    button.textContent = `theme: ${name}`;
    button.dataset.now = name;
    localStorage.setItem('theme', name);
  };
  button.addEventListener('click', () => set(names[(names.indexOf(button.dataset.now) + 1) % 3]));
  set(names.includes(localStorage.getItem('theme')) ? localStorage.getItem('theme') : 'system');
  return button;
}

function build() {
  const help = h('dialog', { 'aria-label': 'keys' }, h('h2', {}, 'Keys'), h('dl', { class: 'keys' }, SIM_KEYS.map(([key, what]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)))),
    h('form', { method: 'dialog' }, h('button', {}, 'close')));
  document.getElementById('tools').append(theme(), h('button', { type: 'button', 'aria-label': 'keys', onclick: () => help.showModal() }, '?'));
  parts.trouble = h('div', {});
  parts.sessions = h('select', { id: 'session', onchange: () => { if (parts.sessions.value) goTo({ session: parts.sessions.value, call: '', a: '' }); } });
  parts.filter = h('input', { type: 'search', id: 'filter-tools', autocomplete: 'off', placeholder: 'name, words, read or write', oninput: drawTools });
  parts.toolList = h('ul', { class: 'tool-list' });
  parts.toolCount = h('span', { class: 'meta', role: 'status' });
  parts.noTools = h('div', { hidden: true });
  parts.form = h('div', {});
  parts.calls = h('div', {});
  parts.snapshots = h('ul', { class: 'snapshots', 'aria-label': 'snapshots' });
  parts.changes = h('section', { 'aria-label': 'what changed' });
  parts.state = h('section', { class: 'state-box', tabindex: 0, 'aria-label': 'the state' }, h('p', { class: 'meta' }, 'loading …'));
  parts.tabs = h('div', { class: 'sim-tabs' }, TABS.map((tab) => h('button', { type: 'button', class: 'tab', 'data-tab': tab, onclick: () => goTo({ tab }, true) }, tab[0].toUpperCase() + tab.slice(1))));
  parts.callsTab = parts.tabs.children[1];
  parts.panels = h('div', { class: 'panels', 'data-tab': 'tools' },
    h('section', { class: 'panel tools-panel' }, h('h2', {}, 'Tools ', parts.toolCount), h('label', { class: 'meta', for: 'filter-tools' }, 'find a tool'), parts.filter, parts.toolList, parts.noTools, parts.form),
    h('section', { class: 'panel calls-panel' }, h('h2', {}, 'Calls'), parts.calls),
    h('section', { class: 'panel state-panel' }, h('h2', {}, 'State'), parts.snapshots, parts.changes, h('h3', {}, 'Now'), parts.state, judgePanel(() => now.session)));
  document.getElementById('main').replaceChildren(parts.trouble,
    h('div', { class: 'session-bar' }, h('label', { for: 'session' }, h('span', { class: 'meta' }, 'session'), parts.sessions), sessionActions()),
    newSessionForm(), parts.tabs, parts.panels);
  document.body.append(help);
  keys(help);
}

async function start() {
  build();
  window.addEventListener('popstate', follow);
  window.addEventListener('hashchange', follow);
  await attempt(begin);
  setInterval(poll, POLL_MS);
}

// Again, where the first attempt has failed.
async function begin() {
  now.tools = (await ask('GET', 'tools')).tools;
  const at = readAddress();
  await loadSessions();
  const session = at.session || now.sessions[0]?.session || '';
  now.session = null; // so that whichever it is, it is another one
  if (session !== at.session || !location.hash) history.replaceState(null, '', address({ ...at, session }));
  await follow();
}

start();
