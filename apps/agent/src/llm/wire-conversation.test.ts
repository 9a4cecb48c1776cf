import type { JsonObject } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import type { Block, LlmEvent, Message, ToolSpec } from '../ports/llm-provider.ts';
import { agentRequest, callsOf, collect, finishOf, textOf, userText } from './testing/collect.ts';
import { failure } from './testing/failure.ts';
import { type FakeServer, type FakeTurn, startFakeServer } from './testing/fake-wire.ts';
import { connect, type WireKind, WIRES } from './testing/provider-kinds.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const PDF = Buffer.from('%PDF-1.4 nothing').toString('base64');
/** Earlier turns in the last request of an agent loop, by API. */
const REPLAYED = {
  responses: ['"encrypted_content":"sealed"', '"id":"fc_call_a_reasoned"', 'ERROR: unknown place'],
  chat: [
    '"tool_call_id":"call_a"',
    '"arguments":"{\\"city\\":\\"Oslo\\"}"',
    'ERROR: unknown place',
  ],
  messages: ['"signature":', '"thinking":"Two places."', '"is_error":true'],
};
const TOOLS: readonly ToolSpec[] = [
  {
    name: 'wx__get',
    description: 'Weather.',
    inputSchema: {
      anyOf: [
        { properties: { city: { type: 'string' } }, required: ['city'] },
        { properties: { places: { type: 'array' } }, required: ['places'] },
      ],
    },
  },
];

function results(
  message: Message,
  content: Extract<Block, { type: 'tool_result' }>['content'],
  rest: Partial<Extract<Block, { type: 'tool_result' }>> = {},
): Message {
  return {
    role: 'user',
    content: callsOf(message).map(({ id }) => ({
      type: 'tool_result',
      toolUseId: id,
      content,
      ...rest,
    })),
  };
}

/** Returns the message as read back from the store. */
function stored(message: Message): Message {
  return JSON.parse(JSON.stringify(message)) as Message;
}

function warningsIn(events: readonly LlmEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
}

/** Returns the request body of one user message or tool result. */
async function sent(
  kind: WireKind,
  message: Message,
  history: readonly Message[] = [],
): Promise<{
  readonly last: JsonObject;
  readonly warnings: readonly string[];
  readonly body: JsonObject;
}> {
  await using server = await startFakeServer(kind.wire);
  server.replies.push({ turn: { text: 'ok' } });
  const config = { models: { [kind.model]: { takes: { pdf: true } } } };
  const events = await collect(
    connect(kind, server, { config }),
    agentRequest([...history, message]),
  );
  const body = server.seen[0]?.body ?? {};
  const list = (body['input'] ?? body['messages']) as readonly JsonObject[];
  return { last: list.at(-1) ?? {}, warnings: warningsIn(events), body };
}

function messagesTo(server: FakeServer): readonly JsonObject[] {
  return (server.seen[0]?.body['messages'] ?? []) as readonly JsonObject[];
}

async function say(
  kind: WireKind,
  server: FakeServer,
  turn: FakeTurn,
  messages: readonly Message[],
) {
  server.replies.push({ turn });
  return finishOf(
    await collect(
      connect(kind, server),
      agentRequest(messages, { system: 'Be brief.', tools: TOOLS, cacheKey: 'run-1' }),
    ),
  );
}

