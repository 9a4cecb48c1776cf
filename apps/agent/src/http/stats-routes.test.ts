import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Run } from '../ports/store/run.ts';
import { plannedCall } from '../ports/testing/planned-call.ts';
import { queuedRun } from '../ports/testing/queued-run.ts';
import { createTestEdge, type TestEdge } from './testing.ts';

let edge: TestEdge;

beforeEach(async () => {
  edge = await createTestEdge();
});
afterEach(() => edge.close());

const get = async (url: string) => {
  const response = await edge.app.inject({ method: 'GET', url, headers: { host: 'localhost' } });
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() };
};

const MIDNIGHT = Date.parse('2026-03-01T00:00:00Z');
const minute = (minutes: number) => MIDNIGHT + minutes * 60_000;
const usage = (input: number, output: number, costUsd?: number): Run['usage'] => ({
  input,
  cacheRead: 0,
  cacheWrite: 0,
  output,
  reasoning: 0,
  source: 'reported',
  ...(costUsd === undefined ? {} : { costUsd }),
});

const insert = (runs: readonly Run[]) =>
  edge.store.write({}, async (sql) => {
    for (const run of runs) await sql.insertRun(run);
  });

const settled = (id: string, fields: Partial<Run>) =>
  queuedRun(id, { status: 'completed', provider: 'p', model: 'm', ...fields });

const SPAN = 'from=2026-03-01T00:00:00Z&to=2026-03-01T03:00:00Z';

