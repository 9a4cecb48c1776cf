import type { JsonObject } from '@signalbox/mcp-core';
import { expect, test } from 'vitest';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

function nested(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level += 1) value = { a: value };
  return value;
}

async function told(service: Service): Promise<string> {
  const run = await service.engine.createRun({ prompt: 'go' });
  expect(await service.settled(run.id)).toMatchObject({ status: 'completed' });
  return JSON.stringify(service.llm.requests.at(-1)?.messages.at(-1));
}

test.each([101, 3000, 100_000])(
  'arguments of %i levels are an invalid call for the model, and the run continues',
  async (levels) => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__x', input: nested(levels) }]]),
      tools: { a__x: { annotations: READ_ONLY, call: () => Promise.resolve(ok('x')) } },
    });
    expect(await told(service)).toContain(
      'The arguments of this call cannot be used: they are nested more than 100 levels deep.',
    );
    expect(service.registry.sent).toEqual([]);
  },
);

test('arguments of 100 levels are sent', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__x', input: nested(100) }]]),
    tools: { a__x: { annotations: READ_ONLY, call: () => Promise.resolve(ok('x')) } },
  });
  await told(service);
  expect(service.registry.sent[0]?.arguments).toEqual(nested(100));
});

test('a client that calls a tool with arguments of 101 levels is refused', async () => {
  const service = await openService({
    script: () => ({ text: 'done' }),
    tools: { a__x: { annotations: READ_ONLY, call: () => Promise.resolve(ok('x')) } },
  });
  await expect(
    service.engine.startCall({ wireName: 'a__x', arguments: nested(101) }),
  ).rejects.toMatchObject({
    code: 'invalid_arguments',
    message: 'the arguments are nested more than 100 levels deep',
  });
});

test('two calls of a turn with the same id get distinct ids before they are planned, and both are answered', async () => {
  const tools = {
    a__x: { annotations: READ_ONLY, call: () => Promise.resolve(ok('x done')) },
    a__y: { annotations: READ_ONLY, call: () => Promise.resolve(ok('y done')) },
  };
  const native = { provider: 'p', model: 'm', items: [{ id: 'same' }] };
  const script = callsThenAnswer([
    [
      { id: 'same', name: 'a__x' },
      { id: 'same', name: 'a__y' },
      { id: '', name: 'a__y' },
    ],
  ]);
  const service = await openService({
    script: (request, index) => ({ ...script(request, index), ...(index === 0 ? { native } : {}) }),
    tools,
  });
  const text = await told(service);
  expect(text).toContain('x done');
  expect(text).toContain('y done');
  const asked = service.llm.requests[1]?.messages.find(({ role }) => role === 'assistant');
  const ids =
    asked?.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])) ?? [];
  expect(ids[0]).toBe('same');
  expect(new Set(ids).size).toBe(3);
  expect(asked?.native).toBeUndefined();
});