describe.each(WIRES)('$api', (kind) => {
  test("a loop of turns replays the provider's own items, with images, an error and parallel calls", async () => {
    await using server = await startFakeServer(kind.wire);
    const messages: Message[] = [userText('Weather?')];
    const first = await say(
      kind,
      server,
      {
        reasoning: 'Two places.',
        text: 'Checking.',
        calls: [
          { id: 'call_a', name: 'wx__get', json: '{"city":"Oslo"}' },
          { id: 'call_b', name: 'wx__get', json: '{"city":"Rome"}' },
        ],
      },
      messages,
    );
    messages.push(
      stored(first.message),
      results(first.message, [
        { type: 'text', text: '12 C' },
        { type: 'image', data: PNG, mimeType: 'image/jpeg' },
      ]),
    );
    const second = await say(
      kind,
      server,
      {
        reasoning: 'One more.',
        calls: [{ id: 'call_c', name: 'wx__get', json: '{"city":"Lima"}' }],
      },
      messages,
    );
    messages.push(
      stored(second.message),
      results(second.message, [{ type: 'text', text: 'unknown place' }], { isError: true }),
    );
    const third = await say(
      kind,
      server,
      { reasoning: 'Enough.', text: 'Cold in Oslo.' },
      messages,
    );
    messages.push(stored(third.message), userText('Thanks'));
    expect(textOf((await say(kind, server, { text: 'Bye.' }, messages)).message)).toBe('Bye.');

    expect(first.message.native).toMatchObject({
      provider: `${kind.api === 'chat' ? 'openai-chat' : kind.provider} at ${server.origin}${kind.basePath}`,
      model: kind.model,
    });
    const body = JSON.stringify(server.seen[3]?.body);
    for (const kept of REPLAYED[kind.api]) expect(body).toContain(kept);
    expect(body).toContain('image/png');
    expect(body).not.toContain('image/jpeg');
  });

  test('usage counts the whole prompt, cached parts included', async () => {
    await using server = await startFakeServer(kind.wire);
    expect((await say(kind, server, { text: 'Hi.' }, [userText('Hi')])).usage).toEqual({
      input: 100,
      cacheRead: 20,
      cacheWrite: 10,
      output: 30,
      reasoning: 5,
      source: 'reported',
    });
  });

  test('the answer names the model that gave it, and the start the request', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ turn: { text: 'Hi.' } });
    const events = await collect(connect(kind, server), agentRequest([userText('Hi')]));
    expect(events[0]).toMatchObject({ type: 'start', requestId: 'req_1' });
    expect(finishOf(events).model).toMatch(new RegExp(`^${kind.model}-2026`));
  });

  test('a refusal is told as one, with its text', async () => {
    await using server = await startFakeServer(kind.wire);
    const finish = await say(kind, server, { text: 'I will not.', stop: 'refusal' }, [
      userText('Do it'),
    ]);
    expect(finish.stop).toBe('refusal');
    expect(finish.message.content).toEqual([{ type: 'refusal', text: 'I will not.' }]);
  });

  test('native items of another model are rebuilt from the message, reasoning left out and ids mapped', async () => {
    const foreign: Message = {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'secret thoughts' },
        { type: 'text', text: 'Checking.' },
        { type: 'tool_use', id: 'toolu:1|x'.repeat(20), name: 'wx__get', input: { city: 'Oslo' } },
      ],
      native: { provider: kind.provider, model: 'another-model', items: [{ type: 'nonsense' }] },
    };
    const { body } = await sent(kind, results(foreign, [{ type: 'text', text: '12 C' }]), [
      userText('Weather?'),
      foreign,
    ]);
    expect(JSON.stringify(body)).not.toMatch(/nonsense|secret thoughts|toolu:1/);
    expect(JSON.stringify(body)).toContain('Oslo');
  });

  test('native items stay with the model that made them', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({
      turn: {
        reasoning: 'Hm.',
        text: 'Checking.',
        calls: [{ id: 'call_a', name: 'wx__get', json: '{}' }],
      },
    });
    const other = kind.provider === 'openai' ? 'gpt-5.5' : 'claude-opus-5-5';
    const { message } = finishOf(
      await collect(
        connect(kind, server, { config: { model: other } }),
        agentRequest([userText('Weather?')]),
      ),
    );
    expect(message.native?.model).toBe(other);
    await say(kind, server, { text: 'ok' }, [
      userText('Weather?'),
      stored(message),
      results(message, [{ type: 'text', text: '12 C' }]),
    ]);
    expect(JSON.stringify(server.seen[1]?.body)).not.toMatch(/sealed|signature/);
    expect(JSON.stringify(server.seen[1]?.body)).toContain('Checking.');
  });

  test('reasoning that cannot be sent back, and blank text, do not spoil the next turn', async () => {
    await using server = await startFakeServer(kind.wire);
    const first = await say(
      kind,
      server,
      {
        reasoning: 'Hm.',
        unsealed: true,
        text: ' \n',
        calls: [{ id: 'call_a', name: 'wx__get', json: '{"city":"Oslo"}' }],
      },
      [userText('Weather?')],
    );
    const next = await say(kind, server, { text: 'Cold.' }, [
      userText('Weather?'),
      stored(first.message),
      results(first.message, [{ type: 'text', text: '12 C' }]),
    ]);
    expect(textOf(next.message)).toBe('Cold.');
    expect(JSON.stringify(server.seen[1]?.body)).toContain('Oslo');
  });

  test('native items of the same model at another server stay at home', async () => {
    await using server = await startFakeServer(kind.wire);
    const first = await say(
      kind,
      server,
      {
        reasoning: 'Hm.',
        text: 'Checking.',
        calls: [{ id: 'call_a', name: 'wx__get', json: '{}' }],
      },
      [userText('Weather?')],
    );
    const { body } = await sent(kind, results(first.message, [{ type: 'text', text: '12 C' }]), [
      userText('Weather?'),
      stored(first.message),
    ]);
    expect(JSON.stringify(body)).not.toMatch(/sealed|signature/);
  });

  test('a call with invalid arguments goes back with none, and its answer is accepted', async () => {
    await using server = await startFakeServer(kind.wire);
    const first = await say(
      kind,
      server,
      { calls: [{ id: 'call_a', name: 'wx__get', json: '{"city":' }] },
      [userText('Weather?')],
    );
    const next = await say(kind, server, { text: 'Sorry.' }, [
      userText('Weather?'),
      stored(first.message),
      results(first.message, [{ type: 'text', text: 'arguments were not valid JSON' }], {
        isError: true,
      }),
    ]);
    expect(textOf(next.message)).toBe('Sorry.');
  });

  test('a turn cut by the token limit can be answered and continued', async () => {
    await using server = await startFakeServer(kind.wire);
    const first = await say(
      kind,
      server,
      {
        reasoning: 'Hm.',
        text: 'Checking.',
        calls: [{ id: 'call_a', name: 'wx__get', json: '{"ci' }],
        stop: 'max_tokens',
      },
      [userText('Weather?')],
    );
    const next = await say(kind, server, { text: 'Again.' }, [
      userText('Weather?'),
      stored(first.message),
      results(first.message, [{ type: 'text', text: 'cut off' }], { isError: true }),
    ]);
    expect(textOf(next.message)).toBe('Again.');
  });

  test('an unanswered call is refused here, by name, and nothing is sent', async () => {
    await using server = await startFakeServer(kind.wire);
    const call: Message = {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'call_a', name: 'wx__get', input: {} }],
    };
    const error = await failure(
      collect(connect(kind, server), agentRequest([userText('Weather?'), call, userText('And?')])),
    );
    expect(error).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('"call_a" has no result') as string,
    });
    expect(server.seen).toEqual([]);
  });

  test('a tool that cannot be offered is left out with a warning, the others are offered', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ turn: { text: 'ok' } });
    const events = await collect(
      connect(kind, server),
      agentRequest([userText('Hi')], {
        tools: [...TOOLS, { name: 'bad__tool', description: '', inputSchema: { type: 'string' } }],
      }),
    );
    expect(warningsIn(events)).toEqual([
      'The tool bad__tool is not offered to the model: its input schema is for "string", not for an object.',
    ]);
    expect(JSON.stringify(server.seen[0]?.body['tools']).match(/"name":"[^"]*"/g)).toEqual([
      '"name":"wx__get"',
    ]);
  });

  test('a temperature that the model does not take is left out with a warning', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ turn: { text: 'ok' } });
    const config = { models: { [kind.model]: { takes: { temperature: false } } } };
    const events = await collect(
      connect(kind, server, { config }),
      agentRequest([userText('Hi')], { temperature: 0.5 }),
    );
    expect(server.seen[0]?.body).not.toHaveProperty('temperature');
    expect(warningsIn(events)).toEqual([expect.stringContaining('temperature')]);
  });

  describe('content', () => {
    test.each<[string, Message['content'], readonly string[]]>([
      [
        'text, blank text dropped',
        [
          { type: 'text', text: ' \n' },
          { type: 'text', text: 'Hi' },
        ],
        ['Hi'],
      ],
      [
        'an embedded text',
        [
          {
            type: 'resource',
            resource: { uri: 'file:///a.md', mimeType: 'text/markdown', text: 'has ``` inside' },
          },
        ],
        ['Resource file:///a.md (text/markdown):\\n````\\nhas ``` inside\\n````'],
      ],
      [
        'a link',
        [
          {
            type: 'resource_link',
            uri: 'file:///b',
            name: 'b',
            mimeType: 'text/plain',
            description: 'The b.',
          },
        ],
        ['Resource link: b <file:///b> (text/plain): The b.'],
      ],
      [
        'an image under its real type',
        [{ type: 'image', data: PNG, mimeType: 'image/webp' }],
        ['image/png', PNG],
      ],
      [
        'a PDF',
        [
          {
            type: 'resource',
            resource: { uri: 'file:///docs/x.pdf', mimeType: 'application/pdf', blob: PDF },
          },
        ],
        ['application/pdf', PDF, 'x.pdf'],
      ],
    ])('%s', async (_, content, expected) => {
      const { last, warnings } = await sent(kind, { role: 'user', content });
      for (const part of expected) expect(JSON.stringify(last)).toContain(part);
      expect(JSON.stringify(last)).not.toContain('webp');
      expect(warnings).toEqual([]);
    });

    test.each<[string, Message['content'][number], string]>([
      [
        'audio',
        { type: 'audio', data: 'AAAA'.repeat(1024), mimeType: 'audio/wav' },
        'audio/wav, 3.0 KiB',
      ],
      [
        'an image of another kind',
        {
          type: 'image',
          data: Buffer.from('<svg/>').toString('base64'),
          mimeType: 'image/svg+xml',
        },
        'image/svg+xml, 6 bytes',
      ],
      [
        'other bytes',
        {
          type: 'resource',
          resource: { uri: 'file:///x.zip', mimeType: 'application/zip', blob: 'AAAA' },
        },
        'application/zip, 3 bytes',
      ],
    ])('%s becomes a note, with a warning', async (_, block, note) => {
      const { last, warnings } = await sent(kind, { role: 'user', content: [block] });
      expect(JSON.stringify(last)).toContain(`[${note}: left out, the model cannot read it]`);
      expect(warnings).toEqual([`The model cannot read ${note}; a note went out instead.`]);
    });

    test('what was told when it was new is not told again', async () => {
      const audio: Message = {
        role: 'user',
        content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }],
      };
      const { warnings, body } = await sent(kind, userText('And?'), [
        audio,
        { role: 'assistant', content: [{ type: 'text', text: 'Pardon?' }] },
      ]);
      expect(warnings).toEqual([]);
      expect(JSON.stringify(body)).toContain('[audio/wav, 3 bytes: left out');
    });

    test.each<[string, Partial<Extract<Block, { type: 'tool_result' }>>, string, string]>([
      [
        'structured content stands in for missing text',
        { structuredContent: { a: 1 } },
        '{\\"a\\":1}',
        'no output',
      ],
      [
        'structured content is not sent beside text',
        { content: [{ type: 'text', text: 'one' }], structuredContent: { a: 1 } },
        'one',
        '\\"a\\"',
      ],
      [
        'base64 in structured content is not sent',
        { structuredContent: { raw: 'QUFB'.repeat(1000) } },
        '[2.9 KiB of base64 left out]',
        'QUFB',
      ],
      [
        'a result without anything says so',
        { content: [{ type: 'text', text: ' ' }] },
        '(no output)',
        'undefined',
      ],
    ])('%s', async (_, rest, present, absent) => {
      const call: Message = {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call_a', name: 'wx__get', input: {} }],
      };
      const { last } = await sent(kind, results(call, [], rest), [userText('Go'), call]);
      expect(JSON.stringify(last)).toContain(present);
      expect(JSON.stringify(last)).not.toContain(absent);
    });
  });
});

