import { expect, test } from 'vitest';
import type { LlmProviders } from '../ports/llm-providers.ts';
import type { RunEvent } from '../ports/store/run-event.ts';
import type { RunFrame } from '../run/follow/follow-run.ts';
import { FrameEncoder } from './frame-encoder.ts';

function event(seq: number, text = ''): RunEvent {
  return { runId: 'r1', seq, type: 'tool_call.progress', version: 1, at: 0, data: { text } };
}

function frames(from: number, to: number, text?: string): RunFrame[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    type: 'event',
    event: event(from + index, text),
  }));
}

test('events that readers read from the store at different times are encoded once, as one chunk; old ones are not kept', () => {
  const encoder = new FrameEncoder({} as LlmProviders);
  const encode = (all: readonly RunFrame[]) => [...encoder.encodeAll(all)];
  const [first, ...others] = encode(frames(1, 3));
  expect(String(first?.text)).toBe(
    frames(1, 3)
      .map((frame) => String(encoder.encode(frame).text))
      .join(''),
  );
  expect(others).toEqual([]);
  expect(encode(frames(1, 3))[0]).toBe(first);
  for (let seq = 4; seq < 20; seq += 1) encode(frames(seq, seq, 'x'.repeat(64 * 1024)));
  expect(encode(frames(1, 3))[0]).not.toBe(first);
  expect(encode(frames(1, 3))[0]).toEqual(first);
});

test('a kept frame keeps no memory but its own', () => {
  const [frame] = new FrameEncoder({} as LlmProviders).encodeAll(frames(1, 1));
  const chunk = frame!.chunk as Uint8Array;
  expect(chunk.buffer.byteLength).toBe(chunk.byteLength);
});

test('a reader whose events differ from the kept ones gets its own', () => {
  const ids = (all: readonly RunFrame[], encoder = new FrameEncoder({} as LlmProviders)) =>
    [...encoder.encodeAll(all)].map(({ text }) =>
      [...String(text).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
    );
  const shared = new FrameEncoder({} as LlmProviders);
  expect(ids(frames(1, 4), shared)).toEqual([[1, 2, 3, 4]]);
  expect(ids(frames(1, 2), shared)).toEqual([[1, 2]]);
  const [one, two, three, four] = frames(1, 4);
  expect(ids([one!, three!, four!], shared)).toEqual([[1], [3, 4]]);
  const delta: RunFrame = {
    type: 'delta',
    delta: { type: 'delta', runId: 'r1', messageId: 'm', kind: 'text', offset: 0, text: 'x' },
  };
  expect(ids([one!, two!, delta, three!])).toEqual([[1, 2], [], [3]]);
});

test('events are joined up to 16 KiB, as much as a slow reader has in memory', () => {
  const encoder = new FrameEncoder({} as LlmProviders);
  const groups = [...encoder.encodeAll(frames(1, 40, 'x'.repeat(1000)))];
  expect(groups.length).toBe(3);
  for (const { chunk } of groups) expect(chunk.length).toBeLessThan(18 * 1024);
});

test('the events of a signal are encoded once, as one chunk, for all readers', () => {
  const encoder = new FrameEncoder({} as LlmProviders);
  const events = [event(1), event(2)];
  const signal = { type: 'events', runId: 'r1', lastSeq: 2, events } as const;
  const [frame, ...others] = encoder.encodeSignal(signal);
  const each = events.map((one) => encoder.encode({ type: 'event', event: one }));
  expect(String(frame?.chunk)).toBe(each.map(({ chunk }) => String(chunk)).join(''));
  expect(String(frame?.text)).toBe(each.map(({ text }) => String(text)).join(''));
  expect(others).toEqual([]);
  expect(encoder.encodeSignal(signal)[0]).toBe(frame);
});
