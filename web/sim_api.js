// sim_api.js: what the page asks of the simulator: every request goes below /_sim/, where its own paths always are.
import { parseExact } from './data.js';

// What went wrong, in words: of the server, or of the way there.
export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

function sentence(status, value) {
  const error = value?.error;
  return typeof error === 'string' ? error : error?.message ?? `the simulator answered with status ${status}`;
}

// A token is kept as long as the tab is open.
export function setToken(token) {
  sessionStorage.setItem('token', token);
}

function headers(text) {
  const token = sessionStorage.getItem('token');
  return { ...(text === null ? {} : { 'content-type': 'application/json' }), ...(token ? { authorization: `Bearer ${token}` } : {}) };
}

// `text` is JSON already, so that numbers go as they were typed.
export async function ask(method, path, text = null) {
  let answer, value = null;
  try {
    answer = await fetch(`/_sim/${path}`, { method, headers: headers(text), body: text, cache: 'no-store' });
  } catch {
    throw new Refused(0, 'away', 'the simulator does not answer; what is shown is what it said last');
  }
  const body = await answer.text();
  try {
    value = body ? parseExact(body) : null;
  } catch {
    throw new Refused(answer.status, 'no_json', 'the simulator answered with something that is no JSON');
  }
  if (!answer.ok) throw new Refused(answer.status, value?.error?.code ?? '', sentence(answer.status, value));
  return value;
}

export function sessionPath(id, rest = '') {
  return `sessions/${encodeURIComponent(id)}${rest}`;
}

// All calls from a number on, page by page.
export async function historyFrom(id, number) {
  const calls = [];
  let from = number, dropped = 0;
  for (let page = 0; from !== null && page < 200; page++) {
    const part = await ask('GET', sessionPath(id, `/history?from=${from}`));
    dropped = part.dropped;
    calls.push(...part.calls);
    from = part.next;
  }
  return { dropped, calls };
}