describe('openai only', () => {
  const [openai] = WIRES as readonly [WireKind];

  test('a request asks for nothing to be stored, with encrypted reasoning, lax tools and a cache key', async () => {
    await using server = await startFakeServer(openai.wire);
    await say(openai, server, { text: 'Hi.' }, [userText('Hi')]);
    expect(server.seen[0]?.body).toMatchObject({
      model: 'gpt-6.1-sol',
      instructions: 'Be brief.',
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      reasoning: { summary: 'auto' },
      prompt_cache_key: 'run-1',
      max_output_tokens: 1000,
      tools: [{ type: 'function', name: 'wx__get', strict: false }],
    });
  });

  test('a model that does not reason is not asked to, and gets its temperature', async () => {
    await using server = await startFakeServer(openai.wire);
    server.replies.push({ turn: { text: 'ok' } });
    await collect(
      connect(openai, server, { config: { model: 'qwen3:8b' } }),
      agentRequest([userText('Hi')], { temperature: 0.5 }),
    );
    expect(server.seen[0]?.body).toMatchObject({ model: 'qwen3:8b', temperature: 0.5 });
    expect(server.seen[0]?.body).not.toHaveProperty('reasoning');
    expect(server.seen[0]?.body).not.toHaveProperty('include');
  });

  test('fewer tokens than the API takes are raised to its least, with a warning, and the answer is cut here', async () => {
    await using server = await startFakeServer(openai.wire);
    server.replies.push({ turn: { text: 'one two three four five' } });
    const events = await collect(
      connect(openai, server),
      agentRequest([userText('Hi')], { maxTokens: 3 }),
    );
    expect(server.seen[0]?.body['max_output_tokens']).toBe(16);
    expect(warningsIn(events)).toEqual([expect.stringContaining('16 tokens are the fewest')]);
    expect(finishOf(events)).toMatchObject({
      stop: 'max_tokens',
      message: { content: [{ type: 'text', text: 'one two thre' }] },
      usage: { output: 3, source: 'estimated' },
    });
  });

  test('stop sequences, which the API does not have, end the answer and the connection', async () => {
    await using server = await startFakeServer(openai.wire);
    server.replies.push({ turn: { text: 'one two STOP three' } });
    const events = await collect(
      connect(openai, server),
      agentRequest([userText('Count')], { stopSequences: ['STOP'] }),
    );
    expect(finishOf(events)).toMatchObject({
      stop: 'stop_sequence',
      rawStop: 'STOP',
      message: { content: [{ type: 'text', text: 'one two ' }] },
      usage: { source: 'estimated' },
    });
    expect(finishOf(events).message.native).toBeUndefined();
    expect(events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join('')).toBe(
      'one two ',
    );
  });

  test('they are refused here when they go to OpenAI itself', async () => {
    const tools = Array.from({ length: 129 }, (_, at) => ({
      name: `t${at}`,
      description: '',
      inputSchema: {},
    }));
    const error = await failure(
      collect(
        connect(openai, { origin: '' }, { config: { baseUrl: undefined } }),
        agentRequest([userText('Hi')], { tools }),
      ),
    );
    expect(error).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('at most 128 tools, and 129 are offered') as string,
    });
  });
});

