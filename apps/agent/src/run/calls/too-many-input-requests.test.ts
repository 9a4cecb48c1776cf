import type { ElicitParams, ToolAnnotations } from '@signalbox/mcp-core';
import { expect, test } from 'vitest';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { READ_ONLY, untilCancelled, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const UNUSABLE: ElicitParams = { message: 'x', requestedSchema: { type: 'string' } };
const ENDED =
  'The server sent 100 input requests during the call, and 200 more that were rejected.';

/** Asks so often, hears every refusal, and does not end before it is cancelled. */
function asks(
  times: number,
  annotations: ToolAnnotations,
): { readonly tool: FakeTool; readonly wasCancelled: () => boolean; readonly calls: () => number } {
  let wasCancelled = false;
  let calls = 0;
  const tool: FakeTool = {
    annotations,
    call: async (request) => {
      calls += 1;
      for (let count = 0; count < times; count += 1)
        await request.inputHandlers
          .elicit?.(UNUSABLE, { signal: request.signal, meta: {} })
          .catch(() => undefined);
      wasCancelled = request.signal.aborted;
      return wasCancelled ? untilCancelled()(request) : { type: 'result', result: { content: [] } };
    },
  };
  return { tool, wasCancelled: () => wasCancelled, calls: () => calls };
}

async function run(tool: FakeTool): Promise<{ readonly service: Service; readonly id: string }> {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__ask' }]]),
    tools: { a__ask: tool },
    policies: { a: { approval: 'auto', sampling: 'auto' } },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  return { service, id };
}

test('a server that keeps sending input requests loses its call, which is not sent again', async () => {
  const { tool, wasCancelled, calls } = asks(300, READ_ONLY);
  const { service, id } = await run(tool);
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  expect(wasCancelled()).toBe(true);
  expect(calls()).toBe(1);
  expect(await service.call(id)).toMatchObject({
    state: 'failed',
    error: expect.stringContaining(ENDED) as string,
  });
});

test('a write call of a server that keeps sending input requests has an unknown outcome, which a person settles', async () => {
  const { service, id } = await run(asks(300, {}).tool);
  expect(await service.item(id)).toMatchObject({
    kind: 'outcome_unknown',
    request: { message: expect.stringContaining(ENDED) as string },
  });
});

test('a server that stops sending input requests after some refusals keeps its call', async () => {
  const { tool, wasCancelled } = asks(299, READ_ONLY);
  const { service, id } = await run(tool);
  await service.settled(id);
  expect(wasCancelled()).toBe(false);
  expect(await service.call(id)).toMatchObject({ state: 'succeeded' });
});
