import { beforeAll, describe, expect, test, vi } from 'vitest';
import { eras, inFull, type StdioPeer } from '../stdio-peer.test.support.ts';
import {
  childrenOf,
  clockLimitMs,
  rowsOf,
  secondsOf,
  sendTogether,
  useFixture,
} from './fixture.test.support.ts';

const fixture = useFixture();

/** Queries that need more than an hour, and little memory until then. */
const long = [
  [
    'a runaway query',
    'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c',
  ],
  ['a cross join', 'SELECT count(*) FROM wide a, wide b, wide c, wide d'],
  [
    'a huge sort',
    'SELECT (SELECT count(*) FROM wide c WHERE c.t < a.t || b.t) n FROM wide a, wide b ORDER BY n',
  ],
] as const;
const TIME_LIMIT_MS = inFull ? 1000 : 500;

const readOne = async (peer: StdioPeer) =>
  rowsOf(await peer.call('read_query', { query: 'SELECT 1 one' }));

describe.each(eras)('a %s client', (era) => {
  let [limited, patient]: StdioPeer[] = [];
  beforeAll(async () => {
    const start = (limitMs: number) =>
      fixture.start(era, ['--db-path', fixture.db, '--timeout-ms', `${limitMs}`]);
    [limited, patient] = await Promise.all([start(TIME_LIMIT_MS), start(3_600_000)]);
  });

  test.each(long)(
    'SQ-20 gets an error for %s at its time limit, and other answers meanwhile',
    async (name, query) => {
      const peer = limited!;
      // A process is ready: the time limit begins with the query.
      await expect.poll(() => readOne(peer)).toEqual([{ one: 1 }]);
      const progressToken = `${era} ${name}`;
      const { outcome, tookMs, listMs, isListFirst } = await sendTogether(peer, () =>
        peer.call('read_query', { query }, { progressToken }),
      );
      expect(outcome).toMatchObject({
        isError: true,
        text: expect.stringContaining(`${TIME_LIMIT_MS} ms, its time limit`) as string,
      });
      expect(isListFirst).toBe(true);
      expect(listMs).toBeLessThan(clockLimitMs(300));
      expect(tookMs).toBeGreaterThanOrEqual(TIME_LIMIT_MS - 10);
      expect(tookMs).toBeLessThan(clockLimitMs(TIME_LIMIT_MS + 600));
      // By the clock of the server, which reports each second of a query, it took no second more.
      expect(secondsOf(peer, progressToken).filter((s) => s * 1000 > TIME_LIMIT_MS)).toEqual([]);
      // On a loaded machine a small query can reach this time limit, too.
      await expect.poll(() => readOne(peer)).toEqual([{ one: 1 }]);
    },
  );

  test.runIf(process.platform === 'linux').each(long)(
    'SQ-21 stops %s when it cancels, and gets other reads meanwhile',
    async (_, query) => {
      const peer = patient!;
      await readOne(peer);
      let id = 0;
      const params = { name: 'read_query', arguments: { query } };
      void peer.request('tools/call', params, { onId: (begun) => (id = begun) });
      expect(await readOne(peer)).toEqual([{ one: 1 }]);
      expect((await peer.request('tools/list')).error).toBeUndefined();
      expect(peer.hasAnswerPending(id)).toBe(true);
      // One runs the query, and the other has answered.
      const processes = childrenOf(peer);
      expect(processes).toHaveLength(2);
      peer.cancel(id);
      const left = () => childrenOf(peer).filter((pid) => processes.includes(pid));
      await vi.waitFor(() => expect(left()).toHaveLength(1), { timeout: 60_000, interval: 5 });
      expect(await readOne(peer)).toEqual([{ one: 1 }]);
      expect(peer.hasAnswerPending(id)).toBe(true);
    },
  );
});
