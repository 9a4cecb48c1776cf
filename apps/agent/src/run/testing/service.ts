import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { onTestFinished } from 'vitest';
import { createOutputChecker } from '../../schema/output-checker.ts';
import { sharedChecks } from '../../schema/testing/shared-checks.ts';
import type { KeyLimits } from '../../ports/api-key.ts';
import type { Concurrency } from '../../ports/concurrency.ts';
import type { Job, JobQueue } from '../../ports/job-queue.ts';
import type { RunEngine } from '../../ports/run-engine.ts';
import type { InboxItem } from '../../ports/store/inbox.ts';
import type { Run } from '../../ports/store/run.ts';
import type { RunEvent } from '../../ports/store/run-event.ts';
import type { StoreReader, Store } from '../../ports/store.ts';
import type { ToolCall } from '../../ports/store/tool-call.ts';
import type { Signal, SignalBus } from '../../ports/signal-bus.ts';
import type { CrashPoint } from '../../ports/test-hooks.ts';
import { createInProcessSignalBus } from '../../queue/in-process-signal-bus.ts';
import { createMemoryJobQueue } from '../../queue/memory-job-queue.ts';
import type { OpenedStore } from '../../store/opened-store.ts';
import { openTestStore } from '../../store/testing/open-test-store.ts';
import { databaseFolder, provideMigratedDatabase } from '../../store/testing/migrated-database.ts';
import type { EventListener } from '../core/commits.ts';
import type { Traces } from '../../ports/traces.ts';
import type { ServerPolicy } from '../core/server-policy.ts';
import type { RecoveryDecision } from '../core/engine-parts.ts';
import { createRunEngine } from '../run-engine.ts';
import { withCheckedLocks } from '../../ports/testing/check-locks.ts';
import { expectDescribed } from './expect-described.ts';
import { expectFoldMatches } from './expect-fold.ts';
import { FakeLlm, type Script } from './fake-llm.ts';
import { FakeRegistry, type FakeTool } from './fake-registry.ts';
import { ManualClock } from '../../testing/manual-clock.ts';

export interface ServiceOptions {
  readonly script: Script;
  readonly tools?: { readonly [wireName: string]: FakeTool };
  readonly policies?: { readonly [server: string]: ServerPolicy };
  /** Default: a new one. */
  readonly dataDir?: string;
  /** A service whose database and clock this service shares, as another process would. */
  readonly beside?: Service;
  /** Replaces parts of the store. */
  readonly changeStore?: (store: Store) => Store;
  /** Replaces the bus. */
  readonly changeBus?: (bus: SignalBus) => SignalBus;
  /** Replaces the queue. */
  readonly changeQueue?: (queue: JobQueue) => JobQueue;
  /** Whether the replaced queue stays the worker's own queue; default false. */
  readonly hasOwnQueue?: boolean;
  readonly clock?: ManualClock;
  readonly recovery?: RecoveryDecision;
  /** Kills this service when it reaches the point. */
  readonly crashAt?: CrashPoint;
  /** Kills this service as soon as it has committed so many transactions. */
  readonly dieAfterCommits?: number;
  /** Whether the store has no room for the nth change of a run. */
  readonly isFull?: (write: number) => boolean;
  readonly isStarted?: boolean;
  /** Whether the script makes the engine store values that the OpenAPI document does not describe; default false. */
  readonly storesOddValues?: boolean;
  readonly onEvents?: EventListener;
  readonly traces?: Pick<Traces, 'runRequested'>;
  readonly maxQueuedRuns?: number;
  readonly keyLimits?: (apiKey: string) => KeyLimits;
  readonly callsPerMinute?: (server: string) => number | undefined;
  readonly concurrency?: Partial<Concurrency>;
}

