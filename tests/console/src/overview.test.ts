import { createClient } from '@signalbox/client';
import { describe, expect, inject, test } from 'vitest';
import { accessibilityProblems, colorProblems } from '../../peers/src/axe.ts';
import { openPage } from './support/open-page.ts';

const hasBrowser = inject('browser') !== undefined;

describe.skipIf(!hasBrowser)('the overview', () => {
  test('has plots with values after runs, each of them also as a table', async () => {
    const { runs } = createClient({ baseUrl: inject('service') });
    const { id } = await runs.create({ prompt: 'Which customers bought most?' });
    await runs.wait(id);
    const page = await openPage('/overview');
    const plot = page.getByRole('figure').filter({ hasText: 'Turns and tool calls' });
    await plot.getByText('Show as a table').click();
    const table = plot.getByRole('table', {
      name: 'Turns and tool calls, intervals with values',
    });
    const numbers = table.getByRole('row').last().getByRole('cell');
    await expect
      .poll(async () => Number((await numbers.allTextContents())[1]))
      .toBeGreaterThanOrEqual(4);
    expect(await page.getByRole('figure').locator('rect').count()).toBeGreaterThan(2);
    await page.getByRole('table', { name: 'Models' }).getByText('scripted/scripted').waitFor();
    await page.getByText('Processes and waiting jobs').click();
    await page.getByRole('cell', { name: 'Alive' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await colorProblems(page)).toEqual([]);
  });

  test('has the latencies of model calls and of tool calls over time', async () => {
    const { runs } = createClient({ baseUrl: inject('service') });
    const { id } = await runs.create({ prompt: 'Which customers bought most?' });
    await runs.wait(id);
    const page = await openPage('/overview');
    for (const title of ['Latency of model calls', 'Latency of tool calls']) {
      const plot = page.getByRole('figure').filter({ hasText: title });
      await plot.getByText('Show as a table').click();
      const table = plot.getByRole('table', { name: `${title}, intervals with values` });
      const cells = table.getByRole('row').last().getByRole('cell');
      await expect
        .poll(async () => [title, (await cells.allTextContents()).slice(1)])
        .toEqual([
          title,
          [expect.stringMatching(/^\d.* m?s$/), expect.stringMatching(/^\d.* m?s$/)],
        ]);
    }
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('reads out the values of an interval that the arrow keys choose', async () => {
    const page = await openPage('/overview');
    const slider = page.getByRole('slider', { name: 'Interval of Runs' });
    await slider.focus();
    await page.keyboard.press('End');
    const last = await slider.getAttribute('aria-valuetext');
    expect(last).toMatch(
      /: Completed \d+, Failed \d+, Expired \d+, Cancelled \d+, In progress \d+$/,
    );
    await page.keyboard.press('ArrowLeft');
    expect(await slider.getAttribute('aria-valuetext')).not.toBe(last);
  });

  test('keeps the time span in the address', async () => {
    const page = await openPage('/overview?range=7d', { width: 'phone' });
    await page.getByText('In the last 7 days:').waitFor();
    await page.getByRole('radio', { name: '24 hours' }).check();
    await page.getByText('In the last 24 hours:').waitFor();
    expect(new URL(page.url()).searchParams.get('range')).toBe('24h');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      375,
    );
  });
});