describe('chat only', () => {
  const [, chat] = WIRES as readonly [WireKind, WireKind];

  test('a compatible server gets the fields that they all know, the system first, and plain text as a string', async () => {
    await using server = await startFakeServer(chat.wire);
    await say(chat, server, { text: 'Hi.' }, [userText('one'), userText('two')]);
    const { tools: _, ...body } = server.seen[0]?.body ?? {};
    expect(body).toEqual({
      model: 'qwen3:8b',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'one\n\ntwo' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 1000,
    });
  });

  test('such a model of OpenAI is asked by Responses, and on chat the remedy is said at once', async () => {
    const error = await failure(
      collect(
        connect(chat, { origin: '' }, { config: { baseUrl: undefined, model: undefined } }),
        agentRequest([userText('Hi')], { tools: TOOLS }),
      ),
    );
    expect(error).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('Set llm.wire to "responses"') as string,
    });
  });

  test('thinking goes back with the calls that it led to, and not after the next question', async () => {
    await using server = await startFakeServer(chat.wire);
    const first = await say(
      chat,
      server,
      { reasoning: 'Hm.', calls: [{ id: 'call_a', name: 'wx__get', json: '{}' }] },
      [userText('Weather?')],
    );
    const history = [
      userText('Weather?'),
      stored(first.message),
      results(first.message, [{ type: 'text', text: '12 C' }]),
    ];
    const second = await say(chat, server, { text: 'Cold.' }, history);
    expect(JSON.stringify(server.seen[1]?.body)).toContain('"reasoning_content":"Hm."');
    await say(chat, server, { text: 'Bye.' }, [
      ...history,
      stored(second.message),
      userText('Thanks'),
    ]);
    expect(JSON.stringify(server.seen[2]?.body)).not.toContain('reasoning_content');
  });

  test('images of several results follow all of them as images', async () => {
    const call: Message = {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'a', name: 'wx__get', input: {} },
        { type: 'tool_use', id: 'b', name: 'wx__get', input: {} },
      ],
    };
    const { body } = await sent(
      chat,
      results(call, [
        { type: 'text', text: 'seen' },
        { type: 'image', data: PNG, mimeType: 'image/png' },
      ]),
      [userText('Go'), call],
    );
    const messages = body['messages'] as readonly JsonObject[];
    expect(messages.slice(2).map(({ role }) => role)).toEqual(['tool', 'tool', 'user']);
    expect(messages[2]).toEqual({
      role: 'tool',
      tool_call_id: 'a',
      content: 'seen\n[image: in the next message]',
    });
    expect(messages[4]?.['content']).toEqual(
      ['a', 'b'].flatMap((id) => [
        { type: 'text', text: `From the result of the tool call ${id}:` },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      ]),
    );
  });

  test('an id of more than 40 characters is mapped, in the call and in its result', async () => {
    const id = `toolu_${'x'.repeat(50)}`;
    const call: Message = {
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'wx__get', input: {} }],
    };
    const { body } = await sent(chat, results(call, [{ type: 'text', text: 'ok' }]), [
      userText('Go'),
      call,
    ]);
    expect(JSON.stringify(body)).not.toContain(id);
  });

  test('audio goes to a model that hears, as WAV or MP3', async () => {
    await using server = await startFakeServer(chat.wire);
    server.replies.push({ turn: { text: 'ok' } });
    const config = { models: { 'qwen3:8b': { takes: { audio: true } } } };
    const content = [
      { type: 'audio', data: 'AAAA', mimeType: 'audio/x-wav' },
      { type: 'audio', data: 'BBBB', mimeType: 'audio/mpeg' },
      { type: 'audio', data: 'CCCC', mimeType: 'audio/ogg' },
    ] as const;
    const events = await collect(
      connect(chat, server, { config }),
      agentRequest([{ role: 'user', content }]),
    );
    expect(messagesTo(server)[0]?.['content']).toMatchObject([
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
      { type: 'text' },
    ]);
    expect(warningsIn(events)).toEqual([expect.stringContaining('audio/ogg')]);
  });

  test('a PDF goes only to a model that is said to take it', async () => {
    await using server = await startFakeServer(chat.wire);
    server.replies.push({ turn: { text: 'ok' } });
    const events = await collect(
      connect(chat, server),
      agentRequest([
        {
          role: 'user',
          content: [
            {
              type: 'resource',
              resource: { uri: 'file:///x.pdf', mimeType: 'application/pdf', blob: PDF },
            },
          ],
        },
      ]),
    );
    expect(JSON.stringify(server.seen[0]?.body)).not.toContain(PDF);
    expect(warningsIn(events)).toEqual([expect.stringContaining('application/pdf')]);
  });

  test("up to four stop sequences are the server's own, more are found here", async () => {
    await using server = await startFakeServer(chat.wire);
    server.replies.push({ turn: { text: 'ok' } }, { turn: { text: 'one E two' } });
    await collect(
      connect(chat, server),
      agentRequest([userText('Hi')], { stopSequences: ['A', ''] }),
    );
    expect(server.seen[0]?.body['stop']).toEqual(['A']);
    const events = await collect(
      connect(chat, server),
      agentRequest([userText('Hi')], { stopSequences: ['A', 'B', 'C', 'D', 'E'] }),
    );
    expect(server.seen[1]?.body).not.toHaveProperty('stop');
    expect(finishOf(events)).toMatchObject({
      stop: 'stop_sequence',
      rawStop: 'E',
      message: { content: [{ type: 'text', text: 'one ' }] },
    });
  });

  test.each([
    [false, 'user'],
    [true, 'assistant'],
  ])(
    'a conversation that ends with the model: prefill %s, the last message is of the %s',
    async (prefill, role) => {
      await using server = await startFakeServer(chat.wire);
      server.replies.push({ turn: { text: 'ok' } });
      await collect(
        connect(chat, server, { config: { models: { 'qwen3:8b': { takes: { prefill } } } } }),
        agentRequest([
          userText('Tell'),
          { role: 'assistant', content: [{ type: 'text', text: 'Once upon' }] },
        ]),
      );
      expect(messagesTo(server).at(-1)?.['role']).toBe(role);
    },
  );

  test('native messages of the Responses API at the same server stay out', async () => {
    const [responses] = WIRES as readonly [WireKind];
    await using server = await startFakeServer(responses.wire);
    const first = await say(
      { ...responses, model: 'qwen3:8b' },
      server,
      { reasoning: 'Hm.', text: 'Hello.' },
      [userText('Hi')],
    );
    const native = {
      ...stored(first.message).native!,
      provider: first.message.native!.provider.replace(server.origin, 'ORIGIN'),
    };
    await using other = await startFakeServer(chat.wire);
    other.replies.push({ turn: { text: 'ok' } });
    await collect(
      connect(chat, other),
      agentRequest([
        userText('Hi'),
        {
          ...first.message,
          native: { ...native, provider: native.provider.replace('ORIGIN', other.origin) },
        },
        userText('And?'),
      ]),
    );
    expect(JSON.stringify(other.seen[0]?.body)).toContain('Hello.');
    expect(JSON.stringify(other.seen[0]?.body)).not.toContain('sealed');
  });
});

