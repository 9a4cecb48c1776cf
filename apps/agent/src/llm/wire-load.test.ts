import { expect, test, vi } from 'vitest';
import { agentRequest, collect, finishOf, textOf, userText } from './testing/collect.ts';
import { failure } from './testing/failure.ts';
import { type Reply, startFakeServer } from './testing/fake-wire.ts';
import { connect, WIRES } from './testing/provider-kinds.ts';
import { MAX_OPENING } from './memory-rate-gate.ts';

const REQUEST = agentRequest([userText('Go')]);
const RUNS = 50;
const BUSY_REPLIES = MAX_OPENING + 10;
const RETRY_AFTER_MS = 100;

test.each(WIRES)(
  'fifty concurrent runs against a busy $api stay within the limits of the gate, and all are answered',
  async (kind) => {
    await using server = await startFakeServer(kind.wire);
    const busy: Reply = {
      status: 429,
      headers: { 'retry-after-ms': String(RETRY_AFTER_MS) },
      body: kind.wire.error('rate_limit_error', 'slow down'),
    };
    server.replies.push(...Array.from({ length: BUSY_REPLIES }, () => busy));
    server.otherwise = () => ({ turn: { text: 'ok' } });
    const provider = connect(kind, server);
    const answers = await Promise.all(
      Array.from({ length: RUNS }, async () =>
        textOf(finishOf(await collect(provider, REQUEST)).message),
      ),
    );
    expect(answers).toEqual(Array.from({ length: RUNS }, () => 'ok'));
    // The first burst, then one request at a time after the requested delay.
    const times = server.seen.map(({ at }) => at);
    expect(times).toHaveLength(BUSY_REPLIES + RUNS);
    const probes = times.slice(MAX_OPENING, BUSY_REPLIES + 1);
    for (const [index, time] of probes.entries())
      expect(time - (probes[index - 1] ?? -Infinity)).toBeGreaterThanOrEqual(RETRY_AFTER_MS - 5);
  },
);

test('a retry delay of 90 s for one run applies to other runs without another request', async () => {
  const [kind] = WIRES;
  if (kind === undefined) throw new Error('no wire');
  await using server = await startFakeServer(kind.wire);
  server.replies.push({
    status: 429,
    headers: { 'retry-after': '90' },
    body: kind.wire.error('rate_limit_error', 'slow down'),
  });
  const provider = connect(kind, server);
  expect(await failure(collect(provider, REQUEST))).toMatchObject({
    kind: 'rate',
    retryAfterMs: 90_000,
  });
  expect(await failure(collect(provider, REQUEST))).toMatchObject({
    kind: 'rate',
    message: expect.stringContaining('asks to wait 90 s') as string,
  });
  expect(server.seen).toHaveLength(1);
});

test('a run that waits at the gate can be cancelled without sending a request', async () => {
  const [kind] = WIRES;
  if (kind === undefined) throw new Error('no wire');
  await using server = await startFakeServer(kind.wire);
  server.otherwise = () => ({
    status: 429,
    headers: { 'retry-after': '30' },
    body: kind.wire.error('rate_limit_error', 'slow down'),
  });
  const provider = connect(kind, server);
  const first = new AbortController();
  const told = failure(collect(provider, REQUEST, first.signal));
  await vi.waitFor(() => expect(server.seen).toHaveLength(1), 10_000);
  const second = new AbortController();
  const waiting = failure(collect(provider, REQUEST, second.signal));
  second.abort();
  expect((await waiting).kind).toBe('aborted');
  first.abort();
  expect(await told).toMatchObject({ kind: 'aborted', usage: undefined });
  expect(server.seen).toHaveLength(1);
});
