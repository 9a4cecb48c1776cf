import { describe, expect, test } from 'vitest';
import type { LlmRequest } from '../ports/llm-provider.ts';
import { agentRequest, collect, userText } from './testing/collect.ts';
import { startFakeServer } from './testing/fake-wire.ts';
import { connect, type WireKind, WIRES } from './testing/provider-kinds.ts';

const TOOLS: LlmRequest['tools'] = [
  { name: 'wx__get', description: 'Weather.', inputSchema: { type: 'object', properties: {} } },
];

/** Returns the tool choice and the warnings of one request. */
async function choose(kind: WireKind, rest: Partial<LlmRequest>, model = kind.model) {
  await using server = await startFakeServer(kind.wire);
  server.replies.push({ turn: { text: 'ok' } });
  const events = await collect(
    connect(kind, server, { config: { model } }),
    agentRequest([userText('Hi')], { tools: TOOLS, ...rest }),
  );
  return {
    sent: server.seen[0]?.body['tool_choice'],
    warnings: events.flatMap((event) => (event.type === 'warning' ? [event.message] : [])),
  };
}

describe.each(WIRES)('$api', (kind) => {
  test.each(['auto', 'none'] as const)('%s is sent unchanged', async (toolChoice) => {
    const { sent, warnings } = await choose(kind, { toolChoice });
    expect(JSON.stringify(sent)).toContain(`"${toolChoice}"`);
    expect(warnings).toEqual([]);
  });

  test('nothing is sent without tools', async () => {
    expect(await choose(kind, { tools: [], toolChoice: 'required' })).toMatchObject({
      sent: undefined,
    });
  });

  test('a forced tool call is sent to a model that supports it', async () => {
    const model = { responses: 'gpt-6.1-sol', chat: 'qwen3:8b', messages: 'claude-haiku-4-5' }[
      kind.api
    ];
    expect(await choose(kind, { toolChoice: 'required' }, model)).toEqual({
      sent: kind.api === 'messages' ? { type: 'any' } : 'required',
      warnings: [],
    });
  });
});

test('a model that thinks is forced without thinking; a model that does not support forced tool calls chooses freely, with a warning', async () => {
  const kind = WIRES.find(({ api }) => api === 'messages');
  if (kind === undefined) throw new Error('no wire');
  // The fake API refuses a forced choice with thinking.
  expect(await choose(kind, { toolChoice: 'required' }, 'claude-sonnet-4-6')).toEqual({
    sent: { type: 'any' },
    warnings: [],
  });
  expect(await choose(kind, { toolChoice: 'required' }, 'claude-sonnet-5-5')).toEqual({
    sent: { type: 'auto' },
    warnings: [expect.stringContaining('does not support a required tool call')],
  });
  expect(
    (await choose(kind, { toolChoice: 'required', purpose: 'sampling' }, 'claude-sonnet-4-6')).sent,
  ).toEqual({ type: 'any' });
  expect(
    (await choose(kind, { toolChoice: 'required', purpose: 'sampling' }, 'claude-sonnet-5-5')).sent,
  ).toEqual({ type: 'auto' });
});