describe('anthropic only', () => {
  const [, , anthropic] = WIRES as readonly [WireKind, WireKind, WireKind];

  test('a request asks for adaptive thinking and caching, on models that have it', async () => {
    await using server = await startFakeServer(anthropic.wire);
    await say(anthropic, server, { text: 'Hi.' }, [userText('Hi')]);
    expect(server.seen[0]?.body).toMatchObject({
      model: 'claude-sonnet-5-5',
      system: 'Be brief.',
      max_tokens: 1000,
      cache_control: { type: 'ephemeral' },
      thinking: { type: 'adaptive', display: 'summarized' },
    });
    for (const [model, thinks] of [
      ['claude-opus-4-6', true],
      ['claude-sonnet-5', true],
      ['claude-haiku-4-5-20251001', false],
      ['some-local-model', false],
    ] as const) {
      server.replies.push({ turn: { text: 'ok' } });
      await collect(
        connect(anthropic, server, { config: { model } }),
        agentRequest([userText('Hi')]),
      );
      expect({ model, thinks: 'thinking' in (server.seen.at(-1)?.body ?? {}) }).toEqual({
        model,
        thinks,
      });
    }
  });

  test('thinking that the API no longer accepts is left out once, with a warning', async () => {
    await using server = await startFakeServer(anthropic.wire);
    const first = await say(
      anthropic,
      server,
      {
        reasoning: 'Hm.',
        text: 'Checking.',
        calls: [{ id: 'call_a', name: 'wx__get', json: '{}' }],
      },
      [userText('Weather?')],
    );
    const changed = [
      userText('Weather today?'),
      stored(first.message),
      results(first.message, [{ type: 'text', text: '12 C' }]),
    ];
    server.replies.push({ turn: { text: 'unused' } }, { turn: { text: '12 C.' } });
    const events = await collect(connect(anthropic, server), agentRequest(changed));
    expect(textOf(finishOf(events).message)).toBe('12 C.');
    expect(warningsIn(events)).toEqual([expect.stringContaining('no longer accepts the thinking')]);
    expect(server.seen).toHaveLength(3);
  });

  test('a conversation that ends with the model is continued by a user turn, with a warning', async () => {
    const { last, warnings } = await sent(
      anthropic,
      { role: 'assistant', content: [{ type: 'text', text: 'Once upon' }] },
      [userText('Tell')],
    );
    expect(last).toEqual({ role: 'user', content: [{ type: 'text', text: 'Continue.' }] });
    expect(warnings).toEqual([expect.stringContaining('"Continue." was added')]);
  });

  test('messages of one role are joined, and empty ones vanish', async () => {
    const { body } = await sent(anthropic, userText('two'), [
      userText('one'),
      { role: 'assistant', content: [{ type: 'reasoning', text: 'only thoughts' }] },
    ]);
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
    ]);
  });

  test("stop sequences are the API's own", async () => {
    await using server = await startFakeServer(anthropic.wire);
    server.replies.push({ turn: { text: 'ok' } });
    await collect(
      connect(anthropic, server),
      agentRequest([userText('Hi')], { stopSequences: ['STOP', ' '] }),
    );
    expect(server.seen[0]?.body['stop_sequences']).toEqual(['STOP']);
  });
});
