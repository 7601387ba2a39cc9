// stats.js: figures with their uncertainty. Chance is drawn from a fixed seed, so that a page always shows the same.

function dice(seed) {
  let state = seed >>> 0;
  return () => { // mulberry32
    state = (state + 0x6D2B79F5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function hashOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0) / 4294967296;
}

export function mean(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length ? sum / values.length : null;
}

// 95 % of the mean: by resampling, and by the normal distribution where there are so many that it makes no difference.
export function meanInterval(values) {
  const n = values.length, middle = mean(values);
  if (n < 2) return null;
  if (n > 1000) {
    let squares = 0;
    for (const value of values) squares += (value - middle) ** 2;
    const half = 1.96 * Math.sqrt(squares / (n - 1) / n);
    return [middle - half, middle + half];
  }
  const next = dice(n * 7919 + 1), means = [];
  for (let k = 0; k < 400; k++) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += values[Math.floor(next() * n)];
    means.push(sum / n);
  }
  means.sort((a, b) => a - b);
  return [means[10], means[389]];
}

// 95 % of a share (Wilson 1927).
export function wilson(part, all) {
  if (!all) return null;
  const z = 1.96, p = part / all, d = 1 + z * z / all;
  const middle = (p + z * z / (2 * all)) / d, half = z * Math.sqrt(p * (1 - p) / all + z * z / (4 * all * all)) / d;
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

// Of pairs {score, good}: does a low score mean failure? Steps of both curves, the area with its interval (DeLong 1988).
export function separation(pairs) {
  const good = pairs.filter((pair) => pair.good).map((pair) => pair.score);
  const bad = pairs.filter((pair) => !pair.good).map((pair) => pair.score);
  if (!good.length || !bad.length) return null;
  const sorted = [...pairs].sort((a, b) => a.score - b.score);
  const roc = [{ x: 0, y: 0 }], pr = [];
  let caught = 0, wrong = 0;
  sorted.forEach((pair, i) => {
    if (pair.good) wrong++; else caught++;
    if (i + 1 < sorted.length && sorted[i + 1].score === pair.score) return;
    roc.push({ x: wrong / good.length, y: caught / bad.length, at: pair.score });
    pr.push({ x: caught / bad.length, y: caught / (caught + wrong), at: pair.score });
  });
  return { roc, pr, base: bad.length / pairs.length, good: good.length, bad: bad.length, ...delong(good, bad) };
}

// For each of `values` the share of `others` (sorted) that it is above, ties half.
function shares(values, others) {
  return values.map((value) => {
    const find = (after) => {
      let low = 0, high = others.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (others[middle] < value || (after && others[middle] === value)) low = middle + 1; else high = middle;
      }
      return low;
    };
    return (find(false) + find(true)) / 2 / others.length;
  });
}

function variance(values) {
  const middle = mean(values);
  let sum = 0;
  for (const value of values) sum += (value - middle) ** 2;
  return values.length > 1 ? sum / (values.length - 1) : 0;
}

function delong(good, bad) {
  const order = (a, b) => a - b;
  const above = shares(good, [...bad].sort(order));
  const below = shares(bad, [...good].sort(order)).map((share) => 1 - share);
  const area = mean(above), half = 1.96 * Math.sqrt(variance(above) / good.length + variance(below) / bad.length);
  return { area, low: Math.max(0, area - half), high: Math.min(1, area + half) };
}

// Ten bins of equal count: is what was said to be likely as likely?
export function reliability(pairs) {
  const sorted = [...pairs].sort((a, b) => a.score - b.score), bins = [];
  const number = Math.min(10, Math.floor(sorted.length / 5));
  for (let i = 0; i < number; i++) {
    const part = sorted.slice(Math.floor(i * sorted.length / number), Math.floor((i + 1) * sorted.length / number));
    const passed = part.filter((pair) => pair.good).length;
    bins.push({ x: mean(part.map((pair) => pair.score)), y: passed / part.length, n: part.length, passed, interval: wilson(passed, part.length) });
  }
  return bins;
}

// Of two runs: means by task, and the interval of their paired difference.
export function paired(before, now, value) {
  const byTask = (rows) => {
    const map = new Map();
    for (const row of rows) {
      const got = value(row);
      if (got === null || got === undefined) continue;
      const key = JSON.stringify([row.domain, row.task ?? row.title]);
      if (!map.has(key)) map.set(key, []);
      map.get(key).push(got);
    }
    return map;
  };
  const old = byTask(before), fresh = byTask(now), first = [], second = [], change = [];
  for (const [key, values] of fresh) {
    if (!old.has(key)) continue;
    first.push(mean(old.get(key)));
    second.push(mean(values));
    change.push(second.at(-1) - first.at(-1));
  }
  return { n: change.length, before: mean(first), now: mean(second), change: mean(change), interval: meanInterval(change) };
}

export function groupBy(items, keyOf) {
  const map = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(item);
  }
  return map;
}
