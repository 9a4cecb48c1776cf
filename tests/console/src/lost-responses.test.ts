import { describe, expect, inject, test } from 'vitest';
import type { Page } from '../../peers/src/chromium.ts';
import { callTool, clientOf } from './support/call-tool.ts';
import { openPage } from './support/open-page.ts';

/** Loses the response to the first POST to an address, as behind a proxy that gave up. Returns the ids in all responses of the service. */
async function loseFirstResponse(page: Page, address: string) {
  const ids: string[] = [];
  await page.route(address, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const response = await route.fetch();
    ids.push(((await response.json()) as { readonly id: string }).id);
    return ids.length === 1 ? route.fulfill({ status: 524 }) : route.fulfill({ response });
  });
  return ids;
}

/** The failed request, which the browser logs. */
const expected = /status of 524/;

describe.skipIf(inject('browser') === undefined)('a request whose response is lost', () => {
  test('calls a tool once when it is sent again, and twice for two calls', async () => {
    const page = await openPage('/servers/show?tool=write', { expected });
    const ids = await loseFirstResponse(page, '**/v1/tools/*/call');
    await page.getByRole('textbox', { name: 'line' }).fill('once');
    const call = page.getByRole('button', { name: 'Call the tool' });
    await call.click();
    await page.getByText('The call was not accepted').waitFor();
    await call.click();
    await page.getByText('The call waits for a person').waitFor();
    expect(ids[1]).toBe(ids[0]);
    await call.click();
    await expect.poll(() => ids.length).toBe(3);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test('calls a tool of a run again once', async () => {
    const id = await callTool('sqlite__list_tables');
    const page = await openPage(`/runs/${id}`, { expected });
    const ids = await loseFirstResponse(page, '**/v1/tools/*/call');
    await page.getByRole('button', { name: 'Call again' }).click();
    const again = page.getByRole('dialog').getByRole('button', { name: 'Call again' });
    await again.click();
    await page.getByText('The call could not be started').waitFor();
    await again.click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    expect(ids[1]).toBe(ids[0]);
  });

  test('starts a run again once', async () => {
    const { id } = await clientOf().runs.create({ prompt: 'Which customers bought most?' });
    await clientOf().runs.wait(id);
    const page = await openPage(`/runs/${id}`, { expected });
    const ids = await loseFirstResponse(page, '**/v1/runs');
    const again = page.getByRole('button', { name: 'Run again' });
    await again.click();
    await page.getByText('status 524').waitFor();
    await again.click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    expect(ids[1]).toBe(ids[0]);
  });

  test('forks a run once', async () => {
    const { runs } = clientOf();
    const { id } = await runs.create({ prompt: 'Which customers bought most?' });
    await runs.wait(id);
    const page = await openPage(`/runs/${id}`, { expected });
    const ids = await loseFirstResponse(page, '**/v1/runs/*/fork');
    await page.getByRole('button', { name: 'Fork after turn 1' }).click();
    const start = page.getByRole('dialog').getByRole('button', { name: 'Start the fork' });
    await start.click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await start.click();
    await page.waitForURL((url) => !url.pathname.endsWith(id));
    expect(ids[1]).toBe(ids[0]);
  });

  test('creates a thread and sends its first message once', async () => {
    const page = await openPage('/threads/new', { expected });
    const threads = await loseFirstResponse(page, '**/v1/threads');
    const runs = await loseFirstResponse(page, '**/v1/runs');
    const field = page.getByLabel('Message', { exact: true });
    await field.fill('Which customers bought most?');
    for (const ids of [threads, runs]) {
      await field.press('Enter');
      await expect.poll(() => ids.length).toBe(1);
      await page.getByText('status 524').waitFor();
      await page.locator('.composer [aria-busy]').waitFor({ state: 'detached' });
    }
    await field.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Which customers bought most?' }).waitFor();
    expect(threads[1]).toBe(threads[0]);
    expect(runs[1]).toBe(runs[0]);
  });

  test('creates an agent once', async () => {
    const page = await openPage('/agents/new', { expected });
    const ids = await loseFirstResponse(page, '**/v1/agents');
    await page.getByLabel(/^Name/).fill('Only one');
    const create = page.getByRole('button', { name: 'Create the agent' });
    await create.click();
    await page.getByText('status 524').waitFor();
    await create.click();
    await page.waitForURL((url) => !url.pathname.endsWith('/new'));
    expect(ids[1]).toBe(ids[0]);
  });

  test('starts a run of the form once', async () => {
    const page = await openPage('/runs/new', { expected });
    const ids = await loseFirstResponse(page, '**/v1/runs');
    await page.getByLabel('Task').fill('Which customers bought most?');
    const start = page.getByRole('button', { name: 'Start the run' });
    await start.click();
    await page.getByText('The run could not be started').waitFor();
    await start.click();
    await page.waitForURL((url) => !url.pathname.endsWith('/new'));
    expect(ids[1]).toBe(ids[0]);
  });
});
