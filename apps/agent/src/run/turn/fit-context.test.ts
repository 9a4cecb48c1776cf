import { describe, expect, test } from 'vitest';
import { modelCard } from '../../llm/catalogue/model-cards.ts';
import { estimateTokens } from '../../usage/estimate-tokens.ts';
import type { Message } from '../../ports/llm-provider.ts';
import { fitContext } from './fit-context.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService } from '../testing/service.ts';

const BUDGET = 10_000;
const LONG = 'words '.repeat(1000);

/** A question, then so many turns with one call and its long result each. */
function history(turns: number): readonly Message[] {
  const turn = (at: number): Message[] => [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: `Step ${at}.` },
        { type: 'tool_use', id: `c${at}`, name: 'a__b', input: { at } },
      ],
      native: { provider: 'p', model: 'm', items: [`thinking ${at}`] },
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          toolUseId: `c${at}`,
          content: [{ type: 'text', text: `result ${at}: ${LONG}` }],
          structuredContent: { at },
        },
      ],
    },
  ];
  return [
    { role: 'user', content: [{ type: 'text', text: 'Go' }] },
    ...Array.from({ length: turns }, (_, at) => turn(at)).flat(),
  ];
}

const shown = (messages: readonly Message[]): string => JSON.stringify(messages);

describe('a conversation', () => {
  test('within the context is unchanged', () => {
    const messages = history(3);
    expect(fitContext(messages, BUDGET)).toEqual({ messages, leftOut: 0 });
    expect(fitContext(history(300), Infinity).leftOut).toBe(0);
  });

  test('of any length fits, with every call, its result and every word of the model', () => {
    for (let turns = 1; turns <= 60; turns += 1) {
      const { messages } = fitContext(history(turns), BUDGET);
      expect(estimateTokens(messages.map(({ content }) => content))).toBeLessThanOrEqual(BUDGET);
      expect(messages).toHaveLength(1 + turns * 2);
      for (let at = 0; at < turns; at += 1) expect(shown(messages)).toContain(`result ${at}: `);
      expect(shown(messages.slice(-1))).toContain(LONG);
    }
  });

  test('is rarely changed: most turns only append to the previous request', () => {
    let changes = 0;
    for (let turns = 1; turns < 60; turns += 1) {
      const before = shown(fitContext(history(turns), 40_000).messages).slice(0, -1);
      if (!shown(fitContext(history(turns + 1), 40_000).messages).startsWith(before)) changes += 1;
    }
    expect(changes).toBeGreaterThan(1);
    expect(changes).toBeLessThan(10);
  });

  test('that is changed has no native items that are bound to the earlier text', () => {
    const { messages, leftOut } = fitContext(history(20), BUDGET);
    expect(leftOut).toBeGreaterThan(0);
    const firstWhole = messages.findIndex(({ content }) =>
      content.some(
        (block) => block.type === 'tool_result' && block.structuredContent !== undefined,
      ),
    );
    expect(messages.slice(0, firstWhole).every(({ native }) => native === undefined)).toBe(true);
  });

  test('keeps the error flag of results, and has a note in place of an image', () => {
    const [question, call, result] = history(1) as [Message, Message, Message];
    const image: Message = {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          toolUseId: 'c0',
          content: [{ type: 'image', data: 'x'.repeat(50_000), mimeType: 'image/png' }],
          isError: true,
        },
      ],
    };
    const { messages } = fitContext([question, call, image, ...history(6).slice(1)], 4000);
    expect(result.role).toBe('user');
    expect(messages[2]?.content).toEqual([
      {
        type: 'tool_result',
        toolUseId: 'c0',
        content: [
          { type: 'text', text: expect.stringMatching(/^\[image\]\n\[The rest/) as string },
        ],
        isError: true,
      },
    ]);
  });
});

test('a run of many long results stays within the context of its model', async () => {
  const TURNS = 12;
  const service = await openService({
    script: (_request, index) =>
      index < TURNS ? { calls: [{ name: 'a__sum', input: { index } }] } : { text: 'done' },
    tools: { a__sum: { annotations: READ_ONLY, call: () => Promise.resolve(ok(LONG)) } },
    policies: { a: { approval: 'auto', sampling: 'deny' } },
  });
  service.llm.models = [
    modelCard(
      {
        provider: 'openai',
        model: undefined,
        baseUrl: 'http://127.0.0.1:1/v1',
        apiKey: undefined,
        scenario: undefined,
        models: { 'fake-1': { context_tokens: 20_000 } },
      },
      'fake-1',
    ),
  ];
  const { id } = await service.engine.createRun({ prompt: 'go' });
  expect(await service.settled(id)).toMatchObject({ status: 'completed', answer: 'done' });
  const sizes = service.llm.requests.map(({ messages }) =>
    estimateTokens(messages.map(({ content }) => content)),
  );
  expect(Math.max(...sizes)).toBeLessThan(20_000 - 8192);
  expect(sizes).toHaveLength(TURNS + 1);
});
