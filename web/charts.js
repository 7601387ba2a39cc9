// charts.js: charts of SVG by hand. Each shows n, has a label that says what is to be seen, and its numbers as a table.
import { h, svg, count, score } from './dom.js';
import { hashOf, mean, meanInterval, wilson } from './stats.js';

const BINS = 21;
const FEW = 50;

export function figure(title, note, drawing, head, rows) {
  return h('figure', { class: 'chart' }, h('figcaption', {}, h('h3', {}, title), note ? h('p', { class: 'meta' }, note) : null), drawing,
    head ? h('details', { class: 'numbers' }, h('summary', {}, 'as a table'), table(head, rows)) : null);
}

export function table(head, rows, caption) {
  return h('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': caption || 'numbers' }, h('table', { class: 'plain' }, h('thead', {}, h('tr', {}, head.map((cell) => h('th', { scope: 'col' }, cell)))),
    h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell, i) => (i ? h('td', { class: 'n' }, cell) : h('th', { scope: 'row' }, cell))))))));
}

function canvas(width, height, label, ...children) {
  return svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label }, children);
}

function text(x, y, words, name = '', anchor = 'start') {
  return svg('text', { x, y, class: name, 'text-anchor': anchor }, words);
}

function short(words, width) {
  const most = Math.max(4, Math.floor(width / 7.6));
  return words.length <= most ? words : words.slice(0, Math.ceil(most / 2) - 1) + '…' + words.slice(-Math.floor(most / 2));
}

function axis(x, top, bottom, from, to, words) {
  const parts = [];
  for (let i = 0; i <= 4; i++) {
    const at = from + (to - from) * i / 4;
    parts.push(svg('line', { x1: x(at), x2: x(at), y1: top, y2: bottom, class: 'grid' }), text(x(at), bottom + 14, String(at), 'tick', 'middle'));
  }
  parts.push(text((x(from) + x(to)) / 2, bottom + 30, words, 'tick', 'middle'));
  return parts;
}

// Values as dots where they are few, else as a strip of bins: scores pile up at both ends, which a box hides.
function spread(items, x, y, max) {
  if (items.length < FEW) {
    return items.map(({ key, value }) => svg('circle', { cx: x(value), cy: y - 6 + 12 * hashOf(key), r: 2.5, class: 'dot' }));
  }
  const bins = new Array(BINS).fill(0);
  for (const { value } of items) bins[Math.min(BINS - 1, Math.max(0, Math.round(value / max * (BINS - 1))))]++;
  const most = Math.max(...bins), step = x(max / (BINS - 1)) - x(0);
  return bins.map((n, i) => (n ? svg('rect', { x: x(i / (BINS - 1) * max) - step / 2 + 0.5, y: y + 8 - Math.max(1.5, 16 * n / most), width: Math.max(1, step - 1), height: Math.max(1.5, 16 * n / most), class: 'bin' }) : null));
}

