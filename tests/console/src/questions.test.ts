/// <reference lib="dom" />
import { describe, expect, inject, test } from 'vitest';
import { accessibilityProblems } from '../../peers/src/axe.ts';
import { answerOf, ask } from './support/ask-person.ts';
import { clientOf } from './support/call-tool.ts';
import { openPage } from './support/open-page.ts';

const hasBrowser = inject('browser') !== undefined;

describe.skipIf(!hasBrowser)('a question', () => {
  test('is answered in a form with every kind of field, whose problems are shown', async () => {
    const asked = await ask('ask__order', {}, { expected: /status of 400/ });
    const { page, runId } = asked;
    await page.getByText('<img src=x onerror=').first().waitFor();
    await page.getByText('⟨U+202E⟩gnp.exe').first().waitFor();
    expect(await page.title()).toBe('Inbox · Signalbox');
    const send = page.getByRole('button', { name: 'Send' });
    await send.click();
    const name = page.getByRole('textbox', { name: 'Your name' });
    expect(await name.evaluate((input: HTMLInputElement) => input.validity.valueMissing)).toBe(
      true,
    );
    await name.fill('Ada');
    await page.getByLabel('day').fill('2026-12-24');
    await page.getByRole('combobox', { name: 'size' }).selectOption('small');
    await page.getByRole('combobox', { name: 'Spicy' }).selectOption('Yes');
    for (const topping of ['olives', 'onions', 'capers'])
      await page.getByRole('checkbox', { name: topping }).check();
    await send.click();
    await page.getByText('The answer was not accepted').waitFor();
    await page.getByRole('group', { name: 'toppings' }).locator('.field-error').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('checkbox', { name: 'onions' }).uncheck();
    await name.press('Control+Enter');
    await page.getByRole('heading', { name: /^Accepted/ }).waitFor();
    await clientOf().runs.wait(runId);
    expect((await answerOf(asked))?.content).toEqual({
      name: 'Ada',
      day: '2026-12-24',
      pieces: 2,
      size: 'small',
      toppings: ['olives', 'capers'],
      isSpicy: true,
    });
  });

  test('is declined', async () => {
    const asked = await ask('ask__order', {}, { theme: 'dark' });
    await asked.page.getByRole('button', { name: 'Decline' }).click();
    await asked.page.getByRole('heading', { name: /^Declined/ }).waitFor();
    expect((await clientOf().runs.wait(asked.runId)).answer).toContain('decline');
  });

  test('about a page shows its host, and opens nothing by itself', async () => {
    const asked = await ask('ask__pay');
    const { page, runId } = asked;
    const link = page.getByRole('link', { name: 'Open bank.example:8443' });
    expect(await link.getAttribute('href')).toBe('https://bank.example:8443/pay?order=7');
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await link.getAttribute('target')).toBe('_blank');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'I will complete it there' }).click();
    await page.getByRole('heading', { name: /^Accepted/ }).waitFor();
    expect(page.context().pages()).toHaveLength(1);
    expect((await clientOf().runs.wait(runId)).answer).toContain('accept');
  });
});

describe.skipIf(!hasBrowser)('a model call of a server', () => {
  test('is denied', async () => {
    const asked = await ask('ask__summarize');
    await asked.page.getByRole('button', { name: 'Deny' }).click();
    await asked.page.getByRole('heading', { name: /^Denied/ }).waitFor();
    expect((await clientOf().runs.wait(asked.runId)).status).toBe('failed');
  });
});

describe.skipIf(!hasBrowser)('an item that the demo does not have', () => {
  /** Opens an item whose response the test gives in place of the service. Returns the answers that the page sends. */
  async function openMade(kind: string, request: object) {
    const made = {
      id: 'made',
      run_id: 'r1',
      kind,
      state: 'open',
      request,
      created_at: new Date().toISOString(),
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const answers: unknown[] = [];
    const page = await openPage('/servers', { expected: /status of 404/ });
    await page.route('**/v1/inbox/made', (route) => route.fulfill({ json: made }));
    await page.route('**/v1/inbox/made/respond', (route) => {
      answers.push(route.request().postDataJSON());
      return route.fulfill({ json: made });
    });
    await page.goto('/inbox/made');
    return { page, answers };
  }

  test('a login shows where, why and with which permissions before its address', async () => {
    const { page, answers } = await openMade('server_login', {
      server: 'crm',
      message: 'crm needs a login',
      issuer: 'https://login.example/tenant',
      resource: 'https://crm.example/mcp',
      scopes: ['read', 'write'],
      required_scopes: ['write'],
      reason: 'insufficient_scope',
      methods: ['browser', 'device'],
    });
    await page.route('**/v1/servers/crm/login', (route) =>
      route.fulfill({
        json: {
          method: 'device',
          url: 'https://login.example/device',
          user_code: 'WDJB-MJHT',
          expires_at: new Date().toISOString(),
        },
      }),
    );
    await page.getByText('A request needs more permissions').waitFor();
    await page.getByText('login.example', { exact: true }).waitFor();
    await page.getByText('(needed now)').waitFor();
    expect(await page.getByRole('link', { name: /^Open / }).count()).toBe(0);
    await page.getByRole('button', { name: 'Log in with a code' }).click();
    await page.getByText('WDJB-MJHT').waitFor();
    const link = page.getByRole('link', { name: 'Open login.example' });
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continue without the server' }).click();
    await expect.poll(() => answers).toEqual([{ action: 'decline' }]);
  });
});
