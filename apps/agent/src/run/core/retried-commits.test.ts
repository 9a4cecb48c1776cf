import { expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { withRetriedWrites } from '../testing/retried-writes.ts';
import { openService } from '../testing/service.ts';

/** The visible effects of two runs of one thread, a fork and a single call. */
interface Seen {
  readonly types: readonly (readonly string[])[];
  readonly received: readonly string[];
  readonly published: readonly string[];
  readonly sent: readonly string[];
  readonly decisions: readonly (string | undefined)[];
  readonly answers: number;
}

async function see(changeStore: (store: Store) => Store): Promise<Seen> {
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
  const answers: string[] = [];
  const options = { threadId: thread.id, onBusy: 'enqueue' } as const;
  const first = await engine.createRun({ prompt: 'first', ...options });
  const second = await engine.createRun({ prompt: 'second', ...options });
  expect(await engine.cancelRun(second.id)).toMatchObject({ status: 'cancelled' });
  await service.status(first.id, 'input_required');
  const item = await service.item(first.id);
  await engine.respond(item.id, { action: 'approve' }, async (_, { id }) => {
    answers.push(id);
  });
  await service.settled(first.id);
  const third = await engine.forkRun(first.id, { prompt: 'third' });
  await service.settled(third.id);
  const { run } = await engine.startCall({ wireName: 'r__read', arguments: {} });
  await service.settled(run.id);
  const ids = [first.id, second.id, third.id, run.id];
  return {
    types: await Promise.all(ids.map((id) => service.types(id))),
    received: received.toSorted(),
    published: service.signals
      .filter(({ type }) => type !== 'delta')
      .map(({ type }) => type)
      .toSorted(),
    sent: service.registry.sent.map(({ wireName }) => wireName),
    decisions: (await service.read.audit({ after: 0, limit: 100 })).map(
      ({ decision, outcome }) => decision ?? outcome,
    ),
    answers: new Set(answers).size,
  };
}

test('a retried transaction writes, publishes and does everything once', async () => {
  const once = await see((store) => store);
  expect(once.answers).toBe(1);
  expect(await see(withRetriedWrites)).toEqual(once);
});
