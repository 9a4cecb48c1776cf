import { describe, expect, test } from 'vitest';
import type { LlmEvent } from '../../ports/llm-provider.ts';
import { callsOf, finishOf } from '../testing/collect.ts';
import { ChatTranslator } from './translator.ts';

type Raw = Parameters<ChatTranslator['translate']>[0];

const ENDPOINT = {
  provider: 'openai-chat',
  vendor: 'OpenAI',
  baseUrl: 'http://localhost/v1',
  isVendor: false,
  keyVariable: 'OPENAI_API_KEY',
  path: '/chat/completions',
  apiKey: 'none',
};
const USAGE = { prompt_tokens: 9, completion_tokens: 4 };

/**
 * Translates chunks that deviate from the API's types, as some servers send them, and the end of
 * the stream.
 */
function translate(
  raws: readonly object[],
  options: { readonly cutAt?: readonly string[]; readonly stopSequences?: readonly string[] } = {},
): readonly LlmEvent[] {
  const { cutAt = [], stopSequences = cutAt } = options;
  const translator = new ChatTranslator({
    endpoint: ENDPOINT,
    model: 'm',
    requestId: undefined,
    stopSequences,
    cutAt,
    warnings: ['first'],
    promptTokens: 100,
  });
  const events = raws.flatMap((raw) => translator.translate(raw as Raw));
  return events.at(-1)?.type === 'finish' ? events : [...events, ...translator.end()];
}

const delta = (contents: object, finish: string | null = null): object => ({
  id: 'c-1',
  model: 'm-1',
  choices: [{ index: 0, delta: contents, finish_reason: finish }],
});
const call = (contents: object): object => delta({ tool_calls: [contents] });

describe('usage', () => {
  test.each([
    [
      'in a chunk of its own after the stop',
      [delta({ content: 'Hi' }), delta({}, 'stop'), { choices: [], usage: USAGE }],
    ],
    [
      'in the chunk of the stop',
      [delta({ content: 'Hi' }), { ...delta({}, 'stop'), usage: USAGE }],
    ],
    [
      'with every chunk',
      [
        { ...delta({ content: 'Hi' }), usage: { prompt_tokens: 9, completion_tokens: 1 } },
        { ...delta({}, 'stop'), usage: USAGE },
      ],
    ],
  ])('%s is the usage of the answer', (_, raws) => {
    expect(finishOf(translate(raws)).usage).toEqual({
      input: 9,
      cacheRead: 0,
      cacheWrite: 0,
      output: 4,
      reasoning: 0,
      source: 'reported',
    });
  });

  test('that is missing is estimated at the end of the stream', () => {
    expect(
      finishOf(translate([delta({ content: 'Hello there' }), delta({}, 'stop')])),
    ).toMatchObject({ stop: 'end', usage: { input: 100, output: 3, source: 'estimated' } });
  });
});

test('a stream that ends without a stop reason has no finish event', () => {
  expect(
    translate([delta({ content: 'Hi' }), { choices: [], usage: USAGE }]).some(
      ({ type }) => type === 'finish',
    ),
  ).toBe(false);
});

