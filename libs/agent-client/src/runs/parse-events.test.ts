import { describe, expect, test, vi } from 'vitest';
import { failureOf } from '../testing/failure-of.ts';
import { parseEvents, type SentEvent } from './parse-events.ts';
import { StalledStreamError } from './with-stall-limit.ts';

function bytesOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function eventsOf(
  chunks: readonly Uint8Array[],
  onRetryTime: (ms: number) => void = () => undefined,
): Promise<readonly SentEvent[]> {
  const events: SentEvent[] = [];
  for await (const event of parseEvents(bytesOf(chunks), { stallMs: 1000, onRetryTime }))
    events.push(event);
  return events;
}

const encode = (text: string) => new TextEncoder().encode(text);

describe('the parser of event streams', () => {
  test('returns id and data, joins lines of data, and skips comments and other fields', async () => {
    const text =
      ': hello\n\nid: 1\nevent: a\ndata: {"a":1}\n\ndata:one\ndata: two\ndata\nnonsense: 1\n\nid: 9\n\n';
    expect(await eventsOf([encode(text)])).toEqual([
      { id: '1', data: '{"a":1}' },
      { id: undefined, data: 'one\ntwo\n' },
    ]);
  });

  test('drops an event that the end cuts off', async () => {
    expect(await eventsOf([encode('data: a\n\ndata: b\n')])).toEqual([
      { id: undefined, data: 'a' },
    ]);
  });

  test('skips a byte order mark, and reports valid reconnection times', async () => {
    const times: number[] = [];
    const text = '\uFEFFretry: 250\nretry: soon\nretry: -1\ndata: a\n\n';
    expect(await eventsOf([encode(text)], (ms) => times.push(ms))).toHaveLength(1);
    expect(times).toEqual([250]);
  });

  // Each text has characters of one to four bytes.
  const content = 'id: 7\ndata: é€😀\ndata: b\n\ndata: c\n\n';
  test.each([
    { name: 'LF', text: content },
    { name: 'CRLF', text: content.replaceAll('\n', '\r\n') },
    { name: 'CR', text: content.replaceAll('\n', '\r') },
  ])('reads lines that end with $name, wherever the chunks end', async ({ text }) => {
    const bytes = encode(text);
    const expected = [
      { id: '7', data: 'é€😀\nb' },
      { id: undefined, data: 'c' },
    ];
    for (let cut = 0; cut <= bytes.length; cut += 1)
      expect(await eventsOf([bytes.slice(0, cut), bytes.slice(cut)]), `cut at ${cut}`).toEqual(
        expected,
      );
    expect(await eventsOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  test('fails when no byte arrives in time, and not while its consumer takes its time', async () => {
    vi.useFakeTimers();
    try {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(encode('data: a\n\n')),
      });
      const events = parseEvents(body, { stallMs: 1000, onRetryTime: () => undefined });
      expect(await events.next()).toMatchObject({ value: { data: 'a' } });
      await vi.advanceTimersByTimeAsync(5000);
      const failed = failureOf(events.next());
      await vi.advanceTimersByTimeAsync(1000);
      expect(await failed).toBeInstanceOf(StalledStreamError);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
