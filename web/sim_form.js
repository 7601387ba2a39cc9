// sim_form.js: a form made of a tool's JSON Schema, and the JSON of what was filled in.
//
// A field is there for each member at the top; what is no plain value is written as JSON. Numbers keep their text, so that
// no digit is lost. A field that is left empty is not sent; an empty text is one for the raw JSON.
import { h, said, cut } from './dom.js';
import { parseExact } from './data.js';
import { shortValue } from './json.js';

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;

function typesOf(schema) {
  const type = schema?.type;
  return Array.isArray(type) ? type.filter((one) => one !== 'null') : typeof type === 'string' ? [type] : [];
}

// The one plain type of a schema: what its field is.
function fieldKind(schema) {
  if (Array.isArray(schema?.enum) && schema.enum.length && schema.enum.length <= 100) return 'choice';
  const types = typesOf(schema);
  return types.length === 1 && ['string', 'boolean', 'number', 'integer'].includes(types[0]) ? types[0] : 'json';
}

function hint(schema, kind) {
  const parts = [];
  const types = typesOf(schema);
  parts.push(types.length ? types.join(' or ') : kind === 'choice' ? 'one of these' : 'any JSON');
  if (kind === 'json') parts.push('as JSON');
  if (typeof schema?.format === 'string') parts.push(schema.format);
  const bounds = [['minimum', 'at least'], ['maximum', 'at most'], ['minLength', 'length from'], ['maxLength', 'length up to'], ['pattern', 'pattern']];
  for (const [key, words] of bounds) if (schema?.[key] !== undefined && typeof schema[key] !== 'object') parts.push(`${words} ${schema[key]}`);
  return parts.join(', ');
}

function control(schema, kind, id) {
  if (kind === 'choice' || kind === 'boolean') {
    const values = kind === 'boolean' ? [true, false] : schema.enum;
    return h('select', { id }, h('option', { value: '' }, '(not given)'),
      values.map((value, i) => h('option', { value: String(i + 1) }, typeof value === 'string' ? said(value).textContent : JSON.stringify(value))));
  }
  if (kind === 'json') return h('textarea', { id, rows: 3, spellcheck: 'false', autocomplete: 'off' });
  return h('input', { id, type: 'text', spellcheck: 'false', autocomplete: 'off', inputmode: kind === 'string' ? null : 'decimal' });
}

// The JSON of a field's text; null: not given. Throws a sentence.
function jsonOf(field) {
  const text = field.input.value;
  if (field.kind === 'choice') return text === '' ? null : JSON.stringify(field.schema.enum[Number(text) - 1]);
  if (field.kind === 'boolean') return text === '' ? null : text === '1' ? 'true' : 'false';
  if (field.kind === 'string') return text === '' ? null : JSON.stringify(text);
  if (text.trim() === '') return null;
  if (field.kind !== 'json') {
    if (!NUMBER.test(text.trim())) throw new Error('this is no number');
    return text.trim();
  }
  parseExact(text);
  return text.trim();
}

function makeField(name, schema, required, number) {
  const kind = fieldKind(schema), id = `argument-${number}`;
  const input = control(schema, kind, id);
  const wrong = h('p', { class: 'wrong', id: `${id}-wrong`, hidden: true });
  const about = h('span', { class: 'meta', id: `${id}-about` }, hint(schema, kind));
  const field = { name, schema, kind, required, input, wrong };
  input.setAttribute('aria-describedby', `${id}-about ${id}-wrong`);
  if (required) input.setAttribute('aria-required', 'true');
  const description = typeof schema?.description === 'string' && schema.description ? h('div', { class: 'meta' }, cut(schema.description, 300, 'said')) : null;
  const given = schema?.default !== undefined ? h('span', { class: 'meta' }, 'default ', shortValue(schema.default, 60)) : null;
  field.box = h('div', { class: 'field' }, h('label', { for: id }, said(name), required ? ' (required)' : ''), input, about, given, description, wrong);
  return field;
}

function say(field, sentence) {
  field.wrong.textContent = sentence;
  field.wrong.hidden = !sentence;
  if (sentence) field.input.setAttribute('aria-invalid', 'true'); else field.input.removeAttribute('aria-invalid');
}

