// dom.js: elements are made here and nowhere else. Whatever was recorded becomes a text node: never markup, an
// attribute that does something, or a link.

const SVG = 'http://www.w3.org/2000/svg';

// Controls, what turns the order of the text around it, what has no width, and halves of characters: shown, not obeyed.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\udfff]/g;

function put(element, child) {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) for (const one of child) put(element, one);
  else element.append(child);
}

function fill(element, attributes, children) {
  for (const name in attributes) {
    const value = attributes[name];
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) put(element, child);
  return element;
}

export function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// Recorded text, as it is: what cannot be seen is spelt.
export function visible(text) {
  if (/^[\x20-\x7e\n\t]*$/.test(text)) return text ? [text] : [];
  const parts = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) parts.push(text.slice(from, match.index));
    const units = [...Array(match[0].length).keys()].map((i) => '\\u' + match[0].charCodeAt(i).toString(16).toUpperCase().padStart(4, '0'));
    parts.push(h('span', { class: 'esc', title: 'a character that cannot be seen' }, units.join('')));
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

export function said(text, name = 'said', tag = 'span') {
  return h(tag, { class: name, dir: 'auto' }, visible(String(text)));
}

// A text of which at most `most` characters are shown at first, and that says so.
export function cut(text, most, name, tag = 'span') {
  if (text.length <= most) return said(text, name, tag);
  const part = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  const box = h(tag, { class: name, dir: 'auto' }, visible(part));
  const more = h('button', { type: 'button', class: 'more', 'data-more': '' }, `show all ${count(text.length)} characters`);
  more.addEventListener('click', () => {
    more.remove();
    box.append(...visible(text.slice(part.length)));
    box.setAttribute('tabindex', '-1');
    box.focus({ preventScroll: true });
  });
  return [box, ' ', more];
}

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export function count(number) {
  return number > -1000 && number < 1000 ? String(Math.round(number)) : grouped.format(number);
}

export function score(number, digits = 0) {
  return number === null || number === undefined ? '–' : number.toFixed(digits);
}

export function plural(number, word) {
  return `${count(number)} ${word}${number === 1 ? '' : 's'}`;
}

// A name as people write it: `missed_action` is "missed action".
export function words(name) {
  return String(name).replaceAll('_', ' ');
}

const SHAPES = {
  severe: ['path', { d: 'M2 2h12v12H2z' }, 'M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6'],
  moderate: ['path', { d: 'M8 1.5L15 14H1z' }, 'M8 6v4M8 11.4v1.2'],
  minor: ['path', { d: 'M8 1l7 7-7 7-7-7z' }, 'M5.5 8h5'],
  hint: ['circle', { cx: 8, cy: 8, r: 6.5 }, 'M8 7.2v4M8 4.4v1.3'],
  undecided: ['circle', { cx: 8, cy: 8, r: 6.2, 'stroke-dasharray': '2.6 2' }, 'M8 8.1V9M8 11v1.1M6.2 6.2c.2-2.3 3.7-2.2 3.6 0 0 1.2-1.8 1.3-1.8 2.4'],
  clean: ['circle', { cx: 8, cy: 8, r: 6.5 }, 'M5 8.2l2.2 2.2L11.2 6'],
};

// Colour repeats what the shape says, and a word stands beside it or in its label.
export function icon(kind, label) {
  const [tag, shape, mark] = SHAPES[kind] || SHAPES.hint;
  return svg('svg', { class: `icon ${kind}`, viewBox: '0 0 16 16', width: 16, height: 16, ...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' }) },
    svg(tag, { class: 'shape', ...shape }), svg('path', { class: 'mark', d: mark }));
}

export function badge(kind) {
  return h('span', { class: `badge ${kind}` }, icon(kind), ' ', kind);
}

export function announce(text) {
  document.getElementById('status').textContent = text;
}

export async function copy(text, button) {
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'copied';
    announce('copied');
  } catch {
    const field = h('input', { class: 'copy', readonly: true, value: text, 'aria-label': 'to copy' });
    button.after(field);
    field.select();
    field.addEventListener('blur', () => field.remove());
    return;
  }
  setTimeout(() => { button.textContent = said; }, 1500);
}

// What is open when the page is printed, and the rest of it too.
export function openAll(root) {
  for (const more of root.querySelectorAll('[data-more]')) more.click();
  for (const details of root.querySelectorAll('details:not([open])')) {
    details.dataset.auto = ''; // nobody has chosen it
    details.open = true;
  }
}
