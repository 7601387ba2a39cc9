// sim_judge.js: is the task done? A form that asks the judge, and what it says item by item.
import { h, said, words, icon } from './dom.js';
import { parseExact } from './data.js';
import { ask, sessionPath } from './sim_api.js';

const ICONS = { success: 'clean', failed: 'severe', unknown: 'moderate' };
const EXAMPLE = '[{"description": "...", "that": "..."}]';

function itemView(item) {
  return h('li', {}, h('p', {}, icon(ICONS[item.status] ?? 'moderate'), ` ${words(item.status)}: `, said(item.description), h('span', { class: 'meta' }, ` by ${words(item.by)}`)),
    item.reasoning ? h('p', { class: 'meta' }, said(item.reasoning)) : null);
}

function judgementView(found) {
  return [h('p', { class: 'judged' }, icon(ICONS[found.status] ?? 'moderate'), ` ${words(found.status)}`),
    found.items.length ? h('ul', { class: 'judged-items' }, found.items.map(itemView)) : null,
    found.feedback ? h('p', {}, said(found.feedback)) : null, found.note ? h('p', { class: 'meta' }, said(found.note)) : null];
}

// `sessionNow` says which session is looked at when the button is pressed.
export function judgePanel(sessionNow) {
  const task = h('input', { type: 'text', id: 'judge-task', autocomplete: 'off' });
  const list = h('textarea', { id: 'judge-checklist', rows: 4, spellcheck: 'false', placeholder: EXAMPLE });
  const wrong = h('p', { class: 'wrong', role: 'alert' }), result = h('div', { role: 'status', class: 'judgement' });
  const form = h('form', { novalidate: true, onsubmit: async (event) => {
    event.preventDefault();
    wrong.textContent = '';
    result.replaceChildren();
    const members = [];
    if (task.value.trim()) members.push(`"task": ${JSON.stringify(task.value)}`);
    if (list.value.trim()) members.push(`"checklist": ${list.value.trim()}`);
    try {
      if (list.value.trim()) parseExact(list.value);
      const found = await ask('POST', sessionPath(sessionNow(), '/judge'), `{${members.join(', ')}}`);
      result.replaceChildren(...judgementView(found).filter(Boolean));
    } catch (error) {
      wrong.textContent = error.message;
    }
  } }, h('div', { class: 'field' }, h('label', { for: 'judge-task' }, 'task in words'), task),
  h('div', { class: 'field' }, h('label', { for: 'judge-checklist' }, 'checklist as JSON; without one a model makes it of the words'), list),
  wrong, h('button', { type: 'submit' }, 'judge'), result);
  return h('details', { class: 'more-of judge' }, h('summary', {}, 'is the task done?'), form);
}
