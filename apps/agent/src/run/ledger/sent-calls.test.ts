import { expect, test } from 'vitest';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService } from '../testing/service.ts';

test('a call has the time at which its last attempt was sent, and counts for the statistics', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__b' }, { name: 'a__unknown' }]]),
    tools: { a__b: { annotations: READ_ONLY, call: () => Promise.resolve(ok('done')) } },
  });
  const { id } = await service.settled((await service.engine.createRun({ prompt: 'go' })).id);
  const [sent, refused] = await service.read.toolCalls(id);
  expect(sent).toMatchObject({ state: 'succeeded', sentAt: expect.any(Number) as number });
  expect(refused).toMatchObject({ state: 'failed', sentAt: undefined });
  const span = { from: 0, to: Number.MAX_SAFE_INTEGER, limit: 9 };
  expect(await service.read.latencies({ ...span, of: 'tool calls' })).toEqual([
    { id: sent?.id, startedAt: sent?.sentAt, endedAt: sent?.finishedAt },
  ]);
  expect(await service.read.latencies({ ...span, of: 'turns' })).toHaveLength(2);
});
