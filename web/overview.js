// overview.js: what fails, how often, where, and whether it is true: `#/findings`.
import { h, said, count, score, plural, words, copy } from './dom.js';
import { EVALUATORS, MEASURES, SEVERITIES, findPlaces } from './data.js';
import { groupBy, mean, paired, reliability, separation } from './stats.js';
import { dumbbells, figure, prCurve, reliabilityChart, rocCurve, scoreRows, sortedTraces } from './charts.js';
import { here, replace } from './route.js';
import { makeList } from './list.js';
import { findingsView, matrix, notChecked, wantedFinding } from './findings.js';

const REWARDS = { pass: 'reward 1', fail: 'reward below 1', none: 'no reward' };

export function measureOf(row, measure) {
  const evaluator = EVALUATORS.indexOf(measure);
  return evaluator >= 0 ? row.evaluators[evaluator] : row[measure];
}

export function passed(row) {
  return row.reward !== null && row.reward >= 1;
}

// --- Filters ----------------------------------------------------------------------------------------

function rewardClass(row) {
  return row.reward === null ? 'none' : passed(row) ? 'pass' : 'fail';
}

export function filterRows(summary, keys, places) {
  const wanted = wantedFinding(summary, keys), narrow = keys.get('kind') || keys.get('rule') || SEVERITIES.includes(keys.get('severity'));
  const query = (keys.get('q') ?? '').toLowerCase();
  return summary.rows.filter((row) =>
    (!keys.get('model') || row.model === keys.get('model')) && (!keys.get('domain') || row.domain === keys.get('domain')) &&
    (!keys.get('reward') || rewardClass(row) === keys.get('reward')) && (!keys.get('class') || row.failure === keys.get('class')) &&
    (keys.get('severity') !== 'undecided' || row.undecided.length) &&
    (!narrow || row.findings.some(wanted) || !SEVERITIES.includes(keys.get('severity')) && row.undecided.some((one) => wanted({ ...one, severity: -1 }))) &&
    (!query || [row.title, row.id, row.task, row.customer, row.file].some((text) => text && String(text).toLowerCase().includes(query)) || places?.has(row.place)));
}

function select(name, label, values, now) {
  const known = values.some(([value]) => value === now) || !now;
  const field = h('select', { id: `filter-${name}`, onchange: () => replace({ [name]: field.value, ...(name === 'kind' ? { rule: '' } : {}) }) }, h('option', { value: '' }, 'all'),
    values.map(([value, text]) => h('option', { value, selected: value === now }, text ?? value)), known ? null : h('option', { value: now, selected: true }, `${now} (none here)`));
  return h('label', { class: now ? 'set' : null }, label, field);
}

function counted(rows, of) {
  return [...groupBy(rows, of)].filter(([value]) => value).sort((a, b) => b[1].length - a[1].length).slice(0, 500).map(([value, list]) => [value, `${value} (${list.length})`]);
}

function filterBar(summary, keys, find) {
  const kinds = new Map();
  for (const group of summary.groups) if (group.what !== 'not_checked' && group.kind) kinds.set(group.kind, words(group.kind));
  const search = h('input', { type: 'search', id: 'find', value: keys.get('q') ?? '', placeholder: 'name, customer, or what was said' });
  search.addEventListener('input', () => find(search.value));
  const link = h('button', { type: 'button', onclick: () => copy(location.href, link) }, 'copy link');
  const set = ['model', 'domain', 'kind', 'rule', 'severity', 'reward', 'class', 'q'].filter((key) => keys.get(key));
  const selects = [select('model', 'Model', counted(summary.rows, (row) => row.model), keys.get('model')),
    select('domain', 'Domain', counted(summary.rows, (row) => row.domain), keys.get('domain')),
    select('severity', 'Severity', [...SEVERITIES].reverse().concat('undecided').map((name) => [name]), keys.get('severity')),
    select('kind', 'Kind', [...kinds].sort(), keys.get('kind')),
    select('reward', 'Reward', Object.entries(REWARDS), keys.get('reward')),
    select('class', 'Failure', counted(summary.rows, (row) => row.failure).map(([value, text]) => [value, words(text)]), keys.get('class'))];
  return h('form', { class: 'filters', onsubmit: (event) => event.preventDefault(), 'aria-label': 'Filters' },
    h('label', { class: keys.get('q') ? 'set' : null }, 'Find', search),
    window.matchMedia('(min-width: 641px)').matches ? selects : h('details', { open: set.length > 0 }, h('summary', {}, 'Filters'), h('div', {}, selects)),
    keys.get('rule') ? h('span', { class: 'chip' }, 'rule ', said(keys.get('rule'), 'said mono'), ' ', h('button', { type: 'button', onclick: () => replace({ rule: '' }), 'aria-label': 'any rule' }, '×')) : null,
    set.length ? h('button', { type: 'button', onclick: () => replace(Object.fromEntries(set.map((key) => [key, '']))) }, 'clear') : null, link,
    h('p', { class: 'printed' }, set.length ? set.map((key) => `${key}: ${keys.get(key)}`).join('; ') : 'no filter'));
}

