/// <reference lib="dom" />
import { describe, expect, inject, test } from 'vitest';
import { callTool, clientOf, openItemOf } from './support/call-tool.ts';
import { openPage } from './support/open-page.ts';

const HOUR_MS = 3_600_000;

describe.skipIf(inject('browser') === undefined)('a console', () => {
  test.each([-3, 26])(
    'on a machine whose clock is %i hours off counts from the time of the service',
    async (hours) => {
      const run = await callTool('filesystem__write_file', { path: 'clock.txt', content: '' });
      const { id } = await openItemOf(run);
      const page = await openPage('/favicon.svg', { isNew: true });
      await page.addInitScript((offset) => {
        const now = Date.now.bind(Date);
        Date.now = () => now() + offset;
      }, hours * HOUR_MS);
      await page.goto(`/inbox/${id}`);
      await page.getByText('in 23 h unless answered').waitFor();
      await page.goto(`/runs/${run}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.locator('main').innerText()).not.toMatch(/in 2 h|1 d ago/);
      await clientOf().runs.cancel(run);
    },
  );

  test('behind a proxy that answers with its login page says so', async () => {
    const page = await openPage('/favicon.svg', { isNew: true });
    await page.route('**/v1/inbox*', (route) =>
      route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Log in</h1>' }),
    );
    await page.goto('/inbox');
    await expect
      .poll(() => page.getByRole('alert').innerText())
      .toContain('A proxy in between may need a login');
  });
});
