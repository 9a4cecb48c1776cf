import { beforeAll, describe, expect, inject, test } from 'vitest';
import { startDevServer, type DevServer } from './support/dev-server.ts';
import { openPage } from './support/open-page.ts';

describe.skipIf(inject('browser') === undefined)('the development server', () => {
  let server: DevServer;
  beforeAll(async () => {
    server = await startDevServer(inject('service'));
    return () => server.stop();
  });

  test('serves the pages from their sources, and the API of a running service with its streams', async () => {
    const page = await openPage('/runs/new', { service: server.url });
    await page.getByRole('button', { name: 'Which customers bought most?' }).click();
    await page.getByRole('button', { name: 'Start the run' }).click();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('Ada Almeida (Turkey) bought most').waitFor();
    const scripts = page.locator('script[src^="/src/"]');
    expect(await scripts.count()).toBe(1);
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const stored = await fetch(`${inject('service')}/v1/runs/${id}`);
    expect(stored.status).toBe(200);
  });
});
