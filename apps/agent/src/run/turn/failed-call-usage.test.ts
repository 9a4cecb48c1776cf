import { expect, test } from 'vitest';
import { LlmError, type Usage } from '../../ports/llm-provider.ts';
import { openService } from '../testing/service.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';

const USED: Usage = {
  input: 40,
  cacheRead: 0,
  cacheWrite: 0,
  output: 7,
  reasoning: 0,
  source: 'partial',
  costUsd: 0.5,
};

test('a model call that fails after the provider accepted it is charged to its run, with its cost', async () => {
  const service = await openService({
    script: () => ({ text: 'so far', fail: new LlmError('context', 'cut', { usage: USED }) }),
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  const run = await service.settled(id);
  expect(run).toMatchObject({ status: 'failed', usage: USED });
  const events = await service.read.events(id, { after: 0, limit: 100 });
  expect(events.find(({ type }) => type === 'usage.updated')?.data).toMatchObject({
    source: 'agent',
    usage: { input: 40, output: 7, source: 'partial', cost_usd: 0.5 },
    total: { cost_usd: 0.5 },
  });
});

test('a model call that the provider refused is charged nothing', async () => {
  const service = await openService({ script: () => ({ fail: new LlmError('invalid', 'no') }) });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  expect((await service.settled(id)).usage).toBeUndefined();
});

test('a sampling call that fails after the provider accepted it is charged to the run of the server', async () => {
  const service = await openService({
    script: (request, index) =>
      request.purpose === 'sampling'
        ? { fail: new LlmError('network', 'cut', { usage: USED }) }
        : index === 0
          ? { calls: [{ name: 'a__sum' }] }
          : { text: 'done' },
    tools: {
      a__sum: {
        annotations: READ_ONLY,
        call: async ({ inputHandlers }) => {
          await inputHandlers.sample!(
            { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 5 },
            { signal: new AbortController().signal, meta: {} },
          ).catch(() => undefined);
          return ok('');
        },
      },
    },
    policies: { a: { approval: 'auto', sampling: 'auto' } },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  expect((await service.settled(id)).usage).toMatchObject({
    input: 60,
    output: 17,
    source: 'partial',
  });
});