// --- Charts -----------------------------------------------------------------------------------------

const SHAPES_OF_ROWS = { model: 'by model', domain: 'by domain', evaluator: 'by evaluator', reward: 'by recorded reward' };

function rowsOf(rows, shape, measure) {
  const make = (name, list, value) => ({ name, items: list.map((row) => ({ key: row.key, value: value(row) })).filter((item) => item.value !== null && item.value !== undefined),
    passed: list.filter(passed).length, rewarded: list.filter((row) => row.reward !== null).length });
  if (shape === 'evaluator') return EVALUATORS.map((name, i) => ({ ...make(words(name), rows, (row) => row.evaluators[i]), passed: 0, rewarded: 0 }));
  const groups = shape === 'reward' ? [...groupBy(rows.filter((row) => row.reward !== null), (row) => REWARDS[rewardClass(row)])] : [...groupBy(rows, (row) => row[shape])];
  return groups.sort((a, b) => b[1].length - a[1].length).slice(0, 40).map(([name, list]) => make(name, list, (row) => measureOf(row, measure)));
}

function choice(key, label, values, now) {
  const field = h('select', { id: `choose-${key}`, onchange: () => replace({ [key]: field.value }) }, values.map(([value, text]) => h('option', { value, selected: value === now }, text)));
  return h('label', {}, label, ' ', field);
}

function scoresView(rows, keys, width) {
  const shape = keys.get('rows') in SHAPES_OF_ROWS ? keys.get('rows') : 'model';
  const measure = [...MEASURES, ...EVALUATORS].includes(keys.get('measure')) ? keys.get('measure') : 'aggregate';
  const max = measure === 'outcome' && shape !== 'evaluator' ? 1 : 100;
  const all = rowsOf(rows, shape, measure), [drawing, head, numbers] = scoreRows(all, shape === 'evaluator' ? 'score' : words(measure), max, width);
  const dropped = rows.length - all.reduce((sum, row) => sum + row.items.length, 0);
  return h('div', {}, h('div', { class: 'choices' }, choice('rows', 'Rows', Object.entries(SHAPES_OF_ROWS), shape),
    shape === 'evaluator' ? null : choice('measure', 'Score', [...MEASURES, ...EVALUATORS].map((name) => [name, words(name)]), measure)),
  figure(shape === 'evaluator' ? 'Scores of each evaluator' : `${words(measure)} ${SHAPES_OF_ROWS[shape]}`, `Each conversation, the mean (tick) with its 95 % interval, n; at the right how many have reward 1. ${shape !== 'evaluator' && dropped > 0 ? `${plural(dropped, 'conversation')} without this score ${dropped === 1 ? 'is' : 'are'} in no mean.` : 'What did not run is in no mean.'}`, drawing, head, numbers));
}

