// sim_view.js: calls, differences and the state, as they are shown.
import { h, said, count, plural, words, icon } from './dom.js';
import { jsonView, shortValue, resultView } from './json.js';

const SHOWN = 200; // calls at first: the last ones

function verdict(call, violations) {
  const kinds = new Set(violations.map((violation) => violation.kind));
  if (call.end !== 'done') return ['severe', words(call.end)];
  if (kinds.has('block')) return ['severe', 'done, a gate would block it'];
  if (kinds.size) return ['moderate', 'done, against a rule'];
  return ['clean', 'done'];
}

function violationView(violation) {
  return h('div', { class: `violation ${violation.kind === 'block' ? 'block' : ''}` },
    h('p', { class: 'meta' }, words(violation.kind), ' by ', said(violation.rule, 'said mono'), violation.path ? [' at ', said(violation.path, 'said mono')] : null),
    h('p', {}, said(violation.message)));
}

function callDetails(call, violations) {
  const result = call.result === null || call.result === undefined ? null : typeof call.result === 'string' ? resultView(call.result) : h('div', { class: 'tree' }, jsonView(call.result));
  return h('div', { class: 'inside' },
    violations.map(violationView),
    call.error ? [h('h4', {}, 'error'), h('p', { class: 'wrong' }, said(call.error))] : null,
    call.note ? [h('h4', {}, 'note'), h('p', {}, said(call.note))] : null,
    h('h4', {}, 'arguments'), h('div', { class: 'tree' }, jsonView(call.arguments)),
    call.error && call.result === call.error ? null : [h('h4', {}, 'result'), result ?? h('p', { class: 'meta' }, 'none')]);
}

// One call: a line that is a link, and the rest of it where it is chosen.
function callRow(call, chosen, violations, link) {
  const [kind, word] = verdict(call, violations);
  return h('li', { class: `call-row${chosen ? ' chosen' : ''}`, 'data-call': call.number },
    h('a', { href: link(call.number), 'aria-current': chosen ? 'true' : null },
      h('span', { class: 'line' }, h('span', {}, `${count(call.number)} `, said(call.name, 'said name')),
        h('span', { class: `meta ${kind}` }, icon(kind), ` ${word}, by ${words(call.source)}${call.requestor === 'user' ? ', of the customer' : ''}`)),
      h('span', { class: 'short' }, shortValue(call.arguments, 90))),
    chosen ? callDetails(call, violations) : null);
}

export function callList(calls, dropped, chosen, violationsOf, link, all, showAll) {
  const from = all || calls.length <= SHOWN ? 0 : calls.length - SHOWN;
  const notes = [];
  if (dropped) notes.push(h('p', { class: 'meta' }, `${plural(dropped, 'earlier call')} ${dropped === 1 ? 'is' : 'are'} not kept any more: the history has its limit.`));
  if (from) notes.push(h('p', {}, h('button', { type: 'button', class: 'more', onclick: showAll }, `show all ${plural(calls.length, 'call')}`), `, the last ${SHOWN} are here`));
  if (!calls.length && !dropped) notes.push(h('p', { class: 'nothing' }, 'No call was made in this session yet. Choose a tool and call it; calls of others appear here, too.'));
  const shown = calls.slice(from);
  const outside = from && chosen ? calls.slice(0, from).filter((call) => String(call.number) === chosen) : [];
  return [notes, h('ol', { class: 'call-list' }, [...outside, ...shown].map((call) => callRow(call, String(call.number) === chosen, violationsOf(call), link)))];
}

function side(tag, sign, label, value) {
  if (value === undefined) return null;
  return h(tag, {}, h('span', { class: 'sign', 'aria-label': label }, sign), value === null ? 'nothing' : shortValue(value, 400));
}

// The places that differ, each with what was there and what is there now.
export function differences(found) {
  if (!found.total) return h('p', { class: 'meta' }, 'Nothing differs.');
  const left = found.total - found.differences.length;
  return [h('ul', { class: 'changes' }, found.differences.map((one) => h('li', {}, said(one.path || '(all of it)', 'said path'),
    side('del', '-', 'before', one.before), side('ins', '+', 'after', one.after)))),
  left > 0 ? h('p', { class: 'meta' }, `${plural(left, 'further place')} not shown of ${count(found.total)}`) : null];
}

// Puts a new state into the box, and opens what was open in the old one.
export function showState(box, state) {
  const open = [...box.querySelectorAll('li[data-path]')].filter((li) => li.querySelector(':scope > details')?.open).map((li) => li.dataset.path);
  const closed = new Set([...box.querySelectorAll('li[data-path]')].filter((li) => li.querySelector(':scope > details:not([open])')).map((li) => li.dataset.path));
  const top = box.scrollTop;
  box.replaceChildren(h('div', { class: 'tree' }, jsonView(state)));
  const find = (path) => [...box.querySelectorAll('li[data-path]')].find((li) => li.dataset.path === path)?.querySelector(':scope > details');
  for (const path of open.slice(0, 200)) {
    const details = find(path);
    if (!details || details.open) continue;
    details.open = true;
    details.dispatchEvent(new Event('toggle'));
  }
  for (const path of closed) {
    const details = find(path);
    if (details) details.open = false;
  }
  box.scrollTop = top;
}
