import { localCatalogue } from '../fleet/local-catalogue.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOutputChecker } from '../schema/output-checker.ts';
import { SchemaChecks } from '../schema/schema-checks.ts';
import { isSettled, type Run } from '../ports/store/run.ts';
import type { Logger } from '../ports/logger.ts';
import { createInProcessSignalBus } from '../queue/in-process-signal-bus.ts';
import { createMemoryJobQueue } from '../queue/memory-job-queue.ts';
import type { ServerPolicy } from '../run/core/server-policy.ts';
import type { RunEventBody } from '../run/core/events.ts';
import { createRunEngine } from '../run/run-engine.ts';
import { copyDatabase } from '../store/copy-database.ts';
import { openStore } from '../store/open-store.ts';
import type { OpenedStore } from '../store/opened-store.ts';
import { rewindRun } from '../store/rewind-run.ts';
import { systemClock } from '../system/system-clock.ts';
import { describeDatabase } from '../text/describe-database.ts';
import { messageOf } from '../text/error-text.ts';
import { compareRuns } from './compare-runs.ts';
import { RecordedModel } from './recorded-model.ts';
import { RecordedPerson } from './recorded-person.ts';
import { RecordedServers } from './recorded-servers.ts';
import { readDecisions, readRecording, type Recording } from './recording.ts';
import { ReplayClock } from './replay-clock.ts';
import { ReplayState, type ReplayEnd } from './replay-state.ts';

export interface ReplayOptions {
  /** Store of the run, possibly in use: a data directory, or the address of a PostgreSQL database. */
  readonly source: { readonly dataDir: string } | { readonly databaseUrl: string };
  readonly runId: string;
  readonly logger: Logger;
  /** Milliseconds without an event after which the replay is considered stuck. Default: 10,000. */
  readonly idleMs?: number;
}

export interface ReplayReport {
  readonly run: Run;
  readonly calls: number;
  /**
   * Whether the recorded run was stopped from outside. Then only its decisions before the stop were
   * replayed.
   */
  readonly isStopped: boolean;
  /** First decision that differs. */
  readonly difference: string | undefined;
}

/**
 * Replays a settled run in a copy of its database: model, servers and person act as recorded. The
 * store is not changed and nothing is called.
 * @throws ReplayError when the run has no complete recording, StoreError when the store cannot be read
 */
export async function replayRun({
  source,
  runId,
  logger,
  idleMs = 10_000,
}: ReplayOptions): Promise<ReplayReport> {
  const copy = await mkdtemp(join(tmpdir(), 'signalbox-replay-'));
  try {
    const place = await copySource(source, { runId, copy });
    const recording = await withStore(copy, ({ read }) => readRecording(read, runId, place));
    rewindRun(copy, runId);
    return await withStore(copy, (store) => replay(store, recording, { logger, idleMs }));
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Copies at least the run into a new data directory. Returns the name of the store in error texts. */
async function copySource(
  source: ReplayOptions['source'],
  { runId, copy }: { readonly runId: string; readonly copy: string },
): Promise<string> {
  if ('dataDir' in source) {
    await copyDatabase(source.dataDir, copy);
    return 'this data directory';
  }
  const { databaseUrl: url } = source;
  const { copyRunFromPostgres } = await import('../store/postgres/copy-run-from-postgres.ts');
  await copyRunFromPostgres({ url, runId, dataDir: copy });
  return `the database ${describeDatabase(url)}`;
}

async function withStore<T>(dataDir: string, work: (store: OpenedStore) => Promise<T>): Promise<T> {
  const store = await openStore({ dataDir, durability: 'process', clock: systemClock });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function replay(
  store: OpenedStore,
  recording: Recording,
  { logger, idleMs }: Required<Pick<ReplayOptions, 'logger' | 'idleMs'>>,
): Promise<ReplayReport> {
  const state = new ReplayState();
  const schemas = new SchemaChecks();
  const clock = new ReplayClock(systemClock);
  const { promise: settled, resolve: settle } = Promise.withResolvers<undefined>();
  const fail = (error: unknown): void => state.differ(`the replay failed: ${messageOf(error)}`);
  const watch = (): (() => void) =>
    systemClock.after(idleMs, () => state.differ(`turn ${state.turn}: the loop makes no progress`));
  let cancelWatch = watch();
  const onEvents = (_runId: string, events: readonly RunEventBody[]): void => {
    cancelWatch();
    cancelWatch = watch();
    for (const event of events) {
      if (event.type === 'turn.completed')
        [state.turn, state.point] = [event.data.turn + 1, 'begin'];
      if (event.type === 'inbox.opened') person.answer(event.data.inbox_item_id).catch(fail);
      if (
        event.type.startsWith('run.') &&
        ['run.completed', 'run.failed', 'run.cancelled', 'run.expired'].includes(event.type)
      )
        settle(undefined);
    }
  };
  const servers = new RecordedServers(recording, state);
  const engine = createRunEngine({
    store,
    queue: createMemoryJobQueue({ clock, onError: (_job, error) => fail(error) }),
    bus: createInProcessSignalBus(),
    catalogue: localCatalogue(servers),
    dispatcher: servers,
    llm: new RecordedModel(recording, state),
    outputs: createOutputChecker(schemas),
    clock,
    logger,
    // Stored from the policies of the engine.
    policies: recording.epoch.policies as unknown as { readonly [server: string]: ServerPolicy },
    onEvents,
  });
  const person = new RecordedPerson({ recording, state, engine, read: store.read, clock });
  try {
    await engine.start();
    const end = await Promise.race([settled, state.ended]);
    return await report(store, recording, end);
  } finally {
    cancelWatch();
    await engine.close({ graceMs: 0 });
    await schemas.close();
  }
}

async function report(
  { read }: OpenedStore,
  recording: Recording,
  end: ReplayEnd | undefined,
): Promise<ReplayReport> {
  const { run, calls } = recording;
  const replayed = (await read.run(run.id)) ?? run;
  const isStopped = end?.type === 'stopped' || (!isSettled(replayed) && end === undefined);
  const found = compareRuns(
    recording,
    await readDecisions(read, replayed),
    isStopped || end !== undefined,
  );
  return {
    run,
    calls: calls.length,
    isStopped,
    difference: end?.type === 'difference' ? earlier(found, end.message) : found,
  };
}

/** Returns the first differing decision before the end of the replay, which explains it better. */
function earlier(found: string | undefined, end: string): string {
  return found === undefined || found.endsWith('is not planned') ? end : found;
}
