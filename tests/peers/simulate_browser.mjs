// The simulator's page in a browser, as people use it: a form, a call, what it changed; others' calls; a hostile document.
//
//     simulate_browser.mjs PACKAGES URL HOSTILE LOCKED [SHOTS]   URL: of `ledgergate simulate` with the retail pack; HOSTILE: of one
//                                                         with a document of strangers; LOCKED: of one with the token
//                                                         `open sesame`; SHOTS: where pictures go
//
// Prints {"name", "why"} a line: `why` null where it passed.
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

const [packages, url, hostile, locked, shots] = process.argv.slice(2);
const require = createRequire(path.join(packages, 'package.json'));
const { chromium } = require('playwright-core');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });

function must(ok, sentence, detail) {
  if (!ok) throw new Error(`${sentence}${detail === undefined ? '' : ': ' + JSON.stringify(detail)}`);
}

async function open(base, hash = '', { width = 1280, height = 900, scheme = 'light', refusals = [] } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', (message) => {
    const expected = refusals.some((status) => message.text().includes(`status of ${status}`));
    if (['error', 'warning'].includes(message.type()) && !expected) page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('dialog', (dialog) => { page.complaints.push('dialog: ' + dialog.message()); dialog.dismiss(); });
  page.on('request', (request) => { if (!request.url().startsWith(base)) page.complaints.push('asked elsewhere: ' + request.url()); });
  await page.goto(`${base}/ui/${hash}`);
  await page.waitForSelector(refusals.includes(401) ? '.banner' : '.tool-list a', { state: 'attached' });
  return page;
}

async function close(page) {
  must(page.complaints.length === 0, 'the browser complains of nothing', page.complaints);
  await page.context().close();
}

async function show(page, name) {
  if (shots) await page.screenshot({ path: path.join(shots, `simulate-${name}.png`), fullPage: true });
}

async function ask(base, method, where, body) {
  const answer = await fetch(`${base}/_sim/${where}`, { method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body) });
  return answer.status === 204 ? null : answer.json();
}

const newSession = async (base = url) => (await ask(base, 'POST', 'sessions', {})).session;

// Nothing that keeps people out, and nothing wider than the page.
async function inspect(page, where) {
  const found = await page.evaluate(async (source) => {
    if (!globalThis.axe) (0, eval)(source);
    const run = await globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
    return run.violations.map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.target.join(' ') + ' ' + node.failureSummary.slice(0, 200))]);
  }, axe);
  must(found.length === 0, `${where}: nothing keeps people out`, found);
  const wide = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  must(wide[0] <= wide[1], `${where}: nothing is wider than the page`, wide);
}

const ORDER = '#W1000001', tool = (name) => `.tool-list a:has-text("${name}")`;
const fill = (page, label, value) => page.locator('.call-form').getByLabel(label).fill(value);
const choose = (page, label, value) => page.locator('.call-form').getByLabel(label).selectOption({ label: value });