// The first member that a JSON pointer names.
function memberOf(path) {
  const token = String(path).match(/^\/([^/]*)/);
  return token ? token[1].replaceAll('~1', '/').replaceAll('~0', '~') : null;
}

// `call` is given the arguments as JSON text, and shows what came of them.
export function toolForm(tool, call) {
  const properties = tool.parameters?.properties ?? {}, required = new Set(Array.isArray(tool.parameters?.required) ? tool.parameters.required : []);
  const fields = Object.entries(properties).map(([name, schema], i) => makeField(name, schema, required.has(name), i));
  const raw = h('textarea', { id: 'raw-arguments', rows: 8, spellcheck: 'false', 'aria-describedby': 'raw-wrong' });
  const rawField = { name: null, input: raw, wrong: h('p', { class: 'wrong', id: 'raw-wrong', hidden: true }) };
  const rawBox = h('div', { class: 'field', hidden: true }, h('label', { for: 'raw-arguments' }, 'arguments as JSON'), raw, rawField.wrong);
  const list = h('div', {}, fields.length ? fields.map((field) => field.box) : h('p', { class: 'meta' }, 'It takes no arguments that are named; others can be given as JSON.'));
  const others = h('div', { role: 'alert' });
  const button = h('button', { type: 'submit', class: 'main' }, 'call');
  const toggle = h('button', { type: 'button', 'aria-pressed': 'false' }, 'raw JSON');
  let isRaw = false;

  // Where a field is wrong it says so, and null is returned.
  function collect() {
    const members = [];
    let first = null;
    for (const field of fields) {
      say(field, '');
      try {
        const json = jsonOf(field);
        if (json !== null) members.push(`${JSON.stringify(field.name)}: ${json}`);
      } catch (error) {
        say(field, error instanceof SyntaxError ? `this is no JSON: ${error.message}` : error.message);
        first ??= field;
      }
    }
    first?.input.focus();
    return first ? null : members.length ? `{${members.join(', ')}}` : '{}';
  }

  function rawText() {
    say(rawField, '');
    try {
      const value = parseExact(raw.value || '{}');
      if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('arguments are one object');
      return raw.value || '{}';
    } catch (error) {
      say(rawField, error instanceof SyntaxError ? `this is no JSON: ${error.message}` : error.message);
      raw.focus();
      return null;
    }
  }

  toggle.addEventListener('click', () => {
    const text = isRaw ? null : collect();
    if (!isRaw && text === null) return;
    if (!isRaw) raw.value = text;
    isRaw = !isRaw;
    toggle.setAttribute('aria-pressed', String(isRaw));
    list.hidden = isRaw;
    rawBox.hidden = !isRaw;
    (isRaw ? raw : fields[0]?.input ?? toggle).focus();
  });

  // What is wrong stands at its field; what has none, above the button.
  function show(violations, error) {
    const left = [];
    let first = null;
    for (const violation of violations) {
      const field = isRaw || violation.kind !== 'arguments' ? null : fields.find((one) => one.name === memberOf(violation.path) || (violation.rule === 'required' && String(violation.message).includes(`\`${one.name}\``)));
      if (field && field.wrong.hidden) {
        say(field, violation.message);
        first ??= field;
      } else if (violation.kind === 'arguments') {
        left.push(violation.message);
      }
    }
    if (error && !first && !left.length) left.push(error);
    others.replaceChildren(...left.map((text) => h('p', { class: 'wrong' }, said(text))));
    first?.input.focus();
  }

  const form = h('form', { class: 'call-form', novalidate: true, 'aria-label': `call ${tool.name}` },
    h('h3', {}, said(tool.name, 'said mono')), tool.description ? h('p', {}, cut(tool.description, 400, 'said')) : null,
    list, rawBox, others, h('div', { class: 'form-end' }, button, toggle));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const text = isRaw ? rawText() : collect();
    if (text === null) return;
    button.disabled = true;
    others.replaceChildren();
    try {
      const answer = await call(text);
      show(answer.violations ?? [], answer.end === 'bad_arguments' ? answer.error : null);
    } catch (error) {
      show([], error.message);
    } finally {
      button.disabled = false;
    }
  });
  return form;
}
