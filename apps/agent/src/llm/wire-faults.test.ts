import type { JsonObject } from '@signalbox/mcp-core';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { agentRequest, collect, finishOf, textOf, userText } from './testing/collect.ts';
import { failure } from './testing/failure.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { GOOD_KEY, sse, startFakeServer } from './testing/fake-wire.ts';
import { connect, type WireKind, WIRES } from './testing/provider-kinds.ts';

const REQUEST = agentRequest([userText('Go')]);

/** Returns the first events of an answer, up to some text. */
function beginning(kind: WireKind): readonly string[] {
  const events = kind.wire.encode({ text: 'Hello there.' }, { model: kind.model, messages: [] });
  return events.slice(
    0,
    events.findIndex((event) => /output_text\.delta|text_delta|"content":"[^"]/.test(event)) + 1,
  );
}

beforeEach(() => {
  vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:9/stray');
  vi.stubEnv('OPENAI_CUSTOM_HEADERS', 'Authorization: Bearer stray-key\nX-Stray: yes');
  vi.stubEnv('OPENAI_ORG_ID', 'stray-org');
  vi.stubEnv('OPENAI_PROJECT_ID', 'stray-project');
  vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9/stray');
  vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'stray-token');
  vi.stubEnv('ANTHROPIC_CUSTOM_HEADERS', 'Authorization: Bearer stray-key\nX-Stray: yes');
});

afterEach(() => vi.unstubAllEnvs());

