import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Page } from '../../peers/src/chromium.ts';
import { accessibilityProblems } from '../../peers/src/axe.ts';
import { openPage, type PageOptions } from './support/open-page.ts';
import { ASK_SERVER, SHOW_SERVER, startService, type Service } from './support/service.ts';

const TOKEN = 'a-token-of-the-test';
const SECRET = 'a-secret-of-the-test';
const SERVERS = {
  show: { command: 'node', args: [SHOW_SERVER], signalbox: { trust: true } },
  far: { url: 'http://127.0.0.1:9/mcp', headers: { 'X-Key': SECRET } },
};

const hasBrowser = inject('browser') !== undefined;

/** Opens a page of a service with a key, and signs in. */
async function openSignedIn(
  service: Service,
  path: string,
  options: PageOptions = {},
): Promise<Page> {
  const expected = options.expected?.source ?? 'status of 401';
  const page = await openPage(path, {
    ...options,
    service: service.url,
    expected: new RegExp(`status of 401|${expected}`),
  });
  await page.getByLabel('API key').fill(TOKEN);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  return page;
}

describe.skipIf(!hasBrowser)('a service whose servers can all be edited', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      env: { SIGNALBOX_TOKEN: TOKEN },
      config: { mcpServers: SERVERS, edit_servers: 'all' },
      isDemo: false,
    });
    return () => service.stop();
  });

  test('gets a server with a command by the keyboard alone, and its tool is there', async () => {
    const page = await openSignedIn(service, '/servers');
    await page.getByRole('link', { name: 'Add a server' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Add a server' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Name', { exact: false }).first().focus();
    await page.keyboard.type('asking');
    await page.keyboard.press('Tab');
    await page.getByLabel('Kind').selectOption({ label: 'A program that the service starts' });
    await page.getByLabel('Command').focus();
    await page.keyboard.type('node');
    await page.keyboard.press('Tab');
    await page.keyboard.type(ASK_SERVER);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect
      .poll(() =>
        page
          .getByLabel('Name of variable 1')
          .evaluate((input) => input === input.ownerDocument.activeElement),
      )
      .toBe(true);
    await page.keyboard.type('KEY');
    await page.keyboard.press('Tab');
    await page.keyboard.type(SECRET);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('The server was added').waitFor();
    await page.getByRole('heading', { level: 1, name: 'asking' }).waitFor();
    await page
      .getByRole('list', { name: 'Tools' })
      .getByRole('link', { name: /^count/ })
      .waitFor();
  });

  test('shows a rejected definition at its fields', async () => {
    const page = await openSignedIn(service, '/servers/+new', {
      theme: 'dark',
      expected: /status of 4(?:00|12)/,
    });
    await page.getByRole('textbox', { name: 'Name' }).fill('show');
    await page.getByRole('textbox', { name: 'Address' }).fill('ftp://mcp.example');
    const add = page.getByRole('button', { name: 'Add the server' });
    await add.click();
    await page.getByText('A server has this name already').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('a__b');
    await add.click();
    await page.getByText('not contain "__"').first().waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('fine');
    await add.click();
    await page.getByText('must be an http or https URL', { exact: true }).waitFor();
    expect(
      await page
        .getByRole('textbox', { name: 'Address' })
        .evaluate((input) => input === input.ownerDocument.activeElement),
    ).toBe(true);
    await page.getByRole('textbox', { name: 'Further settings' }).fill('{');
    await add.click();
    await page.getByText('Not a JSON object').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('changes a definition without showing or keeping a secret, and notices another change', async () => {
    const page = await openSignedIn(service, '/servers/far', { expected: /status of 412/ });
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Edit far' }).waitFor();
    const value = page.getByLabel('Value of header 1');
    expect(await value.inputValue()).toBe('***');
    expect(await page.content()).not.toContain(SECRET);
    const approval = page.getByRole('combobox', { name: 'Approval' });
    await approval.selectOption('deny');
    await value.fill(SECRET);
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(SECRET);
    await page.reload();
    await page.getByText('secrets: Value of header 1.').waitFor();
    expect(await value.inputValue()).toBe('***');
    expect(await approval.inputValue()).toBe('deny');
    expect(await accessibilityProblems(page)).toEqual([]);
    const headers = { authorization: `Bearer ${TOKEN}` };
    const address = `${service.url}/v1/servers/far/config`;
    const other = await fetch(address, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json', 'if-match': '*' },
      body: JSON.stringify({ ...SERVERS.far, signalbox: { deny: ['x'] } }),
    });
    expect(other.status).toBe(200);
    const save = page.getByRole('button', { name: 'Save the changes' });
    await save.click();
    await page.getByText('The server was changed meanwhile').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Load the stored definition' }).click();
    const denied = page.getByRole('textbox', { name: 'Denied tools' });
    await expect.poll(() => denied.inputValue()).toBe('x');
    expect(await approval.inputValue()).toBe('default');
    await denied.fill('x\ny');
    await save.click();
    await page.getByText('The server was changed').waitFor();
    const stored: unknown = await (await fetch(address, { headers })).json();
    expect(stored).toEqual({
      ...SERVERS.far,
      headers: { 'X-Key': '***' },
      signalbox: { deny: ['x', 'y'] },
    });
  });

  test('removes a server after a question', async () => {
    const page = await openSignedIn(service, '/servers/show', {
      theme: 'dark',
      // The page asks for the state of its server every few seconds, also while it is removed.
      expected: /status of 404/,
    });
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('heading', { name: 'Remove this server?' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(await page.locator(':focus').innerText()).toBe('Remove');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Remove the server' }).click();
    await page.getByText('The server was removed').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'show', exact: true }).count()).toBe(0);
  });

  test('has forms that fit a phone', async () => {
    const page = await openSignedIn(service, '/servers/far/edit', { width: 'phone' });
    await page.getByRole('heading', { level: 1, name: 'Edit far' }).waitFor();
    await page.getByLabel('Value of header 1').waitFor();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(375);
  });
});

describe.skipIf(!hasBrowser)('a service', () => {
  test('that lets only remote servers be edited has no field for a command', async () => {
    const service = await startService({
      config: { mcpServers: SERVERS, edit_servers: 'remote' },
      isDemo: false,
    });
    onTestFinished(() => service.stop());
    const page = await openPage('/servers/+new', { service: service.url });
    await page.getByRole('textbox', { name: 'Address' }).waitFor();
    expect(await page.getByLabel('Kind').count()).toBe(0);
    await page.goto('/servers/show');
    await page.getByRole('button', { name: 'Drain' }).waitFor();
    expect(await page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Remove', exact: true }).count()).toBe(0);
    await page.goto('/servers/far');
    await page.getByRole('link', { name: 'Edit', exact: true }).waitFor();
  });

  test('without editing says how to enable it, and has no buttons for it', async () => {
    const page = await openPage('/servers');
    await page.getByText('Servers cannot be edited here').waitFor();
    expect(await page.getByRole('link', { name: 'Add a server' }).count()).toBe(0);
    await page.goto('/servers/show');
    await page.getByRole('button', { name: 'Drain' }).waitFor();
    expect(await page.getByRole('link', { name: 'Edit', exact: true }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Remove', exact: true }).count()).toBe(0);
    await page.goto('/servers/+new');
    await page.getByText('Servers cannot be edited here').waitFor();
    expect(await page.getByRole('button', { name: 'Add the server' }).count()).toBe(0);
  });
});
