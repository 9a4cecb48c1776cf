import { expect, test } from 'vitest';
import type { Run } from '../../ports/store/run.ts';
import { createInProcessSignalBus } from '../../queue/in-process-signal-bus.ts';
import { shareReads, type FollowReader } from './shared-run-reader.ts';

/** A store whose answers the test gives, and what is shared of it. */
function shared() {
  const bus = createInProcessSignalBus();
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
    shared: shareReads(read, bus),
    signal: () => bus.publish({ type: 'events', runId: 'r1', lastSeq: 1 }),
  };
}

const row = (status: Run['status']): Run => ({ status }) as Run;

test('concurrent reads share one result, and a later read is a new read', async () => {
  const { asked, shared: read } = shared();
  const answers = [read.run('r1'), read.run('r1')];
  asked[0]!.resolve(row('running'));
  expect(await Promise.all(answers)).toEqual([row('running'), row('running')]);
  expect(asked).toHaveLength(1);
  const again = read.run('r1');
  asked[1]!.resolve(row('completed'));
  expect(await again).toEqual(row('completed'));
  const [first, second] = await Promise.all([
    read.events('r1', { after: 0, limit: 5 }),
    read.events('r1', { after: 1, limit: 5 }),
  ]);
  expect([first[0]?.seq, second[0]?.seq]).toEqual([1, 2]);
});

test('a read after a signal never gets the result of a read before it', async () => {
  const { asked, shared: read, signal } = shared();
  const before = read.run('r1');
  signal();
  const after = read.run('r1');
  asked[0]!.resolve(row('running'));
  asked[1]!.resolve(row('completed'));
  expect([await before, await after]).toEqual([row('running'), row('completed')]);
});

test('a failure reaches all readers, and the next read is a new read', async () => {
  const { asked, shared: read } = shared();
  const answers = [read.run('r1'), read.run('r1')].map((answer) =>
    answer.catch((error: unknown) => error),
  );
  asked[0]!.reject(new Error('disk I/O error'));
  expect((await Promise.all(answers)).map(String)).toEqual([
    'Error: disk I/O error',
    'Error: disk I/O error',
  ]);
  const again = read.run('r1');
  asked[1]!.resolve(undefined);
  expect(await again).toBeUndefined();
});
