import type { JsonObject } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import type { Message } from '../ports/llm-provider.ts';
import { agentRequest, collect, finishOf, textOf, userText } from './testing/collect.ts';
import { failure } from './testing/failure.ts';
import { startFakeServer } from './testing/fake-wire.ts';
import { connect, type WireKind, WIRES } from './testing/provider-kinds.ts';
import {
  PNG,
  PDF,
  TOOLS,
  results,
  stored,
  warningsIn,
  sent,
  messagesTo,
  say,
} from './testing/conversation.ts';

describe('openai only', () => {
  const [openai] = WIRES as readonly [WireKind];

  test('a request disables storage and has encrypted reasoning, non-strict tools and a cache key', async () => {
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

  test('a model without reasoning gets a temperature and no reasoning options', async () => {
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

  test('a token limit below the minimum of the API is raised with a warning, and the client truncates the answer', async () => {
    await using server = await startFakeServer(openai.wire);
    server.replies.push({ turn: { text: 'one two three four five' } });
    const events = await collect(
      connect(openai, server),
      agentRequest([userText('Hi')], { maxTokens: 3 }),
    );
    expect(server.seen[0]?.body['max_output_tokens']).toBe(16);
    expect(warningsIn(events)).toEqual([expect.stringContaining('16 tokens are the minimum')]);
    expect(finishOf(events)).toMatchObject({
      stop: 'max_tokens',
      message: { content: [{ type: 'text', text: 'one two thre' }] },
      usage: { output: 3, source: 'estimated' },
    });
  });

  test('stop sequences, which the API lacks, are found by the client and end the connection', async () => {
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

  test('more than 128 tools for OpenAI itself are refused before the request is sent', async () => {
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

  test('a compatible server gets only common fields, the system message first, and plain text as a string', async () => {
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

  test('a model of OpenAI itself that needs the Responses API fails on chat at once, with the remedy', async () => {
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

  test('thinking is sent back with its calls until the next user message', async () => {
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

  test('the images of several results follow the results', async () => {
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

  test('an id longer than 40 characters is mapped in the call and in its result', async () => {
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

  test('audio is sent as WAV or MP3 to a model with audio input', async () => {
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

  test('a PDF is sent only to a model that is configured for files', async () => {
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

  test('up to four stop sequences are sent to the server, more are found by the client', async () => {
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

  test('native messages of the Responses API are not sent to the same server over chat', async () => {
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

  test('a request enables adaptive thinking and caching on models that support them', async () => {
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

  test('the request is retried once without thinking that the API no longer accepts, with a warning', async () => {
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

  test('messages of the same role are joined, and empty messages are removed', async () => {
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

  test('stop sequences are sent to the API', async () => {
    await using server = await startFakeServer(anthropic.wire);
    server.replies.push({ turn: { text: 'ok' } });
    await collect(
      connect(anthropic, server),
      agentRequest([userText('Hi')], { stopSequences: ['STOP', ' '] }),
    );
    expect(server.seen[0]?.body['stop_sequences']).toEqual(['STOP']);
  });
});
