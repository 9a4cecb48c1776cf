import { createClient } from '@signalbox/client';
import { describe, expect, inject, test } from 'vitest';
import { accessibilityProblems, colorProblems } from '../../peers/src/axe.ts';
import type { Page } from '../../peers/src/chromium.ts';
import { openPage } from './support/open-page.ts';

const hasBrowser = inject('browser') !== undefined;

/** Calls a tool without a model. Returns the id of the run. */
async function call(tool: string, args: object = {}): Promise<string> {
  const response = await fetch(`${inject('service')}/v1/tools/${tool}/call`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: args }),
  });
  expect(response.status).toBe(202);
  return ((await response.json()) as { readonly id: string }).id;
}

const backgroundOf = (page: Page, selector: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => getComputedStyle(element).backgroundColor);

const clientOf = () => createClient({ baseUrl: inject('service') });

describe.skipIf(!hasBrowser)('a run', () => {
  test('is started from the form, watched while it happens, and explained', async () => {
    const page = await openPage('/runs');
    await page.getByRole('link', { name: 'New run' }).click();
    await page.getByRole('button', { name: 'Which customers bought most?' }).click();
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByRole('heading', { level: 1, name: 'Which customers bought most?' }).waitFor();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByRole('heading', { name: 'Answer' }).waitFor();
    await timeline.getByText('Ada Almeida (Turkey) bought most').waitFor();
    await timeline.getByRole('button', { name: 'read_query' }).first().click();
    await timeline
      .getByRole('region', { name: 'Result' })
      .getByRole('cell', { name: '134917.50' })
      .waitFor();
    await timeline.getByRole('button', { name: 'Show as a chart' }).click();
    await timeline.getByRole('figure').getByText('Ada Berg').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Time', exact: true }).click();
    await page.getByRole('list', { name: 'Turns and calls' }).getByText('Turn 4').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.emulateMedia({ forcedColors: 'active' });
    for (const [shown, ground] of [
      ['.bar-span', '.bar-track'],
      ['[role=tab][aria-selected=true]', '[role=tab][aria-selected=false]'],
      ['nav [aria-current]', 'nav a:not([aria-current])'],
    ] as const)
      expect(await backgroundOf(page, shown)).not.toBe(await backgroundOf(page, ground));
    await page.emulateMedia({ forcedColors: 'none' });
    await page.getByRole('tab', { name: /Events/ }).click();
    await page.getByRole('button', { name: /run\.queued/ }).click();
    await page.getByText('"Which customers').first().waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole('tab', { name: 'Time', exact: true }).click();
    await page.getByRole('link', { name: /^Turn 4/ }).click();
    await page.locator('li:focus').getByRole('heading', { name: 'Turn 4' }).waitFor();
    await page.getByRole('tab', { name: 'Timeline' }).press('End');
    await page.keyboard.press('ArrowLeft');
    await page.locator('.event.target').waitFor();
    expect(await page.locator(':focus').innerText()).toContain('Events');
  });

  test('is forked from a turn, and started again', async () => {
    const client = clientOf();
    const { id } = await client.runs.create({ prompt: 'Which customers bought most?' });
    await client.runs.wait(id);
    const page = await openPage(`/runs/${id}`);
    await page.getByRole('button', { name: 'Fork after turn 1' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fork this run' });
    await dialog.getByLabel('Next message').fill('Which customers bought most?');
    await dialog.getByRole('button', { name: 'Start the fork' }).click();
    await page.getByRole('link', { name: 'forked after turn 1' }).waitFor();
    await page.getByRole('link', { name: 'forked after turn 1' }).click();
    await page.getByRole('button', { name: 'Copy as curl' }).first().click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`curl -s '${inject('service')}/v1/runs'`);
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(id));
  });

  test('is approved with the keyboard alone', async () => {
    const id = await call('show__write', { line: 'by keyboard' });
    const page = await openPage(`/runs/${id}`, { theme: 'dark' });
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    for (let presses = 0; (await focused()) !== 'Approve' && presses < 60; presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Answer' }).waitFor();
    await page.getByText('wrote by keyboard').first().waitFor();
  });

  test('is approved once, however late its next event arrives', async () => {
    const id = await call('show__write', { line: 'once' });
    const page = await openPage(`/runs/${id}`);
    let answers = 0;
    // The service does not get the answer, so that no event follows.
    await page.route('**/v1/inbox/*/respond', (route) => {
      answers += 1;
      return route.fulfill({ json: {} });
    });
    const approve = page.getByRole('button', { name: 'Approve' });
    await approve.press('Enter');
    await page.getByText('Approved', { exact: true }).waitFor();
    await approve.press('Enter');
    await page.getByRole('button', { name: 'Deny' }).press('Enter');
    expect(await approve.getAttribute('aria-busy')).toBe('true');
    expect(answers).toBe(1);
  });

  test('is cancelled in the middle of a call, whose progress it shows', async () => {
    const id = await call('show__steps');
    const page = await openPage(`/runs/${id}`);
    if (await page.getByRole('button', { name: 'Approve' }).isVisible())
      await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('progressbar', { name: 'one of four' }).waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this run?' });
    await dialog.getByLabel('Reason').fill('seen enough');
    await dialog.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('list', { name: 'Timeline' }).getByText('seen enough').first().waitFor();
    await page.locator('main:focus').waitFor();
    expect((await clientOf().runs.wait(id)).status).toBe('cancelled');
  });

  test('shows why a call failed', async () => {
    const id = await call('show__refuse');
    const page = await openPage(`/runs/${id}`);
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('the stock is empty; order first').first().waitFor();
    await expect.poll(() => timeline.innerText()).toMatch(/refuse\s+show\s+Failed/);
  });

  test('that reached a limit is resumed with a higher one', async () => {
    const client = clientOf();
    const prompt = 'Which customers bought most?';
    const { id } = await client.runs.create({ prompt, limits: { turns: 2 } });
    await client.runs.wait(id);
    const page = await openPage(`/runs/${id}`);
    await page.getByText('The run used all of its 2 turns.').first().waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resume this run' });
    await dialog.getByLabel('Turns').fill('9');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('heading', { name: 'Answer' }).waitFor();
    expect((await client.runs.wait(id)).status).toBe('completed');
  });

  test('shows the difference that an edit makes', async () => {
    const id = await call('show__edit');
    const page = await openPage(`/runs/${id}`, { theme: 'dark' });
    await page.getByRole('button', { name: 'edit' }).click();
    const diff = page
      .getByRole('list', { name: 'Timeline' })
      .getByRole('region', { name: 'Difference' });
    await expect.poll(() => diff.first().innerText()).toMatch(/removed:\s*-two/);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('shows the image that a tool returns', async () => {
    const id = await call('show__picture');
    const page = await openPage(`/runs/${id}`);
    await page.getByRole('button', { name: 'picture' }).click();
    const image = page.getByRole('img', { name: 'Result of the tool (image/png)' });
    await expect
      .poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth))
      .toBe(1);
  });

  test('that was resumed elsewhere is followed again', async () => {
    const client = clientOf();
    const prompt = 'Which customers bought most?';
    const { id } = await client.runs.create({ prompt, limits: { turns: 2 } });
    await client.runs.wait(id);
    const page = await openPage(`/runs/${id}`);
    let streams = 0;
    page.on('request', (request) => {
      if (request.url().includes(`${id}/events`)) streams += 1;
    });
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByRole('heading', { name: 'Failed' }).waitFor();
    await client.api.POST('/v1/runs/{id}/resume', {
      params: { path: { id } },
      body: { limits: { turns: 9 } },
    });
    await timeline.getByRole('heading', { name: 'Answer' }).waitFor();
    expect(await timeline.getByText('Ada Almeida (Turkey) bought most').count()).toBe(1);
    expect(streams).toBeLessThanOrEqual(4);
  });

  test('has calls that are made again with other arguments', async () => {
    const id = await call('sqlite__describe_table', { table_name: 'nothing' });
    const page = await openPage(`/runs/${id}`);
    await page.getByRole('button', { name: 'Call again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('table_name').fill('customers');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Call again' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    await page.getByRole('heading', { name: 'Answer' }).waitFor();
    await page.getByText('country').first().waitFor();
  });
});

describe.skipIf(!hasBrowser)('the list of runs', () => {
  test('is limited by state and search, and the address keeps both', async () => {
    const client = clientOf();
    const team = crypto.randomUUID();
    // The run waits for an approval until it is cancelled.
    const { id } = await client.runs.create({
      prompt: 'Raise the price of the Brass Chair to 300',
      metadata: { team },
    });
    await client.runs.cancel(id);
    const page = await openPage('/runs');
    const list = page.getByRole('list', { name: 'Runs' });
    await list.getByText('Raise the price').first().waitFor();
    await page.getByRole('button', { name: 'Cancelled' }).click();
    await page.getByLabel('Search runs').fill(`price team=${team}`);
    await page.waitForURL(/status=cancelled&q=price/);
    await expect.poll(() => list.getByRole('article').count()).toBe(1);
    await page.reload();
    await expect.poll(() => list.getByRole('article').count()).toBe(1);
    await page.getByLabel('Search runs').fill('no such run');
    await page.getByRole('heading', { name: 'No run matches' }).waitFor();
    await page.getByRole('link', { name: 'Show all runs' }).click();
    await list.getByText('Raise the price').first().waitFor();
    expect(await page.getByLabel('Search runs').inputValue()).toBe('');
  });

  test('a search finds an old run by its answer, waits for the end of typing, and has no accessibility problem', async () => {
    const client = clientOf();
    const old = await client.runs.create({ prompt: 'Which customers bought most?' });
    const { answer } = await client.runs.wait(old.id);
    const word = /[\p{L}]{5,}/u.exec(answer ?? '')?.[0] ?? '';
    const newer = Array.from({ length: 55 }, () =>
      client.runs.create({ prompt: 'Something else', metadata: { team: 'newer' } }),
    );
    for (const { id } of await Promise.all(newer)) await client.runs.cancel(id);
    const page = await openPage('/favicon.svg', { isNew: true });
    await page.clock.install();
    await page.goto('/runs');
    const list = page.getByRole('list', { name: 'Runs' });
    await list.getByText('Something else').first().waitFor();
    const requests: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      const q = searchParams.get('q');
      if (pathname === '/v1/runs' && q !== null) requests.push(q);
    });
    // A part of the id, which no other run contains, and a word of the answer in other letters.
    const search = `${old.id.slice(4)} ${word.toUpperCase()}`;
    // No time passes between the keys, however long the machine takes for them.
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByLabel('Search runs').pressSequentially(search);
    await page.clock.resume();
    await page.getByRole('status').getByText('1 run matches').waitFor();
    expect(new Set(requests)).toEqual(new Set([search]));
    expect(new URL(page.url()).searchParams.get('q')).toBe(search);
    expect(await list.getByRole('article').count()).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Search runs').fill('"no OR run*');
    await page.getByRole('heading', { name: 'No run matches' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await colorProblems(page)).toEqual([]);
    const shared = await openPage(`/runs?q=${old.id}`);
    await shared.getByRole('status').getByText('1 run matches').waitFor();
    expect(await shared.getByLabel('Search runs').inputValue()).toBe(old.id);
  });
});

describe.skipIf(!hasBrowser)('hostile texts', () => {
  test('are shown as texts', async () => {
    const id = await call('show__hostile_text');
    const page = await openPage(`/runs/${id}`, { width: 'phone' });
    await page.getByRole('button', { name: 'hostile_text' }).click();
    const result = page.locator('.call-details');
    await result.getByText('<img src=x').waitFor();
    const text = await result.innerText();
    expect(text).toContain('<script>document.title="owned"</script>');
    expect(text).toContain('red ');
    expect(text).toContain('file⟨U+202E⟩gnp.exe');
    expect(text).toContain('␀␈');
    for (const hidden of ['\u001B', '\u202E']) expect(text).not.toContain(hidden);
    expect(await page.title()).not.toContain('owned');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
  });

  test('of a megabyte stay usable', async () => {
    const id = await call('show__long_text');
    const page = await openPage(`/runs/${id}`);
    await page.getByRole('button', { name: 'long_text' }).click();
    await page.getByRole('button', { name: 'Load the whole result' }).click();
    await page.getByRole('button', { name: /Show all \(1\.0 MB\)/ }).click();
    const blocks = page.locator('.long-text .block');
    await expect.poll(() => blocks.count()).toBeGreaterThan(40);
    await page.getByRole('button', { name: 'Show less' }).click();
    await expect.poll(() => blocks.count()).toBe(0);
  });
});
