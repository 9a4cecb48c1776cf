import { setTimeout as wait } from 'node:timers/promises';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import type { Engines, Environment } from './environment.ts';
import type { Evidence } from './evidence.ts';
import { isAlive, type Fleet, type Member } from './fleet.ts';
import type { Seeded } from './seeded.ts';

export interface FaultContext {
  readonly fleet: Fleet;
  readonly environment: Environment;
  readonly evidence: Evidence;
  readonly random: Seeded;
}

/** A fault that has begun. */
export interface BegunFault {
  /** Names the victim, and how long the fault lasts. */
  readonly text: string;
  /** Resolves at the time from which the service has 10 seconds to continue every run. */
  readonly recoveryBegins: Promise<void>;
  /** Resolves when everything runs and is connected again, with problems if there are any. */
  readonly over: Promise<string | undefined>;
}

/** Begins a fault. Returns undefined when no process is left that it could disturb. */
type Fault = (context: FaultContext) => BegunFault | undefined | Promise<BegunFault | undefined>;

/** Every kind of fault. */
export const FAULTS = {
  'kill-worker': (context) => endAndRestart(context, 'worker', 'SIGKILL'),
  'stop-worker': (context) => endAndRestart(context, 'worker', 'SIGTERM'),
  'kill-all-workers': killAllWorkers,
  'freeze-worker': (context) => freeze(context, 'worker', context.random.between(300, 3000)),
  'long-freeze-worker': (context) => freeze(context, 'worker', context.random.between(7000, 9000)),
  'kill-server': killServer,
  'kill-api': (context) => endAndRestart(context, 'api', 'SIGKILL'),
  'freeze-api': (context) => freeze(context, 'api', context.random.between(300, 8000)),
  'drop-clients': ({ fleet }) => at(() => fleet.edge.drop(), 'every connection of the clients'),
  'lose-responses': ({ fleet, random }) => {
    const count = random.between(1, 3);
    return at(() => fleet.edge.loseResponses(count), `the next ${count} of POST requests`);
  },
  'kill-database': ({ environment, random }) =>
    down(random.between(0, 3000), (ms) => environment.killDatabase(ms)),
  'drop-database': (context) => dropLink(context, 'database'),
  'stall-database': (context) => stallLink(context, 'database'),
  'kill-redis': ({ environment, random }) =>
    down(random.between(0, 3000), (ms) => environment.killRedis(ms)),
  'flush-redis': ({ environment }) => at(() => environment.flushRedis(), 'every key'),
  'drop-redis': (context) => dropLink(context, 'redis'),
  'stall-redis': (context) => stallLink(context, 'redis'),
  'duplicate-jobs': async ({ environment, random }) => {
    const count = await environment.repeatJobs(random.between(20, 100));
    return at(() => undefined, `${count} jobs`);
  },
  'update-worker': updateWorker,
  'refused-update': (context) => refuseVersion(context, 'later'),
  'refused-version': (context) => refuseVersion(context, 'this'),
  // Only for a control: the service refuses to do it.
  'migrate-in-use': ({ environment }) =>
    at(() => environment.records.renameColumn(), 'a column of the tool calls'),
} as const satisfies { readonly [kind: string]: Fault };

export type FaultKind = keyof typeof FAULTS;

/** Returns the kinds of faults that these engines can have. */
export function kindsFor({ store, queue }: Engines): readonly FaultKind[] {
  return (Object.keys(FAULTS) as FaultKind[]).filter(
    (kind) =>
      kind !== 'migrate-in-use' &&
      (store === 'postgres' || !(kind.endsWith('-database') || kind === 'update-worker')) &&
      (queue === 'bullmq-redis' || !kind.endsWith('-redis')),
  );
}

/** A lease of 6 seconds is over after a pause of this length. */
const LEASE_IS_OVER_MS = 7000;

/** Time for which a fault waits for a write that has begun, in milliseconds. */
const AWAIT_WRITE_MS = 2000;

/** Ends a process, and starts it again after up to 3 seconds. Other processes continue meanwhile. */
async function endAndRestart(
  context: FaultContext,
  role: Member['role'],
  signal: 'SIGKILL' | 'SIGTERM',
): Promise<BegunFault | undefined> {
  const { fleet, random } = context;
  const victim = await victimOf(context, role);
  if (victim === undefined) return undefined;
  const delayMs = random.between(0, 3000);
  victim.isDisturbed = true;
  await fleet.end(victim, signal);
  const over = wait(delayMs)
    .then(() => fleet.restart(victim))
    .then(() => void (victim.isDisturbed = false));
  const isReplaced = healthy(fleet, role).length > 0;
  return {
    text: `${victim.name}, for ${delayMs} ms`,
    recoveryBegins: isReplaced ? Promise.resolve() : over,
    over: over.then(() => undefined),
  };
}

async function killAllWorkers({ fleet, random }: FaultContext): Promise<BegunFault | undefined> {
  const workers = healthy(fleet, 'worker');
  if (workers.length === 0) return undefined;
  for (const worker of workers) worker.isDisturbed = true;
  await Promise.all(workers.map((worker) => fleet.end(worker, 'SIGKILL')));
  const delaysMs = workers.map(() => random.between(0, 1000));
  const started = workers.map(async (worker, index) => {
    await wait(delaysMs[index]);
    await fleet.restart(worker);
    worker.isDisturbed = false;
  });
  return {
    text: workers.map(({ name }) => name).join(', '),
    recoveryBegins: Promise.race(started),
    over: Promise.all(started).then(() => undefined),
  };
}

