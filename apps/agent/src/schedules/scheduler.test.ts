import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../ports/store.ts';
import type { Schedule } from '../ports/store/schedule.ts';
import { callsThenAnswer, type Script } from '../run/testing/fake-llm.ts';
import { openService, type Service, type ServiceOptions } from '../run/testing/service.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { Scheduler } from './scheduler.ts';

const MINUTE = 60_000;
/** Last time of the schedules before the clock of the tests begins. */
const START = 1_700_000_000_000 - (1_700_000_000_000 % (5 * MINUTE));

interface Worker {
  readonly service: Service;
  readonly sweep: (until?: number) => Promise<number | undefined>;
  readonly decisions: readonly string[];
  readonly log: readonly string[];
}

function schedule(id: string, fields: Partial<Schedule> = {}): Schedule {
  return {
    id,
    apiKey: 'ci',
    name: undefined,
    cron: '*/5 * * * *',
    timeZone: 'UTC',
    run: { prompt: 'go' },
    onBusy: 'skip',
    enabled: true,
    nextAt: START + 5 * MINUTE,
    lastAt: undefined,
    lastOutcome: undefined,
    lastRunId: undefined,
    lastError: undefined,
    createdAt: 1,
    updatedAt: 1,
    ...fields,
  };
}

function work(service: Service, store: Pick<Store, 'read' | 'write'> = service.store): Worker {
  const decisions: string[] = [];
  const log: string[] = [];
  const keep = (message: string): number => log.push(message);
  const scheduler = new Scheduler({
    store,
    createRun: (...input) => service.engine.createRun(...input),
    clock: service.clock,
    logger: { debug: keep, info: keep, warn: keep, error: keep },
    hasApiKey: (name) => name === 'ci',
    onDecision: (outcome) => decisions.push(outcome),
  });
  return {
    service,
    decisions,
    log,
    sweep: (until) => {
      const now = service.clock.now();
      return scheduler.run({ now, until: until ?? now + 2000 });
    },
  };
}

async function openWorker(
  script: Script = callsThenAnswer([], 'done'),
  options: Pick<ServiceOptions, 'maxQueuedRuns' | 'keyLimits'> = {},
): Promise<Worker> {
  return work(await openService({ script, ...options }));
}

const add = ({ store }: Service, ...schedules: readonly Schedule[]): Promise<void> =>
  store.write({}, async (sql) => {
    for (const each of schedules) await sql.insertSchedule(each);
  });

const moveTo = (clock: ManualClock, time: number): void => clock.advance(time - clock.now());

const runsOf = async ({ read }: Service) => (await read.runs({ limit: 99 })).data.toReversed();

/** A script that answers when `finish` is called. */
function held(): { readonly script: Script; readonly finish: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  onTestFinished(() => resolve());
  return { script: () => ({ text: 'done', hold: promise }), finish: resolve };
}

test('a run is started at each time of a schedule, and names the schedule and the time', async () => {
  const { service, sweep, decisions } = await openWorker();
  const { clock, read } = service;
  await add(service, schedule('s1', { run: { prompt: 'go', metadata: { by: 'me' } } }));
  expect(await sweep(START + 10 * MINUTE)).toBe(START + 5 * MINUTE);
  moveTo(clock, START + 5 * MINUTE - 1);
  await sweep();
  expect(await runsOf(service)).toEqual([]);
  for (const minutes of [5, 10, 15]) {
    moveTo(clock, START + minutes * MINUTE);
    await sweep();
    await sweep();
    const run = (await runsOf(service)).at(-1);
    await service.settled(run?.id ?? '');
    expect(run?.metadata).toEqual({
      by: 'me',
      schedule_id: 's1',
      scheduled_at: new Date(START + minutes * MINUTE).toISOString(),
    });
    expect(await read.schedule('s1')).toMatchObject({
      nextAt: START + (minutes + 5) * MINUTE,
      lastAt: START + minutes * MINUTE,
      lastOutcome: 'started',
      lastRunId: run?.id,
    });
  }
  expect(await runsOf(service)).toHaveLength(3);
  expect(decisions).toEqual(['started', 'started', 'started']);
});

test('times that passed while no worker was running start one run', async () => {
  const { service, sweep } = await openWorker();
  await add(service, schedule('s1'));
  moveTo(service.clock, START + 62 * MINUTE);
  await sweep();
  await sweep();
  expect(await runsOf(service)).toHaveLength(1);
  expect(await service.read.schedule('s1')).toMatchObject({
    lastAt: START + 5 * MINUTE,
    nextAt: START + 65 * MINUTE,
  });
});

