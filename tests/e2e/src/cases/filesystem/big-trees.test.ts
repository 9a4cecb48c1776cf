import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eras, type Json } from '../stdio-peer.test.support.ts';
import { createFixture, type Fixture } from './fixture.test.support.ts';

const directories = 300;
const filesEach = 500;

let files: Fixture;

beforeAll(async () => {
  files = await createFixture();
  for (let directory = 0; directory < directories; directory++) {
    const folder = files.at(`d${directory}`);
    mkdirSync(folder);
    const [first = '', ...names] = Array.from({ length: filesEach }, (_, index) => path.join(folder, `f${index}.txt`));
    writeFileSync(first, '');
    // Making links is much faster than making files.
    for (const name of names) linkSync(first, name);
  }
}, 60_000);

afterAll(async () => {
  rmSync(files.root, { recursive: true, force: true });
  await files[Symbol.asyncDispose]();
}, 60_000);

describe.each(eras)('a %s client with 150,000 entries', (era) => {
  test('FS-28 gets a tree that is cut, with counts, and goes on', async () => {
    const peer = await files.serve(era);
    const began = performance.now();
    const { result, structured } = await peer.call('directory_tree', { path: files.root });
    // Three seconds, and as much again for a machine that does other work.
    expect(performance.now() - began).toBeLessThan(6000);
    expect(JSON.stringify(result).length).toBeLessThanOrEqual(1024 * 1024);
    expect(structured).toMatchObject({ truncated: true, counts: { directories, omitted: expect.any(Number) as number } });
    expect((await peer.call('list_allowed_directories', {})).isError).toBe(false);
  });

  test('FS-31 finds by name soon and hears of it on the way', async () => {
    const peer = await files.serve(era);
    const began = performance.now();
    const { structured } = await peer.call('search_files', { path: files.root, pattern: '**/f1.txt', maxResults: 1000 }, { progressToken: 'p' });
    // Two seconds, and as much again for a machine that does other work.
    expect(performance.now() - began).toBeLessThan(4000);
    expect(structured['matches']).toHaveLength(300);
    const heard = peer.notifications.filter(({ method }) => method === 'notifications/progress').map(({ params }) => (params as { progress: number }).progress);
    expect(heard.length).toBeGreaterThanOrEqual(2);
    expect(heard).toEqual(heard.toSorted((left, right) => left - right));
    expect(new Set(heard).size).toBe(heard.length);
    await peer.request('tools/list');
    expect(peer.notifications.filter(({ method }) => method === 'notifications/progress')).toHaveLength(heard.length);
  });

  test.runIf(process.platform === 'linux')('FS-30 stops a search that is cancelled', async () => {
    const peer = await files.serve(era);
    let id = 0;
    void peer.request('tools/call', { name: 'search_files', arguments: { path: files.root, pattern: '**/f1.txt' } }, { progressToken: 'p', onId: (given) => (id = given) });
    await peer.notified(({ method }) => method === 'notifications/progress');
    peer.cancel(id);
    // Two rounds: what was under way when the cancellation came ends before the second.
    await peer.call('list_allowed_directories', {});
    const before = peer.usage().cpuMs;
    for (let round = 0; round < 20; round++) await peer.call('list_allowed_directories', {});
    expect(peer.usage().cpuMs - before).toBeLessThan(250);
    expect(peer.hasAnswerPending(id)).toBe(true);
  });

  test('FS-28 gets a listing of a big directory page by page, each entry once', async () => {
    const peer = await files.serve(era);
    const names: string[] = [];
    for (let cursor: unknown; ; ) {
      const { structured }: { structured: Json } = await peer.call('list_directory', { path: 'd7', limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      names.push(...(structured['entries'] as { name: string }[]).map(({ name }) => name));
      cursor = structured['nextCursor'];
      if (cursor === undefined) break;
    }
    expect([names.length, new Set(names).size]).toEqual([filesEach, filesEach]);
  });
});
