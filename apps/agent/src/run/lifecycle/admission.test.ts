import { expect, test } from 'vitest';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService } from '../testing/service.ts';

test('a run beyond the limit of queued runs is refused without a trace; a run that starts frees its slot', async () => {
  const service = await openService({
    script: () => ({ text: 'done' }),
    isStarted: false,
    maxQueuedRuns: 2,
  });
  const first = await service.engine.createRun({ prompt: '1' });
  await service.engine.createRun({ prompt: '2' });
  await expect(service.engine.createRun({ prompt: '3' })).rejects.toMatchObject({
    code: 'too_many_runs',
    message: expect.stringContaining(
      '2 runs wait for their first step, and max_queued_runs of the configuration allows 2',
    ) as unknown,
  });
  expect((await service.read.runs({ limit: 9 })).data).toHaveLength(2);
  await service.engine.start();
  await service.settled(first.id);
  expect(await service.settled((await service.engine.createRun({ prompt: '4' })).id)).toMatchObject(
    { status: 'completed' },
  );
});

test('a fork counts as a new run, and a run that waits for a person does not count', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'w__write' }]]),
    tools: { w__write: { call: () => Promise.resolve(ok('x')) } },
    maxQueuedRuns: 1,
  });
  for (let count = 0; count < 3; count += 1)
    await service.status((await service.engine.createRun({ prompt: 'go' })).id, 'input_required');
  const second = await openService({
    script: () => ({ text: 'done' }),
    isStarted: false,
    maxQueuedRuns: 1,
  });
  const { id } = await second.engine.createRun({ prompt: 'go' });
  await expect(second.engine.forkRun(id, { atTurn: 0 })).rejects.toMatchObject({
    code: 'too_many_runs',
  });
});

test('a single tool call beyond the limit of calls in progress is refused', async () => {
  const held = Promise.withResolvers<void>();
  const r__read = { annotations: READ_ONLY, call: () => held.promise.then(() => ok('read')) };
  const service = await openService({
    script: () => ({ text: 'done' }),
    tools: { r__read },
    maxQueuedRuns: 1,
  });
  const { run } = await service.engine.startCall({ wireName: 'r__read', arguments: {} });
  await expect(
    service.engine.startCall({ wireName: 'r__read', arguments: {} }),
  ).rejects.toMatchObject({ code: 'too_many_runs' });
  held.resolve();
  await service.settled(run.id);
  await service.engine.startCall({ wireName: 'r__read', arguments: {} });
});