test('of two workers one starts the run of a time', async () => {
  const first = await openWorker();
  const second = work(
    await openService({ script: callsThenAnswer([], 'done'), beside: first.service }),
  );
  await add(first.service, ...[1, 2, 3, 4].map((n) => schedule(`s${n}`)));
  moveTo(first.service.clock, START + 5 * MINUTE);
  await Promise.all([first.sweep(), second.sweep(), first.sweep(), second.sweep()]);
  const runs = await runsOf(first.service);
  const started = runs.map(({ metadata }) => metadata['schedule_id'] ?? '');
  expect(started.toSorted()).toEqual(['s1', 's2', 's3', 's4']);
  expect([...first.decisions, ...second.decisions]).toHaveLength(4);
  expect([...first.log, ...second.log]).toEqual([]);
});

test('control: without the comparison of the time both start it', async () => {
  const first = await openWorker();
  const { service } = first;
  await add(service, schedule('s1'));
  moveTo(service.clock, START + 5 * MINUTE);
  const before = await service.read.schedule('s1');
  const stale = { ...service.store, read: { ...service.read, schedule: async () => before } };
  const uncompared = work(
    {
      ...service,
      engine: {
        ...service.engine,
        createRun: (input, onCommit) =>
          service.engine.createRun(input, (sql, run) =>
            Promise.resolve(onCommit?.({ ...sql, decideTime: async () => true }, run)),
          ),
      },
    },
    {
      ...stale,
      read: { ...stale.read, dueSchedules: async () => [{ id: 's1', at: before?.nextAt ?? 0 }] },
    },
  );
  await first.sweep();
  await uncompared.sweep();
  expect(await runsOf(service)).toHaveLength(2);
});

test('a time at which the previous run is not settled is skipped', async () => {
  const { script, finish } = held();
  const { service, sweep, decisions } = await openWorker(script);
  await add(service, schedule('s1'));
  moveTo(service.clock, START + 5 * MINUTE);
  await sweep();
  const [run] = await runsOf(service);
  moveTo(service.clock, START + 10 * MINUTE);
  await sweep();
  expect(await service.read.schedule('s1')).toMatchObject({
    lastAt: START + 10 * MINUTE,
    lastOutcome: 'skipped',
    lastRunId: run?.id,
    nextAt: START + 15 * MINUTE,
  });
  finish();
  await service.settled(run?.id ?? '');
  moveTo(service.clock, START + 15 * MINUTE);
  await sweep();
  expect(await runsOf(service)).toHaveLength(2);
  expect(decisions).toEqual(['started', 'skipped', 'started']);
});

test('with on_busy queue the run of a time starts when the previous one is settled, and one run stands for several times', async () => {
  const { script, finish } = held();
  const { service, sweep } = await openWorker(script);
  await add(service, schedule('s1', { onBusy: 'queue' }));
  for (const minutes of [5, 10, 15, 20]) {
    moveTo(service.clock, START + minutes * MINUTE);
    await sweep();
  }
  const [run, ...others] = await runsOf(service);
  expect(others).toEqual([]);
  expect(await service.read.schedule('s1')).toMatchObject({ nextAt: START + 10 * MINUTE });
  finish();
  await service.settled(run?.id ?? '');
  await sweep();
  expect((await runsOf(service)).map(({ metadata }) => metadata['scheduled_at'])).toEqual(
    [5, 10].map((minutes) => new Date(START + minutes * MINUTE).toISOString()),
  );
  expect(await service.read.schedule('s1')).toMatchObject({ nextAt: START + 25 * MINUTE });
});

test('in a thread with another run a time is skipped, or its run waits', async () => {
  const { script } = held();
  const { service, sweep } = await openWorker(script);
  const { id: threadId } = await service.engine.createThread({ title: undefined, metadata: {} });
  await service.engine.createRun({ prompt: 'other', threadId });
  const run = { prompt: 'go', thread_id: threadId };
  await add(service, schedule('s1', { run }), schedule('s2', { run, onBusy: 'queue' }));
  moveTo(service.clock, START + 5 * MINUTE);
  await sweep();
  const outcomes = await Promise.all(['s1', 's2'].map((id) => service.read.schedule(id)));
  expect(outcomes.map((each) => each?.lastOutcome)).toEqual(['skipped', 'started']);
  expect(await runsOf(service)).toHaveLength(2);
});

test('a run that is refused is recorded with the reason, and the next time is tried', async () => {
  const { service, sweep, decisions, log } = await openWorker();
  await add(service, schedule('s1', { run: { prompt: 'go', agent_id: 'gone' } }));
  moveTo(service.clock, START + 5 * MINUTE);
  await sweep();
  expect(await service.read.schedule('s1')).toMatchObject({
    lastOutcome: 'failed',
    lastError: 'unknown_agent: There is no agent gone.',
    nextAt: START + 10 * MINUTE,
  });
  expect([decisions, log]).toEqual([['failed'], ['a scheduled run was refused']]);
});

