import { describe, expect, inject, test } from 'vitest';
import { accessibilityProblems } from '../../peers/src/axe.ts';
import type { Locator, Page } from '../../peers/src/chromium.ts';
import { openPage } from './support/open-page.ts';

/** Largest number of keys to reach an element. */
const MAX_PRESSES = 200;

/** Moves the focus to an element by the Tab key alone. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const isFocused = () => target.evaluate((element) => element === document.activeElement);
  for (let presses = 0; presses < MAX_PRESSES; presses += 1) {
    if (await isFocused()) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the Tab key does not reach ${String(target)}`);
}

async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('Enter');
}

describe.skipIf(inject('browser') === undefined)('a newcomer', () => {
  test('starts a demo run, answers its question, finds out why a call failed and repeats it, by keyboard alone', async () => {
    const page = await openPage('/');
    const steps = page.getByRole('region', { name: 'Your first steps' });
    await press(page, steps.getByRole('button', { name: /Start the demo|Start it again/ }));
    await page.getByRole('heading', { level: 1, name: /Raise the price/ }).waitFor();

    const overview = page.getByRole('navigation').getByRole('link', { name: 'Overview' });
    await press(page, overview);
    await press(page, steps.getByRole('link', { name: 'Answer the question' }));
    await press(page, page.getByRole('button', { name: 'Approve' }));
    await page.getByText('now costs 300.00').first().waitFor();

    await press(page, overview);
    await steps.getByText('no such column: price').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await press(page, steps.getByRole('link', { name: 'See the failed call' }));
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await press(page, timeline.getByRole('button', { name: 'Call again' }).first());
    const dialog = page.getByRole('dialog');
    const query = dialog.getByLabel(/query/i).first();
    await tabTo(page, query);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('SELECT name, price_cents FROM products WHERE name = ?');
    await press(page, dialog.getByRole('button', { name: /^Call/ }));
    await page.getByRole('heading', { level: 1, name: /read_query/ }).waitFor();
    await page.getByText('30000').first().waitFor();

    await press(page, overview);
    await page.getByRole('heading', { name: 'You have seen the basics' }).waitFor();
    await press(page, page.getByRole('button', { name: 'Hide' }));
    await page
      .getByRole('heading', { name: 'You have seen the basics' })
      .waitFor({ state: 'detached' });
  });
});