describe.each(WIRES)('$api', (kind) => {
  test('sends only the configured key, and no values from the environment', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ turn: { text: 'ok' } });
    expect(textOf(finishOf(await collect(connect(kind, server), REQUEST)).message)).toBe('ok');
    const headers = server.seen[0]?.headers ?? {};
    expect(headers.authorization).toBe(`Bearer ${GOOD_KEY}`);
    expect(JSON.stringify(headers)).not.toContain('stray');
    expect(Object.keys(headers).filter((name) => name.startsWith('x-stainless'))).toEqual([]);
  });

  test('a 429 is retried after the delay that the server sets, other temporary failures with jitter', async () => {
    await using server = await startFakeServer(kind.wire);
    const clock = new FakeClock();
    server.replies.push(
      {
        status: 429,
        headers: { 'retry-after': '7' },
        body: kind.wire.error('rate_limit_error', 'slow down'),
      },
      { status: 529, body: kind.wire.error('overloaded_error', 'Overloaded') },
      { status: 500, body: 'oops' },
      { turn: { text: 'ok' } },
    );
    const events = await collect(
      connect(kind, server, { clock, random: () => 0.5, idleTimeoutMs: 600_000 }),
      REQUEST,
    );
    expect(textOf(finishOf(events).message)).toBe('ok');
    expect(clock.waits).toEqual([7000, 500, 1000]);
  });

  test('a 429 with a delay of more than a minute fails at once with the time', async () => {
    await using server = await startFakeServer(kind.wire);
    const clock = new FakeClock();
    server.replies.push({
      status: 429,
      headers: { 'retry-after': '90' },
      body: kind.wire.error('rate_limit_error', 'slow down'),
    });
    const error = await failure(
      collect(connect(kind, server, { clock, idleTimeoutMs: 600_000 }), REQUEST),
    );
    expect(error).toMatchObject({ kind: 'rate', status: 429, retryAfterMs: 90_000 });
    expect(error.message).toContain('asks to wait 90 s (until 2030-01-01T00:01:30.000Z)');
    expect(server.seen).toHaveLength(1);
  });

  test('a 429 with a delay beyond the limit of the call fails at once with the delay', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({
      status: 429,
      headers: { 'retry-after': '7' },
      body: kind.wire.error('rate_limit_error', 'slow down'),
    });
    const provider = connect(kind, server, { clock: new FakeClock(), idleTimeoutMs: 600_000 });
    const call = async (): Promise<void> => {
      for await (const _ of provider.stream(REQUEST, {
        signal: new AbortController().signal,
        patienceMs: 5000,
      }));
    };
    expect(await failure(call())).toMatchObject({ kind: 'rate', retryAfterMs: 7000 });
    expect(server.seen).toHaveLength(1);
  });

  test.each([
    { status: 529, body: kind.wire.error('overloaded_error', 'Overloaded') },
    {
      status: 429,
      headers: { 'retry-after': '0' },
      body: kind.wire.error('rate_limit_error', 'slow down'),
    },
  ])('a $status is not retried by a call without patience', async (reply) => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push(reply, { turn: { text: 'ok' } });
    const provider = connect(kind, server, { clock: new FakeClock(), idleTimeoutMs: 600_000 });
    const call = async (): Promise<void> => {
      for await (const _ of provider.stream(REQUEST, {
        signal: new AbortController().signal,
        patienceMs: 0,
      }));
    };
    expect(await failure(call())).toMatchObject({ status: reply.status, retryable: true });
    expect(server.seen).toHaveLength(1);
  });

  test('a persistent overload ends after five attempts', async () => {
    await using server = await startFakeServer(kind.wire);
    for (let attempt = 0; attempt < 6; attempt += 1)
      server.replies.push({ status: 529, body: kind.wire.error('overloaded_error', 'Overloaded') });
    const error = await failure(
      collect(connect(kind, server, { clock: new FakeClock(), idleTimeoutMs: 600_000 }), REQUEST),
    );
    expect(error).toMatchObject({
      kind: 'overloaded',
      status: 529,
      message: expect.stringContaining('failed after 5 attempts') as string,
    });
    expect(server.seen).toHaveLength(5);
  });

  test.each([
    { status: 400, type: 'invalid_request_error', text: 'tools.0: bad', kind: 'invalid' },
    {
      status: 400,
      type: 'context_length_exceeded',
      text: 'prompt is too long: 300000 tokens > 200000 maximum',
      kind: 'context',
    },
    { status: 402, type: 'billing_error', text: 'pay', kind: 'quota' },
    { status: 403, type: 'permission_error', text: 'not yours', kind: 'auth' },
    { status: 404, type: 'not_found_error', text: 'model: nope', kind: 'invalid' },
    { status: 413, type: 'request_too_large', text: 'too big', kind: 'context' },
    { status: 422, type: 'invalid_request_error', text: 'odd', kind: 'invalid' },
    {
      status: 429,
      type: 'insufficient_quota',
      text: 'You exceeded your current quota',
      kind: 'quota',
    },
  ])(
    'a $status $type is of kind $kind and never retried',
    async ({ status, type, text, kind: expected }) => {
      await using server = await startFakeServer(kind.wire);
      server.replies.push({
        status,
        body:
          kind.provider === 'openai'
            ? { error: { message: text, type, code: type } }
            : kind.wire.error(type, text),
      });
      const error = await failure(collect(connect(kind, server), REQUEST));
      expect(error).toMatchObject({ kind: expected, status, retryable: false });
      expect(error.message).toContain(text);
      expect(server.seen).toHaveLength(1);
    },
  );

  test('a refused key is reported by the name of its variable, and the key appears nowhere', async () => {
    await using server = await startFakeServer(kind.wire);
    const key = 'sk-very-secret-0123456789';
    const error = await failure(
      collect(connect(kind, server, { config: { apiKey: key } }), REQUEST),
    );
    expect(error).toMatchObject({ kind: 'auth', status: 401, retryable: false });
    expect(error.message).toContain(`Set ${kind.keyVariable} to a valid key`);
    expect(error.message).toContain('Incorrect API key provided: Bearer [key]');
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(key);
  });

  test('a key that a long error page echoes appears nowhere in the error', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({
      status: 400,
      body: { error: { message: 'no', page: `${'x'.repeat(30_000)}${GOOD_KEY}` } },
    });
    const error = await failure(collect(connect(kind, server), REQUEST));
    expect(
      inspect(error, { depth: 20, showHidden: true, maxStringLength: Infinity }),
    ).not.toContain(GOOD_KEY);
  });

  test('a redirect is not followed, so the key and the conversation reach no other server', async () => {
    await using server = await startFakeServer(kind.wire);
    await using other = await startFakeServer(kind.wire);
    server.replies.push({
      status: 307,
      headers: { location: `${other.origin}${kind.wire.path}` },
      body: '',
    });
    const error = await failure(collect(connect(kind, server), REQUEST));
    expect(error).toMatchObject({
      kind: 'invalid',
      status: 307,
      message: expect.stringContaining('llm.base_url') as string,
    });
    expect(other.seen).toEqual([]);
  });

  test('a key that cannot be a header is refused before anything is sent', async () => {
    await using server = await startFakeServer(kind.wire);
    const error = await failure(
      collect(connect(kind, server, { config: { apiKey: 'secret-one\nsecret-two' } }), REQUEST),
    );
    expect(error.kind).toBe('auth');
    expect(error.message).toContain(kind.keyVariable);
    expect(inspect(error)).not.toMatch(/secret-(one|two)/);
    expect(server.seen).toEqual([]);
  });

  test('a missing key for the vendor names the variable to set', async () => {
    const error = await failure(
      collect(
        connect(kind, { origin: '' }, { config: { apiKey: undefined, baseUrl: undefined } }),
        REQUEST,
      ),
    );
    expect(error).toMatchObject({
      kind: 'auth',
      message: expect.stringContaining(`Set ${kind.keyVariable} and start again.`) as string,
    });
  });

  test('an unreachable server is a network error that suggests checking that it runs', async () => {
    const server = await startFakeServer(kind.wire);
    await server[Symbol.asyncDispose]();
    const error = await failure(
      collect(connect(kind, server, { clock: new FakeClock(), idleTimeoutMs: 600_000 }), REQUEST),
    );
    expect(error.kind).toBe('network');
    expect(error.message).toContain(
      `Cannot reach ${server.origin}${kind.basePath} (ECONNREFUSED). Is the server at ${server.origin}${kind.basePath} running?`,
    );
  });

  test('a server without this API is reported with the missing path', async () => {
    await using server = await startFakeServer({ ...kind.wire, path: '/v1/another' });
    const error = await failure(collect(connect(kind, server), REQUEST));
    expect(error).toMatchObject({ kind: 'invalid', status: 404 });
    expect(error.message).toContain(`${server.origin}${kind.wire.path} must exist`);
  });

  test.each(['text/html; charset=utf-8', 'application/json'])(
    'a %s in place of a stream is an error that says what to check',
    async (type) => {
      await using server = await startFakeServer(kind.wire);
      server.replies.push({
        status: 200,
        headers: { 'content-type': type },
        body: '<html>Welcome</html>',
      });
      const error = await failure(
        collect(connect(kind, server, { clock: new FakeClock(), idleTimeoutMs: 600_000 }), REQUEST),
      );
      expect(error).toMatchObject({
        kind: 'protocol',
        retryable: false,
        message: expect.stringContaining(`${type} instead of an event stream`) as string,
      });
      expect(error.message).toContain('check that the base URL speaks this API');
      expect(server.seen).toHaveLength(1);
    },
  );

  test('an error inside the stream of a 200 keeps its kind, and is not retried after the answer began', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({
      events: [...beginning(kind), kind.wire.streamError('overloaded_error', 'Overloaded')],
      end: 'clean',
    });
    const error = await failure(collect(connect(kind, server), REQUEST));
    expect(error).toMatchObject({
      kind: 'overloaded',
      status: undefined,
      message: expect.stringContaining('Overloaded') as string,
    });
    expect(server.seen).toHaveLength(1);
  });

  test('an error as the first event of a 200 is retried', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push(
      { events: [kind.wire.streamError('rate_limit_error', 'later')], end: 'clean' },
      { turn: { text: 'ok' } },
    );
    const events = await collect(
      connect(kind, server, { clock: new FakeClock(), idleTimeoutMs: 600_000 }),
      REQUEST,
    );
    expect(textOf(finishOf(events).message)).toBe('ok');
  });

  test('an error after the start of the answer but before its content is retried', async () => {
    await using server = await startFakeServer(kind.wire);
    const [start = ''] = beginning(kind);
    server.replies.push(
      { events: [start, kind.wire.streamError('overloaded_error', 'Overloaded')], end: 'stall' },
      { events: [start], end: 'reset' },
      { turn: { text: 'ok' } },
    );
    const events = await collect(
      connect(kind, server, { clock: new FakeClock(), idleTimeoutMs: 600_000 }),
      REQUEST,
    );
    expect(textOf(finishOf(events).message)).toBe('ok');
    expect(events.filter(({ type }) => type === 'start')).toHaveLength(1);
    expect(server.seen).toHaveLength(3);
  });

  test('a stream that ends cleanly before its terminal event is an error and not an answer', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ events: beginning(kind), end: 'clean' });
    expect(await failure(collect(connect(kind, server), REQUEST))).toMatchObject({
      kind: 'network',
      message: expect.stringContaining('before it was complete') as string,
    });
  });

  test('a stream that is reset in the middle is a network error', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({
      events: [...beginning(kind), 'event: response.output_text.delta\ndata: {"type":"resp'],
      end: 'reset',
    });
    expect((await failure(collect(connect(kind, server), REQUEST))).kind).toBe('network');
  });

  test('an answer without any event is retried', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ events: [], end: 'clean' }, { turn: { text: 'ok' } });
    expect(
      textOf(
        finishOf(
          await collect(
            connect(kind, server, { clock: new FakeClock(), idleTimeoutMs: 600_000 }),
            REQUEST,
          ),
        ).message,
      ),
    ).toBe('ok');
  });

  test('an event that is not JSON, or is invalid, is a protocol error', async () => {
    await using server = await startFakeServer(kind.wire);
    const [name, contents] = {
      responses: ['response.completed', {}],
      chat: [
        'message',
        { choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{' } }] } }] },
      ],
      messages: ['message_start', {}],
    }[kind.api] as [string, JsonObject];
    server.replies.push(
      { events: [...beginning(kind), `event: ${name}\ndata: {nope\n\n`], end: 'clean' },
      { events: [...beginning(kind), sse(name, contents)], end: 'clean' },
    );
    expect((await failure(collect(connect(kind, server), REQUEST))).kind).toBe('protocol');
    expect((await failure(collect(connect(kind, server), REQUEST))).kind).toBe('protocol');
  });

  test('a stalled stream times out after too long without data', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ events: beginning(kind), end: 'stall' });
    const error = await failure(collect(connect(kind, server, { idleTimeoutMs: 60 }), REQUEST));
    expect(error).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('sent nothing for 0.06 s') as string,
    });
    await server.seen[0]?.closed;
  });

  test('a call beyond its total time limit times out', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ events: beginning(kind), end: 'stall' });
    const error = await failure(collect(connect(kind, server, { deadlineMs: 80 }), REQUEST));
    expect(error).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('took longer than 0.08 s') as string,
    });
  });

  test('an abort in the middle closes the connection', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ events: beginning(kind), end: 'stall' });
    const controller = new AbortController();
    const seen: string[] = [];
    const error = await failure(
      (async () => {
        for await (const event of connect(kind, server).stream(REQUEST, {
          signal: controller.signal,
        })) {
          seen.push(event.type);
          if (event.type === 'text') controller.abort();
        }
      })(),
    );
    expect(error.kind).toBe('aborted');
    expect(seen).toEqual(['start', 'text']);
    await server.seen[0]?.closed;
  });

  test('an abort before the answer and an abort before the call are the same error', async () => {
    await using server = await startFakeServer(kind.wire);
    const controller = new AbortController();
    server.replies.push({ events: [], end: 'stall' });
    const call = failure(collect(connect(kind, server), REQUEST, controller.signal));
    await vi.waitFor(() => expect(server.seen).toHaveLength(1), 10_000);
    controller.abort();
    expect((await call).kind).toBe('aborted');
    await server.seen[0]?.closed;
    expect((await failure(collect(connect(kind, server), REQUEST, AbortSignal.abort()))).kind).toBe(
      'aborted',
    );
    expect(server.seen).toHaveLength(1);
  });

  test('a reader that leaves early closes the connection', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ events: beginning(kind), end: 'stall' });
    for await (const event of connect(kind, server).stream(REQUEST, {
      signal: new AbortController().signal,
    }))
      if (event.type === 'text') break;
    await server.seen[0]?.closed;
    expect(server.seen).toHaveLength(1);
  });

  test('a slow reader causes no idle timeout', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ turn: { text: 'Hello there.' } });
    const waits: (() => void)[] = [];
    const clock = {
      now: () => 0,
      after: (_ms: number, callback: () => void) => (
        waits.push(callback),
        () => void waits.splice(waits.indexOf(callback), 1)
      ),
    };
    const pending: number[] = [];
    for await (const event of connect(kind, server, { clock }).stream(REQUEST, {
      signal: new AbortController().signal,
    })) {
      if (event.type === 'text') pending.push(waits.length);
    }
    expect(new Set(pending)).toEqual(new Set([1])); // the deadline alone; the idle timer does not run while the reader works
  });
});