// The paper's metrics by model, and by domain: a table, because numbers are to be compared.
function metricTable(rows, by, title) {
  const groups = [...groupBy(rows, (row) => row[by])].sort((a, b) => b[1].length - a[1].length).slice(0, 30);
  const measures = ['aggregate', ...EVALUATORS, 'process', 'outcome'];
  const cell = (list, measure) => {
    const values = list.map((row) => measureOf(row, measure)).filter((value) => value !== null && value !== undefined), middle = mean(values);
    if (middle === null) return h('td', { class: 'n' }, '–');
    const share = measure === 'outcome' ? 1 : middle / 100; // how likely something is has no shade: it is no grade
    return h('td', { class: `n ${share < 0.5 ? 's4' : share < 0.7 ? 's3' : share < 0.85 ? 's2' : share < 0.95 ? 's1' : ''}`, title: `n ${values.length}` }, score(middle, measure === 'outcome' ? 2 : 0), values.length < list.length ? h('span', { class: 'meta' }, ` n ${values.length}`) : null);
  };
  const composite = (list) => {
    const values = list.map((row) => row.composite ?? row.reward).filter((value) => value !== null);
    return h('td', { class: 'n' }, values.length ? score(100 * mean(values)) : '–');
  };
  return h('figure', { class: 'chart' }, h('figcaption', {}, h('h3', {}, title), h('p', { class: 'meta' }, 'Means, darker where lower; – did not run. The last column is what was recorded (reward or its checks), of 100.')),
    h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': title }, h('table', { class: 'matrix' }, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, words(by)), h('th', { scope: 'col', class: 'n' }, 'n'), measures.map((name) => h('th', { scope: 'col', class: 'n' }, words(name))), h('th', { scope: 'col', class: 'n' }, 'recorded'))),
      h('tbody', {}, groups.map(([name, list]) => h('tr', {}, h('th', { scope: 'row' }, said(name)), h('td', { class: 'n' }, count(list.length)), measures.map((measure) => cell(list, measure)), composite(list)))))));
}

// What `stats` has made of all of them: by customer, since conversations with one are alike, and within (domain, model).
function clustered(stats, measure) {
  const of = measure === 'outcome' ? stats?.roc_auc : stats?.scores?.[measure], parts = [];
  const say = (what, one) => { if (typeof one?.auc === 'number') parts.push(`${what} ${score(one.auc, 3)}${typeof one.low === 'number' ? ` (${score(one.low, 3)} to ${score(one.high, 3)})` : ''}`); };
  say('over all', of?.overall);
  say('within domain and model', of?.within_groups);
  return parts.length ? h('p', { class: 'meta' }, `With intervals by customer: ${parts.join('; ')}.`) : null;
}

// How often all of k runs of a task succeed.
function passTable(stats) {
  const lines = (stats?.pass_k ?? []).filter((line) => line.pass?.length);
  const most = Math.min(8, Math.max(0, ...lines.map((line) => line.pass.length)));
  if (most < 2) return null;
  const cell = (one) => h('td', { class: 'n', title: one && typeof one.low === 'number' ? `${score(one.low, 2)} to ${score(one.high, 2)}` : null }, one && typeof one.value === 'number' ? score(one.value, 2) : '–');
  const ks = [...Array(most).keys()];
  return h('figure', { class: 'chart' }, h('figcaption', {}, h('h3', {}, 'Reliability: pass^k'), h('p', { class: 'meta' }, 'How often all of k runs of a task have reward 1, of all conversations of the audit; – where there are not as many runs.')),
    h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'pass^k' }, h('table', { class: 'matrix' }, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'domain, model'), h('th', { scope: 'col', class: 'n' }, 'tasks'), ks.map((k) => h('th', { scope: 'col', class: 'n' }, `k = ${k + 1}`)))),
      h('tbody', {}, lines.map((line) => h('tr', {}, h('th', { scope: 'row' }, said(`${line.domain ?? ''} ${line.model ?? ''}`)), h('td', { class: 'n' }, count(line.tasks ?? 0)), ks.map((k) => cell(line.pass.find((one) => one.k === k + 1)))))))));
}

function separationView(rows, measure, width, stats) {
  const max = measure === 'outcome' ? 1 : 100;
  const pairs = rows.filter((row) => row.reward !== null && measureOf(row, measure) !== null && measureOf(row, measure) !== undefined).map((row) => ({ score: measureOf(row, measure), good: passed(row) }));
  const sep = separation(pairs);
  if (!sep) return h('p', { class: 'meta' }, pairs.length ? `All ${plural(pairs.length, 'conversation')} with a reward came out the same: nothing to tell apart.` : `No conversation has both a reward and a score “${words(measure)}”.`);
  const half = width > 700 ? Math.floor(width / 2) - 12 : width;
  return h('div', {}, h('p', {}, 'Area under the ROC curve of ', h('b', {}, words(measure)), ': ', h('b', { class: 'num' }, score(sep.area, 3)), ` (95 % ${score(sep.low, 3)} to ${score(sep.high, 3)}, DeLong, each conversation for itself; chance 0.5), n ${count(pairs.length)}: ${count(sep.bad)} failed, ${count(sep.good)} with reward 1. The reward is part of no score.`), clustered(stats, measure),
    h('div', { class: 'pair' }, figure('ROC', 'Does a low score find the failures?', rocCurve(sep, max, half)), figure('Precision and recall', 'Of those flagged, how many failed?', prCurve(sep, max, half))));
}

