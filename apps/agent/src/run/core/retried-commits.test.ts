import { expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { NewEvent } from '../../ports/store/run-event.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { withRetriedWrites } from '../testing/retried-writes.ts';
import { openService, type Service } from '../testing/service.ts';

const NOTED = {
  who: 'person',
  callId: undefined,
  itemId: undefined,
  kind: 'tool_call',
  server: undefined,
  tool: undefined,
  argumentsSha256: undefined,
  decision: 'noted',
  outcome: undefined,
} as const;

/** The visible effects of two runs of one thread, a fork and a single call. */
interface Seen {
  readonly types: readonly (readonly string[])[];
  readonly received: readonly string[];
  readonly published: readonly string[];
  readonly sent: readonly string[];
  /** Jobs of runs and calls, in order. */
  readonly jobs: readonly string[];
  /** Entries of the audit, with that of the caller who answered. */
  readonly decisions: readonly (string | undefined)[];
}

async function see(
  changeStore: (store: Store) => Store,
): Promise<{ readonly seen: Seen; readonly callbacks: number; readonly service: Service }> {
  const received: string[] = [];
  const service = await openService({
    script: callsThenAnswer([[{ name: 'r__read' }], [{ name: 'w__write' }]]),
    tools: {
      r__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('read')) },
      w__write: { call: () => Promise.resolve(ok('written')) },
    },
    changeStore,
    onEvents: (_, events) => received.push(...events.map(({ type }) => type)),
  });
  const { engine } = service;
  const thread = await engine.createThread({ title: undefined, metadata: {} });
  let callbacks = 0;
  const options = { threadId: thread.id, onBusy: 'enqueue' } as const;
  const first = await engine.createRun({ prompt: 'first', ...options });
  const second = await engine.createRun({ prompt: 'second', ...options });
  expect(await engine.cancelRun(second.id)).toMatchObject({ status: 'cancelled' });
  await service.status(first.id, 'input_required');
  const item = await service.item(first.id);
  await engine.respond(item.id, { action: 'approve' }, async (sql) => {
    callbacks += 1;
    await sql.appendAudit([{ ...NOTED, runId: first.id }]);
  });
  await service.settled(first.id);
  const third = await engine.forkRun(first.id, { prompt: 'third' });
  await service.settled(third.id);
  const { run } = await engine.startCall({ wireName: 'r__read', arguments: {} });
  await service.settled(run.id);
  const ids = [first.id, second.id, third.id, run.id];
  const seen = {
    types: await Promise.all(ids.map((id) => service.types(id))),
    received: received.toSorted(),
    published: service.signals
      .filter(({ type }) => type !== 'delta')
      .map(({ type }) => type)
      .toSorted(),
    jobs: service.jobs.map(({ type }) => type),
    sent: service.registry.sent.map(({ wireName }) => wireName),
    decisions: (await service.read.audit({ after: 0, limit: 100 })).map(
      ({ decision, outcome }) => decision ?? outcome,
    ),
  };
  return { seen, callbacks, service };
}

/** The events and effects that the work of a transaction returns. */
interface Collected {
  readonly events: readonly unknown[];
  readonly effects: readonly (() => void)[];
}

/**
 * Returns a store that runs each transaction twice, of which the second still has the events or the
 * effects of the first, as if they were collected outside of the work that the store repeats.
 */
const keepingFirst =
  (kept: keyof Collected) =>
  (store: Store): Store => {
    const retrying = withRetriedWrites(store);
    return {
      ...retrying,
      async write<T>(...[locks, work, options]: Parameters<typeof store.write<T>>): Promise<T> {
        const written: NewEvent[] = [];
        const collected: { [name in keyof Collected]: unknown[] } = { events: [], effects: [] };
        return retrying.write(
          locks,
          async (sql) => {
            const append: typeof sql.append = (runId, events, at) => {
              written.push(...events);
              return sql.append(runId, kept === 'events' ? written : events, at);
            };
            const result = await work({ ...sql, append });
            if (!isCollected(result)) return result;
            collected[kept].push(...result[kept]);
            return { ...result, [kept]: collected[kept] };
          },
          options,
        );
      },
    };
  };

function isCollected(result: unknown): result is Collected {
  return typeof result === 'object' && result !== null && 'effects' in result;
}

test('a retried transaction writes, publishes and does everything once', async () => {
  const once = await see((store) => store);
  expect(once.callbacks).toBe(1);
  const retried = await see(withRetriedWrites);
  expect(retried.seen).toEqual(once.seen);
  // Each of the two runs of the transaction calls it; what the first one wrote is rolled back.
  expect(retried.callbacks).toBe(2);
});

test.each([
  ['events', 'received', 'run.queued'],
  ['effects', 'published', 'inbox'],
] as const)(
  'control: %s that are collected outside of the repeated work are counted twice',
  async (kept, name, type) => {
    const once = await see((store) => store);
    const twice = await see(keepingFirst(kept));
    const count = ({ seen }: typeof once): number =>
      seen[name].filter((each) => each === type).length;
    expect(count(twice)).toBeGreaterThan(count(once));
    // The stored events are there twice as well, and the end of the test would compare them with the rows.
    await twice.service.kill();
  },
);
