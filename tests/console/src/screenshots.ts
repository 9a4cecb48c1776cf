// Writes the pictures of the documentation: npm run screenshots -w @signalbox/console-tests
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, unwrap } from '@signalbox/client';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from '../../peers/src/chromium.ts';
import { openPage } from './support/open-page.ts';
import { smallPng } from './support/small-png.ts';
import { startService, type Service } from './support/service.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'docs', 'images');
/** Pictures are in the history of the repository for ever. */
const MAX_BYTES = 80 * 1024;
const SIZE = { width: 1200, height: 720 };

describe('the pictures of the documentation', () => {
  let service: Service;
  beforeAll(async () => {
    await mkdir(FOLDER, { recursive: true });
    service = await startService({ config: { mcpServers: {} } });
    return () => service.stop();
  });
  const open = async (path: string, theme: 'light' | 'dark'): Promise<Page> => {
    const page = await openPage(path, { service: service.url, theme });
    await page.setViewportSize(SIZE);
    return page;
  };
  /** Returns the number of bytes of the picture. */
  const save = async (page: Page, name: string): Promise<number> => {
    const picture = smallPng(await page.screenshot({ animations: 'disabled', caret: 'hide' }));
    await writeFile(join(FOLDER, `console-${name}.png`), picture);
    return picture.length;
  };

  test('show a conversation, a run that asks, its question and the overview', async () => {
    const { api, runs } = createClient({ baseUrl: service.url });
    const { id: threadId } = await unwrap(
      api.POST('/v1/threads', { body: { title: 'Best customers' } }),
    );
    const first = await runs.create({
      prompt: 'Which customers bought most?',
      thread_id: threadId,
    });
    await runs.wait(first.id);
    const thread = await open(`/threads/${threadId}`, 'light');
    await thread.getByText('Ada Almeida (Turkey) bought most').waitFor();
    expect(await save(thread, 'thread')).toBeLessThan(MAX_BYTES);

    const asking = await runs.create({
      prompt: 'Raise the price of the Brass Chair to 300',
      servers: ['sqlite'],
      metadata: { demo: 'first-steps' },
    });
    const run = await open(`/runs/${asking.id}`, 'dark');
    await run.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await save(run, 'run')).toBeLessThan(MAX_BYTES);

    const inbox = await open('/inbox', 'light');
    await inbox.getByText('write_query').first().waitFor();
    await inbox.waitForLoadState('networkidle');
    expect(await save(inbox, 'inbox')).toBeLessThan(MAX_BYTES);

    const others = ['Compare the weather in Oslo, Lisbon and Cairo', 'Search for **/*.md'];
    for (const prompt of others) await runs.wait((await runs.create({ prompt })).id);
    const overview = await open('/overview', 'dark');
    await overview.getByRole('figure').first().waitFor();
    expect(await save(overview, 'overview')).toBeLessThan(MAX_BYTES);
  });
});
