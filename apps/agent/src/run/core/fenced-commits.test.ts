import { expect, test } from 'vitest';
import { HEARTBEAT_EVERY_MS, LeaseLostError } from '../../ports/store/worker.ts';
import type { Store, StoreTransaction } from '../../ports/store.ts';
import { createInProcessSignalBus } from '../../queue/in-process-signal-bus.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { Commits } from './commits.ts';

/** A process on a store whose other processes can end it during its transactions. */
function fenced() {
  const state = { workerId: 'first', hasLease: true };
  const clock = new ManualClock();
  const sql: Partial<StoreTransaction> = {
    hasLease: () => Promise.resolve(state.hasLease),
    appendAudit: () => Promise.resolve(),
  };
  const store: Partial<Store> = {
    isShared: true,
    // The transaction has only what a commit without events needs.
    write: (_locks, work) => work(sql as StoreTransaction),
  };
  Object.defineProperty(store, 'workerId', { get: () => state.workerId });
  const lost: string[] = [];
  const commits = new Commits(store as Store, createInProcessSignalBus(), {
    clock,
    crashPoint: () => undefined,
    reconcile: () => Promise.resolve(),
    onEvents: () => undefined,
    newId: () => 'id',
    onAnnounced: undefined,
    onLeaseLost: ({ workerId }) => lost.push(workerId),
  });
  return { state, clock, commits, lost };
}

test('a transaction is stored if the process keeps its lease', async () => {
  const { clock, commits, lost } = fenced();
  const work = async (): Promise<string> => {
    clock.advance(HEARTBEAT_EVERY_MS);
    return 'done';
  };
  expect(await commits.commit('r1', work)).toBe('done');
  expect(lost).toEqual([]);
});

test('a transaction during which the process joined again is rolled back, because its signals are aborted', async () => {
  const { state, commits, lost } = fenced();
  const work = async (): Promise<void> => {
    state.workerId = 'second';
  };
  await expect(commits.commit('r1', work)).rejects.toThrow(LeaseLostError);
  expect(lost).toEqual(['first']);
});

test('a transaction in which the process was stopped until others ended it is rolled back', async () => {
  const { state, clock, commits, lost } = fenced();
  const work = async (): Promise<void> => {
    clock.advance(HEARTBEAT_EVERY_MS);
    state.hasLease = false;
  };
  await expect(commits.commit('r1', work)).rejects.toThrow(LeaseLostError);
  expect(lost).toEqual(['first']);
});
