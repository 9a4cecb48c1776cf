import { expect, test } from 'vitest';
import type { Run } from '../../ports/store/run.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { Store } from '../../ports/store.ts';
import { plannedCall } from '../../ports/testing/planned-call.ts';
import { queuedRun } from '../../ports/testing/queued-run.ts';
import { createMemoryJobQueue } from '../../queue/memory-job-queue.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { openService, type Service } from '../testing/service.ts';

const HOUR_MS = 3_600_000;

interface Rows {
  readonly runs: readonly Run[];
  readonly calls?: readonly ToolCall[];
}

/** Stores rows as an earlier process left them. */
function insert(store: Store, { runs, calls = [] }: Rows): Promise<void> {
  return store.write({}, async (sql) => {
    await Promise.all(runs.map((run) => sql.insertRun(run)));
    await Promise.all(calls.map((call) => sql.insertToolCall(call)));
  });
}

const ids = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(5, '0')}`);

/** Opens a service whose queue loses every job, and starts it on rows of an earlier process. */
async function startWithout(
  rows: (now: number) => Rows,
): Promise<{ readonly service: Service; readonly sweep: () => Promise<readonly string[]> }> {
  const clock = new ManualClock();
  const service = await openService({
    script: callsThenAnswer([]),
    clock,
    isStarted: false,
    changeQueue: () => ({
      ...createMemoryJobQueue({ clock, onError: () => undefined }),
      start: () => undefined,
      enqueue: () => Promise.resolve(),
      close: () => Promise.resolve([]),
    }),
  });
  await insert(service.store, rows(clock.now()));
  let seen = 0;
  return {
    service,
    /** Lets the next sweep run, and returns the subjects of the jobs that it enqueued. */
    async sweep() {
      if (seen === 0) await service.engine.start();
      else clock.advance(2000);
      await expect.poll(() => clock.waits).toContain(2000);
      const jobs = service.jobs.slice(seen);
      seen += jobs.length;
      return jobs.map((job) => (job.type === 'call-tool' ? job.callId : job.runId));
    },
  };
}

test('a sweep enqueues a limited number of due model calls, and the next sweeps the others', async () => {
  const due = ids('r', 2100);
  const { service, sweep } = await startWithout((now) => ({
    runs: due.map((id) =>
      queuedRun(id, { status: 'running', retryAt: now, deadlineAt: now + HOUR_MS }),
    ),
  }));
  expect(await sweep()).toEqual(due.slice(0, 1000));
  expect(await sweep()).toEqual(due.slice(1000, 2000));
  expect(await sweep()).toEqual(due.slice(2000));
  // Their jobs were lost.
  expect(await sweep()).toEqual(due.slice(0, 1000));
  await service.kill();
});

test('calls that stay without an owner keep no later call waiting', async () => {
  const calls = ids('c', 5100);
  const { service, sweep } = await startWithout((now) => ({
    runs: [queuedRun('r1', { status: 'running', deadlineAt: now + HOUR_MS })],
    calls: calls.map((id, position) => ({ ...plannedCall(id), position })),
  }));
  expect(await sweep()).toEqual(calls.slice(0, 5000));
  expect(await sweep()).toEqual(calls.slice(5000));
  expect(await sweep()).toEqual(calls.slice(0, 5000));
  await service.kill();
});
