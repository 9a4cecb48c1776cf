/// <reference lib="dom" />
import { describe, expect, inject, test } from 'vitest';
import { accessibilityProblems, colorProblems } from '../../peers/src/axe.ts';
import type { Page } from '../../peers/src/chromium.ts';
import { callTool, clientOf, openItemOf } from './support/call-tool.ts';
import { answerOf, ask } from './support/ask-person.ts';
import { openPage } from './support/open-page.ts';

const hasBrowser = inject('browser') !== undefined;

/** Fails if a page has accessibility problems, or problems of its colors in the dark theme. Leaves the page in the light one. */
async function expectAccessible(page: Page): Promise<void> {
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await colorProblems(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');

describe.skipIf(!hasBrowser)('an approval', () => {
  test('is given with changed arguments and remembered for the run', async () => {
    const asked = await ask('show__write', { line: 'first' });
    const { page, runId } = asked;
    await page.getByText('Adds or changes data').waitFor();
    await page.getByText('The configuration of the service requires an approval.').waitFor();
    await page.getByText('Its definition is the pinned one').waitFor();
    await page.getByRole('button', { name: 'Edit the arguments' }).click();
    await page.getByRole('textbox', { name: 'line' }).fill('second');
    const changes = page.getByRole('region', { name: 'Your changes' });
    expect(await changes.innerText()).toContain('"line": "first"');
    expect(await changes.innerText()).toContain('"line": "second"');
    await page.getByRole('radio', { name: 'This run' }).check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Approve with changes' }).click();
    await page.getByRole('heading', { name: /^Approved/ }).waitFor();
    await expectAccessible(page);
    expect((await clientOf().runs.wait(runId)).answer).toContain('wrote second');
    expect(await answerOf(asked)).toMatchObject({ action: 'approve', remember: 'run' });
    await page.getByRole('link', { name: 'See what is remembered' }).click();
    const approvals = page.getByRole('region', { name: 'Remembered approvals' });
    const row = approvals.getByRole('row').filter({ has: page.locator(`[href$="${runId}"]`) });
    await row.getByRole('button', { name: 'Forget the approval of write' }).click();
    await expect.poll(() => row.count()).toBe(0);
  });

  test('is denied with a note', async () => {
    const asked = await ask('show__write', { line: 'never' });
    const { page, runId } = asked;
    await page.getByRole('textbox', { name: 'Note to the model' }).fill('not today');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: /^Denied/ }).waitFor();
    await page.getByText('not today').waitFor();
    expect((await clientOf().runs.wait(runId)).status).toBe('failed');
    expect(await answerOf(asked)).toMatchObject({ action: 'deny', note: 'not today' });
  });

  test('is given with the keyboard alone, and keys do nothing in a field', async () => {
    const asked = await ask('show__write', { line: 'by keyboard' });
    const { page, runId } = asked;
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await page.keyboard.type('a jd');
    expect(await page.getByRole('textbox', { name: 'Note to the model' }).inputValue()).toBe(
      'a jd',
    );
    expect(page.url()).toContain(asked.itemId);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('a');
    expect(await focused(page)).toBe('Approve');
    expect((await clientOf().inbox.get(asked.itemId)).state).toBe('open');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Approved/ }).waitFor();
    expect((await clientOf().runs.wait(runId)).answer).toContain('wrote by keyboard');
  });

  test('is given with Tab and Enter while single keys are turned off', async () => {
    const { page, runId } = await ask('show__write', { line: 'by Tab' });
    await page.getByRole('button', { name: 'Keyboard' }).click();
    await page.getByRole('checkbox', { name: /Use single keys/ }).uncheck();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.keyboard.press('a');
    expect(await focused(page)).not.toBe('Approve');
    for (let presses = 0; (await focused(page)) !== 'Approve' && presses < 80; presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Approved/ }).waitFor();
    expect((await clientOf().runs.wait(runId)).answer).toContain('wrote by Tab');
  });

  test('is given on a phone, from the list to the next item', async () => {
    const first = await openItemOf(await callTool('show__write', { line: 'one' }));
    await openItemOf(await callTool('show__write', { line: 'two' }));
    const page = await openPage('/inbox', { width: 'phone' });
    await page.locator(`a[href="/inbox/${first.id}"]`).click();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(375);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('link', { name: /^Next: / }).click();
    await page.getByText('Waits for you').waitFor();
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await page.getByRole('list', { name: 'Open items' }).waitFor();
  });

  test('that was given elsewhere is shown as answered', async () => {
    const { page, itemId } = await ask('show__write', { line: 'elsewhere' });
    await clientOf().inbox.respond({ id: itemId, kind: 'tool_approval' }, { action: 'deny' });
    await page.getByRole('heading', { name: /^Denied/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });
});

describe.skipIf(!hasBrowser)('notifications', () => {
  test('are requested by the button only, and announce a new item while the page has no focus', async () => {
    const page = await openPage('/runs', { isNew: true });
    const replaceNotification = (): void => {
      const shown: string[] = [];
      class FakeNotification extends EventTarget {
        static permission = 'default';
        static requests = 0;
        static shown = shown;
        static requestPermission(): Promise<string> {
          FakeNotification.requests += 1;
          FakeNotification.permission = 'granted';
          return Promise.resolve('granted');
        }
        constructor(title: string, { tag }: { readonly tag: string }) {
          super();
          shown.push(title, tag);
        }
      }
      Object.assign(globalThis, { Notification: FakeNotification });
      document.hasFocus = () => false;
    };
    await page.addInitScript(replaceNotification);
    const fake = (tab = page) =>
      tab.evaluate(() => {
        const { requests, shown } = Notification as unknown as {
          readonly requests: number;
          readonly shown: readonly string[];
        };
        return { requests, shown };
      });
    const known = await openItemOf(await callTool('ask__order'));
    await page.goto('/inbox');
    // Items of the first list are not new.
    await page.locator(`a[href="/inbox/${known.id}"]`).waitFor();
    const button = page.getByRole('button', { name: 'Notify me' });
    await button.waitFor();
    expect(await fake()).toEqual({ requests: 0, shown: [] });
    await button.click();
    await page.getByRole('button', { name: 'Notifications are on' }).waitFor();
    const other = await page.context().newPage();
    await other.addInitScript(replaceNotification);
    await other.goto('/inbox');
    await other.getByRole('button', { name: 'Notify me' }).click();
    await other.getByRole('button', { name: 'Notifications are on' }).waitFor();
    const { id } = await openItemOf(await callTool('show__write', { line: 'notify' }));
    const shown = async () => [...(await fake()).shown, ...(await fake(other)).shown];
    await expect.poll(shown).toContain(id);
    for (const tab of [page, other]) {
      await tab.locator(`a[href="/inbox/${id}"]`).first().waitFor();
      await tab.getByRole('status').getByText('in the inbox').waitFor();
      // The answer to the request for the lock of the notification comes before this one.
      await tab.evaluate(() => navigator.locks.request('after', () => undefined));
    }
    expect(await shown()).toContain('Call write of show');
    expect((await shown()).filter((text) => text === id)).toEqual([id]);
    expect((await fake()).requests).toBe(1);
  });
});
