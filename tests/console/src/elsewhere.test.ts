import { describe, expect, inject, test } from 'vitest';
import { callTool, clientOf, openItemOf } from './support/call-tool.ts';
import { openPage } from './support/open-page.ts';

const PROMPT = 'Which customers bought most?';

/** Continues a run with so many turns that it completes. */
async function resume(id: string): Promise<void> {
  await clientOf().api.POST('/v1/runs/{id}/resume', {
    params: { path: { id } },
    body: { limits: { turns: 9 } },
  });
}

describe.skipIf(inject('browser') === undefined)('a change by another person', () => {
  test.each(['before its page was opened', 'while its page was open'])(
    'resumes a run of a conversation that failed %s',
    async (when) => {
      const client = clientOf();
      const { data: thread } = await client.api.POST('/v1/threads', { body: { title: 'Resumed' } });
      const start = () =>
        client.runs.create({ prompt: PROMPT, thread_id: thread?.id ?? '', limits: { turns: 2 } });
      const isBefore = when.startsWith('before');
      if (isBefore) await client.runs.wait((await start()).id);
      const page = await openPage(`/threads/${thread?.id}`);
      await page.getByLabel('Message', { exact: true }).waitFor();
      if (!isBefore) await start();
      await page.getByText('The run used all of its 2 turns.').waitFor();
      const { data: runs } = await client.api.GET('/v1/runs', {
        params: { query: { thread_id: thread?.id ?? '' } },
      });
      const id = runs?.data[0]?.id ?? '';
      await resume(id);
      await page.getByText('Ada Almeida (Turkey) bought most').waitFor();
      expect(await page.getByText('I will see which tables there are.').count()).toBe(1);
      await expect.poll(() => page.getByText('used all of its 2 turns').count()).toBe(0);
    },
  );

  test('deletes a run, whose page says so', async () => {
    const client = clientOf();
    const { id } = await client.runs.create({ prompt: PROMPT });
    await client.runs.wait(id);
    const page = await openPage(`/runs/${id}`, { expected: /404/ });
    await page.getByRole('heading', { name: 'Answer' }).waitFor();
    await client.api.DELETE('/v1/runs/{id}', { params: { path: { id } } });
    await page.getByRole('alert').getByText('The run could not be loaded').waitFor();
    expect(await page.getByRole('button', { name: 'Fork' }).count()).toBe(0);
  });

  test('makes a deletion fail, and the dialog says why', async () => {
    const client = clientOf();
    const { id } = await client.runs.create({ prompt: PROMPT });
    await client.runs.wait(id);
    const page = await openPage(`/runs/${id}`, { expected: /503/ });
    await page.getByRole('heading', { name: 'Answer' }).waitFor();
    await page.route(`**/v1/runs/${id}`, (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({
            status: 503,
            contentType: 'application/problem+json',
            body: JSON.stringify({
              code: 'unavailable',
              title: 'The store is locked',
              status: 503,
            }),
          })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete this run?' });
    await dialog.getByRole('button', { name: 'Delete the run' }).click();
    await expect
      .poll(() => dialog.getByRole('alert').innerText())
      .toContain('The run could not be deleted');
  });
});

describe.skipIf(inject('browser') === undefined)('an agent', () => {
  test('with a long name fits every page of a phone', async () => {
    const { api } = clientOf();
    const name = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(4);
    const { data: agent } = await api.POST('/v1/agents', { body: { name } });
    const id = agent?.id ?? '';
    const page = await openPage('/runs', { width: 'phone' });
    await page.getByLabel('Agent', { exact: true }).waitFor();
    const isTooWide = () =>
      page.evaluate(() => document.documentElement.scrollWidth > document.body.clientWidth);
    expect(await isTooWide()).toBe(false);
    await page.goto(`/agents/${id}/versions`);
    await page.getByRole('link', { name: 'Start a run with version 1' }).waitFor();
    expect(await isTooWide()).toBe(false);
    await page.goto(`/threads/new?agent=${id}`);
    const choices = page.getByRole('button', { name: name.slice(0, 40) });
    const [inner, outer] = await choices.evaluate((button) => [
      button.firstElementChild?.nextElementSibling?.getBoundingClientRect().left ?? 0,
      button.getBoundingClientRect().left,
    ]);
    // The beginning of the name is in view.
    expect(inner).toBeGreaterThan(outer);
    await api.DELETE('/v1/agents/{id}', { params: { path: { id } } });
  });

  test('that a link names and nobody stored is shown as the choice that it is', async () => {
    const page = await openPage('/runs?agent=gone');
    const agent = page.getByLabel('Agent', { exact: true });
    await agent.waitFor();
    expect(await agent.inputValue()).toBe('gone');
    await page.goto('/runs/new?agent=gone');
    await agent.waitFor();
    expect(await agent.inputValue()).toBe('gone');
  });

  test('has a way back to the list after a visit of the inbox', async () => {
    const page = await openPage('/inbox');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('link', { name: 'New agent' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'New agent' }).waitFor();
    expect(await page.getByRole('link', { name: 'All agents' }).isVisible()).toBe(true);
  });
});

describe.skipIf(inject('browser') === undefined)('approvals of the same tool', () => {
  test('differ in the list by their arguments', async () => {
    const call = await callTool('filesystem__write_file', { path: 'one.txt', content: '' });
    await openItemOf(call);
    const page = await openPage('/inbox');
    const items = page.getByRole('list', { name: 'Open items' });
    await expect.poll(() => items.innerText()).toContain('{"path":"one.txt"');
    await clientOf().runs.cancel(call);
  });
});
