import { expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { ToolCallOutcome } from '../../ports/tool-dispatcher.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const SCRIPT = callsThenAnswer([[{ name: 'w__do' }]]);
const LIMITS = { callMaxMs: 60_000 };
const LOST: ToolCallOutcome = { type: 'lost', message: 'the connection ended' };

interface Attempts {
  readonly service: Service;
  readonly id: string;
}

/** Starts a run with one call, each of whose attempts takes some time and is then lost. */
async function lostAfter(
  durationsMs: readonly number[],
  tool: Partial<FakeTool> = { annotations: READ_ONLY },
): Promise<Attempts> {
  const clock = new ManualClock();
  const rest = [...durationsMs];
  const service = await openService({
    clock,
    script: SCRIPT,
    policies: { w: { approval: 'auto', sampling: 'ask' } },
    tools: {
      w__do: {
        ...tool,
        call: () => {
          const durationMs = rest.shift();
          if (durationMs === undefined) return Promise.resolve(ok('done'));
          clock.advance(durationMs);
          return Promise.resolve(LOST);
        },
      },
    },
  });
  const { id } = await service.engine.createRun({ prompt: 'go', limits: LIMITS });
  return { service, id };
}

const limitsOf = ({ registry }: Service): readonly number[] =>
  registry.sent.map(({ maxTotalMs }) => maxTotalMs);

test('a call that is sent again has the time that its earlier attempts left', async () => {
  const { service, id } = await lostAfter([20_000, 15_000]);
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  expect(await service.call(id)).toMatchObject({ state: 'succeeded', attempt: 3 });
  expect(limitsOf(service)).toEqual([60_000, 40_000, 25_000]);
});

test('a read that was lost when its time was over is not sent again, and the model reads why', async () => {
  const { service, id } = await lostAfter([60_000]);
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  expect(service.registry.sent).toHaveLength(1);
  expect(await service.call(id)).toMatchObject({
    state: 'failed',
    error:
      'the connection ended. The call is not sent again: it has used up limits.call_max_ms of the run.',
  });
});

test('a person who retries a call allows its whole time again', async () => {
  const { service, id } = await lostAfter([60_000], {});
  const item = await service.item(id);
  expect(item.kind).toBe('outcome_unknown');
  await service.engine.respond(item.id, { action: 'retry' });
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  expect(limitsOf(service)).toEqual([60_000, 60_000]);
});

/** Opens another process on the store of one that ended. Time passes until the run is completed. */
async function completedBy(first: Service, id: string, tool: FakeTool): Promise<Service> {
  const second = await openService({ beside: first, script: SCRIPT, tools: { w__do: tool } });
  await expect
    .poll(async () => {
      first.clock.advance(2000);
      return (await second.read.run(id))?.status;
    })
    .toBe('completed');
  return second;
}

test('an attempt whose process ended does not count', async () => {
  const clock = new ManualClock();
  const first = await openService({
    clock,
    script: SCRIPT,
    tools: {
      w__do: {
        annotations: READ_ONLY,
        call: () => (clock.advance(1000), new Promise(() => undefined)),
      },
    },
  });
  const { id } = await first.engine.createRun({ prompt: 'go', limits: LIMITS });
  await first.until(async () => first.registry.sent[0]);
  first.stall();
  clock.advance(3_600_000);
  const done: FakeTool = { annotations: READ_ONLY, call: () => Promise.resolve(ok('done')) };
  expect(limitsOf(await completedBy(first, id, done))).toEqual([60_000]);
});

test('the time in which a person was asked does not count', async () => {
  const clock = new ManualClock();
  const params = { message: 'size?', requestedSchema: { type: 'object', properties: {} } } as const;
  const tool: FakeTool = {
    annotations: READ_ONLY,
    call: async ({ resumeFrom, rounds, inputHandlers, signal }) => {
      if (resumeFrom === undefined) {
        clock.advance(20_000);
        await rounds!.save({
          inputRequests: { size: { method: 'elicitation/create', params } },
          requestState: 'sealed',
        });
      }
      await inputHandlers.elicit!(params, { signal, meta: {}, key: 'size' });
      await rounds!.discard();
      return ok('done');
    },
  };
  const first = await openService({ clock, script: SCRIPT, tools: { w__do: tool } });
  const { id } = await first.engine.createRun({ prompt: 'go', limits: LIMITS });
  const item = await first.item(id);
  await first.status(id, 'input_required');
  first.stall();
  clock.advance(3_600_000);
  await first.opened.write({}, (sql) => sql.endWorker(first.opened.workerId));
  const asked = await openService({ beside: first, script: SCRIPT, tools: { w__do: tool } });
  await asked.engine.respond(item.id, { action: 'accept', content: {} });
  expect(await asked.settled(id)).toMatchObject({ status: 'completed' });
  expect(limitsOf(asked)).toEqual([40_000]);
});
