import { describe, expect, test } from 'vitest';
import type { Block, Message } from '../ports/llm-provider.ts';
import { agentRequest, collect, finishOf, textOf, userText } from './testing/collect.ts';
import { failure } from './testing/failure.ts';
import { startFakeServer } from './testing/fake-wire.ts';
import { connect, WIRES } from './testing/provider-kinds.ts';
import {
  PNG,
  PDF,
  REPLAYED,
  TOOLS,
  results,
  stored,
  warningsIn,
  sent,
  say,
} from './testing/conversation.ts';

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

  test('the answer names its model, and the start event the request', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ turn: { text: 'Hi.' } });
    const events = await collect(connect(kind, server), agentRequest([userText('Hi')]));
    expect(events[0]).toMatchObject({ type: 'start', requestId: 'req_1' });
    expect(finishOf(events).model).toMatch(new RegExp(`^${kind.model}-2026`));
  });

  test('a refusal is reported as a refusal, with its text', async () => {
    await using server = await startFakeServer(kind.wire);
    const finish = await say(kind, server, { text: 'I will not.', stop: 'refusal' }, [
      userText('Do it'),
    ]);
    expect(finish.stop).toBe('refusal');
    expect(finish.message.content).toEqual([{ type: 'refusal', text: 'I will not.' }]);
  });

  test('native items of another model are rebuilt from the message without reasoning and with mapped ids', async () => {
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

  test('native items are sent only to the model that produced them', async () => {
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

  test('reasoning that cannot be sent back, and blank text, do not break the next turn', async () => {
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

  test('native items are not sent to another server with the same model', async () => {
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

  test('a call with invalid arguments is sent back without arguments, and its result is accepted', async () => {
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

  test('a turn truncated by the token limit can be answered and continued', async () => {
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

  test('a history with an unanswered call is refused with the name of the call, and nothing is sent', async () => {
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

  test('a tool that cannot be offered is left out with a warning; the other tools are offered', async () => {
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

  test('a temperature that the model does not support is left out with a warning', async () => {
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
      expect(warnings).toEqual([`The model cannot read ${note}; a note was sent instead.`]);
    });

    test('warnings about earlier messages are not repeated', async () => {
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
