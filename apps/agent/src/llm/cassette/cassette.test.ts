import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../../config/config.ts';
import type { LlmRequest } from '../../ports/llm-provider.ts';
import { systemClock } from '../../system/system-clock.ts';
import { agentRequest, collect, finishOf, textOf, userText } from '../testing/collect.ts';
import { failure } from '../testing/failure.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { startFakeServer, type Reply } from '../testing/fake-wire.ts';
import { connect, WIRES, type WireKind } from '../testing/provider-kinds.ts';
import { openCassette } from './cassette.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cassette-'));
  file = join(folder, 'one.jsonl');
});
afterEach(() => rm(folder, { recursive: true }));

/** Address of the recorded server. */
let origin: string;

/** Records the requests to a fake server with these replies. */
async function record(
  kind: WireKind,
  replies: readonly Reply[],
  requests: readonly LlmRequest[],
): Promise<unknown[]> {
  await using server = await startFakeServer(kind.wire);
  server.replies.push(...replies);
  ({ origin } = server);
  const provider = connect(kind, server, {
    clock: new FakeClock(),
    idleTimeoutMs: 600_000,
    cassette: openCassette({ mode: 'record', file }, systemClock),
  });
  const seen: unknown[] = [];
  for (const request of requests)
    seen.push(await collect(provider, request).catch((error: unknown) => String(error)));
  return seen;
}

function replay(kind: WireKind) {
  const cassette = openCassette({ mode: 'replay', file }, systemClock);
  return {
    cassette,
    provider: connect(
      kind,
      { origin },
      { clock: new FakeClock(), idleTimeoutMs: 600_000, cassette, config: { apiKey: 'none' } },
    ),
  };
}

