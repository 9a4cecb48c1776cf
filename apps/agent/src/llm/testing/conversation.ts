import type { JsonObject } from '@signalbox/mcp-core';
import type { Block, LlmEvent, Message, ToolSpec } from '../../ports/llm-provider.ts';
import { agentRequest, callsOf, collect, finishOf } from './collect.ts';
import { type FakeServer, type FakeTurn, startFakeServer } from './fake-wire.ts';
import { connect, type WireKind } from './provider-kinds.ts';

export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
export const PDF = Buffer.from('%PDF-1.4 nothing').toString('base64');
/** Earlier turns in the last request of an agent loop, by API. */
export const REPLAYED = {
  responses: ['"encrypted_content":"sealed"', '"id":"fc_call_a_reasoned"', 'ERROR: unknown place'],
  chat: [
    '"tool_call_id":"call_a"',
    '"arguments":"{\\"city\\":\\"Oslo\\"}"',
    'ERROR: unknown place',
  ],
  messages: ['"signature":', '"thinking":"Two places."', '"is_error":true'],
};
export const TOOLS: readonly ToolSpec[] = [
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

export function results(
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
export function stored(message: Message): Message {
  return JSON.parse(JSON.stringify(message)) as Message;
}

export function warningsIn(events: readonly LlmEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
}

/** Returns the request body of one user message or tool result. */
export async function sent(
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

export function messagesTo(server: FakeServer): readonly JsonObject[] {
  return (server.seen[0]?.body['messages'] ?? []) as readonly JsonObject[];
}

export async function say(
  kind: WireKind,
  server: FakeServer,
  ...[turn, messages]: [FakeTurn, readonly Message[]]
) {
  server.replies.push({ turn });
  return finishOf(
    await collect(
      connect(kind, server),
      agentRequest(messages, { system: 'Be brief.', tools: TOOLS, cacheKey: 'run-1' }),
    ),
  );
}
