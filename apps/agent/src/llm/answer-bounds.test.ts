import { describe, expect, test } from 'vitest';
import type { LlmEvent } from '../ports/llm-provider.ts';
import { MAX_ARGUMENT_CHARACTERS, MAX_CALLS, MAX_TEXT_CHARACTERS } from './answer-bounds.ts';
import { MessageBuilder } from './message-builder.ts';
import { agentRequest, collect, finishOf, userText } from './testing/collect.ts';
import { failure } from './testing/failure.ts';
import { type Reply, startFakeServer } from './testing/fake-wire.ts';
import { connect, type WireKind, WIRES } from './testing/provider-kinds.ts';

async function answerTo(kind: WireKind, reply: Reply) {
  await using server = await startFakeServer(kind.wire);
  server.replies.push(reply);
  return finishOf(await collect(connect(kind, server), agentRequest([userText('Go')])));
}

test.each(WIRES)(
  `$api: an answer of ${MAX_CALLS} tool calls is accepted, an answer with more is discarded`,
  async (kind) => {
    const calls = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        id: `call_${at}`,
        name: 'files__read',
        json: '{}',
      }));
    expect(
      (await answerTo(kind, { turn: { calls: calls(MAX_CALLS) } })).message.content,
    ).toHaveLength(MAX_CALLS);
    expect(await failure(answerTo(kind, { turn: { calls: calls(MAX_CALLS + 1) } }))).toMatchObject({
      kind: 'too_large',
      retryable: false,
      message: `The answer of the model has more than ${MAX_CALLS} tool calls and was discarded. Ask for less in one turn; if this repeats, check what the model server sends.`,
    });
  },
);

describe('a message', () => {
  const tooLarge = (...events: readonly LlmEvent[]): unknown => {
    const builder = new MessageBuilder();
    try {
      for (const event of events) builder.add(event);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const half = (type: 'text' | 'reasoning', more = 0): LlmEvent => ({
    type,
    delta: 'x'.repeat(MAX_TEXT_CHARACTERS / 2 + more),
  });
  const call: LlmEvent = { type: 'tool_start', index: 0, id: 'id', name: 'name' };
  const json = (length: number): LlmEvent => ({
    type: 'tool_arguments',
    index: 0,
    delta: 'x'.repeat(length),
  });

  test('holds a bounded number of characters of text and reasoning', () => {
    expect(tooLarge(half('text'), half('reasoning'))).toBeUndefined();
    expect(tooLarge(half('text'), half('reasoning', 1))).toMatchObject({
      kind: 'too_large',
      message: expect.stringContaining(
        `more than ${MAX_TEXT_CHARACTERS} characters of text`,
      ) as string,
    });
  });

  test('holds a bounded number of characters of tool arguments, with ids and names', () => {
    expect(tooLarge(call, json(MAX_ARGUMENT_CHARACTERS - 6))).toBeUndefined();
    expect(tooLarge(call, json(MAX_ARGUMENT_CHARACTERS - 5))).toMatchObject({
      kind: 'too_large',
      message: expect.stringContaining(
        `more than ${MAX_ARGUMENT_CHARACTERS} characters of tool arguments`,
      ) as string,
    });
  });
});