function reliabilityView(rows, width) {
  const pairs = rows.filter((row) => row.reward !== null && row.outcome !== null && row.outcome !== undefined).map((row) => ({ score: row.outcome, good: passed(row) }));
  const bins = reliability(pairs);
  if (bins.length < 3) return null;
  return figure('Is the outcome score to be trusted?', `Bins of equal count: what the score says, and how many have reward 1. n ${count(pairs.length)}.`, reliabilityChart(bins, Math.min(width, 480)),
    ['said', 'happened', '95 %'], bins.map((bin) => [score(bin.x, 2), `${bin.passed}/${bin.n}`, `${score(bin.interval[0], 2)} to ${score(bin.interval[1], 2)}`]));
}

function trendView(summary, rows, keys, width) {
  if (!summary.before.length) return null;
  const before = summary.before.filter((row) => (!keys.get('domain') || row.domain === keys.get('domain')) && (!keys.get('model') || row.model === keys.get('model')));
  const all = [['reward 1', (row) => (row.reward === null ? null : Number(passed(row)))], ['outcome', (row) => row.outcome], ['aggregate', (row) => (row.aggregate === null ? null : row.aggregate / 100)],
    ['process', (row) => (row.process === null ? null : row.process / 100)], ...EVALUATORS.map((name, i) => [words(name), (row) => (row.evaluators[i] === null ? null : row.evaluators[i] / 100)])];
  const lines = all.map(([name, value]) => ({ name, ...paired(before, rows, value) })).filter((line) => line.n).sort((a, b) => a.change - b.change);
  if (!lines.length) return h('p', { class: 'meta' }, 'The two runs have no task in common.');
  return figure('This run and the one before', 'The same tasks: hollow before, filled now, the largest loss first; all scores from 0 to 1. The interval is of the paired difference.', dumbbells(lines, width),
    ['', 'before', 'now', 'change', '95 %', 'tasks'], lines.map((line) => [line.name, score(line.before, 3), score(line.now, 3), score(line.change, 3), line.interval ? `${score(line.interval[0], 3)} to ${score(line.interval[1], 3)}` : '–', count(line.n)]));
}

// --- The view ---------------------------------------------------------------------------------------

function section(id, title, ...children) {
  return h('section', { id, 'aria-labelledby': `${id}-title` }, h('h2', { id: `${id}-title`, tabindex: -1 }, title), children);
}

function charts(summary, rows, keys, width) {
  const measure = [...MEASURES, ...EVALUATORS].includes(keys.get('measure')) ? keys.get('measure') : rows.some((row) => row.outcome !== null) ? 'outcome' : 'aggregate';
  const sorted = rows.filter((row) => row.aggregate !== null).map((row) => ({ score: row.aggregate, recorded: row.composite ?? row.reward }));
  return [scoresView(rows, keys, width),
    sorted.length > 1 ? figure('Aggregate beside what was recorded', 'Conversations from the lowest aggregate to the highest (line); dots are the recorded composite, the dashed line their running mean.', sortedTraces(sorted, width)) : null,
    metricTable(rows, 'model', 'Each metric by model'), metricTable(rows, 'domain', 'Each metric by domain'),
    h('h3', {}, 'Do the scores find failures?'), separationView(rows, measure, width, rows.length === summary.rows.length ? summary.stats : null), reliabilityView(rows, width), rows.length === summary.rows.length ? passTable(summary.stats) : null];
}

