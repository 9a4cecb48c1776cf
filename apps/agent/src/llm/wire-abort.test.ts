import { describe, expect, test } from 'vitest';
import type { LlmEvent, LlmRequest, Message } from '../ports/llm-provider.ts';
import { agentRequest, collect, finishOf, textOf, userText } from './testing/collect.ts';
import { failure } from './testing/failure.ts';
import { type FakeServer, type FakeTurn, startFakeServer } from './testing/fake-wire.ts';
import { connect, type WireKind, WIRES } from './testing/provider-kinds.ts';

const TURN: FakeTurn = {
  reasoning: 'Let me see.',
  text: 'Checking.',
  calls: [{ id: 'call_a', name: 'wx__get', json: '{"city":"Oslo"}' }],
};
const REQUEST = agentRequest([userText('Weather in Oslo?')], {
  tools: [
    {
      name: 'wx__get',
      description: 'Weather.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
    },
  ],
});

/** Reads up to an event and aborts while the server is still sending. */
async function abortAt(
  index: number,
  { kind, server }: { readonly kind: WireKind; readonly server: FakeServer },
) {
  const events = kind.wire.encode(TURN, { model: kind.model, messages: [] });
  server.replies.push({ events: events.slice(0, -2), end: 'stall' });
  const controller = new AbortController();
  const read: LlmEvent[] = [];
  const error = failure(
    (async () => {
      for await (const event of connect(kind, server).stream(REQUEST, {
        signal: controller.signal,
      }))
        if (read.push(event) > index) controller.abort();
    })(),
  );
  const told = await error;
  const abortedAt = performance.now();
  await server.seen.at(-1)?.closed;
  return { error: told, read, closedAfterMs: performance.now() - abortedAt };
}

/** Returns the text of a stopped turn that the engine keeps. */
function kept(read: readonly LlmEvent[]): readonly Message[] {
  const text = read.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join('');
  return text === '' ? [] : [{ role: 'assistant', content: [{ type: 'text', text }] }];
}

function estimateOf(server: FakeServer): number {
  return Math.ceil(JSON.stringify(server.seen.at(-1)?.body).length / 4);
}

describe.each(WIRES)('$api', (kind) => {
  test('an abort at any event closes the connection within 100 ms, reports usage, and leaves a history that can be continued', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ turn: TURN });
    const whole = await collect(connect(kind, server), REQUEST);
    const count = whole.length - 1;
    expect(count).toBeGreaterThan(10);
    const times: number[] = [];
    for (let index = 0; index < count; index += 1) {
      const { error, read, closedAfterMs } = await abortAt(index, { kind, server });
      expect(error.kind).toBe('aborted');
      expect(read).toHaveLength(index + 1);
      times.push(closedAfterMs);
      expect(error.usage).toMatchObject({
        input: expect.any(Number) as number,
        source: kind.api === 'messages' ? 'partial' : 'estimated',
      });
      const next: LlmRequest = {
        ...REQUEST,
        messages: [...REQUEST.messages, ...kept(read), userText('Go on.')],
      };
      server.replies.push({ turn: { text: 'Cold.' } });
      expect(textOf(finishOf(await collect(connect(kind, server), next)).message)).toBe('Cold.');
    }
    // The median: on a loaded machine single connections close late.
    expect(times.toSorted((left, right) => left - right)[Math.floor(count / 2)]).toBeLessThan(100);
  });

  test('the prompt and the partial answer are counted, with their price', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({
      events: kind.wire
        .encode({ text: 'x'.repeat(400) }, { model: kind.model, messages: [] })
        .slice(0, kind.api === 'responses' ? -2 : -3),
      end: 'stall',
    });
    const controller = new AbortController();
    const models = {
      [kind.model]: { price: { input: 1, output: 10, cache_read: 0.1, cache_write: 1 } },
    };
    let said = 0;
    const { usage } = await failure(
      (async () => {
        for await (const event of connect(kind, server, { config: { models } }).stream(REQUEST, {
          signal: controller.signal,
        })) {
          if (event.type === 'text') said += event.delta.length;
          if (said >= 400) controller.abort();
        }
      })(),
    );
    // Anthropic reports the prompt tokens when the answer begins.
    const counted =
      kind.api === 'messages'
        ? { input: 100, cacheRead: 20, cacheWrite: 10, source: 'partial' }
        : { input: estimateOf(server), source: 'estimated' };
    expect(usage).toMatchObject({ ...counted, output: 100 });
    expect(usage?.costUsd).toBeGreaterThan(100 * 10e-6);
  });

  test('a call that the provider refuses has no usage', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ status: 400, body: kind.wire.error('invalid_request_error', 'no') });
    expect((await failure(collect(connect(kind, server), REQUEST))).usage).toBeUndefined();
  });
});

test('the usage of failed attempts is added to the usage of the successful attempt', async () => {
  const kind = WIRES.find(({ api }) => api === 'messages');
  if (kind === undefined) throw new Error('no wire');
  await using server = await startFakeServer(kind.wire);
  const [start = ''] = kind.wire.encode({ text: 'Hi.' }, { model: kind.model, messages: [] });
  server.replies.push(
    { events: [start, kind.wire.streamError('overloaded_error', 'Overloaded')], end: 'clean' },
    { turn: { text: 'Hi.' } },
  );
  const { usage } = finishOf(await collect(connect(kind, server), REQUEST));
  expect(usage).toMatchObject({ input: 200, output: 30, source: 'partial' });
});
