import { createClient, unwrap } from '@signalbox/client';
import { describe, expect, inject, test } from 'vitest';
import { accessibilityProblems } from '../../peers/src/axe.ts';
import { openPage } from './support/open-page.ts';
import { PICTURE } from './support/picture.ts';

const clientOf = () => createClient({ baseUrl: inject('service') });

/** Creates a thread with runs of the prompts, which are settled. Returns its id. */
async function threadWith(title: string, prompts: readonly string[]): Promise<string> {
  const { api, runs } = clientOf();
  const { id } = await unwrap(api.POST('/v1/threads', { body: { title } }));
  for (const prompt of prompts) {
    const run = await runs.create({ prompt, thread_id: id });
    await runs.wait(run.id);
  }
  return id;
}

describe.skipIf(inject('browser') === undefined)('a conversation', () => {
  test('begins with a message and attachments, and streams texts and calls', async () => {
    const page = await openPage('/threads/new');
    await page.getByLabel('Files to attach').setInputFiles([
      { name: 'chart.png', mimeType: 'image/png', buffer: PICTURE },
      { name: 'names.csv', mimeType: 'text/csv', buffer: Buffer.from('name,amount\nAda,3') },
    ]);
    const chosen = page.getByRole('list', { name: 'Attachments of the message' });
    await chosen.getByText('names.csv').waitFor();
    const composer = page.locator('.composer');
    expect(await composer.getByRole('button', { name: /Attach|Files/ }).count()).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Message', { exact: true }).fill('Which customers bought most?');
    await page.getByLabel('Message', { exact: true }).press('Enter');

    await page.getByRole('heading', { level: 1, name: 'Which customers bought most?' }).waitFor();
    await page.locator('.composer textarea:focus').waitFor();
    const attached = page.getByRole('list', { name: 'Attachments' });
    await attached.getByRole('img', { name: /Attached image/ }).waitFor();
    await attached.getByRole('button', { name: 'Show' }).click();
    await attached.getByText('Ada,3').waitFor();
    await page.getByText('I will see which tables there are.').waitFor();
    const call = page.locator('summary', { hasText: 'sqlite__list_tables' });
    await call.getByText('done').waitFor();
    await page.getByText('Ada Almeida (Turkey) bought most').waitFor();
    const answer = page.getByRole('article');
    expect(await answer.ariaSnapshot()).toMatch(
      /heading "You said"[^]*Which customers[^]*heading "The agent said"[^]*I will see which tables/,
    );
    await call.click();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const link = page.getByRole('link', { name: 'Open the call in its run' });
    expect(await link.getAttribute('href')).toMatch(/^\/runs\/[^#]+#event-\d+$/);
  });

  test('shows stored messages, is renamed, and is deleted', async () => {
    const id = await threadWith('Weather', ['Compare the weather in Oslo, Lisbon and Cairo']);
    const page = await openPage(`/threads/${id}`, { theme: 'dark' });
    await page.getByText('It gets warmest in').first().waitFor();
    await page.locator('summary', { hasText: 'weather__weather_compare' }).click();
    await page.getByRole('heading', { name: 'Arguments' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);

    await page.getByRole('button', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename the thread' });
    await dialog.getByLabel('Title').fill('Warm places');
    await dialog.getByLabel('Title').press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Warm places' }).waitFor();
    await page.getByRole('link', { name: /Warm places/ }).waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the thread' }).click();
    await page.getByRole('heading', { level: 1, name: 'Threads' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: /Warm places/ }).count()).toBe(0);
  });

  test('asks for an approval in its place', async () => {
    const id = await threadWith('Prices', []);
    const page = await openPage(`/threads/${id}`);
    await page
      .getByLabel('Message', { exact: true })
      .fill('Raise the price of the Brass Chair to 300');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('May the run call write_query?').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('now costs 300.00').waitFor();
    await page.locator('article:focus').waitFor();
    const state = page.getByRole('article', { name: /^Message of [A-Z]/ }).getByRole('status');
    await expect.poll(() => state.innerText()).toBe('Completed');
    await page.locator('summary', { hasText: 'failed' }).getByText('sqlite__read_query').waitFor();
  });

  test('uses the agent and the servers that were chosen', async () => {
    const { api, runs } = clientOf();
    const agent = await unwrap(api.POST('/v1/agents', { body: { name: 'Seller' } }));
    const page = await openPage('/threads/new');
    await page.getByRole('button', { name: 'Agent and servers' }).click();
    const dialog = page.getByRole('dialog', { name: 'Agent, model and servers' });
    await dialog.getByLabel('Agent').selectOption('Seller');
    await dialog.getByLabel('sqlite').check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Seller · sqlite' }).waitFor();
    await page.getByLabel('Message', { exact: true }).fill('Which customers bought most?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('heading', { level: 1, name: 'Which customers bought most?' }).waitFor();
    await page.getByRole('heading', { name: 'Seller said' }).waitFor();
    const started = await runs.list({ agent_id: agent.id }).next();
    expect(started.value).toMatchObject({ agent_id: agent.id, servers: ['sqlite'] });
  });

  test('keeps the choices of its first message, and a text that was typed while it was sent', async () => {
    const { api, runs } = clientOf();
    const agent = await unwrap(api.POST('/v1/agents', { body: { name: 'Keeper' } }));
    const sent = Promise.withResolvers<void>();
    const page = await openPage(`/threads/new?agent=${agent.id}`);
    await page.route('**/v1/runs', async (route) => {
      await sent.promise;
      await route.fallback();
    });
    await page.getByRole('button', { name: 'Keeper' }).click();
    await page.getByRole('dialog').getByLabel('sqlite').check();
    await page.getByRole('button', { name: 'Done' }).click();
    const field = page.getByLabel('Message', { exact: true });
    await field.fill('Which customers bought most?');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Send' }).and(page.locator('[aria-busy]')).waitFor();
    await field.press('End');
    await field.pressSequentially(' And in Oslo?');
    sent.resolve();
    await page.getByRole('heading', { level: 1, name: 'Which customers bought most?' }).waitFor();
    await expect.poll(() => field.inputValue()).toBe('And in Oslo?');
    await page.getByRole('button', { name: 'Keeper · sqlite' }).waitFor();
    await page.getByText('Ada Almeida (Turkey) bought most').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Keeper · sqlite' }).waitFor();
    await field.press('Enter');
    await page.getByRole('article').nth(1).waitFor();
    const [newest] = (await unwrap(api.GET('/v1/runs', { params: { query: { limit: 1 } } }))).data;
    expect(newest).toMatchObject({
      agent_id: agent.id,
      servers: ['sqlite'],
      prompt: 'And in Oslo?',
    });
    await runs.wait(newest?.id ?? '');

    const later = await openPage(new URL(page.url()).pathname);
    await later.getByRole('button', { name: 'Keeper' }).waitFor();
    await later.goto('/threads/new');
    await later.getByRole('button', { name: 'Agent and servers' }).waitFor();
  });

  test('is forked into a run of its own', async () => {
    const id = await threadWith('Fork', ['Which customers bought most?']);
    const page = await openPage(`/threads/${id}`);
    await page.getByRole('button', { name: 'Fork' }).click();
    await page.getByLabel('Next message').fill('Which customers bought most?');
    await page.getByRole('button', { name: 'Start the fork' }).click();
    await page.waitForURL(/\/runs\//);
    const origin = page.getByRole('link', { name: /forked after turn/ });
    expect(await origin.getAttribute('href')).toContain('/runs/');
  });

  test('fits a phone, which shows the list or the conversation', async () => {
    const id = await threadWith('On a phone', ['Which customers bought most?']);
    const page = await openPage(`/threads/${id}`, { width: 'phone' });
    await page.getByText('Ada Almeida (Turkey) bought most').waitFor();
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    expect(await width()).toBeLessThanOrEqual(375);
    await page.getByRole('link', { name: 'All threads' }).click();
    await page.getByRole('link', { name: /On a phone/ }).waitFor();
    expect(await width()).toBeLessThanOrEqual(375);
  });
});
