import { expect, test } from 'vitest';
import type { LlmEvent } from '../../ports/llm-provider.ts';
import { finishOf } from '../testing/collect.ts';
import { ResponsesTranslator } from './translator.ts';

type Raw = Parameters<ResponsesTranslator['translate']>[0];

const ENDPOINT = {
  provider: 'openai',
  vendor: 'OpenAI',
  baseUrl: 'http://localhost/v1',
  isVendor: false,
  keyVariable: 'OPENAI_API_KEY',
  path: '/responses',
  apiKey: 'none',
};

/** Translates events that deviate from the API's types, as some servers send them. */
function translate(...raws: readonly object[]): readonly LlmEvent[] {
  const translator = new ResponsesTranslator({
    endpoint: ENDPOINT,
    model: 'm',
    requestId: undefined,
    stopSequences: [],
    maxCharacters: undefined,
    warnings: ['first'],
    promptTokens: 100,
  });
  return raws.flatMap((raw) => translator.translate(raw as Raw));
}

function shown(events: readonly LlmEvent[], type: 'text' | 'reasoning'): string {
  return events.flatMap((event) => (event.type === type ? [event.delta] : [])).join('');
}

const message = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const call = { type: 'function_call', call_id: 'call_1', name: 'a__b', arguments: '{"x":1}' };
const completed = (output: readonly object[]) => ({
  type: 'response.completed',
  response: { status: 'completed', model: 'm-1', output },
});

test('finished items are enough when the server streams no deltas', () => {
  const events = translate(
    { type: 'response.output_item.done', output_index: 0, item: message('Hello') },
    { type: 'response.output_item.done', output_index: 1, item: call },
    completed([]),
  );
  expect(events.slice(0, 2)).toEqual([
    { type: 'start', model: 'm' },
    { type: 'warning', message: 'first' },
  ]);
  expect(finishOf(events)).toMatchObject({
    stop: 'tool_use',
    message: {
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 'call_1', name: 'a__b', input: { x: 1 } },
      ],
    },
  });
});

test('items that arrive only at the end are accepted, and the missing usage is estimated', () => {
  const finish = finishOf(translate(completed([message('Hello'), call])));
  expect(finish.message.content).toHaveLength(2);
  expect(finish.usage).toEqual({
    input: 100,
    cacheRead: 0,
    cacheWrite: 0,
    output: 3,
    reasoning: 0,
    source: 'estimated',
  });
});

test('text missing from the deltas is added from the finished item', () => {
  const events = translate(
    { type: 'response.output_item.added', output_index: 0, item: { ...call, arguments: '' } },
    { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"x"' },
    { type: 'response.output_item.done', output_index: 0, item: call },
    completed([call]),
  );
  expect(finishOf(events).message.content).toMatchObject([{ input: { x: 1 } }]);
});

test('a finished item that contradicts its deltas causes a warning, and the deltas are kept', () => {
  const events = translate(
    { type: 'response.output_text.delta', output_index: 0, delta: 'Hi' },
    { type: 'response.output_item.done', output_index: 0, item: message('Bye') },
    completed([message('Bye')]),
  );
  expect(events).toContainEqual({
    type: 'warning',
    message: expect.stringContaining('differs from the final answer') as string,
  });
  expect(finishOf(events).message.content).toEqual([{ type: 'text', text: 'Hi' }]);
});

test('the texts of two items, and the parts of a reasoning summary, are separated', () => {
  const events = translate(
    { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'One.' },
    { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 1 },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'Two.' },
    { type: 'response.output_text.delta', output_index: 1, delta: 'Checking.' },
    { type: 'response.output_text.delta', output_index: 2, delta: 'Done.' },
  );
  expect(shown(events, 'reasoning')).toBe('One.\n\nTwo.');
  expect(shown(events, 'text')).toBe('Checking.\n\nDone.');
});

test('usage without details is accepted', () => {
  const finish = finishOf(
    translate({
      type: 'response.completed',
      response: {
        status: 'completed',
        output: [message('Hi')],
        usage: { input_tokens: 7, output_tokens: 2 },
      },
    }),
  );
  expect(finish.usage).toEqual({
    input: 7,
    cacheRead: 0,
    cacheWrite: 0,
    output: 2,
    reasoning: 0,
    source: 'reported',
  });
});

test.each([
  [
    {
      type: 'response.failed',
      response: { error: { code: 'rate_limit_exceeded', message: 'slow' } },
    },
    'rate',
  ],
  [
    { type: 'response.failed', response: { error: { code: 'server_error', message: 'broken' } } },
    'overloaded',
  ],
  [
    { type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'bad' } } },
    'invalid',
  ],
  [{ type: 'error', code: 'insufficient_quota', message: 'pay' }, 'quota'],
  [
    {
      type: 'error',
      error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'long' },
    },
    'context',
  ],
])('a failure in the stream is thrown with its kind: %j', (raw, kind) => {
  expect(() => translate(raw)).toThrow(expect.objectContaining({ name: 'LlmError', kind }));
});

test('arguments for an item that is not a call are a protocol error', () => {
  expect(() =>
    translate({ type: 'response.function_call_arguments.delta', output_index: 4, delta: '{' }),
  ).toThrow(expect.objectContaining({ kind: 'protocol' }));
});

test.each([
  ['content_filter', 'refusal'],
  ['max_messages', 'other'],
])('an answer that is incomplete for %s stops as %s', (reason, stop) => {
  const finish = finishOf(
    translate({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason }, output: [message('Hi')] },
    }),
  );
  expect(finish).toMatchObject({ stop, rawStop: reason });
  expect(finish.message.native).toBeUndefined();
});