async function a_call_shows_what_it_changed() {
  const session = await newSession(), page = await open(url, `#/sim/${session}`);
  must((await page.textContent('.calls-panel')).includes('No call was made'), 'an empty session says so');
  await page.click(tool('cancel_pending_order'));
  await fill(page, 'order_id', ORDER);
  await page.locator('.call-form').getByRole('button', { name: 'call', exact: true }).click();
  await page.waitForSelector('.call-form [aria-invalid=true]');
  must((await page.textContent('.call-form')).includes('is required'), 'what is missing stands at its field');
  must(await page.locator('.call-form').getByLabel('order_id').inputValue() === ORDER, 'and what was typed is kept');
  await show(page, 'invalid');
  const reason = page.locator('.call-form').getByLabel('reason');
  if (await reason.evaluate((element) => element.tagName) === 'SELECT') await choose(page, 'reason', 'no longer needed'); else await reason.fill('no longer needed');
  await page.locator('.call-form').getByRole('button', { name: 'call', exact: true }).click();
  await page.waitForFunction(() => document.querySelector('.changes')?.textContent.includes('cancelled'));
  must(page.url().includes('call=2') && page.url().includes(session), 'the address is the state', page.url());
  const changes = await page.textContent('.changes');
  must(changes.includes('"pending"') && changes.includes('status'), 'before and after', changes);
  must((await page.textContent('.call-row.chosen')).includes('effects'), 'where the answer came from');
  must(await page.locator('.call-row.chosen .violation').count() > 0, 'what a gate would have said');
  await inspect(page, 'a call');
  await show(page, 'call-1280-light');
  await page.reload();
  await page.waitForFunction(() => document.querySelector('.changes')?.textContent.includes('cancelled'));
  await page.locator('.call-row[data-call="1"] > a').click();
  await page.waitForFunction(() => document.querySelector('.call-row.chosen')?.dataset.call === '1');
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('.call-row.chosen')?.dataset.call === '2');
  await close(page);
}

async function what_others_do_appears() {
  const session = await newSession(), page = await open(url, `#/sim/${session}`);
  await ask(url, 'POST', `sessions/${session}/calls`, { name: 'get_order_details', arguments: { order_id: ORDER } });
  await page.waitForSelector('.call-row[data-call="1"]', { timeout: 5000 });
  must((await page.textContent('.call-row')).includes('get_order_details'), 'the call of another client');
  await ask(url, 'POST', `sessions/${session}/calls`, { name: 'cancel_pending_order', arguments: { order_id: ORDER, reason: 'no longer needed' } });
  await page.waitForSelector('.call-row[data-call="2"]', { timeout: 5000 });
  await page.locator('.call-row[data-call="2"] > a').click();
  await page.waitForSelector('.call-row.chosen .violation');
  await ask(url, 'POST', `sessions/${session}/reset`, {});
  await page.waitForFunction(() => !document.querySelector('.call-row'), null, { timeout: 5000 });
  await close(page);
}

async function snapshots_are_gone_on_from_in_a_fork() {
  const session = await newSession(), page = await open(url, `#/sim/${session}?tab=state`);
  await page.getByRole('button', { name: 'snapshot', exact: true }).click();
  await page.waitForSelector('.snapshots a:has-text("snapshot 1")');
  await ask(url, 'POST', `sessions/${session}/calls`, { name: 'cancel_pending_order', arguments: { order_id: ORDER, reason: 'no longer needed' } });
  await page.click('.snapshots a:has-text("snapshot 1")');
  await page.waitForFunction(() => document.querySelector('.changes')?.textContent.includes('cancelled'), null, { timeout: 5000 });
  must(page.url().includes('a=1'), 'the address is the state', page.url());
  await page.getByRole('button', { name: 'fork from here, snapshot 1' }).click();
  await page.waitForFunction((old) => location.hash.startsWith('#/sim/') && !location.hash.startsWith(`#/sim/${old}`), session);
  const fork = decodeURIComponent(page.url().split('#/sim/')[1].split('?')[0]);
  const order = async (id) => (await ask(url, 'GET', `sessions/${id}/state`)).orders[ORDER].status;
  must(await order(fork) === 'pending' && await order(session) === 'cancelled', 'the fork is where the snapshot was, and the session where it was');
  await page.goBack();
  await page.waitForFunction((old) => location.hash.startsWith(`#/sim/${old}`), session);
  await close(page);
}