describe.each(WIRES)('$provider', (kind) => {
  test('a recorded conversation is replayed event by event without a server, however its bytes were split', async () => {
    const call = {
      reasoning: 'Hm.',
      text: 'Grüße 🌦️',
      calls: [{ id: 'call_a', name: 'wx__get', json: '{"city":"Łódź"}' }],
    };
    const tools = [
      {
        name: 'wx__get',
        description: 'Weather',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      },
    ];
    const first = agentRequest([userText('Go')], { tools, system: 'Be kind.' });
    const second = agentRequest([userText('And now?')], { tools });
    const recorded = await record(
      kind,
      [
        { turn: call, chunkBytes: 1 },
        { turn: { text: 'Done.' }, lineEnd: '\r\n' },
      ],
      [first, second],
    );
    const { cassette, provider } = replay(kind);
    expect(cassette.unused()).toBe(2);
    expect(await collect(provider, first)).toEqual(recorded[0]);
    expect(await collect(provider, second)).toEqual(recorded[1]);
    expect(cassette.unused()).toBe(0);
  });

  test('the file has neither keys nor request headers, even if the server echoes them, and only its owner can read it', async () => {
    await using server = await startFakeServer(kind.wire);
    const config = { apiKey: 'wrong-key-9876543210' };
    const provider = connect(kind, server, {
      config,
      cassette: openCassette({ mode: 'record', file }, systemClock),
    });
    expect(
      (await failure(collect(provider, agentRequest([userText(`my key is ${config.apiKey}`)]))))
        .kind,
    ).toBe('auth');
    const written = await readFile(file, 'utf8');
    expect(written).toContain('[redacted]');
    expect(written).not.toMatch(/9876543210|bearer|authorization|user-agent/i);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('failed and retried requests are replayed with their failures', async () => {
    const busy: Reply = {
      status: 429,
      headers: { 'retry-after': '1' },
      body: { error: { message: 'slow down', type: 'rate_limit_error' } },
    };
    await record(kind, [busy, { turn: { text: 'Now.' } }], [agentRequest([userText('Go')])]);
    const { cassette, provider } = replay(kind);
    expect(textOf(finishOf(await collect(provider, agentRequest([userText('Go')]))).message)).toBe(
      'Now.',
    );
    expect(cassette.unused()).toBe(0);
  });

  test('a broken connection is replayed as a broken connection', async () => {
    const request = agentRequest([userText('Go')]);
    const events = kind.wire.encode(
      { text: 'Hello there.' },
      { model: kind.model, messages: [], input: [] },
    );
    const [recorded] = await record(
      kind,
      [{ events: events.slice(0, -2), end: 'reset' }],
      [request],
    );
    expect(recorded).toContain('LlmError');
    const { provider } = replay(kind);
    expect(String(await failure(collect(provider, request)))).toContain('LlmError');
  });

  test('an unrecorded request is refused with its first difference to the nearest recorded request, and is not retried', async () => {
    await record(
      kind,
      [{ turn: { text: 'A' } }, { turn: { text: 'B' } }],
      [agentRequest([userText('Go to Oslo')]), agentRequest([userText('Wait')])],
    );
    const { cassette, provider } = replay(kind);
    const error = await failure(collect(provider, agentRequest([userText('Go to Rome')])));
    expect(error).toMatchObject({ kind: 'invalid', retryable: false });
    expect(error.message).toMatch(
      /no answer to this request: the nearest is request 1 of 2, and \w+\[0\]\.content(\[0\]\.text)? was "Go to Oslo" and is "Go to Rome"\./,
    );
    expect(cassette.unused()).toBe(2);
  });

  test('a write failure of the cassette ends the recording, but not the answer', async () => {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ turn: { text: 'A' } });
    const provider = connect(kind, server, {
      cassette: openCassette({ mode: 'record', file }, systemClock),
    });
    await rm(folder, { recursive: true });
    expect(textOf(finishOf(await collect(provider, agentRequest([userText('Go')]))).message)).toBe(
      'A',
    );
    expect((await failure(collect(provider, agentRequest([userText('Go')])))).message).toContain(
      'cannot be written (ENOENT)',
    );
    await mkdir(folder);
  });

  test('a recorded answer is used once', async () => {
    const request = agentRequest([userText('Go')]);
    await record(kind, [{ turn: { text: 'A' } }], [request]);
    const { provider } = replay(kind);
    await collect(provider, request);
    expect((await failure(collect(provider, request))).message).toContain(
      'request 1 of 1 is equal, but its response was used before',
    );
    expect((await failure(collect(provider, agentRequest([userText('Else')])))).message).toContain(
      'all 1 recorded responses were used before',
    );
  });

  test('different conversation names and ids match if they are in the same positions', async () => {
    const [a, b, c] = [
      '00000000-0000-4000-8000-00000000000a',
      '00000000-0000-4000-8000-00000000000b',
      '00000000-0000-4000-8000-00000000000c',
    ];
    await record(
      kind,
      [{ turn: { text: 'A' } }],
      [agentRequest([userText(`read ${a} and ${a}`)], { cacheKey: 'run-1' })],
    );
    const { provider } = replay(kind);
    expect(
      (await failure(collect(provider, agentRequest([userText(`read ${b} and ${c}`)])))).message,
    ).toContain('uuid-2');
    expect(
      textOf(
        finishOf(
          await collect(
            provider,
            agentRequest([userText(`read ${b} and ${b}`)], { cacheKey: 'run-2' }),
          ),
        ).message,
      ),
    ).toBe('A');
  });
});

describe('files', () => {
  test('recording does not overwrite an existing cassette', async () => {
    await writeFile(file, 'precious');
    expect(() => openCassette({ mode: 'record', file }, systemClock)).toThrow(
      new ConfigError(`${file}: the cassette exists; remove it to record another, or replay it`),
    );
    expect(await readFile(file, 'utf8')).toBe('precious');
  });

  test.each([
    ['{"cassette":2}\n', /is not a cassette of this version/],
    ['', /is not a cassette of this version/],
    ['hello\n', /a line of it is not JSON/],
  ])('a file with %j is refused', async (text, message) => {
    await writeFile(file, text);
    expect(() => openCassette({ mode: 'replay', file }, systemClock)).toThrow(message);
  });

  test('a missing file is refused', () => {
    expect(() => openCassette({ mode: 'replay', file }, systemClock)).toThrow(
      `${file}: there is no such cassette`,
    );
  });
});