describe('tool calls', () => {
  test('that arrive complete with the same index are different calls', () => {
    const whole = (id: string): object =>
      call({
        index: 0,
        id,
        type: 'function',
        function: { name: 'a__b', arguments: `{"id":"${id}"}` },
      });
    expect(
      callsOf(finishOf(translate([whole('x'), whole('y'), delta({}, 'stop')])).message),
    ).toMatchObject([
      { id: 'x', input: { id: 'x' } },
      { id: 'y', input: { id: 'y' } },
    ]);
  });

  test('without an index are numbered in order', () => {
    const events = translate([
      delta({
        tool_calls: [
          { id: 'x', function: { name: 'a', arguments: '{}' } },
          { id: 'y', function: { name: 'b', arguments: '{}' } },
        ],
      }),
      delta({}, 'tool_calls'),
    ]);
    expect(callsOf(finishOf(events).message).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('whose id and name are repeated in each delta are one call', () => {
    const piece = (json: string): object =>
      call({ index: 0, id: 'x', function: { name: 'a', arguments: json } });
    expect(
      callsOf(finishOf(translate([piece('{"a":'), piece('1}'), delta({}, 'tool_calls')])).message),
    ).toMatchObject([{ id: 'x', input: { a: 1 } }]);
  });

  test('without an id get a stable id that is different for each call', () => {
    const nameless = [
      call({ index: 0, function: { name: 'a', arguments: '{}' } }),
      call({ index: 1, id: '', function: { name: 'b', arguments: '{}' } }),
      delta({}, 'tool_calls'),
    ];
    const ids = (): string[] => callsOf(finishOf(translate(nameless)).message).map(({ id }) => id);
    expect(new Set(ids()).size).toBe(2);
    expect(ids()).toEqual(ids());
    expect(ids()[0]).toMatch(/^call_[0-9a-f]{24}$/);
  });

  test('are executed whatever the stop reason, unless they were truncated', () => {
    const raw = call({ index: 0, id: 'x', function: { name: 'a', arguments: '' } });
    expect(finishOf(translate([raw, delta({}, 'stop')])).stop).toBe('tool_use');
    expect(finishOf(translate([raw, delta({}, 'length')]))).toMatchObject({
      stop: 'max_tokens',
      message: { content: [{ invalid: expect.stringContaining('cut off') as string }] },
    });
  });

  test('without a name are a protocol error', () => {
    expect(() => translate([call({ index: 0, function: { arguments: '{' } })])).toThrow(
      expect.objectContaining({ kind: 'protocol' }),
    );
  });
});

describe('thinking', () => {
  test.each(['reasoning_content', 'reasoning'])(
    'in the field %s is reasoning, and is sent back in that field',
    (field) => {
      const events = translate([
        delta({ [field]: 'Hm.' }),
        call({ index: 0, id: 'x', function: { name: 'a', arguments: '{}' } }),
        delta({}, 'tool_calls'),
      ]);
      expect(finishOf(events).message).toMatchObject({
        content: [{ type: 'reasoning', text: 'Hm.' }, { type: 'tool_use' }],
        native: { items: [{ role: 'assistant', [field]: 'Hm.', tool_calls: [{ id: 'x' }] }] },
      });
    },
  );

  test('in both fields is emitted once', () => {
    expect(
      finishOf(
        translate([
          delta({ reasoning_content: 'Hm.', reasoning: 'Hm.' }),
          delta({ content: 'Hi' }),
          delta({}, 'stop'),
        ]),
      ).message.content,
    ).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hi' },
    ]);
  });

  test('a plain message keeps no native item', () => {
    expect(
      finishOf(translate([delta({ content: 'Hi' }), delta({}, 'stop')])).message.native,
    ).toBeUndefined();
  });
});

test('server-specific fields of a call are sent back with the call', () => {
  const extra = { extra_content: { google: { thought_signature: 'sealed' } } };
  const events = translate([
    call({ index: 0, id: 'x', ...extra, function: { name: 'a', arguments: '' } }),
    delta({}, 'tool_calls'),
  ]);
  expect(finishOf(events).message.native?.items).toEqual([
    {
      role: 'assistant',
      tool_calls: [
        { ...extra, id: 'x', type: 'function', function: { name: 'a', arguments: '{}' } },
      ],
    },
  ]);
});

describe('stops', () => {
  test.each([
    ['content_filter', 'refusal'],
    ['length', 'max_tokens'],
    ['eos_token_of_some_server', 'other'],
  ])('%s is %s', (reason, stop) => {
    expect(finishOf(translate([delta({ content: 'Hi' }), delta({}, reason)]))).toMatchObject({
      stop,
      rawStop: reason,
    });
  });

  test('a stop sequence named by the server is reported', () => {
    const end = { choices: [{ delta: {}, finish_reason: 'stop', stop_reason: 'END' }] };
    expect(
      finishOf(translate([delta({ content: 'Hi' }), end], { stopSequences: ['END'] })),
    ).toMatchObject({ stop: 'stop_sequence', rawStop: 'END' });
    expect(
      finishOf(
        translate(
          [
            delta({ content: 'Hi' }),
            { choices: [{ delta: {}, finish_reason: 'stop', stop_reason: 151_643 }] },
          ],
          { stopSequences: ['END'] },
        ),
      ).stop,
    ).toBe('end');
  });

  test('a stop sequence that the server does not support ends the answer in the client', () => {
    expect(
      finishOf(
        translate([delta({ content: 'one EN' }), delta({ content: 'D two' })], { cutAt: ['END'] }),
      ),
    ).toMatchObject({ stop: 'stop_sequence', message: { content: [{ text: 'one ' }] } });
  });

  test('a refusal text is a refusal', () => {
    expect(
      finishOf(
        translate([delta({ refusal: 'I will ' }), delta({ refusal: 'not.' }), delta({}, 'stop')]),
      ),
    ).toMatchObject({
      stop: 'refusal',
      message: { content: [{ type: 'refusal', text: 'I will not.' }] },
    });
  });
});

test.each([
  [{ error: { message: 'later', code: 'rate_limit_exceeded' } }, 'rate'],
  [{ error: { message: 'context length exceeded', code: 400 } }, 'context'],
  [{ error: 'the model crashed' }, 'protocol'],
])('an error in the stream is thrown with its kind: %j', (raw, kind) => {
  expect(() => translate([raw])).toThrow(expect.objectContaining({ name: 'LlmError', kind }));
});
