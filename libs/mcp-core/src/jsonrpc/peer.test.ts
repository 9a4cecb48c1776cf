import { describe, expect, test } from 'vitest';
import { createInMemoryTransports } from '../testing/in-memory-transport.ts';
import type { JsonRpcMessage, JsonRpcRequest } from './messages.ts';
import { Peer } from './peer.ts';
import type { PeerHandlers } from './peer-handlers.ts';
import type { ResultOrError } from './responses.ts';
import type { RunningRequest } from './running-request.ts';

async function connect(handlers: Partial<PeerHandlers> = {}) {
  const [near, far] = createInMemoryTransports();
  const received: unknown[] = [];
  const problems: string[] = [];
  const ends: (Error | undefined)[] = [];
  const peer = new Peer(near, {
    request: () => Promise.resolve({ result: {} }),
    notification: () => undefined,
    ended: (error) => ends.push(error),
    problem: (error) => problems.push(error.message),
    ...handlers,
  });
  await far.start({
    message: (value) => received.push(value),
    unreadable: () => undefined,
    closed: () => undefined,
  });
  await peer.start();
  return {
    peer,
    far,
    received,
    problems,
    ends,
    send: (value: unknown) => far.send(value as JsonRpcMessage),
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const request = (id: string | number, method = 'do'): JsonRpcRequest => ({
  jsonrpc: '2.0',
  id,
  method,
});

describe('sent requests', () => {
  test('are numbered from 1 and matched whatever the order of the responses', async () => {
    const { peer, received, send } = await connect();
    const first = peer.request('a', { x: 1 });
    const second = peer.request('b');
    await settle();
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'a', params: { x: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'b' },
    ]);
    await send({ jsonrpc: '2.0', id: 2, result: { n: 2 } });
    await send({ jsonrpc: '2.0', id: 1, error: { code: 5, message: 'no', data: [1] } });
    expect(await second.outcome).toEqual({ kind: 'result', result: { n: 2 } });
    expect(await first.outcome).toEqual({
      kind: 'error',
      error: { code: 5, message: 'no', data: [1] },
    });
  });

  test('do not match a response whose id has another type', async () => {
    const { peer, send } = await connect();
    const { outcome } = peer.request('a');
    await send({ jsonrpc: '2.0', id: '1', result: { wrong: true } });
    await send({ jsonrpc: '2.0', id: 1, result: { right: true } });
    expect(await outcome).toEqual({ kind: 'result', result: { right: true } });
  });

  test('end as invalid when the response is not JSON-RPC', async () => {
    const { peer, send } = await connect();
    const { outcome } = peer.request('a');
    await send({ jsonrpc: '2.0', id: 1, result: 'text' });
    expect(await outcome).toEqual({ kind: 'invalid', detail: 'result must be an object' });
  });

  test('end when the transport refused their response', async () => {
    const { peer, problems, received } = await connect();
    const { outcome } = peer.request('a');
    peer.unreadable({ reason: 'too-large', detail: 'a line is longer than 5 bytes', answers: 1 });
    expect(await outcome).toEqual({ kind: 'refused', detail: 'a line is longer than 5 bytes' });
    expect(problems).toEqual(['A response was refused: a line is longer than 5 bytes']);
    expect(received).toHaveLength(1);
  });

  test('ignore late, repeated and unknown responses', async () => {
    const { peer, send, ends } = await connect();
    const forgotten = peer.request('a');
    forgotten.forget();
    const { outcome } = peer.request('b');
    await send({ jsonrpc: '2.0', id: 1, result: {} });
    await send({ jsonrpc: '2.0', id: 77, result: {} });
    await send({ jsonrpc: '2.0', id: 2, result: { n: 1 } });
    await send({ jsonrpc: '2.0', id: 2, result: { n: 2 } });
    expect(await outcome).toEqual({ kind: 'result', result: { n: 1 } });
    expect(ends).toEqual([]);
  });

  test('end as closed when the connection ends, and as unsent after it', async () => {
    const { peer, far, ends } = await connect();
    const { outcome } = peer.request('a');
    await settle();
    await far.close();
    expect(await outcome).toEqual({ kind: 'closed', error: undefined });
    expect(ends).toEqual([undefined]);
    expect(await peer.request('b').outcome).toMatchObject({ kind: 'unsent' });
  });

  test('end as unsent when the params are not JSON', async () => {
    const { peer } = await connect();
    expect(await peer.request('a', { n: 1n }).outcome).toMatchObject({ kind: 'unsent' });
  });
});

