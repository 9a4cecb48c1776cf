import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eras, type CallOutcome, type Json, type StdioPeer } from '../stdio-peer.test.support.ts';
import { createFixture, type Fixture } from './fixture.test.support.ts';

const directories = 300;
const filesEach = 500;

let files: Fixture;

beforeAll(async () => {
  files = await createFixture();
  for (let directory = 0; directory < directories; directory++) {
    const folder = files.at(`d${directory}`);
    mkdirSync(folder);
    const [first = '', ...names] = Array.from({ length: filesEach }, (_, index) =>
      path.join(folder, `f${index}.txt`),
    );
    writeFileSync(first, '');
    // Links are created much faster than files.
    for (const name of names) linkSync(first, name);
  }
});

afterAll(async () => {
  rmSync(files.root, { recursive: true, force: true });
  await files[Symbol.asyncDispose]();
});

/** Returns the processor time of the server once it has used none for 300 ms, or after `maxMs`. */
async function restingCpuMs(peer: StdioPeer, maxMs: number): Promise<number> {
  const deadline = performance.now() + maxMs;
  let { cpuMs } = peer.usage();
  for (let quiet = 0; quiet < 3 && performance.now() < deadline;) {
    await delay(100);
    const now = peer.usage().cpuMs;
    quiet = now === cpuMs ? quiet + 1 : 0;
    cpuMs = now;
  }
  return cpuMs;
}

describe.each(eras)('a %s client with 150,000 entries', (era) => {
  test('FS-28 gets a truncated tree with counts, and further calls succeed', async () => {
    const peer = await files.serve(era);
    const answered = Promise.withResolvers<CallOutcome>();
    expect(
      await peer.timed(() =>
        peer.call('directory_tree', { path: files.root }).then(answered.resolve),
      ),
    ).toBeLessThan(3000);
    const { result, structured } = await answered.promise;
    expect(JSON.stringify(result).length).toBeLessThanOrEqual(1024 * 1024);
    expect(structured).toMatchObject({
      truncated: true,
      counts: { directories, omitted: expect.any(Number) as number },
    });
    expect((await peer.call('list_allowed_directories', {})).isError).toBe(false);
  });

  test('FS-31 finds 300 files by name in 2 s and gets progress on the way', async () => {
    const peer = await files.serve(era);
    const answered = Promise.withResolvers<CallOutcome>();
    const search = () =>
      peer
        .call('search_files', { path: files.root, pattern: '**/f1.txt' }, { progressToken: 'p' })
        .then(answered.resolve);
    expect(await peer.timed(search)).toBeLessThan(2000);
    const { structured } = await answered.promise;
    expect(structured).toMatchObject({ total: 300, truncated: false });
    expect(structured['matches']).toHaveLength(300);
    const heard = peer.notifications
      .filter(({ method }) => method === 'notifications/progress')
      .map(({ params }) => (params as { progress: number }).progress);
    expect(heard.length).toBeGreaterThanOrEqual(2);
    expect(heard).toEqual(heard.toSorted((left, right) => left - right));
    expect(new Set(heard).size).toBe(heard.length);
    await peer.request('tools/list');
    expect(
      peer.notifications.filter(({ method }) => method === 'notifications/progress'),
    ).toHaveLength(heard.length);
  });

  test.runIf(process.platform === 'linux')(
    'FS-30 stops cancelled searches, which otherwise run for long',
    async () => {
      const searches = 6;
      const peer = await files.serve(era);
      const start = () => {
        const ids: number[] = [];
        const options = { progressToken: 'p', onId: (given: number) => ids.push(given) };
        const answers = Array.from({ length: searches }, () =>
          peer.request(
            'tools/call',
            { name: 'search_files', arguments: { path: files.root, pattern: '**/f1.txt' } },
            options,
          ),
        );
        return { ids, answers };
      };
      const { ids } = start();
      await peer.notified(({ method }) => method === 'notifications/progress');
      const before = peer.usage().cpuMs;
      for (const id of ids) peer.cancel(id);
      const after = await restingCpuMs(peer, 3000);
      expect(after - before).toBeLessThan(250);
      expect(ids.map((id) => peer.hasAnswerPending(id))).toEqual(ids.map(() => true));
      // The control: the same searches without a cancellation.
      await Promise.all(start().answers);
      expect((await restingCpuMs(peer, 3000)) - after).toBeGreaterThan(750);
    },
  );

  test('FS-28 gets a listing of a big directory page by page, each entry once', async () => {
    const peer = await files.serve(era);
    const names: string[] = [];
    for (let cursor: unknown; ;) {
      const { structured }: { structured: Json } = await peer.call('list_directory', {
        path: 'd7',
        limit: 200,
        ...(cursor === undefined ? {} : { cursor }),
      });
      names.push(...(structured['entries'] as { name: string }[]).map(({ name }) => name));
      cursor = structured['nextCursor'];
      if (cursor === undefined) break;
    }
    expect([names.length, new Set(names).size]).toEqual([filesEach, filesEach]);
  });
});