async function freeze(
  context: FaultContext,
  role: Member['role'],
  ms: number,
): Promise<BegunFault | undefined> {
  const victim = await victimOf(context, role);
  const child = victim?.process?.process;
  if (victim === undefined || child === undefined) return undefined;
  return pauseMember(victim, ms, {
    begin: () => void child.kill('SIGSTOP'),
    end: () => void child.kill('SIGCONT'),
  });
}

function stallLink(context: FaultContext, link: keyof Member['links']): BegunFault | undefined {
  const { random, fleet } = context;
  const victim = pick(context, [...healthy(fleet, 'worker', 1), ...healthy(fleet, 'api')]);
  const proxy = victim?.links[link];
  if (victim === undefined || proxy === undefined) return undefined;
  const ms = random.pick([random.between(300, 3000), random.between(7000, 9000)]);
  return pauseMember(victim, ms, { begin: () => proxy.stall(), end: () => proxy.resume() });
}

/** Pauses a worker or an API process. Without the lease of a worker, others continue its runs. */
function pauseMember(
  victim: Member,
  ms: number,
  { begin, end }: { readonly begin: () => void; readonly end: () => void },
): BegunFault {
  victim.isDisturbed = true;
  begin();
  const pause = async (): Promise<void> => {
    await wait(ms);
    end();
    victim.isDisturbed = false;
  };
  const over = pause();
  const isReplaced = victim.role === 'worker' && ms >= LEASE_IS_OVER_MS;
  return {
    text: `${victim.name}, for ${ms} ms`,
    recoveryBegins: isReplaced ? Promise.resolve() : over,
    over: over.then(() => undefined),
  };
}

function dropLink(
  context: FaultContext,
  link: keyof Member['links'],
): Promise<BegunFault> | undefined {
  const victim = pick(context, context.fleet.members);
  const proxy: TcpProxy | undefined = victim?.links[link];
  if (victim === undefined || proxy === undefined) return undefined;
  return at(() => proxy.drop(), victim.name);
}

function killServer(context: FaultContext): Promise<BegunFault> | undefined {
  const pid = pick(context, context.evidence.aliveServers());
  if (pid === undefined) return undefined;
  return at(() => void process.kill(pid, 'SIGKILL'), `process ${pid}`);
}

/** Kills an engine for a time. */
function down(ms: number, kill: (ms: number) => Promise<void>): BegunFault {
  const over = kill(ms);
  return { text: `for ${ms} ms`, recoveryBegins: over, over: over.then(() => undefined) };
}

/** Stops a worker, and starts one of a later version in its place, which adds a column while the others work. */
async function updateWorker(context: FaultContext): Promise<BegunFault | undefined> {
  const { fleet } = context;
  const victim = await victimOf(context, 'worker');
  if (victim === undefined) return undefined;
  victim.isDisturbed = true;
  await fleet.end(victim, 'SIGTERM');
  const update = async (): Promise<undefined> => {
    await fleet.update(victim);
    victim.isDisturbed = false;
  };
  return { text: victim.name, recoveryBegins: Promise.resolve(), over: update() };
}

/**
 * Starts a process that must be refused: one of a later version with a migration that is not
 * additive, or one of this version on a database that has such a migration.
 */
function refuseVersion(
  { fleet, environment: { records } }: FaultContext,
  version: 'later' | 'this',
): BegunFault {
  const refusal =
    version === 'later' ? 'must be brought up to date while no other' : 'by a newer version';
  const start = async (): Promise<string | undefined> => {
    const text = await fleet.tryStart(version, (attempt) =>
      version === 'later' ? attempt() : records.withNewerMigration(attempt),
    );
    // Without the database a process does not start either.
    if (text.includes(refusal) || /cannot be opened|ECONNRE|terminat/.test(text)) return undefined;
    return `a process of ${version} version was not refused: ${text.slice(-400)}`;
  };
  const over = start();
  return { text: 'one process', recoveryBegins: over.then(() => undefined), over };
}

/** A fault of a moment. */
async function at(begin: () => void | Promise<void>, text: string): Promise<BegunFault> {
  await begin();
  return { text, recoveryBegins: Promise.resolve(), over: Promise.resolve(undefined) };
}

/** Returns processes that no fault disturbs, all but so many of them. */
function healthy(fleet: Fleet, role: Member['role'], spared = 0): readonly Member[] {
  const members = fleet.members.filter(
    (member) => member.role === role && !member.isDisturbed && isAlive(member),
  );
  return members.length > spared ? members : [];
}

/** Chooses a process, half of the time the worker of a write that has its effect but no result yet. One worker always remains. */
async function victimOf(context: FaultContext, role: Member['role']): Promise<Member | undefined> {
  const { fleet, evidence, random } = context;
  const candidates = (): readonly Member[] => healthy(fleet, role, role === 'worker' ? 1 : 0);
  const chosen = pick(context, candidates());
  if (role === 'api' || random.pick([false, true])) return chosen;
  for (const until = performance.now() + AWAIT_WRITE_MS; performance.now() < until;) {
    const pid = evidence.effects.lastWriter;
    const writer = candidates().find((member) => member.process?.process.pid === pid);
    if (writer !== undefined) return writer;
    await wait(2);
  }
  return chosen?.isDisturbed === true ? undefined : chosen;
}

function pick<T>({ random }: FaultContext, values: readonly T[]): T | undefined {
  const [first, ...rest] = values;
  return first === undefined ? undefined : random.pick([first, ...rest]);
}
