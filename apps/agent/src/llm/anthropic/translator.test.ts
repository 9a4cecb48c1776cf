import { expect, test } from 'vitest';
import type { LlmEvent } from '../../ports/llm-provider.ts';
import { finishOf } from '../testing/collect.ts';
import { MessagesTranslator } from './translator.ts';

type Raw = Parameters<MessagesTranslator['translate']>[0];

const ENDPOINT = {
  provider: 'anthropic',
  vendor: 'Anthropic',
  baseUrl: 'http://localhost',
  isVendor: false,
  keyVariable: 'ANTHROPIC_API_KEY',
  path: '/v1/messages',
  apiKey: 'none',
};
const START = {
  type: 'message_start',
  message: { model: 'm-1', usage: { input_tokens: 5, output_tokens: 1 } },
};

/** Translates events that deviate from the API's types, as some servers send them. */
function translate(...raws: readonly object[]): readonly LlmEvent[] {
  const translator = new MessagesTranslator({
    endpoint: ENDPOINT,
    model: 'm',
    requestId: 'req_9',
    warnings: [],
    promptTokens: 100,
  });
  return raws.flatMap((raw) => translator.translate(raw as Raw));
}

function block(index: number, start: object, ...deltas: readonly object[]): object[] {
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function end(reason: string | null, usage: object = { output_tokens: 9 }): object[] {
  return [
    { type: 'message_delta', delta: { stop_reason: reason }, usage },
    { type: 'message_stop' },
  ];
}

test('a tool input that is complete at the start of its block is accepted', () => {
  const events = translate(
    START,
    ...block(0, { type: 'tool_use', id: 'a', name: 'x__y', input: { city: 'Oslo' } }),
    ...end('tool_use'),
  );
  expect(finishOf(events).message.content).toEqual([
    { type: 'tool_use', id: 'a', name: 'x__y', input: { city: 'Oslo' } },
  ]);
  expect(events).toContainEqual({ type: 'tool_arguments', index: 0, delta: '{"city":"Oslo"}' });
});

test('text and thinking at the start of a block are emitted', () => {
  const events = translate(
    START,
    ...block(
      0,
      { type: 'thinking', thinking: 'Hm', signature: 's' },
      { type: 'thinking_delta', thinking: '.' },
    ),
    ...block(1, { type: 'text', text: 'He' }, { type: 'text_delta', text: 'llo' }),
    ...end('end_turn'),
  );
  expect(finishOf(events).message).toMatchObject({
    content: [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hello' },
    ],
    native: {
      items: [
        { type: 'thinking', thinking: 'Hm.', signature: 's' },
        { type: 'text', text: 'Hello' },
      ],
    },
  });
});

test('text, thinking and signature may be absent at the start of a block', () => {
  const events = translate(
    START,
    ...block(
      0,
      { type: 'thinking' },
      { type: 'thinking_delta', thinking: 'Hm.' },
      { type: 'signature_delta', signature: 's' },
    ),
    ...block(1, { type: 'thinking' }, { type: 'thinking_delta', thinking: 'unsigned' }),
    ...block(2, { type: 'text' }, { type: 'text_delta', text: 'Hello' }),
    ...end('end_turn'),
  );
  expect(finishOf(events).message.native?.items).toEqual([
    { type: 'thinking', thinking: 'Hm.', signature: 's' },
    { type: 'text', text: 'Hello' },
  ]);
});

test('redacted thinking is kept for replay only', () => {
  const events = translate(
    START,
    ...block(0, { type: 'redacted_thinking', data: 'sealed' }),
    ...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hi' }),
    ...end('end_turn'),
  );
  expect(finishOf(events).message.content).toEqual([{ type: 'text', text: 'Hi' }]);
  expect(finishOf(events).message.native?.items[0]).toEqual({
    type: 'redacted_thinking',
    data: 'sealed',
  });
});

test('later counts replace only the counts that they contain', () => {
  const start = {
    type: 'message_start',
    message: {
      model: 'm-1',
      usage: { input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 1 },
    },
  };
  expect(
    finishOf(
      translate(
        start,
        ...end('end_turn', { output_tokens: 9, input_tokens: null, cache_read_input_tokens: null }),
      ),
    ).usage,
  ).toEqual({ input: 8, cacheRead: 3, cacheWrite: 0, output: 9, reasoning: 0, source: 'reported' });
});

test('the usage of a stream without a final count is marked as partial', () => {
  const finish = finishOf(
    translate(
      START,
      ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hello there' }),
      { type: 'message_stop' },
    ),
  );
  expect(finish).toMatchObject({
    stop: 'other',
    rawStop: 'none',
    usage: { input: 5, output: 3, source: 'partial' },
  });
});

test.each([
  ['end_turn', 'end'],
  ['max_tokens', 'max_tokens'],
  ['stop_sequence', 'stop_sequence'],
  ['pause_turn', 'pause'],
  ['model_context_window_exceeded', 'context_full'],
  ['a_new_reason', 'other'],
])('%s stops as %s', (reason, stop) => {
  expect(finishOf(translate(START, ...end(reason)))).toMatchObject({ stop, rawStop: reason });
});

test('calls are executed whatever the stop reason of a compatible server', () => {
  expect(
    finishOf(
      translate(
        START,
        ...block(0, { type: 'tool_use', id: 'a', name: 'x', input: {} }),
        ...end('end_turn'),
      ),
    ).stop,
  ).toBe('tool_use');
});

test('a delta that does not fit its block is a protocol error', () => {
  expect(() =>
    translate(START, {
      type: 'content_block_delta',
      index: 3,
      delta: { type: 'text_delta', text: 'x' },
    }),
  ).toThrow(expect.objectContaining({ kind: 'protocol' }));
});

test('a later count without a stop reason keeps the earlier stop reason', () => {
  const events = translate(
    START,
    ...block(0, { type: 'text', text: 'Hi' }),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} },
    ...end(null),
  );
  expect(finishOf(events)).toMatchObject({ stop: 'end', usage: { output: 9 } });
});

test('usage is estimated for a compatible server that sends no counts', () => {
  const events = translate(
    { type: 'message_start', message: { model: 'm-1' } },
    ...block(0, { type: 'text', text: 'Hello there' }),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  );
  expect(finishOf(events)).toMatchObject({
    stop: 'end',
    usage: { input: 100, output: 3, source: 'estimated' },
  });
});
