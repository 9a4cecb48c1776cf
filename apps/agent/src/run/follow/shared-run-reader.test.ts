import { expect, test } from 'vitest';
import type { Run } from '../../ports/store/run.ts';
import { shareReads, type FollowReader } from './shared-run-reader.ts';

/** A store whose answers the test gives, and what is shared of it. */
function shared() {
  const asked: PromiseWithResolvers<Run | undefined>[] = [];
  const read: FollowReader = {
    run: () => {
      const answer = Promise.withResolvers<Run | undefined>();
      asked.push(answer);
      return answer.promise;
    },
    events: (_id, { after }) =>
      Promise.resolve([{ runId: 'r1', seq: after + 1, type: 'a', version: 1, at: 0, data: {} }]),
    partial: () => Promise.resolve(undefined),
    openInbox: () => Promise.resolve([]),
  };
  return {
    asked,
    shared: shareReads(read),
  };
}

const row = (status: Run['status']): Run => ({ status }) as Run;

test('reads that are requested during a read share the next one', async () => {
  const { asked, shared: read } = shared();
  const current = read.run('r1');
  const later = [read.run('r1'), read.run('r1')];
  expect(asked).toHaveLength(1);
  asked[0]!.resolve(row('running'));
  expect(await current).toEqual(row('running'));
  expect(asked).toHaveLength(2);
  asked[1]!.resolve(row('completed'));
  expect(await Promise.all(later)).toEqual([row('completed'), row('completed')]);
  expect(asked).toHaveLength(2);
  const [first, second] = await Promise.all([
    read.events('r1', { after: 0, limit: 5 }),
    read.events('r1', { after: 1, limit: 5 }),
  ]);
  expect([first[0]?.seq, second[0]?.seq]).toEqual([1, 2]);
});

test('a read never gets the result of a read that began before it', async () => {
  const { asked, shared: read } = shared();
  const before = read.run('r1');
  // Another process commits here, and no signal reports it.
  const after = read.run('r1');
  asked[0]!.resolve(row('running'));
  await before;
  asked[1]!.resolve(row('completed'));
  expect([await before, await after]).toEqual([row('running'), row('completed')]);
  const again = read.run('r1');
  asked[2]!.resolve(row('completed'));
  await again;
});

test('a failure reaches only the readers of its read, and the next read is a new read', async () => {
  const { asked, shared: read } = shared();
  const failed = read.run('r1').catch(String);
  const others = [read.run('r1'), read.run('r1')];
  asked[0]!.reject(new Error('disk I/O error'));
  expect(await failed).toBe('Error: disk I/O error');
  asked[1]!.resolve(undefined);
  expect(await Promise.all(others)).toEqual([undefined, undefined]);
});
