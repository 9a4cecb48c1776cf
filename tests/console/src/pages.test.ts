/// <reference lib="dom" />
import { describe, expect, inject, test } from 'vitest';
import { accessibilityProblems, colorProblems } from '../../peers/src/axe.ts';
import { openPage } from './support/open-page.ts';

const PAGES = [
  { path: '/overview', title: 'Overview' },
  { path: '/runs', title: 'Runs' },
  { path: '/runs/new', title: 'New run' },
  { path: '/inbox', title: 'Inbox' },
  { path: '/servers', title: 'Servers' },
  { path: '/threads', title: 'Threads' },
  { path: '/agents', title: 'Agents' },
] as const;

describe.skipIf(inject('browser') === undefined)('every page', () => {
  test.each(PAGES)(
    '$title has its heading and no accessibility problem',
    async ({ path, title }) => {
      const page = await openPage(path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      expect(await page.title()).toBe(`${title} · Signalbox`);
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await colorProblems(page)).toEqual([]);
    },
  );

  test.each(PAGES)('$title fits a phone', async ({ path, title }) => {
    const page = await openPage(path, { width: 'phone' });
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      375,
    );
  });

  test('a link changes the page without loading a document, and the way back works', async () => {
    const page = await openPage('/runs');
    await page.evaluate(() => Object.assign(globalThis, { isSameDocument: true }));
    await page.getByRole('link', { name: 'Servers' }).click();
    await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    expect(await page.evaluate(() => 'isSameDocument' in globalThis)).toBe(true);
  });

  test('no bar covers a field with the focus, on a phone and at 400 %', async () => {
    const page = await openPage('/agents/new');
    await page.getByRole('heading', { level: 1, name: 'New agent' }).waitFor();
    for (const size of [
      { width: 375, height: 750 },
      { width: 320, height: 256 },
    ]) {
      await page.setViewportSize(size);
      const covered = await page.evaluate(
        () =>
          [...document.querySelectorAll<HTMLElement>('main input, main select')].filter((field) => {
            // The field is in the window, but at its end, where the bars are.
            scrollBy(0, field.getBoundingClientRect().bottom - innerHeight);
            field.focus();
            const { left, top, width, height } = field.getBoundingClientRect();
            return document.elementFromPoint(left + width / 2, top + height / 2) !== field;
          }).length,
      );
      expect(covered).toBe(0);
    }
  });

  test('the first view is smaller than 200 kB', async () => {
    const page = await openPage('/runs', { isNew: true });
    await page.getByRole('link', { name: 'New run' }).waitFor();
    const bytes = await page.evaluate(() =>
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
        .filter(({ name }) => !name.includes('/v1/'))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    );
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(200_000);
  });

  test('a text without contrast is noticed, also in the other theme alone', async () => {
    const page = await openPage('/runs/new');
    await page.getByRole('heading', { level: 1, name: 'New run' }).waitFor();
    await page.evaluate(() =>
      document.documentElement.style.setProperty('--ink', 'light-dark(#000000, #20242a)'),
    );
    expect(await colorProblems(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect((await colorProblems(page)).join()).toContain('color-contrast');
  });

  test('a violation of the content security policy is noticed', async () => {
    const page = await openPage('/runs', { expected: /style-src|TrustedHTML|trusted-types/ });
    const noticed = page.waitForEvent('console', (message) =>
      message.text().startsWith('content security policy: style-src-attr'),
    );
    await page.evaluate(() => document.body.setAttribute('style', 'color: red'));
    await noticed;
    const markup = page.evaluate(() => {
      document.body.innerHTML = '<img src=x onerror="document.title=1">';
    });
    await expect(markup).rejects.toThrow('TrustedHTML');
  });
});