async function two_snapshots_are_compared() {
  const session = await newSession();
  await ask(url, 'POST', `sessions/${session}/snapshots`, {});
  await ask(url, 'POST', `sessions/${session}/calls`, { name: 'cancel_pending_order', arguments: { order_id: ORDER, reason: 'no longer needed' } });
  await ask(url, 'POST', `sessions/${session}/snapshots`, {});
  const page = await open(url, `#/sim/${session}?a=1&tab=state`);
  await page.getByRole('link', { name: 'compare: what changed from snapshot 1 to snapshot 2' }).click();
  await page.waitForFunction(() => document.querySelector('.state-panel')?.textContent.includes('From snapshot 1 to snapshot 2'));
  await page.waitForFunction(() => document.querySelector('.changes')?.textContent.includes('cancelled'));
  must(page.url().includes('a=1&b=2'), 'the address is the state', page.url());
  await page.getByRole('link', { name: 'compare: what changed from snapshot 1 to the beginning' }).click();
  await page.waitForFunction(() => document.querySelector('.state-panel')?.textContent.includes('Nothing differs'));
  await inspect(page, 'two snapshots');
  await show(page, 'snapshots-1280-light');
  await close(page);
}

async function the_judge_says_what_is_open() {
  const session = await newSession(), page = await open(url, `#/sim/${session}?tab=state`);
  await page.getByText('is the task done?').click();
  await page.getByLabel('checklist as JSON').fill(JSON.stringify([{ description: 'it is cancelled', that: `state.orders['${ORDER}'].status == 'cancelled'` }]));
  await page.getByRole('button', { name: 'judge', exact: true }).click();
  await page.waitForFunction(() => document.querySelector('.judgement')?.textContent.includes('failed'));
  await ask(url, 'POST', `sessions/${session}/calls`, { name: 'cancel_pending_order', arguments: { order_id: ORDER, reason: 'no longer needed' } });
  await page.getByRole('button', { name: 'judge', exact: true }).click();
  await page.waitForFunction(() => document.querySelector('.judgement .judged')?.textContent.includes('success'));
  must((await page.textContent('.judged-items')).includes('it is cancelled'), 'item by item');
  await inspect(page, 'the judge');
  await show(page, 'judge-1280-light');
  await close(page);
}

async function a_session_is_deleted() {
  const session = await newSession(), page = await open(url, `#/sim/${session}`);
  await page.getByRole('button', { name: 'delete', exact: true }).click();
  await page.waitForFunction((old) => !location.hash.startsWith(`#/sim/${old}?`) && location.hash !== `#/sim/${old}`, session);
  must((await ask(url, 'GET', `sessions/${session}`)).error?.code === 'unknown_session', 'it is gone');
  await close(page);
}

async function a_token_is_asked_for() {
  const page = await open(locked, '', { refusals: [401] });
  await inspect(page, 'a token is asked for');
  await page.getByLabel('token').fill('wrong');
  await page.getByRole('button', { name: 'show it' }).click();
  await page.waitForFunction(() => document.querySelector('#token')?.value === '');
  await page.getByLabel('token').fill('open sesame');
  await page.getByRole('button', { name: 'show it' }).click();
  await page.waitForSelector('.tool-list a');
  await close(page);
}

async function keys_are_enough() {
  const session = await newSession(), page = await open(url, `#/sim/${session}`);
  await page.keyboard.press('/');
  await page.keyboard.type('get_order');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.call-form');
  await page.keyboard.press('c');
  await page.keyboard.type(ORDER);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.call-row[data-call="1"]');
  await page.keyboard.press('Escape');
  await page.keyboard.press('k');
  must(await page.evaluate(() => document.activeElement.closest('.call-row')?.dataset.call) === '1', 'j and k go through the calls');
  await page.keyboard.press('?');
  must(await page.locator('dialog[open]').count() === 1, 'the keys are listed');
  await inspect(page, 'keys');
  await page.keyboard.press('Escape');
  await close(page);
}