/** An engine over the real store, with the parts that tests inspect. */
export interface Service {
  readonly engine: RunEngine;
  /** Jobs that were enqueued, in order. */
  readonly jobs: readonly Job[];
  /** Enqueues a job, as another process would with a shared queue. */
  readonly enqueue: JobQueue['enqueue'];
  readonly read: StoreReader;
  readonly store: Store;
  /** The store, whether or not the service was killed. */
  readonly opened: OpenedStore;
  readonly bus: SignalBus;
  readonly llm: FakeLlm;
  readonly registry: FakeRegistry;
  readonly clock: ManualClock;
  readonly dataDir: string;
  /** Every published signal, also those that the bus lost. */
  readonly signals: readonly Signal[];
  /** Calls the listener after each publication. Returns the unsubscribe function. */
  onSignal(listener: (signal: Signal) => void): () => void;
  readonly errors: readonly string[];
  /** Entries of the log with the level `info`. */
  readonly infos: readonly string[];
  /** Resolves when the crash point was reached. */
  readonly crashed: Promise<void>;
  /** Ends the service as kill -9 would: it does nothing more, and its directory is unlocked. */
  kill(): Promise<void>;
  /** Ends the service as `kill` does, but keeps its store open for a service beside it. */
  stall(): void;
  /**
   * Resolves with the first answer that is not undefined; checks again after every signal, model
   * request, tool call and error.
   */
  until<T>(look: () => Promise<T | undefined>, runId?: string): Promise<T>;
  settled(runId: string): Promise<Run>;
  status(runId: string, status: Run['status']): Promise<Run>;
  event(runId: string, type: string): Promise<RunEvent>;
  events(runId: string): Promise<readonly RunEvent[]>;
  types(runId: string): Promise<readonly string[]>;
  call(runId: string, position?: number): Promise<ToolCall>;
  item(runId: string): Promise<InboxItem>;
}

const never = new Promise<never>(() => undefined);