// `rows`: {name, items: [{key, value}], passed, rewarded}.
export function scoreRows(rows, measure, max, width) {
  const label = Math.min(180, width * 0.3), right = 150, line = 36, top = 8;
  const wide = width > 560, end = width - (wide ? right : 52), bottom = top + rows.length * line;
  const room = end - label - 16, x = (value) => label + 8 + room / (2 * BINS) + room * (BINS - 1) / BINS * value / max; // half a bin at both ends
  const parts = axis(x, top, bottom, 0, max, measure), numbers = [];
  rows.forEach((row, i) => {
    const y = top + i * line + line / 2, values = row.items.map((item) => item.value), middle = mean(values), bar = meanInterval(values);
    parts.push(svg('g', {}, svg('title', {}, row.name), text(label, y + 4, short(row.name, label), 'name', 'end')));
    if (values.length) {
      parts.push(...spread(row.items, x, y, max).filter(Boolean));
      if (bar) parts.push(svg('line', { x1: x(bar[0]), x2: x(bar[1]), y1: y + 12, y2: y + 12, class: 'bar' }));
      parts.push(svg('path', { d: `M${x(middle)} ${y + 8}v8`, class: 'mean' }));
    } else parts.push(text(x(max / 2), y + 4, 'was not run', 'tick', 'middle'));
    const digits = max === 1 ? 2 : 0;
    parts.push(text(end + 8, y + 4, values.length ? score(middle, digits) : '–', 'value'));
    if (wide) parts.push(text(end + 46, y + 4, `n ${count(values.length)}`, 'tick'), row.rewarded ? text(width - 2, y + 4, `${row.passed}/${row.rewarded}`, 'tick', 'end') : null);
    else parts.push(text(end + 8, y + 16, `n ${count(values.length)}`, 'tick'));
    const share = wilson(row.passed, row.rewarded);
    numbers.push([row.name, score(middle, max === 1 ? 2 : 1), bar ? `${score(bar[0], max === 1 ? 2 : 1)} to ${score(bar[1], max === 1 ? 2 : 1)}` : '–', count(values.length),
      row.rewarded ? `${row.passed}/${row.rewarded}` : '–', share ? `${score(100 * share[0])} to ${score(100 * share[1])} %` : '–']);
  });
  const drawing = canvas(width, bottom + 38, `${measure}: ${rows.map((row, i) => `${row.name} ${numbers[i][1]} of n ${numbers[i][3]}`).join('; ')}`, parts.filter(Boolean));
  return [drawing, ['', 'mean', '95 % (bootstrap)', 'n', 'reward 1', '95 % (Wilson)'], numbers];
}

function frame(width, height, xWords, yWords, xTick = String) {
  const left = 56, top = 10, right = width - 20, bottom = height - 40;
  const x = (value) => left + (right - left) * value, y = (value) => bottom - (bottom - top) * value;
  const parts = [];
  for (const at of [0, 0.25, 0.5, 0.75, 1]) {
    parts.push(svg('line', { x1: x(at), x2: x(at), y1: top, y2: bottom, class: 'grid' }), svg('line', { x1: left, x2: right, y1: y(at), y2: y(at), class: 'grid' }),
      text(x(at), bottom + 14, xTick(at), 'tick', 'middle'), text(left - 4, y(at) + 4, String(at), 'tick', 'end'));
  }
  parts.push(text((left + right) / 2, bottom + 30, xWords, 'tick', 'middle'), svg('text', { x: 0, y: 0, class: 'tick', 'text-anchor': 'middle', transform: `translate(10 ${(top + bottom) / 2}) rotate(-90)` }, yWords));
  return { x, y, parts };
}

function path(points, x, y) {
  return points.map((point, i) => `${i ? 'L' : 'M'}${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`).join('');
}

// Candidates of a threshold, as the paper has them; their words `drop` below them, where the curve is not.
function thresholds(points, max, x, y, drop) {
  return [0.5, 0.65, 0.8].map((share) => {
    const below = points.filter((point) => point.at !== undefined && point.at < share * max).at(-1);
    return below ? svg('g', {}, svg('title', {}, `below ${share * max}`), svg('circle', { cx: x(below.x), cy: y(below.y), r: 4, class: 'mark' }), text(x(below.x) + 7, y(below.y) + drop, `< ${share * max}`, 'tick')) : null;
  }).filter(Boolean);
}

export function rocCurve(sep, max, width) {
  const { x, y, parts } = frame(width, Math.min(width, 320), 'false alarms', 'failures caught');
  parts.push(svg('line', { x1: x(0), y1: y(0), x2: x(1), y2: y(1), class: 'chance' }), svg('path', { d: path(sep.roc, x, y), class: 'curve' }), ...thresholds(sep.roc, max, x, y, 12));
  return canvas(width, Math.min(width, 320), `ROC curve: area ${score(sep.area, 3)}, 95 % from ${score(sep.low, 3)} to ${score(sep.high, 3)}; chance is 0.5`, parts);
}

export function prCurve(sep, max, width) {
  const { x, y, parts } = frame(width, Math.min(width, 320), 'failures caught', 'of those flagged, failures');
  parts.push(svg('line', { x1: x(0), y1: y(sep.base), x2: x(1), y2: y(sep.base), class: 'chance' }), text(x(0) + 6, Math.min(y(sep.base) + 14, y(0) - 4), `base rate ${score(sep.base, 2)}`, 'tick'),
    svg('path', { d: path(sep.pr, x, y), class: 'curve' }), ...thresholds(sep.pr, max, x, y, -6));
  return canvas(width, Math.min(width, 320), `Precision and recall: base rate ${score(sep.base, 2)}`, parts);
}

