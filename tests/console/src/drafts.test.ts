/// <reference lib="dom" />
import { describe, expect, inject, test } from 'vitest';
import type { Locator } from '../../peers/src/chromium.ts';
import { clientOf } from './support/call-tool.ts';
import { openPage } from './support/open-page.ts';

const PROMPT = 'Which customers bought most?';

/** Clicks twice as a person does on a slow machine: no timer of the page comes between. */
function clickTwice(button: Locator): Promise<void> {
  return button.evaluate(async (element: HTMLElement) => {
    element.click();
    for (let turns = 0; turns < 100; turns += 1) await Promise.resolve();
    element.click();
  });
}

describe.skipIf(inject('browser') === undefined)('a draft', () => {
  test('of a run survives a reload and a visit of another page, until the run is started', async () => {
    const page = await openPage('/runs/new');
    await page.getByLabel('Task').fill(PROMPT);
    await page.getByLabel('sqlite').check();
    await page.getByText('Instructions, limits and metadata').click();
    await page.getByLabel('Turns').fill('7');
    await page.reload();
    expect(await page.getByLabel('Task').inputValue()).toBe(PROMPT);
    await page.getByRole('link', { name: 'Servers' }).click();
    await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor();
    await page.goBack();
    await page.getByLabel('Task').waitFor();
    expect(await page.getByLabel('Task').inputValue()).toBe(PROMPT);
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.waitForURL(/\/runs\/(?!new)/);
    const run = await clientOf().runs.get(page.url().split('/').at(-1) ?? '');
    expect(run).toMatchObject({ prompt: PROMPT, servers: ['sqlite'], limits: { turns: 7 } });
    await page.goto('/runs/new');
    expect(await page.getByLabel('Task').inputValue()).toBe('');
  });

  test('of a run with an agent of a link is another one than that without', async () => {
    const page = await openPage('/runs/new');
    await page.getByLabel('Task').fill('without an agent');
    await page.goto('/runs/new?agent=nobody');
    expect(await page.getByLabel('Task').inputValue()).toBe('');
    await page.goBack();
    await page.getByLabel('Task').waitFor();
    expect(await page.getByLabel('Task').inputValue()).toBe('without an agent');
  });

  test('of a message survives a reload, and belongs to its thread', async () => {
    const page = await openPage('/threads/new');
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('not sent yet');
    await page.reload();
    expect(await message.inputValue()).toBe('not sent yet');
    const { data } = await clientOf().api.POST('/v1/threads', { body: { title: 'Other' } });
    await page.goto(`/threads/${data?.id}`);
    await message.waitFor();
    expect(await message.inputValue()).toBe('');
  });

  test('that is written while a message is sent is kept for the next message', async () => {
    const { data } = await clientOf().api.POST('/v1/threads', { body: { title: 'Slow' } });
    const page = await openPage(`/threads/${data?.id}`);
    const sent = Promise.withResolvers<void>();
    await page.route('**/v1/runs', async (route) => {
      await sent.promise;
      await route.continue();
    });
    const message = page.getByLabel('Message', { exact: true });
    await message.fill(PROMPT);
    await message.press('Enter');
    await message.pressSequentially(' And why?');
    sent.resolve();
    await page.getByRole('article').waitFor();
    await expect.poll(() => message.inputValue()).toBe('And why?');
  });
});

describe.skipIf(inject('browser') === undefined)('files of a run', () => {
  test('are awaited before the start, and those that were stored stay when another is rejected', async () => {
    const page = await openPage('/runs/new', { expected: /413/ });
    const stored = Promise.withResolvers<void>();
    await page.route('**/v1/artifacts', async (route) => {
      await stored.promise;
      await route.continue();
    });
    await page.getByLabel('Task').fill(PROMPT);
    const start = page.getByRole('button', { name: 'Start the run' });
    await expect.poll(() => start.isEnabled()).toBe(true);
    await page.getByLabel('Files', { exact: true }).setInputFiles([
      { name: 'main.go', mimeType: '', buffer: Buffer.from('package main') },
      { name: 'large.txt', mimeType: 'text/plain', buffer: Buffer.alloc(5 * 1024 * 1024, 'a') },
    ]);
    await page.getByText('Storing the files…').waitFor();
    expect(await start.isDisabled()).toBe(true);
    stored.resolve();
    await page.getByRole('alert').getByText('A file could not be stored').waitFor();
    await page.getByRole('button', { name: 'Remove main.go' }).waitFor();
    await start.click();
    await page.waitForURL(/\/runs\/(?!new)/);
    const id = page.url().split('/').at(-1) ?? '';
    const filesOf = async (run: string) => {
      const path = { id: run };
      const { data } = await clientOf().api.GET('/v1/runs/{id}/artifacts', { params: { path } });
      return data?.data.filter((file) => file.call_id === undefined) ?? [];
    };
    const [file] = await filesOf(id);
    expect(file?.media_type).toBe('text/plain');

    await page.getByRole('button', { name: 'Copy as curl' }).first().click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`"artifacts":["${file?.id}"]`);

    const starts: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/v1/runs')) starts.push('run');
    });
    await clickTwice(page.getByRole('button', { name: 'Run again' }));
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    expect(starts).toEqual(['run']);
    const again = await filesOf(page.url().split('/').at(-1) ?? '');
    expect(again.map(({ media_type }) => media_type)).toEqual(['text/plain']);
  });
});
