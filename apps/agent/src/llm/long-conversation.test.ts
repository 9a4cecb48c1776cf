import { describe, expect, test } from 'vitest';
import { wireName } from '../text/wire-name.ts';
import type { Block, LlmProvider, Message, ToolSpec } from '../ports/llm-provider.ts';
import { agentRequest, callsOf, collect, finishOf, userText } from './testing/collect.ts';
import { type FakeTurn, startFakeServer } from './testing/fake-wire.ts';
import { connect, WIRES } from './testing/provider-kinds.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const TURNS = 30;
const TOOLS: readonly ToolSpec[] = [
  {
    name: 'files__read',
    description: 'Reads.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  },
  { name: 'web__shot', description: 'Looks.', inputSchema: { type: 'object', properties: {} } },
];

/**
 * Returns the model's output of a turn: two calls at once, one call, a call with broken arguments,
 * or none.
 */
function turnOf(turn: number): FakeTurn {
  const call = (name: string, part: string, json: string) => ({
    id: `call_${turn}${part}`,
    name,
    json,
  });
  switch (turn % 4) {
    case 0:
      return {
        reasoning: `Thought ${turn}.`,
        text: 'Both.',
        calls: [call('files__read', 'a', '{"path":"a"}'), call('web__shot', 'b', '')],
      };
    case 1:
      return { reasoning: `Thought ${turn}.`, calls: [call('web__shot', 'a', '{}')] };
    case 2:
      return { text: ' ', calls: [call('files__read', 'a', '{"path":')] };
    default:
      return { reasoning: `Thought ${turn}.`, text: `Answer ${turn}.` };
  }
}

/**
 * Returns the message after a turn: results with text, an image or an error, or the next user
 * message.
 */
function answerTo(message: Message, turn: number): Message {
  const calls = callsOf(message);
  if (calls.length === 0) return userText(`Question ${turn}?`);
  const content = calls.map(({ id, invalid }, at): Block => {
    if (invalid !== undefined)
      return {
        type: 'tool_result',
        toolUseId: id,
        content: [{ type: 'text', text: `arguments were not valid JSON: ${invalid}` }],
        isError: true,
      };
    return {
      type: 'tool_result',
      toolUseId: id,
      content:
        at === 0
          ? [{ type: 'text', text: `found ${turn}` }]
          : [{ type: 'image', data: PNG, mimeType: 'image/png' }],
    };
  });
  return { role: 'user', content };
}

describe.each(WIRES)('$api', (kind) => {
  test('30 turns with images, parallel calls, errors, another model and a restart are all accepted', async () => {
    await using server = await startFakeServer(kind.wire);
    const other = { responses: 'gpt-6-sol', chat: 'llama4', messages: 'claude-opus-5-5' }[kind.api];
    const models: readonly [LlmProvider, LlmProvider] = [
      connect(kind, server),
      connect(kind, server, { config: { model: other } }),
    ];
    let messages: readonly Message[] = [userText('Begin.')];
    for (let turn = 0; turn < TURNS; turn += 1) {
      server.replies.push({ turn: turnOf(turn) });
      // The second model takes over some turns in the middle.
      const model = models[turn > 10 && turn < 17 ? 1 : 0];
      const events = await collect(
        model,
        agentRequest(messages, { system: 'Help.', tools: TOOLS, cacheKey: 'c' }),
      );
      const { message } = finishOf(events);
      expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
      const said = turn === 21 ? interrupted(message) : [message, answerTo(message, turn)];
      // Stored and read back, as by another process.
      messages = JSON.parse(JSON.stringify([...messages, ...said])) as readonly Message[];
    }
    expect(server.seen).toHaveLength(TURNS);
    expect(new Set(server.seen.map(({ body }) => JSON.stringify(body['tools']))).size).toBe(1);
  });

  test('every tool is offered under a unique name', async () => {
    await using server = await startFakeServer(kind.wire);
    const names = [
      'search-a',
      'search_a',
      'a.b',
      'a_b',
      'a/b',
      'поиск',
      'x'.repeat(80),
      `${'x'.repeat(80)}y`,
      'with space',
    ].map((tool) => wireName('srv', tool));
    server.replies.push({ turn: { text: 'ok' } });
    const events = await collect(
      connect(kind, server),
      agentRequest([userText('Hi')], {
        tools: names.map((name) => ({ name, description: '', inputSchema: {} })),
      }),
    );
    expect(events.filter(({ type }) => type === 'warning')).toEqual([]);
    expect(
      [...JSON.stringify(server.seen[0]?.body['tools']).matchAll(/"name":"([^"]+)"/g)].map(
        ([, name]) => name,
      ),
    ).toEqual(names);
  });
});

/** Returns the results of calls that were interrupted by the end of the process. */
function interrupted(message: Message): readonly Message[] {
  return [
    message,
    {
      role: 'user',
      content: callsOf(message).map(({ id }) => ({
        type: 'tool_result',
        toolUseId: id,
        content: [{ type: 'text', text: 'interrupted' }],
        isError: true,
      })),
    },
  ];
}
