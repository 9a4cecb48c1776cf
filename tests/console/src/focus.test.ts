/// <reference lib="dom" />
import { createClient, unwrap } from '@signalbox/client';
import { describe, expect, inject, test } from 'vitest';
import type { Page } from '../../peers/src/chromium.ts';
import { callTool, clientOf, openItemOf } from './support/call-tool.ts';
import { openPage } from './support/open-page.ts';

/** Waits until the focus is at an element of the page that has no control of its own, and returns the name of the next control. */
async function nextControl(page: Page): Promise<string> {
  await page.locator('main :focus:not(button, a, input, textarea)').waitFor();
  await page.keyboard.press('Tab');
  return page
    .locator(':focus')
    .evaluate((element) => element.getAttribute('aria-label') ?? element.textContent);
}

describe.skipIf(inject('browser') === undefined)('the focus stays near a control', () => {
  test('that removes a file of a message or of a task', async () => {
    const page = await openPage('/threads/new');
    for (const path of ['/threads/new', '/runs/new']) {
      await page.goto(path);
      await page.locator('input[type=file]').setInputFiles([
        { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') },
        { name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from('b') },
      ]);
      await page.getByRole('button', { name: 'Remove b.txt' }).waitFor();
      await page.getByRole('button', { name: 'Remove a.txt' }).press('Enter');
      expect(await nextControl(page)).toBe('Remove b.txt');
      await page.getByRole('button', { name: 'Remove b.txt' }).press('Enter');
      await page.locator('main :focus').waitFor();
    }
  });

  test('that forgets a remembered approval', async () => {
    const runId = await callTool('show__write', { line: 'remember' });
    const { id } = await openItemOf(runId);
    const answer = { action: 'approve', remember: 'run' } as const;
    await clientOf().inbox.respond({ id, kind: 'tool_approval' }, answer);
    const page = await openPage('/inbox?show=remembered');
    const row = page
      .getByRole('row')
      .filter({ has: page.locator(`a[href="/runs/${encodeURIComponent(runId)}"]`) });
    await row.getByRole('button', { name: 'Forget the approval of write' }).press('Enter');
    await expect.poll(() => row.count()).toBe(0);
    await page.locator('main :focus').waitFor();
  });

  test('that dismisses a message, where it was before', async () => {
    const page = await openPage('/runs/new');
    await page.getByRole('button', { name: 'Copy as curl' }).press('Enter');
    await page.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await page.locator('button:focus', { hasText: 'Copy as curl' }).waitFor();
    expect(await page.getByRole('button', { name: 'Dismiss' }).count()).toBe(0);
  });

  test('that is disabled after it saved', async () => {
    const agent = await unwrap(clientOf().api.POST('/v1/agents', { body: { name: 'Saved' } }));
    const page = await openPage(`/agents/${agent.id}`);
    await page.getByLabel(/^Name/).fill('Saved again');
    const save = page.getByRole('button', { name: 'Save' });
    await save.press('Enter');
    await page.getByText('Saved again').first().waitFor();
    await page.locator('form:focus, section:focus').waitFor();
    expect(await save.isDisabled()).toBe(true);
  });

  test('that sends a message without success', async () => {
    const page = await openPage('/threads/new', { expected: /status of 503/ });
    await page.route('**/v1/threads', (route) => route.fulfill({ status: 503, json: {} }));
    await page.getByLabel('Message', { exact: true }).fill('Hello');
    await page.getByRole('button', { name: 'Send' }).press('Enter');
    await page.getByText('The message was not sent').waitFor();
    await expect.poll(() => page.locator('button:focus').allInnerTexts()).toEqual(['Send']);
  });

  test('that loads earlier messages', async () => {
    const client = createClient({ baseUrl: inject('service') });
    const { id } = await unwrap(client.api.POST('/v1/threads', { body: { title: 'Long' } }));
    for (let count = 0; count < 21; count += 1) {
      const run = await client.runs.create({
        prompt: `Message ${count}`,
        thread_id: id,
        on_busy: 'enqueue',
      });
      await client.runs.cancel(run.id);
    }
    const page = await openPage(`/threads/${id}`);
    await page.getByRole('button', { name: 'Show earlier messages' }).press('Enter');
    await page.getByText('Message 0', { exact: true }).waitFor();
    expect(await nextControl(page)).toBe('Rename');
  });
});
