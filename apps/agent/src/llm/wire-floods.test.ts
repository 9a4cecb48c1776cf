import { describe, expect, test } from 'vitest';
import { agentRequest, collect, finishOf, textOf, userText } from './testing/collect.ts';
import { failure } from './testing/failure.ts';
import { type Reply, startFakeServer } from './testing/fake-wire.ts';
import { connect, type WireKind, WIRES } from './testing/provider-kinds.ts';
import {
  MAX_EVENT_BYTES,
  MAX_EVENT_DEPTH,
  MAX_EVENT_PARTS,
  MAX_IDLE_BYTES,
} from './stream-events.ts';

const MB = 1024 * 1024;

describe.each(WIRES)('$api', (kind) => {
  const error = async (reply: Reply) => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push(reply);
    return await failure(collect(connect(kind, server), agentRequest([userText('Go')])));
  };

  test.each([
    ['of 5 MB', `"${'x'.repeat(5 * MB)}"`, `an event of more than ${MAX_EVENT_BYTES} bytes`],
    [
      'of 3 MB of objects',
      `[${'{},'.repeat(MB)}{}]`,
      `an event with more than ${MAX_EVENT_PARTS} JSON values`,
    ],
    [
      'of 200 levels',
      '['.repeat(200) + ']'.repeat(200),
      `an event with more than ${MAX_EVENT_DEPTH} levels of JSON`,
    ],
  ])('an event %s ends the call before it is parsed', async (_, value, problem) => {
    const events = answerWith(kind, value);
    expect(await error({ events, end: 'clean' })).toMatchObject({
      kind: 'too_large',
      retryable: false,
      message: expect.stringContaining(problem) as string,
    });
  });

  test('endless comments end the call', async () => {
    const events = [': wait\n\n'.repeat(MAX_IDLE_BYTES / 8 + 1)];
    expect(await error({ events, end: 'stall' })).toMatchObject({
      kind: 'too_large',
      message: expect.stringContaining('comments and empty events') as string,
    });
  });

  test('an answer among many comments is complete', async () => {
    await using server = await startFakeServer(kind.wire);
    const events = kind.wire.encode({ text: 'Hello there.' }, { model: kind.model, messages: [] });
    server.replies.push({
      events: events.map((event) => ': wait\n\n'.repeat(10_000) + event),
      end: 'clean',
    });
    expect(
      textOf(
        finishOf(await collect(connect(kind, server), agentRequest([userText('Go')]))).message,
      ),
    ).toBe('Hello there.');
  });

  test('an error of 10 MB is reported truncated', async () => {
    const body = kind.wire.error('invalid_request_error', `no such thing ${'x'.repeat(10 * MB)}`);
    expect(await error({ status: 400, body })).toMatchObject({
      kind: 'invalid',
      status: 400,
      message: expect.stringContaining('no such thing') as string,
    });
  });
});

/** Returns the events of an answer with the value in an unknown member. */
function answerWith(kind: WireKind, value: string): readonly string[] {
  const events = kind.wire.encode({ text: 'Hello there.' }, { model: kind.model, messages: [] });
  return events.map((event, at) =>
    at === 0 ? event.replace(/data: \{/, `data: {"x_unknown":${value},`) : event,
  );
}