export function makeOverview(summary) {
  const list = makeList(), bar = h('div', { class: 'bar' }), parts = { findings: h('div', {}), scores: h('div', {}), matrix: h('div', {}), trend: h('div', {}) };
  const progress = h('p', { class: 'meta', role: 'status' }), title = h('h2', { id: 'list-title', tabindex: -1 }, 'Conversations');
  const jump = (id, words) => h('button', { type: 'button', onclick: () => { const to = document.getElementById(`${id}-title`); to.scrollIntoView(); to.focus({ preventScroll: true }); } }, words);
  const sections = h('nav', { class: 'sections', 'aria-label': 'Parts of the page' }, jump('findings', 'Findings'), jump('scores', 'Scores'), jump('matrix', 'By kind and model'), summary.before.length ? jump('trend', 'Trend') : null, jump('list', 'Conversations'));
  const root = h('div', { class: 'overview' }, sections, bar, progress, section('findings', 'Findings', parts.findings), section('scores', 'Scores', parts.scores), section('matrix', 'Violations by kind and model', parts.matrix),
    summary.before.length ? section('trend', 'Trend', parts.trend) : null, h('section', { id: 'list', 'aria-labelledby': 'list-title' }, title, list.box));
  let places = null, found = '', timer = 0, drawn = '', rows = summary.rows, search = 0, later = 0;

  function find(text) {
    clearTimeout(timer);
    timer = setTimeout(() => replace({ q: text }), 200);
  }

  // What was said is read block by block, while the names are shown at once.
  async function look(query) {
    const mine = ++search;
    places = null;
    found = query;
    progress.textContent = '';
    if (query.length < 2) return;
    const begin = performance.now();
    try {
      const got = await findPlaces(query, (share) => {
        if (mine === search && performance.now() - begin > 200) progress.textContent = `Looking through all conversations: ${Math.round(100 * share)} %`;
        return mine === search;
      });
      if (mine !== search || !got) return;
      places = got;
      progress.textContent = `“${query}” was said or returned in ${plural(got.size, 'conversation')}.`;
    } catch (error) {
      progress.textContent = `Not all conversations could be searched: ${error.message}`;
    }
    draw();
  }

  function draw() {
    const { keys } = here(), width = Math.max(280, Math.min(1100, root.clientWidth || 1000));
    const query = keys.get('q') ?? '';
    if (query !== found) look(query);
    const key = JSON.stringify([...keys].filter(([name]) => !['sort', 'open', 'rows', 'measure'].includes(name))) + (places ? places.size : '');
    const filtered = key !== drawn;
    if (filtered) rows = filterRows(summary, keys, places);
    const sort = keys.get('sort') || '-findings';
    list.show(rows, summary.rows.length, sort, emptyList(keys));
    if (filtered) {
      const focus = document.activeElement?.id;
      if (focus !== 'find') bar.replaceChildren(filterBar(summary, keys, find));
      else if (bar.childElementCount === 0) bar.append(filterBar(summary, keys, find));
      parts.findings.replaceChildren(...[findingsView(summary, rows, keys), notChecked(summary, rows)].filter(Boolean));
      parts.matrix.replaceChildren(matrix(summary, rows, keys, EVALUATORS));
      const trend = trendView(summary, rows, keys, width);
      if (trend) parts.trend.replaceChildren(trend);
      if (focus && focus !== 'find') document.getElementById(focus)?.focus();
    }
    const shape = `${keys.get('rows')} ${keys.get('measure')} ${key} ${width}`;
    if (parts.scores.dataset.of !== shape) {
      parts.scores.dataset.of = shape;
      clearTimeout(later);
      later = setTimeout(drawScores, 0, keys, width); // what is above and below is there at once
    }
    root.style.setProperty('--bar', getComputedStyle(bar).position === 'sticky' ? `${bar.offsetHeight}px` : '0px');
    drawn = key;
  }

  function drawScores(keys, width) {
    const focus = document.activeElement?.id;
    parts.scores.replaceChildren(...(rows.length ? charts(summary, rows, keys, width) : [h('p', { class: 'meta' }, 'No conversation is left to be scored.')]).filter(Boolean));
    if (focus?.startsWith('choose-')) document.getElementById(focus)?.focus();
  }

  function emptyList(keys) {
    if (!summary.rows.length) return ['This audit has no conversations: nothing that was read is one.'];
    const set = [...keys].filter(([key, value]) => value && !['sort', 'open', 'rows', 'measure'].includes(key));
    return ['No conversation has ', set.map(([key, value], i) => [i ? ' and ' : '', key, ' ', said(value)]), '. ', h('button', { type: 'button', onclick: () => replace(Object.fromEntries(set.map(([key]) => [key, '']))) }, 'clear')].flat(3);
  }

  return { root, draw, rows: () => list.rows(), reveal: (key) => list.reveal(key) };
}
