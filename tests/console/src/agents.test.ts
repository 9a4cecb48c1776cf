/// <reference lib="dom" />
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
    await page.reload();
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
    await page.reload();
    await conflict.getByText('removed: Answer with charts.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await conflict.getByRole('button', { name: 'Replace it with mine' }).click();
    await page.getByText('The agent was saved').waitFor();
    const stored = await unwrap(apiOf().GET('/v1/agents/{id}', { params: { path: { id } } }));
    expect(stored.instructions).toBe('Answer with words.');
    expect(await page.getByRole('button', { name: 'Discard the changes' }).count()).toBe(0);
  });

  test.each(['light', 'dark'] as const)(
    'gets tools and approval rules by the keyboard alone (%s)',
    async (theme) => {
      const page = await openPage('/agents/new', { theme, expected: /status of 400/ });
      await page.getByLabel('Name').fill('Careful');
      await page.getByLabel('sqlite').check();
      const press = async (button: string): Promise<void> => {
        await page.getByRole('button', { name: button, exact: true }).focus();
        await page.keyboard.press('Enter');
      };
      await press('Add allowed pattern');
      await page.keyboard.type('sqlite__*');
      await press('Add denied pattern');
      await page.keyboard.type('write');
      await press('Add a rule');
      await page.keyboard.type('sqlite__*');
      await press('Add a rule');
      await page.keyboard.type('sqlite__read_query');
      await page.keyboard.press('Tab');
      await page.keyboard.press('d');
      await press('Move rule 2 up');
      expect(await page.getByLabel('Tools of rule 1', { exact: true }).inputValue()).toBe(
        'sqlite__read_query',
      );
      expect(await page.getByLabel('Policy of rule 1').inputValue()).toBe('deny');
      await press('Create the agent');
      const message = 'must be a wire name such as server__tool, or contain *';
      await page.getByText(message, { exact: true }).waitFor();
      const rejected = page.getByLabel('Denied pattern 1', { exact: true });
      expect(await rejected.evaluate((field) => field === document.activeElement)).toBe(true);
      await rejected.fill('*__write_*');
      await page.getByText(/^Runs may use \d+ of \d+ tools at present$/).click();
      const effects = page.getByRole('listitem');
      const effectOf = (tool: string) => effects.filter({ hasText: new RegExp(`^${tool}`) });
      expect(await effectOf('sqlite__write_query').innerText()).toContain('left out');
      expect(await effectOf('sqlite__read_query').innerText()).toContain('calls fail');
      expect(await effectOf('sqlite__list_tables').innerText()).toContain('asks a person');
      expect(await effectOf('show__write').count()).toBe(0);
      expect(await accessibilityProblems(page)).toEqual([]);
      await press('Remove allowed pattern 1');
      expect(await page.locator(':focus').innerText()).toContain('Add allowed pattern');
      await press('Create the agent');
      await page.getByRole('heading', { level: 1, name: 'Careful' }).waitFor();
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
      const stored = await unwrap(apiOf().GET('/v1/agents/{id}', { params: { path: { id } } }));
      expect(stored).toMatchObject({
        tools: { deny: ['*__write_*'] },
        approvals: [
          { tools: 'sqlite__read_query', policy: 'deny' },
          { tools: 'sqlite__*', policy: 'ask' },
        ],
      });
      expect(stored.tools).not.toHaveProperty('allow');
    },
  );

  test('saved from the form keeps its tools and rules', async () => {
    const rules = {
      tools: { allow: ['sqlite__*'] },
      approvals: [{ tools: '*', policy: 'ask' as const }],
    };
    const { id } = await unwrap(
      apiOf().POST('/v1/agents', { body: { name: 'Restricted', ...rules } }),
    );
    const page = await openPage(`/agents/${id}`);
    await page.getByLabel('Instructions').fill('Be brief.');
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByText('The agent was saved').waitFor();
    await page.getByText('Version 2, made').waitFor();
    const stored = await unwrap(apiOf().GET('/v1/agents/{id}', { params: { path: { id } } }));
    expect(stored).toMatchObject({ ...rules, instructions: 'Be brief.', version: 2 });
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

describe.skipIf(inject('browser') === undefined)('the versions of an agent', () => {
  async function threeVersions(): Promise<string> {
    const { id } = await createAgent('Reporter');
    for (const instructions of ['Answer with charts.', 'Answer with words.'])
      await unwrap(
        apiOf().PUT('/v1/agents/{id}', {
          params: { path: { id } },
          body: { name: 'Reporter', instructions, tools: { deny: ['show__*'] } },
        }),
      );
    return id;
  }

  test.each(['light', 'dark'] as const)(
    'are listed and compared, and one is restored by the keyboard (%s)',
    async (theme) => {
      const id = await threeVersions();
      const page = await openPage(`/agents/${id}`, { theme });
      await page.getByRole('link', { name: 'Versions' }).click();
      await page.getByRole('heading', { level: 1, name: 'Versions of Reporter' }).waitFor();
      const rows = page.getByRole('region', { name: 'Versions' }).getByRole('row');
      expect(await rows.count()).toBe(4);
      expect(await rows.nth(1).innerText()).toMatch(/^3\s+current\s+Reporter/);
      expect(await rows.nth(1).innerText()).toContain('anonymous');
      await page.getByText('removed: Answer with charts.').waitFor();
      await page.getByText('added: Answer with words.').waitFor();
      await page.getByLabel('From', { exact: true }).selectOption('1');
      await page.getByText('removed: Answer with numbers.').waitFor();
      await page.getByText('added: tools.deny: show__*').waitFor();
      expect(new URL(page.url()).search).toBe('?from=1');
      expect(await accessibilityProblems(page)).toEqual([]);

      await page.getByRole('button', { name: 'Restore version 1' }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Restore version 1?' });
      await dialog.getByText('removed: tools.deny: show__*').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Restore version 1' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('Version 1 was restored as version 4').waitFor();
      await expect.poll(() => rows.count()).toBe(5);
      const stored = await unwrap(apiOf().GET('/v1/agents/{id}', { params: { path: { id } } }));
      expect(stored).toMatchObject({ version: 4, instructions: 'Answer with numbers.' });
      expect(stored).not.toHaveProperty('tools');
    },
  );

  test('are compared with the version that another person made meanwhile before one is restored', async () => {
    const id = await threeVersions();
    const page = await openPage(`/agents/${id}/versions`, { expected: /status of 412/ });
    await page.getByRole('button', { name: 'Restore version 2' }).click();
    const params = { path: { id } };
    await unwrap(apiOf().PUT('/v1/agents/{id}', { params, body: { name: 'Taken over' } }));
    const dialog = page.getByRole('dialog', { name: 'Restore version 2?' });
    await dialog.getByRole('button', { name: 'Restore version 2' }).click();
    await dialog.getByText('The agent was changed meanwhile').waitFor();
    await dialog.getByText('removed: name: Taken over').waitFor();
    await dialog.getByRole('button', { name: 'Restore version 2' }).click();
    await page.getByText('Version 2 was restored as version 5').waitFor();
    const stored = await unwrap(apiOf().GET('/v1/agents/{id}', { params }));
    expect(stored).toMatchObject({ version: 5, instructions: 'Answer with charts.' });
  });

  test('are all offered for a run, also when there are more than one page of them', async () => {
    const { id } = await createAgent('The first of many');
    for (let count = 0; count < 50; count += 1) await createAgent(`Of many ${count}`);
    const page = await openPage('/runs/new');
    await page.getByLabel('Agent').selectOption(id);
    await expect.poll(() => page.getByLabel('Agent').inputValue()).toBe(id);
  });

  test('can be chosen for a run, which shows its version', async () => {
    const id = await threeVersions();
    const page = await openPage(`/agents/${id}/versions`);
    await page.getByRole('link', { name: 'Start a run with version 2' }).click();
    await expect.poll(() => page.getByLabel('Version').inputValue()).toBe('2');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Task').fill('Which customers bought most?');
    await page.getByRole('button', { name: 'Start the run' }).click();
    await page.getByText('agent version 2').waitFor();
    const { data } = await unwrap(apiOf().GET('/v1/runs', { params: { query: { agent_id: id } } }));
    expect(data).toMatchObject([{ agent_version: 2, tools: { deny: ['show__*'] } }]);
  });

  test('fit a phone', async () => {
    const id = await threeVersions();
    for (const path of [`/agents/${id}/versions`, `/agents/${id}`]) {
      const page = await openPage(path, { width: 'phone' });
      await page.getByRole('heading', { level: 1, name: /Reporter$/ }).waitFor();
      await page
        .getByText(path.endsWith('versions') ? 'Compare' : 'Allowed tools')
        .first()
        .waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        375,
      );
    }
  });
});