async function a_small_screen_has_tabs() {
  const session = await newSession();
  await ask(url, 'POST', `sessions/${session}/calls`, { name: 'cancel_pending_order', arguments: { order_id: ORDER, reason: 'no longer needed' } });
  const page = await open(url, `#/sim/${session}?tool=get_order_details`, { width: 390, height: 844 });
  for (const tab of ['Tools', 'Calls', 'State']) {
    await page.locator('.sim-tabs').getByRole('button', { name: tab }).click();
    must(await page.locator('.panel:visible').count() === 1, 'one panel at a time');
    if (tab === 'Calls') await page.locator('.call-row > a').first().click();
    if (tab === 'State') await page.waitForSelector('.changes li');
    await inspect(page, `390 pixels, ${tab}`);
    await show(page, `${tab.toLowerCase()}-390-light`);
  }
  await close(page);
}

async function dark_is_as_good() {
  const session = await newSession();
  await ask(url, 'POST', `sessions/${session}/calls`, { name: 'cancel_pending_order', arguments: { order_id: ORDER, reason: 'no longer needed' } });
  for (const width of [1280, 390]) {
    const page = await open(url, `#/sim/${session}?tool=exchange_delivered_order_items&call=1&tab=calls`, { width, scheme: 'dark' });
    await page.waitForSelector('.call-row.chosen');
    await page.waitForFunction(() => document.querySelector('.changes li'));
    await inspect(page, `dark, ${width}`);
    await show(page, `call-${width}-dark`);
    await close(page);
  }
}

async function strangers_texts_are_texts() {
  const session = await newSession(hostile), page = await open(hostile, `#/sim/${session}`);
  const names = await page.locator('.tool-list a').count();
  must(names >= 3, 'all tools are listed', names);
  for (let i = 0; i < names; i++) {
    await page.locator('.tool-list a').nth(i).click();
    await page.locator('.call-form').getByRole('button', { name: 'call', exact: true }).click();
    await page.waitForFunction((n) => document.querySelector('.call-row.chosen')?.dataset.call === String(n), i + 1);
  }
  must(await page.locator('main img, main script, main iframe, main b').count() === 0, 'no markup came of it');
  must(await page.evaluate(() => globalThis.owned) === undefined, 'nothing ran');
  must((await page.textContent('.tools-panel')).includes('\\u202E'), 'what cannot be seen is spelt');
  await inspect(page, 'hostile');
  await show(page, 'hostile-1280-light');
  await page.setViewportSize({ width: 390, height: 844 });
  for (const tab of ['Tools', 'Calls', 'State']) {
    await page.locator('.sim-tabs').getByRole('button', { name: tab }).click();
    await inspect(page, `hostile, 390 pixels, ${tab}`);
  }
  await close(page);
}

async function what_fails_says_so() {
  const page = await open(url, '#/sim/s999999', { refusals: [404] });
  await page.waitForSelector('.banner');
  must((await page.textContent('.banner')).includes('session'), 'an unknown session', await page.textContent('.banner'));
  await show(page, 'unknown-1280-light');
  await inspect(page, 'an unknown session');
  await close(page);
  const away = await open(url, `#/sim/${await newSession()}`, {});
  await away.route('**/_sim/**', (route) => route.abort());
  await away.waitForSelector('.banner', { timeout: 5000 });
  must((await away.textContent('.banner')).includes('does not answer'), 'a simulator that is gone');
  await away.unroute('**/_sim/**');
  await away.getByRole('button', { name: 'try again' }).click();
  await away.waitForFunction(() => !document.querySelector('.banner'));
  await away.context().close();
}

const tests = [a_call_shows_what_it_changed, what_others_do_appears, snapshots_are_gone_on_from_in_a_fork, two_snapshots_are_compared,
  the_judge_says_what_is_open, a_session_is_deleted, a_token_is_asked_for, keys_are_enough, a_small_screen_has_tabs,
  dark_is_as_good, strangers_texts_are_texts, what_fails_says_so];
for (const test of tests.filter((one) => !process.env.ONLY || one.name.includes(process.env.ONLY))) {
  let why = null;
  try {
    await test();
  } catch (error) {
    why = String(error.message).split('\n').slice(0, 6).join(' ');
  }
  console.log(JSON.stringify({ name: `simulate_${test.name}`, why }));
}
await browser.close();
