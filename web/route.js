// route.js: the address is the state: `#/view/id?key=value`. Going somewhere is a step in the browser's history, a filter
// is none.

export const KEYS = {
  findings: ['model', 'domain', 'kind', 'rule', 'severity', 'reward', 'class', 'q', 'sort', 'open', 'rows', 'measure', 'shape'],
  c: ['t', 'f', 'path', 'tab'],
};

let listener = null;

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function parse(hash) {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [view, id] = path.split('/').map(decode);
  const known = view === 'c' ? 'c' : 'findings';
  const keys = new Map(), unknown = [];
  if (view && view !== known) unknown.push(view);
  for (const part of query.split('&').filter(Boolean)) {
    const [key, value = ''] = part.split(/=(.*)/s).map(decode);
    if (KEYS[known].includes(key)) keys.set(key, value); else unknown.push(key);
  }
  return { view: known, id: id || '', keys, unknown };
}

export function format(view, id, keys) {
  const query = [...keys].filter(([, value]) => value !== '' && value !== null && value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');
  return `#/${view}${id ? '/' + encodeURIComponent(id) : ''}${query ? '?' + query : ''}`;
}

export function conversationLink(row, turn, finding) {
  return format('c', row.key, new Map([['t', turn], ['f', finding]]));
}

export function here() {
  return parse(location.hash);
}

// A filter: the same step of the history.
export function replace(changes) {
  const { view, id, keys } = here();
  for (const [key, value] of Object.entries(changes)) keys.set(key, value);
  const hash = format(view, id, keys);
  if (hash !== location.hash) history.replaceState(history.state, '', hash);
  listener?.(false);
}

export function go(hash) {
  if (hash === location.hash) listener?.(true); else location.hash = hash;
}

// `then(moved)`: another place is to be shown; `moved` is false where a filter changed.
export function listen(then) {
  listener = then;
  window.addEventListener('hashchange', () => then(true));
}
