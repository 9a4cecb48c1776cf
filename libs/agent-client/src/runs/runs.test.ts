import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { failureOf } from '../testing/failure-of.ts';
import { eventStream, problem, scriptedService } from '../testing/scripted-service.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const run = (status: string, more: object = {}) => ({ id: 'r', status, last_seq: 1, ...more });
const answer = (body: object, headers: Record<string, string> = {}) =>
  Response.json(body, { headers });
/** Gives no answer until the request is aborted. */
const unanswered = ({ signal }: Request) =>
  new Promise<Response>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
const keysOf = (requests: readonly Request[]) =>
  requests.map(({ headers }) => headers.get('idempotency-key'));

describe('a run', () => {
  test('is started once: a request whose response is lost is sent again with the same key', async () => {
    const { client, requests } = scriptedService([
      new TypeError('terminated'),
      problem(503, { code: 'storage_busy', retryable: true }),
      answer(run('queued')),
    ]);
    const created = client.runs.create({ prompt: 'Hello' });
    await vi.advanceTimersByTimeAsync(5000);
    expect(await created).toMatchObject({ id: 'r' });
    const keys = keysOf(requests);
    expect(keys[0]).toMatch(/^[\da-f]{32}$/);
    expect(new Set(keys).size).toBe(1);
    expect(await requests[2]?.json()).toEqual({ prompt: 'Hello' });
  });

  test('has another key each time, or the given one', async () => {
    const { client, requests } = scriptedService([1, 2, 3].map(() => answer(run('queued'))));
    for (const options of [{}, {}, { idempotencyKey: 'mine' }])
      await client.runs.create({ prompt: 'Hello' }, options);
    const keys = keysOf(requests);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe('mine');
  });

  test('is started once when a request has no response within a minute', async () => {
    const late = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(late.signal);
    const { client, requests } = scriptedService([unanswered, answer(run('queued'))]);
    const created = client.runs.create({ prompt: 'Hello' });
    await vi.advanceTimersByTimeAsync(10);
    late.abort(new DOMException('too late', 'TimeoutError'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await created).toMatchObject({ id: 'r' });
    expect(timeout.mock.calls[0]).toEqual([60_000]);
    expect(new Set(keysOf(requests)).size).toBe(1);
    timeout.mockRestore();
  });

  test('that is rejected is not started again', async () => {
    const { client, requests } = scriptedService([problem(400, { code: 'invalid_model' })]);
    await expect(client.runs.create({ prompt: 'x', model: 'none' })).rejects.toMatchObject({
      code: 'invalid_model',
    });
    expect(requests).toHaveLength(1);
  });

  test('is not started again when retries are not wanted, or after 30 seconds', async () => {
    const refused = new TypeError('fetch failed');
    const once = scriptedService([refused]);
    await expect(once.client.runs.create({ prompt: 'x' }, { retryForMs: 0 })).rejects.toBe(refused);

    const often = scriptedService(Array.from({ length: 99 }, () => refused));
    const failed = failureOf(often.client.runs.create({ prompt: 'x' }));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await failed).toBe(refused);
    expect(often.requests.length).toBeGreaterThan(3);
  });

  test('is cancelled with a reason', async () => {
    const { client, requests } = scriptedService([answer(run('cancelling'))]);
    expect(await client.runs.cancel('a/b', { reason: 'late' })).toMatchObject({
      status: 'cancelling',
    });
    expect(requests[0]).toMatchObject({
      method: 'POST',
      url: 'http://service.test/v1/runs/a%2Fb/cancel',
    });
    expect(await requests[0]?.json()).toEqual({ reason: 'late' });
  });

  test('is listed over all pages, with the filter in each request', async () => {
    const { client, requests } = scriptedService([
      answer({ data: [run('queued'), run('running')], next_cursor: 'c 2' }),
      answer({ data: [], next_cursor: 'c3' }),
      answer({ data: [run('failed')] }),
    ]);
    const found: string[] = [];
    for await (const { status } of client.runs.list({ kind: 'agent' })) found.push(status);
    expect(found).toEqual(['queued', 'running', 'failed']);
    expect(requests.map(({ url }) => new URL(url).search)).toEqual([
      '?kind=agent',
      '?kind=agent&cursor=c%202',
      '?kind=agent&cursor=c3',
    ]);
  });

  test('has its stored events over all pages', async () => {
    const { client, requests } = scriptedService([
      answer({ data: [{ seq: 3, type: 'turn.started' }], last_seq: 9, next_cursor: '5' }),
      answer({ data: [{ seq: 9, type: 'run.completed' }], last_seq: 9 }),
    ]);
    const seqs: number[] = [];
    for await (const { seq } of client.runs.events('r', { after: 2, types: ['turn.started'] }))
      seqs.push(seq);
    expect(seqs).toEqual([3, 9]);
    expect(requests.map(({ url }) => new URL(url).search)).toEqual([
      '?after=2&limit=1000&types=turn.started',
      '?after=2&limit=1000&types=turn.started&cursor=5',
    ]);
    expect(requests[0]?.headers.get('accept') ?? '').not.toContain('event-stream');
  });

  test('is started and followed in one iteration', async () => {
    const { client, requests } = scriptedService([
      answer(run('queued')),
      eventStream([{ seq: 1, type: 'run.completed', data: { answer: 'hi' } }]),
    ]);
    const answers: string[] = [];
    for await (const frame of client.runs.follow({ prompt: 'Hello' }))
      if (frame.type === 'run.completed') answers.push(frame.data.answer);
    expect(answers).toEqual(['hi']);
    expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([
      '/v1/runs',
      '/v1/runs/r/events',
    ]);
  });
});

