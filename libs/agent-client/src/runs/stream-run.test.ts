import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ProblemError, type RunFrame } from '../index.ts';
import { failureOf } from '../testing/failure-of.ts';
import { eventStream, problem, scriptedService, type Answer } from '../testing/scripted-service.ts';
import type { StreamOptions } from './stream-run.ts';

const snapshot = (lastSeq: number, partial?: { message_id: string; text: string }) => ({
  type: 'run.snapshot',
  run_id: 'r',
  run: { id: 'r', status: 'running', last_seq: lastSeq },
  ...(partial && { partial }),
});
const event = (seq: number, type = 'turn.started', data: object = {}) => ({ seq, type, data });
const end = (seq: number) => event(seq, 'run.completed');
const delta = (offset: number, text: string, more: object = {}) => ({
  type: 'message.delta',
  run_id: 'r',
  message_id: 'm',
  kind: 'text',
  offset,
  text,
  ...more,
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Reads a stream to its end while time passes as fast as its waits need. */
async function read(answers: readonly Answer[], options: StreamOptions = {}, maxSeconds = 2000) {
  const { client, requests } = scriptedService(answers);
  const retries: number[] = [];
  const frames: RunFrame[] = [];
  const reading = (async () => {
    const stream = client.runs.stream('r', {
      onRetry: ({ delayMs }) => retries.push(delayMs),
      ...options,
    });
    for await (const frame of stream) frames.push(frame);
  })();
  const over = reading.then(
    () => ({ error: undefined }),
    (thrown: unknown) => ({ error: thrown }),
  );
  const second = () => vi.advanceTimersByTimeAsync(1000).then(() => undefined);
  for (let seconds = 0; seconds < maxSeconds; seconds += 1) {
    const result = await Promise.race([over, second()]);
    if (result !== undefined) return { frames, requests, retries, ...result };
  }
  throw new Error('the stream did not end');
}

const shown = (frames: readonly RunFrame[]) =>
  frames.map((frame) => {
    if ('seq' in frame) return frame.seq;
    return frame.type === 'message.delta' ? frame.text : 'snapshot';
  });
const resumedAt = (requests: readonly Request[]) =>
  requests.map(({ headers }) => headers.get('last-event-id'));

describe('a stream', () => {
  test('yields the snapshot, the events and the deltas of a run until it is settled', async () => {
    const frames = [snapshot(1), event(1), delta(0, 'Hel'), delta(3, 'lo'), end(2)];
    const { requests, ...result } = await read([eventStream(frames)]);
    expect(shown(result.frames)).toEqual(['snapshot', 1, 'Hel', 'lo', 2]);
    expect(result).toMatchObject({ error: undefined, retries: [] });
    expect(requests.map(({ url, headers }) => [url, headers.get('accept')])).toEqual([
      ['http://service.test/v1/runs/r/events', 'text/event-stream'],
    ]);
    expect(resumedAt(requests)).toEqual([null]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('begins after an event, and asks for types', async () => {
    const { requests, frames } = await read([eventStream([snapshot(6), end(6)])], {
      after: 5,
      types: ['tool_call.completed', 'message.delta'],
    });
    expect(shown(frames)).toEqual(['snapshot', 6]);
    expect(resumedAt(requests)).toEqual(['5']);
    expect(new URL(requests[0]!.url).searchParams.get('types')).toBe(
      'tool_call.completed,message.delta',
    );
  });

  test('ends for a reader that has every event of a settled run', async () => {
    const { frames, error } = await read([new Response(null, { status: 204 })], { after: 9 });
    expect([frames, error]).toEqual([[], undefined]);
  });
});

describe('a connection that is lost', () => {
  test.each(['ends', 'fails'] as const)(
    'is opened again after the last event, and no event is missed or repeated: it %s',
    async (how) => {
      const { frames, requests, retries, error } = await read([
        eventStream([snapshot(2), event(1), event(2)], how),
        // An event that was delivered before is dropped.
        eventStream([snapshot(3), event(2), event(3)], how),
        eventStream([snapshot(4), end(4)]),
      ]);
      expect(shown(frames)).toEqual(['snapshot', 1, 2, 'snapshot', 3, 'snapshot', 4]);
      expect(resumedAt(requests)).toEqual([null, '2', '3']);
      expect(retries.every((ms) => ms >= 500 && ms <= 1000)).toBe(true);
      expect(error).toBeUndefined();
    },
  );

  test('after 45 seconds without a byte is opened again', async () => {
    const { frames, requests } = await read([
      eventStream([snapshot(1), event(1)], 'stays'),
      eventStream([snapshot(2), end(2)]),
    ]);
    expect(shown(frames)).toEqual(['snapshot', 1, 'snapshot', 2]);
    expect(requests[0]?.signal.aborted).toBe(true);
  });

  test('without a response within 45 seconds is opened again', async () => {
    const { frames, requests } = await read([
      () => new Promise<Response>(() => undefined),
      eventStream([snapshot(1), end(1)]),
    ]);
    expect(shown(frames)).toEqual(['snapshot', 1]);
    expect(requests[0]?.signal.aborted).toBe(true);
  });

  test('in the middle of an event is opened again', async () => {
    const cut = () => new Response('data: {"seq":1,"type":"run.comp');
    const { frames } = await read([cut, eventStream([snapshot(1), end(1)])]);
    expect(shown(frames)).toEqual(['snapshot', 1]);
  });

  test('behind the end of an earlier attempt of a resumed run is opened again', async () => {
    const { frames, requests } = await read([
      eventStream([snapshot(4), event(1), event(2, 'run.failed')]),
      eventStream([snapshot(4), event(3, 'run.resumed'), end(4)]),
    ]);
    expect(shown(frames)).toEqual(['snapshot', 1, 2, 'snapshot', 3, 4]);
    expect(resumedAt(requests)).toEqual([null, '2']);
  });

  test('is opened again with delays that double up to 30 seconds, and begin anew after a success', async () => {
    const refused = new TypeError('fetch failed');
    const { retries, error } = await read([
      ...Array.from({ length: 7 }, () => refused),
      eventStream([snapshot(1), event(1)]),
      refused,
      eventStream([end(2)]),
    ]);
    expect(error).toBeUndefined();
    for (const [at, fullMs] of [1, 2, 4, 8, 16, 30, 30, 1, 2].map((s) => s * 1000).entries()) {
      expect(retries[at], `delay ${at}`).toBeGreaterThanOrEqual(fullMs / 2);
      expect(retries[at], `delay ${at}`).toBeLessThanOrEqual(fullMs);
    }
  });

  test('after an hour of heartbeats alone is opened again', async () => {
    const idle = new ReadableStream<Uint8Array>({
      start(controller) {
        const text = `data: ${JSON.stringify(snapshot(1))}\n\ndata: ${JSON.stringify(event(1))}\n\n`;
        controller.enqueue(new TextEncoder().encode(text));
        let heartbeats = 0;
        const timer = setInterval(() => {
          controller.enqueue(new TextEncoder().encode(': keep-alive\n\n'));
          heartbeats += 1;
          if (heartbeats < 240) return;
          clearInterval(timer);
          controller.error(new TypeError('terminated'));
        }, 15_000);
      },
    });
    const { frames, retries } = await read(
      [new Response(idle), new TypeError('fetch failed'), eventStream([snapshot(2), end(2)])],
      {},
      5000,
    );
    expect(shown(frames)).toEqual(['snapshot', 1, 'snapshot', 2]);
    expect(retries).toHaveLength(2);
  });

  test('is given up after retryForMs of failures, with the last error', async () => {
    const refused = new TypeError('fetch failed');
    const { requests, error } = await read(
      Array.from({ length: 99 }, () => refused),
      { retryForMs: 60_000 },
    );
    expect(error).toBe(refused);
    expect(requests.length).toBeGreaterThan(4);
    expect(requests.length).toBeLessThan(9);
  });
});

describe('a stream that the service rejects', () => {
  test('with a retryable problem is requested again after Retry-After', async () => {
    const { retries, error } = await read([
      problem(429, { code: 'too_many_streams', retryable: true }, { 'retry-after': '70' }),
      eventStream([snapshot(1), end(1)]),
    ]);
    expect([retries, error]).toEqual([[70_000], undefined]);
  });

  test('with another problem fails with it', async () => {
    const { error, requests } = await read([problem(404, {})]);
    expect(error).toBeInstanceOf(ProblemError);
    expect(error).toMatchObject({ code: 'run_not_found' });
    expect(requests).toHaveLength(1);
  });

  test('with a frame that is not JSON fails', async () => {
    const { error } = await read([new Response('data: <html>\n\n')]);
    expect(error).toBeInstanceOf(SyntaxError);
  });
});

describe('the text of a message', () => {
  const started = (seq: number) => event(seq, 'message.started', { message_id: 'm' });

  test('that a snapshot has comes behind the events before it', async () => {
    const { frames } = await read([
      eventStream([
        snapshot(2, { message_id: 'm', text: 'Hel' }),
        event(1),
        started(2),
        delta(3, 'lo'),
        event(3, 'message.completed', { message_id: 'm', text: 'Hello' }),
        event(4),
        end(5),
      ]),
    ]);
    expect(shown(frames)).toEqual(['snapshot', 1, 2, 'Hel', 'lo', 3, 4, 5]);
    expect(frames[0]).not.toHaveProperty('partial');
  });

  test('comes once, whatever the connections repeat', async () => {
    const { frames } = await read([
      eventStream([snapshot(0), started(1), delta(0, 'Hel'), delta(3, 'lo ')]),
      eventStream([
        snapshot(1, { message_id: 'm', text: 'Hello wor' }),
        delta(6, 'world'),
        delta(0, 'Hello'),
        delta(11, '!'),
      ]),
      eventStream([snapshot(1, { message_id: 'm', text: 'Hello' }), delta(5, ' world!?'), end(2)]),
    ]);
    const texts = frames.filter((frame) => frame.type === 'message.delta');
    expect(texts.map(({ offset, text }) => [offset, text])).toEqual([
      [0, 'Hel'],
      [3, 'lo '],
      [6, 'wor'],
      [9, 'ld'],
      [11, '!'],
      [12, '?'],
    ]);
  });

  test('is delivered at once to a reader that has its events, or asked for few of them', async () => {
    const partial = { message_id: 'm', text: 'Hi' };
    const frames = [snapshot(3, partial), end(4)];
    expect(shown((await read([eventStream(frames)], { after: 3 })).frames)).toEqual([
      'snapshot',
      'Hi',
      4,
    ]);
    expect(shown((await read([eventStream(frames)], { types: ['message.delta'] })).frames)).toEqual(
      ['snapshot', 'Hi', 4],
    );
  });

  test('and its reasoning and arguments are told apart, and begin anew in another message', async () => {
    const { frames } = await read([
      eventStream([
        snapshot(0),
        delta(0, 'why', { kind: 'reasoning' }),
        delta(0, 'so'),
        delta(0, '{', { kind: 'arguments', tool_use: { index: 0, id: 'a', name: 't' } }),
        delta(0, '[', { kind: 'arguments', tool_use: { index: 1, id: 'b', name: 't' } }),
        event(1, 'message.completed', { message_id: 'm', text: 'so' }),
        delta(0, 'again', { message_id: 'm2' }),
        end(2),
      ]),
    ]);
    expect(shown(frames)).toEqual(['snapshot', 'why', 'so', '{', '[', 1, 'again', 2]);
  });

  test('that came without deltas, or in part, is completed before its event', async () => {
    const completed = (seq: number, message_id: string, text: string) =>
      event(seq, 'message.completed', { message_id, text });
    const frames = [
      snapshot(0),
      event(1),
      completed(2, 'b', 'whole'),
      delta(0, 'be', { message_id: 'c' }),
      completed(3, 'c', 'begun'),
      completed(4, 'd', ''),
      end(5),
    ];
    expect(shown((await read([eventStream(frames)])).frames)).toEqual([
      'snapshot',
      1,
      'whole',
      2,
      'be',
      'gun',
      3,
      4,
      5,
    ]);
    const few = await read([eventStream([snapshot(0), completed(1, 'b', 'whole'), end(2)])], {
      types: ['message.completed'],
    });
    expect(shown(few.frames)).toEqual(['snapshot', 1, 2]);
  });

  test('continues with a new snapshot after a gap', async () => {
    const { frames } = await read([
      eventStream([
        snapshot(0),
        started(1),
        delta(0, 'He'),
        { type: 'stream.gap', run_id: 'r', reason: 'slow_reader' },
        snapshot(1, { message_id: 'm', text: 'Hello' }),
        end(2),
      ]),
    ]);
    expect(shown(frames)).toEqual(['snapshot', 1, 'He', 'snapshot', 'llo', 2]);
  });
});

describe('an aborted stream', () => {
  test('rejects with the reason and closes its connection', async () => {
    const stop = new AbortController();
    const { client, requests } = scriptedService([eventStream([snapshot(1), event(1)], 'stays')]);
    const retries: unknown[] = [];
    const stream = client.runs.stream('r', {
      signal: stop.signal,
      onRetry: (retry) => retries.push(retry),
    });
    await stream.next();
    await stream.next();
    const next = failureOf(stream.next());
    stop.abort(new Error('enough'));
    expect(await next).toEqual(new Error('enough'));
    expect(retries).toEqual([]);
    expect(requests[0]?.signal.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('rejects before its first request, and during a wait', async () => {
    const aborted = await read([], { signal: AbortSignal.abort(new Error('enough')) });
    expect([aborted.error, aborted.requests]).toEqual([new Error('enough'), []]);

    const stop = new AbortController();
    const { error, requests } = await read([new TypeError('fetch failed')], {
      signal: stop.signal,
      onRetry: () => queueMicrotask(() => stop.abort(new Error('enough'))),
    });
    expect([error, requests.length]).toEqual([new Error('enough'), 1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('closes its connection when its consumer stops', async () => {
    const { client, requests } = scriptedService([eventStream([snapshot(1), event(1)], 'stays')]);
    for await (const frame of client.runs.stream('r')) if ('seq' in frame) break;
    expect(requests[0]?.signal.aborted).toBe(true);
  });
});
