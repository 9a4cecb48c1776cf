import { expect, test } from 'vitest';
import type { Clock } from '../../ports/clock.ts';
import type { Job, JobHandler, JobLane, JobQueue } from '../../ports/job-queue.ts';
import type { Store, StoreReader } from '../../ports/store.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const RUNS = 3;
const TURNS = 3;
const CALLS = 2;

/** A queue that delivers each job twice, the second time possibly during the first, in random order. */
class UnrulyQueue implements JobQueue {
  readonly #random: () => number;
  readonly #clock: Clock;
  readonly #waiting: Job[] = [];
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #handler: JobHandler | undefined;

  constructor(seed: number, clock: Clock) {
    let state = seed;
    this.#random = () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state / 2 ** 31;
    };
    this.#clock = clock;
  }

  start(handler: JobHandler): void {
    this.#handler = handler;
    setImmediate(() => this.#deliver());
  }

  enqueue(job: Job, { delayMs = 0 } = {}): Promise<void> {
    const add = (): void => {
      this.#waiting.push(job, job);
      setImmediate(() => this.#deliver());
      setImmediate(() => this.#deliver());
    };
    if (delayMs > 0) this.#clock.after(delayMs, add);
    else add();
    return Promise.resolve();
  }

  depth(): Promise<{ readonly [L in JobLane]: number }> {
    return Promise.resolve({ 'advance-run': 0, 'call-tool': 0 });
  }

  async close(): Promise<readonly Job[]> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    return this.#waiting;
  }

  #deliver(): void {
    const handler = this.#handler;
    if (handler === undefined || this.#closing.signal.aborted) return;
    const [job] = this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1);
    if (job === undefined) return;
    const work = handler(job, this.#closing.signal);
    this.#running.add(work);
    const end = (): void => void this.#running.delete(work);
    work.then(end, end);
    setImmediate(() => this.#deliver());
  }
}

/** Runs with parallel calls, whose jobs are repeated and shuffled. */
async function unruly(
  seed: number,
  changeStore: (store: Store) => Store = (store) => store,
): Promise<{ readonly service: Service; readonly settled: Promise<readonly unknown[]> }> {
  const clock = new ManualClock();
  const names = Array.from({ length: CALLS }, (_, index) => ({ name: `a__tool_${index}` }));
  const call = { annotations: READ_ONLY, call: () => Promise.resolve(ok('42')) };
  const service = await openService({
    script: callsThenAnswer(Array.from({ length: TURNS }, () => names)),
    tools: Object.fromEntries(names.map(({ name }) => [name, call])),
    clock,
    changeStore,
    changeQueue: () => new UnrulyQueue(seed, clock),
  });
  const runs = Array.from({ length: RUNS }, async () => {
    const { id } = await service.engine.createRun({ prompt: 'go' });
    return (await service.settled(id)).status;
  });
  return { service, settled: Promise.all(runs) };
}

/** Highest number of times that any call was sent. */
function mostSent({ registry }: Service): number {
  const counts = new Map<string, number>();
  for (const { callId = '' } of registry.sent) counts.set(callId, (counts.get(callId) ?? 0) + 1);
  return Math.max(...counts.values());
}

test.each([1, 2, 3, 4, 5])(
  'jobs that are delivered twice and out of order repeat no model call and no tool call (seed %i)',
  async (seed) => {
    const { service, settled } = await unruly(seed);
    expect(await settled).toEqual(Array.from({ length: RUNS }, () => 'completed'));
    expect(service.llm.requests).toHaveLength(RUNS * (TURNS + 1));
    expect(service.registry.sent).toHaveLength(RUNS * TURNS * CALLS);
    expect(mostSent(service)).toBe(1);
  },
);

test('control: without the states of the ledger a repeated job repeats its call', async () => {
  const unsent = (read: Pick<StoreReader, 'toolCall'>): Pick<StoreReader, 'toolCall'> => ({
    toolCall: async (id) => {
      const call = await read.toolCall(id);
      return call && { ...call, state: 'planned', attempt: 0 };
    },
  });
  const { service } = await unruly(1, (store) => ({
    ...store,
    read: { ...store.read, ...unsent(store.read) },
    write: (lock, work, options) =>
      store.write(
        lock,
        (sql) =>
          work({
            ...sql,
            ...unsent(sql),
            updateToolCall: async (id, _expected, patch) => {
              const call = await sql.toolCall(id);
              return call !== undefined && sql.updateToolCall(id, { state: [call.state] }, patch);
            },
          }),
        options,
      ),
  }));
  const twice = service.until(async () => mostSent(service) > 1 || undefined);
  expect(await twice).toBe(true);
  await service.kill();
});

test('an engine whose jobs cannot be handed back closes, and stores what is in progress', async () => {
  const reply = Promise.withResolvers<void>();
  const service = await openService({
    script: () => ({ text: 'half', hold: reply.promise }),
    changeQueue: (queue) => ({
      start: (handler, options) => queue.start(handler, options),
      enqueue: (job, options) => queue.enqueue(job, options),
      depth: () => queue.depth(),
      close: () => queue.close().then(() => Promise.reject(new Error('the disk is full'))),
    }),
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.until(async () => service.llm.requests[0]);
  await service.engine.close();
  expect(await service.types(id)).toContain('turn.interrupted');
  expect(service.errors.join()).toContain('the disk is full');
});

test('closing the engine hands back the jobs of the model calls and tool calls that it interrupts', async () => {
  let handedBack: readonly Job[] = [];
  const never = new Promise<never>(() => undefined);
  const service = await openService({
    script: ({ messages }) =>
      JSON.stringify(messages).includes('think')
        ? { text: 'half', hold: never }
        : { calls: [{ name: 'a__slow' }] },
    tools: { a__slow: { annotations: READ_ONLY, call: () => never } },
    changeQueue: (queue) => ({
      start: (handler, options) => queue.start(handler, options),
      enqueue: (job, options) => queue.enqueue(job, options),
      depth: () => queue.depth(),
      close: async () => (handedBack = await queue.close()),
    }),
  });
  const { id } = await service.engine.createRun({ prompt: 'think' });
  const other = await service.engine.createRun({ prompt: 'act' });
  await service.until(async () => (service.llm.requests.length === 2 ? true : undefined));
  await service.until(async () => service.registry.sent[0]);
  const { id: callId } = await service.call(other.id);
  const closing = service.engine.close({ graceMs: 1000 });
  service.clock.advance(1000);
  await closing;
  await new Promise((resolve) => void setImmediate(resolve));
  expect(new Set(handedBack.map((job) => JSON.stringify(job)))).toEqual(
    new Set([
      JSON.stringify({ type: 'start-run', runId: id }),
      JSON.stringify({ type: 'call-tool', callId }),
    ]),
  );
});
