// main.js: which view is shown, and the keys. It runs when the page is read.
import { h, announce, openAll, said } from './dom.js';
import { readSummary } from './data.js';
import { format, go, here, listen } from './route.js';
import { makeOverview } from './overview.js';
import { openConversation } from './conversation.js';

const HELP = [['/', 'find'], ['j k', 'next, previous row or turn'], ['Enter', 'open'], ['Esc', 'back to the same row'], ['n p', 'next, previous finding'],
  ['[ ]', 'previous, next conversation'], ['e', 'open all that is folded'], ['?', 'this list']];

function main() {
  const place = document.getElementById('main');
  let summary, overview, shown = null, last = null, backTo = '#/findings', scroll = 0, mine = 0;

  try {
    summary = readSummary(document.getElementById('summary').textContent);
  } catch (error) {
    place.replaceChildren(h('p', { class: 'error' }, `The list of conversations cannot be read: ${error.message}. The totals above are right; the page may have been cut off while it was copied.`));
    return;
  }
  overview = makeOverview(summary);

  function notice(parts) {
    document.getElementById('notice')?.remove();
    if (parts.length) place.prepend(h('p', { id: 'notice', class: 'notice' }, parts.map((part) => h('span', {}, part, ' '))));
  }

  function unknown(route) {
    return route.unknown.map((key) => `This link has a part that this page does not know: ${key}.`);
  }

  function showOverview(moved) {
    const route = here(), back = shown !== overview;
    shown = overview;
    document.body.dataset.view = 'findings';
    if (back) place.replaceChildren(overview.root);
    overview.draw();
    notice(unknown(route));
    backTo = location.hash || '#/findings';
    if (back && last) {
      const element = overview.reveal(last);
      window.scrollTo(0, scroll);
      if (element) {
        element.querySelector('a').focus({ preventScroll: true });
        const at = element.getBoundingClientRect();
        if (scroll && (at.bottom < 0 || at.top > window.innerHeight)) window.scrollTo(0, scroll);
        else if (!scroll) element.scrollIntoView({ block: 'center' });
      }
      last = null;
    } else if (moved && back) window.scrollTo(0, 0);
  }

  async function showConversation(moved) {
    const route = here(), key = route.id, row = summary.byKey.get(key), turn = ++mine;
    if (shown?.key === key) {
      if (moved) notice([shown.open(false), ...unknown(route)].filter(Boolean));
      return;
    }
    if (shown === overview) scroll = window.scrollY;
    document.body.dataset.view = 'c';
    last = key;
    if (!row) {
      shown = { key, step() {}, walk() {} };
      place.replaceChildren(h('p', {}, h('a', { href: '#/findings', 'data-back': '' }, '‹ list')), h('p', { class: 'error' }, 'This page has no conversation ', said(key), '.'));
      return;
    }
    const wait = setTimeout(() => { if (turn === mine) place.replaceChildren(h('p', { class: 'meta' }, 'The conversation is being read …')); }, 200);
    const rows = overview.rows().length ? overview.rows() : summary.rows, at = rows.indexOf(row);
    try {
      const view = await openConversation(row, { before: rows[at - 1], after: rows[at + 1] });
      if (turn !== mine) return;
      clearTimeout(wait);
      shown = { key, ...view };
      place.replaceChildren(view.root);
      notice([view.open(true), ...unknown(route)].filter(Boolean));
      for (const link of place.querySelectorAll('[data-back]')) link.setAttribute('href', backTo);
    } catch (error) {
      clearTimeout(wait);
      if (turn !== mine) return;
      shown = null;
      place.replaceChildren(h('p', {}, h('a', { href: backTo, 'data-back': '' }, '‹ list')), h('p', { class: 'error' }, `Conversation ${key} cannot be shown: ${error.message}. The list and the other conversations still work. `, h('button', { type: 'button', onclick: () => showConversation(true) }, 'Retry')));
    }
  }

  function show(moved) {
    mine++;
    if (here().view === 'c') showConversation(moved);
    else showOverview(moved);
  }

  // --- Keys ---

  const help = h('dialog', { 'aria-label': 'Keys' }, h('h2', {}, 'Keys'), h('dl', { class: 'keys' }, HELP.map(([key, what]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)))), h('button', { type: 'button', onclick: () => help.close() }, 'close'));
  document.body.append(help);

  function walkRows(by) {
    const links = [...place.querySelectorAll('.conversations [data-key] [role=rowheader] a')], now = links.indexOf(document.activeElement);
    const link = links[Math.max(0, Math.min(links.length - 1, now < 0 ? 0 : now + by))];
    link?.focus();
    link?.scrollIntoView({ block: 'nearest' });
  }

  function neighbour(name) {
    const link = place.querySelector(`a[rel="${name}"]`);
    if (link) go(link.getAttribute('href'));
  }

  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const inField = event.target.closest?.('input, select, textarea');
    if (inField) {
      if (event.key === 'Escape' && event.target.id === 'find') event.target.blur();
      return;
    }
    const conversation = here().view === 'c';
    const keys = {
      '/': () => { if (conversation) go(backTo); setTimeout(() => document.getElementById('find')?.focus()); },
      j: () => (conversation ? shown?.walk(1) : walkRows(1)), k: () => (conversation ? shown?.walk(-1) : walkRows(-1)),
      n: () => conversation && shown?.step(1), p: () => conversation && shown?.step(-1),
      '[': () => conversation && neighbour('prev'), ']': () => conversation && neighbour('next'),
      Escape: () => conversation && go(backTo), e: () => openAll(conversation ? place : place.querySelector('#findings') ?? place), '?': () => help.showModal(),
    };
    if (keys[event.key]) {
      keys[event.key]();
      event.preventDefault();
    }
  });

  window.addEventListener('beforeprint', () => openAll(place));
  let resized = 0;
  window.addEventListener('resize', () => {
    clearTimeout(resized);
    resized = setTimeout(() => { if (shown === overview) overview.draw(); }, 150);
  });
  tools(help);
  listen(show);
  if (!location.hash) history.replaceState(null, '', format('findings', '', []));
  show(true);
  announce('');
}

// Light, dark, or as the system has it; kept where the browser lets a file keep anything.
function tools(help) {
  const names = ['system', 'light', 'dark'];
  let now = 'system';
  try {
    now = localStorage.getItem('theme') ?? 'system';
  } catch { /* nothing is kept */ }
  const button = h('button', { type: 'button', onclick: () => set(names[(names.indexOf(now) + 1) % 3]) });
  function set(name) {
    now = names.includes(name) ? name : 'system';
    if (now === 'system') delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = now;
    button.textContent = `theme: ${now}`;
    try {
      localStorage.setItem('theme', now);
    } catch { /* likewise */ }
  }
  set(now);
  document.getElementById('tools').append(button, h('button', { type: 'button', 'aria-label': 'keys', onclick: () => help.showModal() }, '?'));
}

main();