describe('received requests', () => {
  test('reach the handlers in wire order and get their responses as they become ready', async () => {
    const seen: string[] = [];
    const gates = new Map<string, (response: ResultOrError) => void>();
    const { received, send } = await connect({
      request: ({ method }) => {
        seen.push(method);
        return new Promise((resolve) => gates.set(method, resolve));
      },
      notification: ({ method }) => seen.push(method),
    });
    await send(request(1, 'slow'));
    await send({ jsonrpc: '2.0', method: 'note' });
    await send(request('1', 'fast'));
    await settle();
    gates.get('fast')?.({ result: { fast: true } });
    await settle();
    gates.get('slow')?.({ error: { code: 1, message: 'slow' } });
    await settle();
    expect(seen).toEqual(['slow', 'note', 'fast']);
    expect(received).toEqual([
      { jsonrpc: '2.0', id: '1', result: { fast: true } },
      { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'slow' } },
    ]);
  });

  test('get an internal error without details when the handler rejects', async () => {
    const { received, problems, send } = await connect({
      request: () => Promise.reject(new Error('secret path')),
    });
    await send(request(0));
    await settle();
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 0, error: { code: -32603, message: 'Internal error' } },
    ]);
    expect(problems).toEqual(['The handler of do failed']);
  });

  test('get an internal error when the result is not JSON', async () => {
    const { received, send } = await connect({
      request: () => Promise.resolve({ result: { n: 1n } }),
    });
    await send(request(5));
    await settle();
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 5, error: { code: -32603, message: 'Internal error' } },
    ]);
  });

  test('get no response once cancelled, and their signal carries the reason', async () => {
    const reasons: unknown[] = [];
    const { peer, received, send } = await connect({
      request: (_request, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason);
            resolve({ result: {} });
          });
        }),
    });
    await send(request(1));
    await settle();
    expect(peer.cancel('1')).toBe(false);
    expect(peer.cancel(1, 'enough')).toBe(true);
    expect(peer.cancel(1)).toBe(false);
    await settle();
    expect(reasons).toEqual(['enough']);
    expect(received).toEqual([]);
  });

  test('are all aborted when the connection ends', async () => {
    const signals: AbortSignal[] = [];
    const { far, send } = await connect({
      request: (_request, { signal }) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    });
    await send(request(1));
    await send(request(2));
    await settle();
    await far.close();
    await settle();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  test('are refused while their id is in use', async () => {
    const { received, send } = await connect({ request: () => new Promise(() => undefined) });
    await send(request(1));
    await send(request(1));
    await settle();
    expect(received).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32600, message: expect.stringContaining('in use') as string },
      },
    ]);
  });
});

describe('handlers', () => {
  test('may return synchronously', async () => {
    const { received, send } = await connect({ request: ({ method }) => ({ result: { method } }) });
    await send(request(1, 'now'));
    await settle();
    expect(received).toEqual([{ jsonrpc: '2.0', id: 1, result: { method: 'now' } }]);
  });

  test('may throw synchronously', async () => {
    const { received, problems, send } = await connect({
      request: () => {
        throw new Error('secret path');
      },
    });
    await send(request(1));
    await settle();
    expect(received).toEqual([
      { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } },
    ]);
    expect(problems).toEqual(['The handler of do failed']);
  });

  test('know of the cancellation whether or not they have read the signal', async () => {
    const seen: RunningRequest[] = [];
    const { peer, send } = await connect({
      request: (_request, running) => {
        seen.push(running);
        return new Promise(() => undefined);
      },
    });
    await send(request(1));
    await settle();
    const [running] = seen;
    expect(running!.isCancelled).toBe(false);
    peer.cancel(1, 'enough');
    expect(running!.isCancelled).toBe(true);
    expect(running!.signal.aborted).toBe(true);
    expect(running!.signal.reason).toBe('enough');
  });

  test('run for at most 4,096 requests, and other messages are still read', async () => {
    const gates: ((response: ResultOrError) => void)[] = [];
    const { peer, received, send } = await connect({
      request: () => new Promise((resolve) => gates.push(resolve)),
      notification: () => peer.cancel(7),
    });
    for (let id = 1; id <= 4097; id += 1) void send(request(id));
    await settle();
    expect(gates).toHaveLength(4096);
    expect(received).toEqual([
      {
        jsonrpc: '2.0',
        id: 4097,
        error: {
          code: -32600,
          message: expect.stringContaining('4096 requests are running') as string,
        },
      },
    ]);
    await send({ jsonrpc: '2.0', method: 'cancelled' });
    for (const answer of gates) answer({ result: {} });
    await settle();
    expect(received).toHaveLength(4096);
    await send(request(4098));
    await settle();
    expect(gates).toHaveLength(4097);
  });
});

describe('responded', () => {
  test('waits for the given running requests, even with reused ids, or for all', async () => {
    const gates = new Map<string, (response: ResultOrError) => void>();
    const { peer, send } = await connect({
      request: ({ method }) => new Promise((resolve) => gates.set(method, resolve)),
    });
    await send(request(1, 'first'));
    await send(request(1, 'again'));
    await send(request('2', 'second'));
    await settle();
    const done: string[] = [];
    void peer.responded(new Set([1])).then(() => done.push('first'));
    void peer.responded(new Set([2])).then(() => done.push('nothing'));
    void peer.responded().then(() => done.push('all'));
    await settle();
    expect(done).toEqual(['nothing']);
    gates.get('first')?.({ result: {} });
    await settle();
    expect(done).toEqual(['nothing', 'first']);
    gates.get('second')?.({ result: {} });
    await settle();
    expect(done).toEqual(['nothing', 'first', 'all']);
  });
});

