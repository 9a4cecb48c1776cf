import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  eras,
  inFull,
  type CallOutcome,
  type Json,
  type StdioPeer,
} from '../stdio-peer.test.support.ts';
import { createFixture, type Fixture } from './fixture.test.support.ts';

/** Searches at once. */
const SEARCHES = 6;
const directories = 300;
const filesEach = 500;

let files: Fixture;

beforeAll(async () => {
  // In memory where possible, where the tree is made in a third of the time.
  files = await createFixture({}, {}, process.env['TEST_DATABASES']);
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

/**
 * Returns the processor time of the server 3 s later; unless the cases run in full, already when it
 * has used none for 300 ms.
 */
async function laterCpuMs(peer: StdioPeer): Promise<number> {
  const deadline = performance.now() + 3000;
  let { cpuMs } = peer.usage();
  const enough = inFull ? Infinity : 3;
  for (let quiet = 0; quiet < enough && performance.now() < deadline;) {
    await delay(100);
    const now = peer.usage().cpuMs;
    quiet = now === cpuMs ? quiet + 1 : 0;
    cpuMs = now;
  }
  return cpuMs;
}

const progressTokenOf = ({ method, params }: Json): unknown =>
  method === 'notifications/progress'
    ? (params as { readonly progressToken: unknown }).progressToken
    : undefined;

/** The search of the case. */
const search = (): Json => ({
  name: 'search_files',
  arguments: { path: files.root, pattern: '**/f1.txt' },
});

/** A call of a search that takes many seconds: every entry is compared with a hundred patterns. */
const longSearch = (): Json => ({
  name: 'search_files',
  arguments: {
    path: files.root,
    pattern: '**/f1.txt',
    excludePatterns: Array.from({ length: 99 }, (_, index) => `**/*f*x${index}`),
  },
});

/** Sends all searches at once; their progress has the token. */
function startSearches(
  peer: StdioPeer,
  progressToken: string,
): { readonly ids: readonly number[]; readonly answers: readonly Promise<unknown>[] } {
  const ids: number[] = [];
  const answers = Array.from({ length: SEARCHES }, () =>
    peer.request('tools/call', longSearch(), {
      progressToken,
      onId: (given: number) => ids.push(given),
    }),
  );
  return { ids, answers };
}

describe.each(eras)('a %s client with 150,000 entries', (era) => {
  let peer: StdioPeer;
  beforeAll(async () => {
    peer = await files.serve(era);
  });

  test('FS-28 gets a truncated tree with counts, and further calls succeed', async () => {
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
    const answered = Promise.withResolvers<CallOutcome>();
    const find = () =>
      peer
        .call('search_files', { path: files.root, pattern: '**/f1.txt' }, { progressToken: 'one' })
        .then(answered.resolve);
    const heard = () =>
      peer.notifications
        .filter((message) => progressTokenOf(message) === 'one')
        .map(({ params }) => (params as { readonly progress: number }).progress);
    expect(await peer.timed(find)).toBeLessThan(2000);
    const { structured } = await answered.promise;
    expect(structured).toMatchObject({ total: 300, truncated: false });
    expect(structured['matches']).toHaveLength(300);
    const onTheWay = heard();
    expect(onTheWay.length).toBeGreaterThanOrEqual(2);
    expect(onTheWay).toEqual(onTheWay.toSorted((left, right) => left - right));
    expect(new Set(onTheWay).size).toBe(onTheWay.length);
    await peer.request('tools/list');
    expect(heard()).toHaveLength(onTheWay.length);
  });

  test.runIf(process.platform === 'linux').each([
    // On a fast machine the search of the case may end before it is cancelled.
    ...(inFull ? [['a search', search] as const] : []),
    ['a search with many patterns', longSearch] as const,
  ])('FS-30 stops %s that is cancelled after 100 ms', async (_what, call) => {
    let cancelled = 0;
    void peer.request('tools/call', call(), {
      progressToken: 'p',
      onId: (id) => (cancelled = id),
    });
    await delay(100);
    peer.cancel(cancelled);
    const before = peer.usage().cpuMs;
    const after = await laterCpuMs(peer);
    expect(after - before).toBeLessThan(250);
    // An answer would have come first.
    await peer.request('tools/list');
    expect(peer.hasAnswerPending(cancelled)).toBe(true);
  });

  test.runIf(process.platform === 'linux')('FS-30 stops many cancelled searches', async () => {
    const { ids } = startSearches(peer, 'cancelled');
    await peer.notified((message) => progressTokenOf(message) === 'cancelled');
    const before = peer.usage().cpuMs;
    for (const id of ids) peer.cancel(id);
    const after = await laterCpuMs(peer);
    expect(after - before).toBeLessThan(250);
    expect(ids.map((id) => peer.hasAnswerPending(id))).toEqual(ids.map(() => true));
  });

  test('FS-28 gets a listing of a big directory page by page, each entry once', async () => {
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

test.runIf(process.platform === 'linux')(
  'FS-30 control: the same searches run for long when nobody cancels them',
  async () => {
    const peer = await files.serve('legacy');
    const before = peer.usage().cpuMs;
    void Promise.allSettled(startSearches(peer, 'finished').answers);
    // The rest of the searches would show nothing more.
    await expect.poll(() => peer.usage().cpuMs - before, { timeout: 60_000 }).toBeGreaterThan(750);
  },
);
