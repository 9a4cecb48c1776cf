import { describe, expect, test } from 'vitest';
import { cardWith } from '../../ports/testing/model-card.ts';
import { maxOutputTokens, outputTokensBeside, promptRoom } from './output-tokens.ts';
import { callsThenAnswer, type Reply, type Script } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const CARD = cardWith({
  aliases: ['other'],
  contextTokens: 20_000,
  maxOutputTokens: 6000,
  assumed: [],
  price: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
});

describe('the output tokens of a message', () => {
  test('are the maximum of the model, capped by the run, and 8,192 for an unknown model', () => {
    expect(maxOutputTokens(CARD, undefined)).toBe(6000);
    expect(maxOutputTokens(CARD, 500)).toBe(500);
    expect(maxOutputTokens(CARD, 50_000)).toBe(6000);
    for (const unknown of [undefined, cardWith()]) {
      expect(maxOutputTokens(unknown, undefined)).toBe(8192);
      expect(maxOutputTokens(unknown, 50_000)).toBe(50_000);
      expect(maxOutputTokens(unknown, 50_000, 700)).toBe(700);
    }
  });

  test('leave at least three quarters of the context to the prompt', () => {
    expect(promptRoom(CARD, 1000)).toBe(19_000);
    expect(promptRoom(CARD, 6000)).toBe(15_000);
    expect(promptRoom(undefined, 6000)).toBe(Infinity);
    expect(promptRoom(cardWith(), 8192)).toBe(24_576);
  });

  test('fit into the context beside the prompt, and are at least 1,024', () => {
    expect(outputTokensBeside(CARD, 6000, 1000)).toBe(6000);
    expect(outputTokensBeside(CARD, 6000, 12_000)).toBe(5000);
    expect(outputTokensBeside(CARD, 6000, 19_000)).toBe(1024);
    expect(outputTokensBeside(CARD, 500, 19_000)).toBe(500);
    for (const unknown of [undefined, cardWith()])
      expect(outputTokensBeside(unknown, 6000, 1_000_000)).toBe(6000);
  });
});

async function serviceWithCard(script: Script): Promise<Service> {
  const service = await openService({
    script,
    tools: {
      a__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('line\n'.repeat(6000))) },
    },
  });
  service.llm.cards = [CARD];
  return service;
}

describe.each(['other-1', 'other'])(
  'a run that names the model %s, which is not the configured one',
  (model) => {
    test('requests the maximum of the model, or the limit of the run', async () => {
      const service = await serviceWithCard(() => ({ text: 'done' }));
      for (const outputTokens of [undefined, 700])
        await service.settled(
          (
            await service.engine.createRun({
              prompt: 'go',
              model,
              limits: outputTokens === undefined ? {} : { outputTokens },
            })
          ).id,
        );
      expect(service.llm.requests.map(({ maxTokens }) => maxTokens)).toEqual([6000, 700]);
    });

    test('has its conversation fitted into the context of that model', async () => {
      const service = await serviceWithCard(
        callsThenAnswer(Array.from({ length: 4 }, () => [{ name: 'a__read' }])),
      );
      await service.settled((await service.engine.createRun({ prompt: 'go', model })).id);
      expect(JSON.stringify(service.llm.requests.at(-1)?.messages)).toContain(
        'The rest of this result was left out: the conversation is long.',
      );
    });

    test('may have a cost limit, because the price is known', async () => {
      const service = await serviceWithCard(() => ({ text: 'done' }));
      const { id } = await service.engine.createRun({
        prompt: 'go',
        model,
        limits: { costUsd: 1 },
      });
      expect(await service.settled(id)).toMatchObject({ status: 'completed' });
      await expect(
        service.engine.createRun({ prompt: 'go', model: 'unheard-of', limits: { costUsd: 1 } }),
      ).rejects.toMatchObject({ code: 'unknown_price' });
    });
  },
);

test('a run with an unknown model has its conversation fitted into the assumed context', async () => {
  const service = await serviceWithCard(
    callsThenAnswer(Array.from({ length: 8 }, () => [{ name: 'a__read' }])),
  );
  service.llm.cards = [cardWith()];
  await service.settled((await service.engine.createRun({ prompt: 'go', model: 'other-1' })).id);
  expect(JSON.stringify(service.llm.requests.at(-1)?.messages)).toContain(
    'The rest of this result was left out: the conversation is long.',
  );
});

describe('a message that was truncated at the output token limit', () => {
  const cutCall: Reply = {
    stop: 'max_tokens',
    calls: [
      {
        name: 'a__read',
        invalid: 'the answer was cut off before the arguments were complete',
        isCut: true,
      },
    ],
  };

  test('in the arguments of a call makes no call, and the model is told to write less in one message', async () => {
    const service = await serviceWithCard((_request, index) =>
      index === 0 ? cutCall : { text: 'done' },
    );
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed', cutTurns: 0 });
    expect(service.registry.sent).toEqual([]);
    expect(JSON.stringify(service.llm.requests[1]?.messages.at(-1))).toContain(
      'Do not send the same again. Do it in several calls with shorter arguments.',
    );
  });

  test('in the arguments of a call three times in a row ends the run', async () => {
    const service = await serviceWithCard(() => cutCall);
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({
      status: 'failed',
      turns: 3,
      error: {
        code: 'max_tokens',
        message:
          'The arguments of a tool call were cut 3 times in a row at the limit of 8192 output tokens of one message. Raise max_tokens or limits.output_tokens where the model can write more, or ask for less at once.',
      },
    });
  });

  test('counts from zero after a complete message', async () => {
    const service = await serviceWithCard((_request, index) =>
      index === 5 ? { text: 'done' } : index === 2 ? { calls: [{ name: 'a__read' }] } : cutCall,
    );
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed', turns: 6 });
    expect(service.registry.sent).toHaveLength(1);
  });

  test.each([
    [
      'in its text',
      'very lo',
      'The answer was cut at the limit of 8192 output tokens of one message; what the model wrote is kept.',
    ],
    [
      'before it began',
      '',
      'The answer was cut at the limit of 8192 output tokens of one message; it was spent before the answer began.',
    ],
  ])('%s ends the run with the limit and the remedy', async (_where, text, message) => {
    const service = await serviceWithCard(() => ({ text, stop: 'max_tokens' }));
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({
      status: 'failed',
      error: {
        code: 'max_tokens',
        message: `${message} Raise max_tokens or limits.output_tokens where the model can write more, or ask for less at once.`,
      },
    });
  });
});
