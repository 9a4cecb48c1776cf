import { describe, expect, inject, test } from 'vitest';
import { accessibilityProblems } from '../../peers/src/axe.ts';
import { openPage } from './support/open-page.ts';

/** Errors that the browser logs for a file that another build has replaced. */
const expected = /status of 404|MissingFileError/;

describe.skipIf(inject('browser') === undefined)('a tab of an earlier console', () => {
  test('says that it is out of date where it needs a file that is gone, and reloads', async () => {
    const page = await openPage('/runs', { expected });
    await page.route('**/assets/servers-page-*', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Servers' }).click();
    await page.getByRole('heading', { level: 1, name: 'This page is out of date' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.unroute('**/assets/servers-page-*');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor();
  });

  test('is not blank where even its first script is gone', async () => {
    const page = await openPage('/runs', { expected });
    await page.route('**/assets/index-*.js', (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await expect.poll(() => page.getByText('reload the page').isVisible()).toBe(true);
  });
});