export async function openService({
  script,
  tools = {},
  policies = {},
  beside,
  clock = beside?.clock ?? new ManualClock(),
  changeStore = (store) => store,
  changeBus = (bus) => bus,
  changeQueue = (queue) => queue,
  hasOwnQueue = false,
  recovery,
  crashAt,
  dieAfterCommits = Infinity,
  isFull = () => false,
  concurrency,
  maxQueuedRuns,
  keyLimits,
  callsPerMinute,
  isStarted = true,
  storesOddValues = false,
  onEvents,
  traces,
  ...options
}: ServiceOptions): Promise<Service> {
  const dataDir = beside?.dataDir ?? options.dataDir ?? join(databaseFolder(), 'data');
  if (beside === undefined) await provideMigratedDatabase(dataDir);
  const opened = await openTestStore(dataDir, clock);
  const life = { isOver: false, isClosed: false };
  const crash = Promise.withResolvers<void>();
  const die = (): void => {
    life.isOver = true;
    crash.resolve();
  };
  const store = mortal(changeStore(opened), { life, die, dieAfterCommits, isFull });
  const signals: Signal[] = [];
  const listeners = new Set<(signal: Signal) => void>();
  const carrier = changeBus(createInProcessSignalBus());
  const bus: SignalBus = {
    publish(signal) {
      signals.push(signal);
      carrier.publish(signal);
      for (const listener of Array.from(listeners)) listener(signal);
    },
    subscribe: (topic, listener) => carrier.subscribe(topic, listener),
  };
  const onSignal = (listener: (signal: Signal) => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const lookers = new Set<() => void>();
  const lookAgain = (): void => {
    for (const look of lookers) look();
  };
  const llm = new FakeLlm(script, lookAgain);
  const registry = new FakeRegistry(tools, lookAgain, clock);
  const errors: string[] = [];
  const fail = (message: string, fields?: unknown): void => {
    if (life.isOver) return;
    errors.push(`${message} ${inspect(fields)}`);
    lookAgain();
  };
  const infos: string[] = [];
  const jobs: Job[] = [];
  const ownQueue = createMemoryJobQueue({
    clock,
    onError: (job, error) =>
      fail(JSON.stringify(job), error instanceof Error ? error.stack : error),
  });
  const queue = changeQueue(ownQueue);
  const enqueueIn = queue.enqueue.bind(queue);
  const enqueue: JobQueue['enqueue'] = (job, delay) => {
    if (!life.isOver) jobs.push(job);
    return enqueueIn(job, delay);
  };
  queue.enqueue = enqueue;
  const engine = createRunEngine({
    store: withCheckedLocks(store),
    queue,
    ownQueue: hasOwnQueue ? ownQueue : undefined,
    bus,
    catalogue: registry.catalogue,
    dispatcher: registry,
    llm,
    outputs: createOutputChecker(sharedChecks),
    clock,
    policies,
    logger: {
      debug: () => undefined,
      info: (message, fields) => void infos.push(`${message} ${inspect(fields)}`),
      warn: () => undefined,
      error: fail,
    },
    ...(recovery === undefined ? {} : { recovery }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(maxQueuedRuns === undefined ? {} : { maxQueuedRuns }),
    keyLimits,
    callsPerMinute,
    ...(onEvents === undefined ? {} : { onEvents }),
    traces,
    crashPoints: (point) => {
      if (point !== crashAt || life.isOver) return;
      die();
      throw new Error(`killed at ${point}`);
    },
  });
  const close = async (): Promise<void> => {
    if (life.isClosed) return;
    life.isClosed = true;
    await opened.close();
  };
  onTestFinished(async () => {
    if (!life.isOver) {
      const closing = engine.close({ graceMs: 1 });
      clock.advance(1);
      await closing;
      await expectFoldMatches(opened.read);
      if (!storesOddValues) await expectDescribed(opened.read);
    }
    await close();
    if (options.dataDir === undefined && beside === undefined)
      rmSync(join(dataDir, '..'), { recursive: true });
  });
  if (isStarted) await engine.start();

  const read = opened.read;
  const until = <T>(look: () => Promise<T | undefined>, runId?: string): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let pending = 0;
    const check = async (): Promise<void> => {
      pending += 1;
      if (pending > 1) return;
      // Signals that arrive during a check cause one more check.
      while (pending > 0) {
        pending = 1;
        const found = await look();
        pending -= 1;
        if (found !== undefined) return resolve(found);
      }
    };
    const checkOrFail = (): void => void check().catch(reject);
    const unsubscribe = onSignal((signal) => {
      if (runId === undefined || !('runId' in signal) || signal.runId === runId) checkOrFail();
    });
    lookers.add(checkOrFail);
    checkOrFail();
    return promise.finally(() => {
      unsubscribe();
      lookers.delete(checkOrFail);
    });
  };
  const events = (runId: string): Promise<readonly RunEvent[]> =>
    read.events(runId, { after: 0, limit: 10_000 });
  const runWhere = (runId: string, test: (run: Run) => boolean): Promise<Run> =>
    until(async () => {
      const run = await read.run(runId);
      return run !== undefined && test(run) ? run : undefined;
    }, runId);
  return {
    engine,
    jobs,
    enqueue,
    read,
    store,
    opened,
    bus,
    llm,
    registry,
    clock,
    dataDir,
    signals,
    onSignal,
    errors,
    infos,
    until,
    events,
    crashed: crash.promise,
    kill: async () => {
      life.isOver = true;
      await close();
    },
    stall: () => {
      life.isOver = true;
    },
    settled: (runId) => runWhere(runId, (run) => run.finishedAt !== undefined),
    status: (runId, status) => runWhere(runId, (run) => run.status === status),
    event: (runId, type) =>
      until(async () => (await events(runId)).find((event) => event.type === type), runId),
    types: async (runId) => (await events(runId)).map((event) => event.type),
    call: async (runId, position = 0) => {
      const call = (await read.toolCalls(runId))[position];
      if (call === undefined) throw new Error(`the run has no call ${position}`);
      return call;
    },
    item: (runId) => until(async () => (await read.inboxItems({ runId, state: 'open' }))[0], runId),
  };
}

interface Death {
  readonly life: { readonly isOver: boolean };
  readonly die: () => void;
  readonly dieAfterCommits: number;
  readonly isFull: (write: number) => boolean;
}

/** The store of a service that can be killed: afterwards nothing it is asked ever happens. */
function mortal(store: Store, { life, die, dieAfterCommits, isFull }: Death): Store {
  let commits = 0;
  let writes = 0;
  const isOver = (): boolean => life.isOver;
  const read = new Proxy(store.read, {
    get: (target, name: keyof StoreReader) => (isOver() ? () => never : target[name]),
  });
  const write: Store['write'] = async (locks, work, options) => {
    if (isOver()) return never;
    // Heartbeats have no run.
    if (locks.run !== undefined) writes += 1;
    if (locks.run !== undefined && isFull(writes)) throw new Error('database or disk is full');
    const result = await store.write(locks, work, options);
    commits += 1;
    if (commits >= dieAfterCommits) die();
    return isOver() ? never : result;
  };
  return {
    ...store,
    // A worker that joins again has another id.
    get workerId() {
      return store.workerId;
    },
    read,
    write,
  };
}