export function reliabilityChart(bins, width) {
  const { x, y, parts } = frame(width, Math.min(width, 320), 'said', 'happened');
  parts.push(svg('line', { x1: x(0), y1: y(0), x2: x(1), y2: y(1), class: 'chance' }));
  for (const bin of bins) {
    parts.push(svg('line', { x1: x(bin.x), x2: x(bin.x), y1: y(bin.interval[0]), y2: y(bin.interval[1]), class: 'bar' }), svg('circle', { cx: x(bin.x), cy: y(bin.y), r: 3.5, class: 'mark' }));
  }
  return canvas(width, Math.min(width, 320), `Reliability in ${bins.length} bins: ${bins.map((bin) => `${score(bin.x, 2)} said, ${bin.passed} of ${bin.n}`).join('; ')}`, parts);
}

// Conversations in the order of their score, and beside it what was recorded: a dot each, and its running mean.
export function sortedTraces(items, width) {
  const sorted = [...items].sort((a, b) => a.score - b.score), height = 240, n = sorted.length;
  const { x, y, parts } = frame(width, height, `${count(n)} conversations, from the lowest aggregate on`, 'score', (at) => `${100 * at} %`);
  const span = Math.max(1, Math.floor(n / 20)), step = Math.max(1, Math.floor(n / 500));
  const line = [], running = [];
  sorted.forEach((item, i) => {
    const at = n > 1 ? i / (n - 1) : 0.5;
    if (i % step === 0 || i === n - 1) {
      line.push({ x: at, y: item.score / 100 });
      const around = sorted.slice(Math.max(0, i - span), i + span + 1).map((one) => one.recorded).filter((value) => value !== null);
      if (around.length) running.push({ x: at, y: mean(around) });
    }
    if (item.recorded !== null && i % step === 0) parts.push(svg('circle', { cx: x(at), cy: y(item.recorded), r: 1.8, class: 'dot faint' }));
  });
  parts.push(svg('path', { d: path(running, x, y), class: 'second' }), svg('path', { d: path(line, x, y), class: 'curve' }));
  const low = sorted.slice(0, Math.ceil(n / 4)).map((item) => item.recorded).filter((value) => value !== null), high = sorted.slice(-Math.ceil(n / 4)).map((item) => item.recorded).filter((value) => value !== null);
  return canvas(width, height, `Conversations sorted by aggregate: of the lowest quarter the recorded score is ${score(mean(low), 2)}, of the highest ${score(mean(high), 2)}`, parts);
}

export function signed(number) {
  const text = number.toFixed(2);
  return text === '0.00' || text === '-0.00' ? '0.00' : number > 0 ? `+${text}` : text.replace('-', '−');
}

// Two runs: hollow the old, filled the new.
export function dumbbells(rows, width) {
  const label = Math.min(190, width * 0.34), end = width - 116, line = 28, top = 8, bottom = top + rows.length * line;
  const x = (value) => label + 8 + (end - label - 16) * value;
  const parts = axis(x, top, bottom, 0, 1, 'score');
  rows.forEach((row, i) => {
    const y = top + i * line + line / 2;
    parts.push(text(label, y + 4, short(row.name, label), 'name', 'end'), svg('line', { x1: x(row.before), x2: x(row.now), y1: y, y2: y, class: 'link' }),
      svg('circle', { cx: x(row.before), cy: y, r: 5, class: 'hollow' }), svg('circle', { cx: x(row.now), cy: y, r: 5, class: 'mark' }),
      text(end + 8, y + 4, signed(row.change), 'value'), text(width - 2, y + 4, `n ${count(row.n)}`, 'tick', 'end'));
  });
  return canvas(width, bottom + 38, rows.map((row) => `${row.name}: ${score(row.before, 2)} before, ${score(row.now, 2)} now`).join('; '), parts);
}
