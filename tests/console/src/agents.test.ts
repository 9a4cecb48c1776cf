import { createClient, unwrap } from '@signalbox/client';
import { describe, expect, inject, test } from 'vitest';
import { accessibilityProblems } from '../../peers/src/axe.ts';
import { openPage } from './support/open-page.ts';

const apiOf = () => createClient({ baseUrl: inject('service') }).api;
const createAgent = (name: string) =>
  unwrap(apiOf().POST('/v1/agents', { body: { name, instructions: 'Answer with numbers.' } }));

describe.skipIf(inject('browser') === undefined)('an agent', () => {
  test('is created from the form, and chosen for a run', async () => {
    const page = await openPage('/agents');
    await page.getByRole('link', { name: 'New agent' }).first().click();
    await page.getByLabel('Name').fill('Analyst');
    await page.getByLabel('Instructions').fill('Answer with numbers.\nName the table.');
    await page.getByLabel('sqlite').check();
    await page.getByLabel('Turns').fill('12');
    await page.getByLabel('Duration of a run in minutes').fill('1.5');
    await page.getByRole('button', { name: 'Create the agent' }).click();
    await page.getByRole('heading', { level: 1, name: 'Analyst' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expect(
      await unwrap(apiOf().GET('/v1/agents/{id}', { params: { path: { id } } })),
    ).toMatchObject({
      name: 'Analyst',
      servers: ['sqlite'],
      limits: { turns: 12, wall_clock_ms: 90_000 },
    });
    await page.getByRole('link', { name: 'Start a run' }).click();
    await page.getByRole('heading', { level: 1, name: 'New run' }).waitFor();
    await expect.poll(() => page.getByLabel('Agent').inputValue()).toBe(id);
  });

  test('shows the problems that the service found at their fields', async () => {
    const page = await openPage('/agents/new', { theme: 'dark', expected: /status of 400/ });
    await page.getByLabel('Name').fill('Wrong');
    await page.getByLabel('Temperature').fill('3');
    await page.getByLabel('Turns').fill('0');
    await page.getByRole('button', { name: 'Create the agent' }).click();
    await page.getByText('must be at most 2', { exact: true }).waitFor();
    const focused = page.locator(':focus');
    expect(await focused.getAttribute('aria-invalid')).toBe('true');
    const turns = page.getByLabel('Turns');
    expect(await turns.getAttribute('aria-invalid')).toBe('true');
    const notes = await turns.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${notes}"]`).textContent()).toContain('must be at least 1');
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('that another person changed is compared before it is replaced', async () => {
    const { id } = await createAgent('Shared');
    const page = await openPage(`/agents/${id}`, { expected: /status of 412/ });
    await page.getByLabel('Instructions').fill('Answer with words.');
    await page.getByText('Changes since the stored version').click();
    await page.getByText('removed: Answer with numbers.').waitFor();
    await unwrap(
      apiOf().PUT('/v1/agents/{id}', {
        params: { path: { id } },
        body: { name: 'Shared', instructions: 'Answer with charts.' },
      }),
    );
    await page.getByRole('button', { name: 'Save the changes' }).click();
    const conflict = page.getByRole('alert');
    await conflict.getByText('The agent was changed meanwhile').waitFor();
    await conflict.getByText('removed: Answer with charts.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await conflict.getByRole('button', { name: 'Replace it with mine' }).click();
    await page.getByText('The agent was saved').waitFor();
    const stored = await unwrap(apiOf().GET('/v1/agents/{id}', { params: { path: { id } } }));
    expect(stored.instructions).toBe('Answer with words.');
  });

  test('is deleted after a question', async () => {
    const { id } = await createAgent('To be deleted');
    const page = await openPage(`/agents/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the agent' }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    expect(await page.getByRole('link', { name: 'To be deleted', exact: true }).count()).toBe(0);
  });
});