test('while too many runs are queued the time stays due', async () => {
  const { service, sweep, decisions } = await openWorker(undefined, { maxQueuedRuns: 0 });
  await add(service, schedule('s1'));
  moveTo(service.clock, START + 5 * MINUTE);
  await sweep();
  expect(await service.read.schedule('s1')).toMatchObject({
    nextAt: START + 5 * MINUTE,
    lastOutcome: undefined,
  });
  expect(decisions).toEqual([]);
});

test('a run belongs to the API key of its schedule, or to anonymous when the key is not configured', async () => {
  const { service, sweep } = await openWorker();
  await add(service, schedule('s1'), schedule('s2', { apiKey: 'gone' }));
  moveTo(service.clock, START + 5 * MINUTE);
  await sweep();
  const runs = await runsOf(service);
  expect(
    Object.fromEntries(runs.map(({ metadata, apiKey }) => [metadata['schedule_id'], apiKey])),
  ).toEqual({ s1: 'ci', s2: 'anonymous' });
});

test('the runs of a schedule wait while its API key has as many runs in progress as it may have', async () => {
  const { script, finish } = held();
  const { service, sweep } = await openWorker(script, {
    keyLimits: (apiKey) => (apiKey === 'ci' ? { runningRuns: 1 } : {}),
  });
  const { id: own } = await service.engine.createRun({ prompt: 'go', apiKey: 'ci' });
  await service.status(own, 'running');
  await add(service, schedule('s1'), schedule('s2', { apiKey: 'gone' }));
  moveTo(service.clock, START + 5 * MINUTE);
  await sweep();
  const [, ...started] = await runsOf(service);
  const ofKey = (apiKey: string): string =>
    started.find((run) => run.apiKey === apiKey)?.id ?? 'none';
  await service.status(ofKey('anonymous'), 'running');
  expect(await service.read.runStatus(ofKey('ci'))).toBe('queued');
  finish();
  await service.settled(ofKey('ci'));
});

test('a run that the rate of the API key refuses is recorded as skipped with the reason, or waits with on_busy queue', async () => {
  const { service, sweep, decisions } = await openWorker(undefined, {
    keyLimits: (apiKey) => (apiKey === 'ci' ? { runsPerMinute: 1 } : {}),
  });
  await add(
    service,
    schedule('s1'),
    schedule('s2', { onBusy: 'queue' }),
    schedule('s3', { apiKey: 'gone' }),
  );
  moveTo(service.clock, START + 5 * MINUTE - 1);
  await service.engine.createRun({ prompt: 'go', apiKey: 'ci' });
  moveTo(service.clock, START + 5 * MINUTE);
  await sweep();
  expect(await service.read.schedule('s1')).toMatchObject({
    lastAt: START + 5 * MINUTE,
    lastOutcome: 'skipped',
    lastError: expect.stringContaining(
      'run_rate_exceeded: The API key ci started 1 runs',
    ) as string,
    lastRunId: undefined,
    nextAt: START + 10 * MINUTE,
  });
  expect(await service.read.schedule('s2')).toMatchObject({
    nextAt: START + 5 * MINUTE,
    lastOutcome: undefined,
  });
  expect(decisions).toEqual(['skipped', 'started']);
  moveTo(service.clock, START + 6 * MINUTE);
  await sweep();
  expect(await service.read.schedule('s2')).toMatchObject({ lastOutcome: 'started' });
});

test('a sweep starts at most 100 runs and asks to be called again', async () => {
  const { service, sweep, decisions } = await openWorker(undefined, { maxQueuedRuns: 200 });
  const refused = { run: { prompt: 'go', agent_id: 'gone' } };
  await add(service, ...Array.from({ length: 101 }, (_, n) => schedule(`s${n}`, refused)));
  moveTo(service.clock, START + 5 * MINUTE);
  expect([await sweep(), decisions.length]).toEqual([service.clock.now(), 100]);
  expect([await sweep(), decisions.length]).toEqual([undefined, 101]);
});

test('a schedule whose store fails delays no other schedule', async () => {
  const { service } = await openWorker();
  await add(service, schedule('s1'), schedule('s2'));
  const { sweep, log } = work(service, {
    ...service.store,
    read: {
      ...service.read,
      schedule: (id) =>
        id === 's1' ? Promise.reject(new Error('no disk')) : service.read.schedule(id),
    },
  });
  moveTo(service.clock, START + 5 * MINUTE);
  await sweep();
  expect((await runsOf(service)).map(({ metadata }) => metadata['schedule_id'])).toEqual(['s2']);
  expect(log).toEqual(['a scheduled run could not be started; the next sweep will retry']);
});