describe('input that is not JSON-RPC', () => {
  test('gets an error with its id when the id is readable', async () => {
    const { received, send } = await connect();
    await send({ jsonrpc: '2.0', id: 0, method: 'x', params: [] });
    await settle();
    expect(received).toMatchObject([{ id: 0, error: { code: -32600 } }]);
  });

  test('is reported, and gets an error without id only where the revision has such errors', async () => {
    const silent = await connect();
    await silent.send({ jsonrpc: '2.0', id: null, method: 'x' });
    await settle();
    expect(silent.received).toEqual([]);
    expect(silent.problems).toHaveLength(1);

    const speaking = await connect({ answersWithoutId: () => true });
    await speaking.send({ jsonrpc: '2.0', id: null, method: 'x' });
    await settle();
    expect(speaking.received).toEqual([
      { jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) as string } },
    ]);
  });

  test('gets no response when it is a response itself', async () => {
    const { received, send } = await connect({ answersWithoutId: () => true });
    await send({ jsonrpc: '2.0', id: 9, result: 'text' });
    await send({ jsonrpc: '2.0', error: { code: -32700, message: 'what?' } });
    await settle();
    expect(received).toEqual([]);
  });
});

describe('batches', () => {
  test('get one array that leaves notifications out', async () => {
    const notes: string[] = [];
    const { received, send } = await connect({
      acceptsBatch: () => true,
      answersWithoutId: () => true,
      notification: ({ method }) => notes.push(method),
      request: ({ method }) => Promise.resolve({ result: { method } }),
    });
    await send([request(1, 'a'), { jsonrpc: '2.0', method: 'note' }, 7, request('b', 'b')]);
    await settle();
    expect(notes).toEqual(['note']);
    expect(received).toEqual([
      [
        { jsonrpc: '2.0', id: 1, result: { method: 'a' } },
        { jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) as string } },
        { jsonrpc: '2.0', id: 'b', result: { method: 'b' } },
      ],
    ]);
  });

  test('do not wait for the handler of a request that was cancelled', async () => {
    const { peer, received, send } = await connect({
      acceptsBatch: () => true,
      request: ({ id }) => (id === 1 ? new Promise(() => undefined) : { result: { id } }),
    });
    await send([request(1), request(2)]);
    await settle();
    peer.cancel(1);
    await settle();
    expect(received).toEqual([[{ jsonrpc: '2.0', id: 2, result: { id: 2 } }]]);
  });

  test.each([
    [100, 'result'],
    [101, 'error'],
  ])('of %i messages get a %s each', async (count, member) => {
    const { received, send } = await connect({ acceptsBatch: () => true });
    await send(Array.from({ length: count }, (_none, id) => request(id)));
    await settle();
    const [answers] = received as [object[]];
    expect(answers).toHaveLength(count);
    expect(answers.every((answer) => member in answer)).toBe(true);
  });

  test('get an internal error for each response that is not JSON', async () => {
    const { received, send } = await connect({
      acceptsBatch: () => true,
      request: ({ id }) => ({ result: id === 1 ? { n: 1n } : {} }),
    });
    await send([request(1), request(2)]);
    await settle();
    expect(received).toEqual([
      [1, 2].map((id) => ({
        jsonrpc: '2.0',
        id,
        error: { code: -32603, message: 'Internal error' },
      })),
    ]);
  });

  test('of only notifications get no response', async () => {
    const { received, send } = await connect({
      acceptsBatch: () => true,
      answersWithoutId: () => true,
    });
    await send([{ jsonrpc: '2.0', method: 'note' }]);
    await settle();
    expect(received).toEqual([]);
  });

  test.each([[[]], [[request(1)]]])(
    'are one invalid request where the revision lacks them: %j',
    async (batch) => {
      const { received, send } = await connect({
        acceptsBatch: () => batch.length === 0,
        answersWithoutId: () => true,
      });
      await send(batch);
      await settle();
      expect(received).toMatchObject([{ error: { code: -32600 } }]);
    },
  );
});

test('a transport may return nothing from send, and throw where it would reject', async () => {
  const sent: unknown[] = [];
  const peer = new Peer(
    {
      start: () => Promise.resolve(),
      send: (message) => {
        const text = JSON.stringify(message);
        sent.push(JSON.parse(text));
        return undefined;
      },
      close: () => Promise.resolve(),
    },
    {
      request: () => ({ result: { count: 1n } }),
      notification: () => undefined,
      ended: () => undefined,
    },
  );
  await peer.start();
  expect(peer.notify('a')).toBeUndefined();
  await expect(peer.notify('b', { count: 1n })).rejects.toThrow(TypeError);
  const unsent = peer.request('c', { count: 1n });
  expect(await unsent.outcome).toMatchObject({
    kind: 'unsent',
    error: expect.any(TypeError) as unknown,
  });
  peer.message(request(1));
  await settle();
  expect(sent).toEqual([
    { jsonrpc: '2.0', method: 'a' },
    { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } },
  ]);
});