describe('GET /v1/stats', () => {
  test('counts runs, turns, tokens, cost, errors and durations by the interval of their creation', async () => {
    await insert([
      settled('a', {
        createdAt: minute(0),
        startedAt: minute(1),
        finishedAt: minute(3),
        turns: 2,
        toolCalls: 1,
        usage: usage(100, 10, 0.5),
      }),
      settled('b', {
        createdAt: minute(59),
        startedAt: minute(59),
        finishedAt: minute(70),
        waitedMs: 60_000,
        status: 'failed',
        error: { code: 'model_error', message: 'x' },
        turns: 1,
        usage: usage(50, 5),
      }),
      queuedRun('c', { createdAt: minute(125), kind: 'call' }),
      settled('outside', { createdAt: minute(180), turns: 9 }),
    ]);
    const { body } = await get(`/v1/stats?${SPAN}`);
    expect(body).toMatchObject({
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-01T03:00:00.000Z',
      interval: 3600,
      unpriced_runs: 1,
      models: [{ model: 'p/m', runs: 2, input_tokens: 150, output_tokens: 15, cost_usd: 0.5 }],
      errors: [{ code: 'model_error', runs: 1 }],
    });
    expect(body).not.toHaveProperty('counted_from');
    const empty = { completed: 0, failed: 0, cancelled: 0, expired: 0, turns: 0, tool_calls: 0 };
    const none = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };
    expect(body['intervals']).toEqual([
      {
        ...empty,
        at: '2026-03-01T00:00:00.000Z',
        runs: 2,
        completed: 1,
        failed: 1,
        turns: 3,
        tool_calls: 1,
        input_tokens: 150,
        output_tokens: 15,
        cost_usd: 0.5,
        queued_ms: { p50: 0, p95: 60_000 },
        duration_ms: { p50: 120_000, p95: 600_000 },
      },
      { ...empty, ...none, at: '2026-03-01T01:00:00.000Z', runs: 0 },
      { ...empty, ...none, at: '2026-03-01T02:00:00.000Z', runs: 1 },
    ]);
    expect(body['total']).toMatchObject({ runs: 3, turns: 3, cost_usd: 0.5 });
    expect((await get(`/v1/stats?${SPAN}&kind=call`)).body['total']).toMatchObject({ runs: 1 });
  });

  test('has the percentiles of model calls and of tool calls by the interval in which they began', async () => {
    await insert([settled('a', { createdAt: minute(-90) })]);
    await insert([settled('b', { kind: 'call', createdAt: minute(0) })]);
    const read = vi.spyOn(edge.store.read, 'latencies');
    read.mockImplementation(({ of }) =>
      Promise.resolve(
        of === 'turns'
          ? Array.from({ length: 100 }, (_, index) => ({
              id: `m${index}`,
              startedAt: minute(30),
              endedAt: minute(30) + index + 1,
            }))
          : [{ id: 'c', startedAt: minute(150), endedAt: minute(150) - 5 }],
      ),
    );
    const { body } = await get(`/v1/stats?${SPAN}`);
    const [first, second, third] = body['intervals'] as readonly object[];
    expect(first).toMatchObject({ turn_ms: { p50: 50, p95: 95 } });
    expect(first).not.toHaveProperty('call_ms');
    expect(second).not.toHaveProperty('turn_ms');
    // A clock that was set back between two processes.
    expect(third).toMatchObject({ call_ms: { p50: 0, p95: 0 } });
    expect(body['total']).toMatchObject({ turn_ms: { p50: 50 }, call_ms: { p50: 0 } });
    expect(body).not.toHaveProperty('latencies_from');
    const calls = await get(`/v1/stats?${SPAN}&kind=call`);
    expect(calls.body['total']).not.toHaveProperty('turn_ms');
    expect(read).toHaveBeenLastCalledWith(
      expect.objectContaining({ of: 'tool calls', kind: 'call' }),
    );
  });

  test('measures the newest 100,000 model calls, and tells from when', async () => {
    vi.spyOn(edge.store.read, 'latencies').mockImplementation(({ of, before, limit }) => {
      const from = before === undefined ? minute(179) : before.startedAt - 1;
      return Promise.resolve(
        Array.from({ length: of === 'turns' ? limit : 0 }, (_, index) => ({
          id: 'm',
          startedAt: from - index,
          endedAt: from,
        })),
      );
    });
    const { body } = await get(`/v1/stats?${SPAN}`);
    expect(body['latencies_from']).toBe(new Date(minute(179) - 99_999).toISOString());
  });

  test('has the last 24 hours by default, in 24 intervals', async () => {
    const now = Date.now();
    await insert([
      settled('new', { createdAt: now - 1000 }),
      settled('old', { createdAt: now - 86_460_000 }),
    ]);
    const { body } = await get('/v1/stats');
    expect(body['intervals']).toHaveLength(24);
    expect(body['total']).toMatchObject({ runs: 1 });
  });

  test('counts more runs than one read returns, each once', async () => {
    await insert(
      Array.from({ length: 2300 }, (_, index) =>
        settled(`r${index}`, { createdAt: minute(index % 90) }),
      ),
    );
    const { body } = await get(`/v1/stats?${SPAN}`);
    expect(body['total']).toMatchObject({ runs: 2300, completed: 2300 });
    expect(body).not.toHaveProperty('counted_from');
  });

  test.each([
    {
      query: 'from=2026-03-01T00:00:00Z&to=2026-03-01T00:00:00Z',
      error: { path: '/query/from', message: 'must be before `to`' },
    },
    {
      query: `${SPAN}&interval=10`,
      error: { path: '/query/interval', message: 'must be at least 11 for this time span' },
    },
    { query: 'from=yesterday', error: { path: '/query/from' } },
  ])('rejects $query', async ({ query, error }) => {
    expect(await get(`/v1/stats?${query}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [error] },
    });
  });
});

test('GET /v1/queue counts the runs that are not settled, and the waiting jobs', async () => {
  await insert([
    queuedRun('a'),
    queuedRun('b'),
    queuedRun('c', { status: 'running' }),
    queuedRun('d', { status: 'input_required' }),
    settled('e', {}),
  ]);
  expect((await get('/v1/queue')).body).toEqual({
    runs: { queued: 2, running: 1, input_required: 1, cancelling: 0 },
    jobs: { 'advance-run': 0, 'call-tool': 0 },
  });
});

test('GET /v1/workers lists the processes with their work in progress, in pages', async () => {
  await insert([queuedRun('r1')]);
  await edge.store.write({}, async (sql) => {
    await sql.addWorker({ id: 'w2', role: 'worker', pid: 2 });
    await sql.startTurn({ runId: 'r1', turn: 1, owner: 'w2', messageId: 'm1' });
    await sql.insertToolCall({ ...plannedCall('c1'), state: 'dispatched', owner: 'w2' });
  });
  const { body } = await get('/v1/workers?limit=1');
  expect(body).toMatchObject({ data: [{ id: edge.store.workerId, role: 'all', is_alive: true }] });
  const next = await get(`/v1/workers?limit=1&cursor=${String(body['next_cursor'])}`);
  expect(next.body).toEqual({
    data: [
      {
        id: 'w2',
        role: 'worker',
        pid: 2,
        started_at: expect.stringMatching(/Z$/) as string,
        heartbeat_at: expect.stringMatching(/Z$/) as string,
        is_alive: true,
        model_calls: 1,
        tool_calls: 1,
      },
    ],
  });
});

test('GET /v1/workers shows the process that answers as alive, also where no process sends heartbeats', async () => {
  await edge.store.write({}, (sql) => sql.addWorker({ id: 'w2', role: 'worker', pid: 2 }));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  try {
    const { body } = await get('/v1/workers');
    expect(body['data']).toMatchObject([
      { id: edge.store.workerId, is_alive: true, heartbeat_at: new Date().toISOString() },
      { id: 'w2', is_alive: false },
    ]);
  } finally {
    vi.useRealTimers();
  }
});
