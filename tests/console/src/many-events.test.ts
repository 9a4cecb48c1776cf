import { describe, expect, inject, test } from 'vitest';
import type { Page } from '../../peers/src/chromium.ts';
import { MANY_EVENTS_RUN, manyEvents } from './support/many-events.ts';
import { openPage } from './support/open-page.ts';

/** Opens the run of ten thousand events, which a route of the page serves in place of the service. */
async function openManyEvents(path: string): Promise<Page> {
  const page = await openPage('/runs');
  await page.route('**/v1/runs/many', (route) => route.fulfill({ json: MANY_EVENTS_RUN }));
  await page.route('**/v1/runs/many/events*', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: manyEvents() }),
  );
  await page.goto(path);
  await page.getByRole('tab', { name: `Events ${MANY_EVENTS_RUN.last_seq}` }).waitFor();
  return page;
}

describe.skipIf(inject('browser') === undefined)('a run of ten thousand events', () => {
  test('renders only the rows in view, from the first to the last', async () => {
    const page = await openManyEvents('/runs/many');
    const rows = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
    expect(await rows.count()).toBeLessThan(80);
    await page.getByRole('heading', { name: 'Turn 1', exact: true }).waitFor();
    for (const share of [0.25, 0.5, 0.75, 1]) {
      await page.evaluate(
        (part) => scrollTo(0, document.documentElement.scrollHeight * part),
        share,
      );
      await expect.poll(() => rows.count()).toBeGreaterThan(5);
      expect(await rows.count()).toBeLessThan(80);
    }
    await page.keyboard.press('End');
    await expect.poll(() => page.getByText('The end of the search.').isVisible()).toBe(true);
  });

  test('is opened at the event that its address names, in the timeline and in the log', async () => {
    const page = await openManyEvents('/runs/many#event-5006');
    const target = page.locator('.row.target');
    await target.getByText('part 626').waitFor();
    await expect
      .poll(() =>
        target.evaluate((row) => {
          const { top, bottom } = row.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        }),
      )
      .toBe(true);
    await page.getByRole('tab', { name: /^Events/ }).click();
    await page.locator('.event.target').getByText('tool_call.planned').waitFor();
  });
});
