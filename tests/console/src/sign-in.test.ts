import { beforeAll, describe, expect, inject, test } from 'vitest';
import { accessibilityProblems } from '../../peers/src/axe.ts';
import { openPage } from './support/open-page.ts';
import { startService, type Service } from './support/service.ts';

const TOKEN = 'a-token-of-the-test';
/** Responses to requests without the key, which the browser logs. */
const expected = /status of 401/;

describe.skipIf(inject('browser') === undefined)('a service with a token', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      isDemo: false,
      env: { SIGNALBOX_TOKEN: TOKEN },
      config: { mcpServers: {} },
    });
    return () => service.stop();
  });

  test('asks for the key, rejects a wrong one, and keeps the right one in the tab', async () => {
    const page = await openPage('/runs?status=failed', { service: service.url, expected });
    await page.getByRole('heading', { name: 'Signalbox' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('API key').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The service rejected this key').waitFor();
    await page.getByLabel('API key').fill(TOKEN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'No run matches' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'No run matches' }).waitFor();
    expect(await page.evaluate(() => [document.cookie, localStorage.length])).toEqual(['', 0]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
  });

  test('signs out without a trace of what was written', async () => {
    const page = await openPage('/runs/new', { service: service.url, expected });
    await page.getByLabel('API key').fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.getByLabel('Task').fill('A secret plan');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('copies commands without the key', async () => {
    const page = await openPage('/runs/new', { service: service.url, expected });
    await page.getByLabel('API key').fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.getByLabel('Task').fill("What's new?");
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain('Bearer $SIGNALBOX_TOKEN');
    expect(copied).not.toContain(TOKEN);
  });
});
