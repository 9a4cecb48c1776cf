import { expect, onTestFinished, test } from 'vitest';
import type { InboxItem } from '../../ports/store/inbox.ts';
import type { Run } from '../../ports/store/run.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { Store } from '../../ports/store.ts';
import { openItem } from '../../ports/testing/open-item.ts';
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
  readonly items?: readonly InboxItem[];
}

/** Stores rows as an earlier process left them. */
function insert(store: Store, { runs, calls = [], items = [] }: Rows): Promise<void> {
  return store.write({}, async (sql) => {
    await Promise.all(runs.map((run) => sql.insertRun(run)));
    await Promise.all(calls.map((call) => sql.insertToolCall(call)));
    await Promise.all(items.map((item) => sql.insertInboxItem(item)));
  });
}

const ids = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(5, '0')}`);

/** Runs that wait for an approval, of which some have another item that has expired meanwhile. */
function waitingRuns(now: number, { runs, due }: { readonly runs: number; readonly due: number }) {
  const waiting = ids('w', runs);
  const item = (runId: string, callId: string | undefined, expiresAt: number): InboxItem => ({
    ...openItem(`${callId ?? 'due'}-${runId}`),
    runId,
    callId,
    expiresAt,
  });
  return {
    runs: waiting.map((id) => queuedRun(id, { status: 'input_required', waitingSince: now })),
    calls: waiting.map((runId) => ({
      ...plannedCall(`c-${runId}`),
      runId,
      state: 'awaiting_approval' as const,
    })),
    items: [
      ...waiting.map((runId) => item(runId, `c-${runId}`, now + HOUR_MS)),
      ...waiting.slice(0, due).map((runId) => item(runId, undefined, now)),
    ],
  };
}

test('with many waiting runs at the start the service is ready after one batch of their work, and a new run does not wait for the rest', async () => {
  const clock = new ManualClock();
  const rest = Promise.withResolvers<void>();
  let sweeps = 0;
  const service = await openService({
    script: callsThenAnswer([]),
    clock,
    isStarted: false,
    changeStore: (store) => ({
      ...store,
      read: {
        ...store.read,
        inboxDeadlines: async (options) => {
          sweeps += 1;
          // The work of the second sweep begins when the test says so.
          if (sweeps === 2) await rest.promise;
          return store.read.inboxDeadlines(options);
        },
      },
    }),
  });
  onTestFinished(() => rest.resolve());
  await insert(service.store, waitingRuns(clock.now(), { runs: 2000, due: 300 }));
  const countDue = async (): Promise<number> =>
    (await service.opened.read.inboxDeadlines({ until: clock.now(), limit: 1000 })).length;

  await service.engine.start();
  expect(await countDue()).toBe(100);
  const { id } = await service.engine.createRun({ prompt: 'go' });
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  expect(await countDue()).toBe(100);

  rest.resolve();
  await expect.poll(countDue).toBe(0);
  expect(await service.opened.read.runIds(['input_required'])).toHaveLength(2000);
  expect(service.errors).toEqual([]);
  await service.kill();
});

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
