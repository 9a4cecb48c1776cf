import { describe, expect, test } from 'vitest';
import { SignalWatch } from '../signals/signal-watch.ts';
import { RunFollower, type RunFrame } from '../run/follow/follow-run.ts';
import { shareReads } from '../run/follow/shared-run-reader.ts';
import { callsThenAnswer, type Script } from '../run/testing/fake-llm.ts';
import { ok, READ_ONLY, type FakeTool } from '../run/testing/fake-registry.ts';
import { openService, type Service } from '../run/testing/service.ts';
import { POLL_EVERY_MS } from '../store/change-feed.ts';

const never = new Promise<never>(() => undefined);

/** A worker, and another process with the same data directory that executes no jobs. */
async function processes(
  { hasFeed }: { readonly hasFeed: boolean },
  script: Script,
  tools: { readonly [wireName: string]: FakeTool } = {},
): Promise<{ readonly worker: Service; readonly other: Service }> {
  const worker = await openService({ script, tools });
  const other = await openService({ script, beside: worker, isStarted: false });
  if (hasFeed) for (const service of [worker, other]) service.opened.shareSignals(service.bus);
  return { worker, other };
}

/** Lets so many milliseconds pass, in steps of one poll. */
async function pass({ clock }: Service, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += POLL_EVERY_MS) {
    clock.advance(POLL_EVERY_MS);
    for (let turn = 0; turn < 20; turn += 1)
      await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}

/** Returns whether a change has arrived within a few polls, and within a few periodic looks. */
async function arrival(
  service: Service,
  hasArrived: () => boolean | Promise<boolean>,
): Promise<{ readonly soon: boolean; readonly later: boolean }> {
  await pass(service, 5 * POLL_EVERY_MS);
  const soon = await hasArrived();
  await pass(service, 2000);
  return { soon, later: await hasArrived() };
}

describe.each([
  { hasFeed: true, name: 'with the change feed' },
  { hasFeed: false, name: 'control: without the change feed, by the periodic look' },
])('$name', ({ hasFeed }) => {
  test('events of a worker reach readers at another process', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { worker, other } = await processes({ hasFeed }, () => ({ text: 'done', hold: promise }));
    const { id } = await worker.engine.createRun({ prompt: 'go' });
    await worker.until(async () => worker.llm.requests[0]);
    const frames: RunFrame[] = [];
    const reading = (async () => {
      for await (const batch of new RunFollower(
        { read: shareReads(other.read), watch: new SignalWatch(other.bus, other.clock) },
        { runId: id, after: 0 },
      ))
        frames.push(...batch);
    })();
    await pass(worker, 2 * POLL_EVERY_MS);
    resolve();
    await worker.settled(id);
    const arrived = await arrival(other, () =>
      frames.some((frame) => frame.type === 'event' && frame.event.type === 'run.completed'),
    );
    expect(arrived).toEqual({ soon: hasFeed, later: true });
    await reading;
  });

  test('a run that another process cancels stops its model call', async () => {
    const { worker, other } = await processes({ hasFeed }, () => ({ text: 'half', hold: never }));
    const { id } = await worker.engine.createRun({ prompt: 'go' });
    await worker.until(async () => worker.llm.requests[0]);
    await pass(worker, 2 * POLL_EVERY_MS);
    await other.engine.cancelRun(id);
    const arrived = await arrival(
      worker,
      async () => (await worker.read.run(id))?.status === 'cancelled',
    );
    expect(arrived).toEqual({ soon: hasFeed, later: true });
  });

  test('a response that another process accepts reaches the server', async () => {
    const { worker, other } = await processes(
      { hasFeed },
      callsThenAnswer([[{ name: 'a__ask' }]]),
      {
        a__ask: {
          annotations: READ_ONLY,
          call: async ({ inputHandlers: { elicit }, signal }) => {
            const requestedSchema = { type: 'object' as const, properties: {} };
            await elicit!({ message: 'Who?', requestedSchema }, { signal, meta: {} });
            return ok('answered');
          },
        },
      },
    );
    const { id } = await worker.engine.createRun({ prompt: 'go' });
    const item = await worker.item(id);
    await pass(worker, 2 * POLL_EVERY_MS);
    await other.engine.respond(item.id, { action: 'decline' });
    const arrived = await arrival(
      worker,
      async () => (await worker.read.run(id))?.status === 'completed',
    );
    expect(arrived).toEqual({ soon: hasFeed, later: true });
  });
});