describe('waiting for a run', () => {
  const applied = { 'preference-applied': 'wait=30' };

  test('asks again until the run is settled, and survives a restart of the service', async () => {
    const { client, requests } = scriptedService([
      answer(run('running'), applied),
      answer(run('input_required'), applied),
      new TypeError('fetch failed'),
      answer(run('completed', { answer: 'hi' })),
    ]);
    const waiting = client.runs.wait('r');
    await vi.advanceTimersByTimeAsync(1000);
    expect(await waiting).toMatchObject({ status: 'completed', answer: 'hi' });
    expect(requests.map(({ headers }) => headers.get('prefer'))).toEqual(
      Array.from({ length: 4 }, () => 'wait=30'),
    );
  });

  test('asks again when a request has no response within a minute', async () => {
    const late = new AbortController();
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(late.signal);
    const { client, requests } = scriptedService([unanswered, answer(run('completed'))]);
    const waiting = client.runs.wait('r');
    await vi.advanceTimersByTimeAsync(10);
    late.abort(new DOMException('too late', 'TimeoutError'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await waiting).toMatchObject({ status: 'completed' });
    expect([requests.length, timeout.mock.calls[0]]).toEqual([2, [60_000]]);
    timeout.mockRestore();
  });

  test('pauses for a second between requests to a service that does not wait', async () => {
    const { client, requests } = scriptedService([
      answer(run('running')),
      answer(run('running')),
      answer(run('failed')),
    ]);
    const waiting = client.runs.wait('r');
    await vi.advanceTimersByTimeAsync(999);
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1001);
    expect(await waiting).toMatchObject({ status: 'failed' });
    expect(requests).toHaveLength(3);
  });

  test('ends with a problem, or with the reason of the signal', async () => {
    const { client } = scriptedService([problem(404, {}), answer(run('running'))]);
    await expect(client.runs.wait('r')).rejects.toMatchObject({ code: 'run_not_found' });
    const stop = new AbortController();
    const aborted = failureOf(client.runs.wait('r', { signal: stop.signal }));
    await vi.advanceTimersByTimeAsync(10);
    stop.abort(new Error('late'));
    expect(await aborted).toEqual(new Error('late'));
    expect(vi.getTimerCount()).toBe(0);
  });
});
