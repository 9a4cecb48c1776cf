import { expect, test } from 'vitest';
import type { LlmProviders } from '../ports/llm-providers.ts';
import type { RunEvent } from '../ports/store/run-event.ts';
import { FrameEncoder } from './frame-encoder.ts';

function event(seq: number, text = ''): RunEvent {
  return { runId: 'r1', seq, type: 'tool_call.progress', version: 1, at: 0, data: { text } };
}

test('an event that readers read from the store at different times is encoded once; old events are not kept', () => {
  const encoder = new FrameEncoder({} as LlmProviders);
  const encode = (seq: number, text?: string) =>
    encoder.encode({ type: 'event', event: event(seq, text) });
  const first = encode(1);
  expect(encode(1)).toBe(first);
  for (let seq = 2; seq < 20; seq += 1) encode(seq, 'x'.repeat(64 * 1024));
  expect(encode(1)).not.toBe(first);
  expect(encode(1)).toEqual(first);
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
