import { expect, test } from 'vitest';
import { LiveParts, type ChatFrame } from './live-parts.ts';

let seq = 0;
const event = (type: string, data: object): ChatFrame =>
  ({ run_id: 'r', seq: (seq += 1), type, version: 1, at: '', data }) as ChatFrame;
const delta = (text: string, kind = 'text'): ChatFrame =>
  ({ type: 'message.delta', run_id: 'r', message_id: 'm', kind, offset: 0, text }) as ChatFrame;
const planned = (state = 'planned'): ChatFrame =>
  event('tool_call.planned', { call_id: 'c', turn: 1, name: 's__t', arguments: { a: 1 }, state });
const result = { text: 'rows', other_content: ['image'], is_error: false, truncated: false };

function partsAfter(frames: readonly ChatFrame[]) {
  const live = new LiveParts();
  for (const frame of frames) live.add(frame);
  return live.parts();
}

test('text grows while it is written, and the complete message replaces it', () => {
  const written = [delta('Hm. ', 'reasoning'), delta('I lo'), delta('ok')];
  expect(partsAfter(written)).toMatchObject([
    { kind: 'reasoning', text: 'Hm. ', isWriting: true },
    { kind: 'text', text: 'I look', isWriting: true },
  ]);
  const complete = event('message.completed', { message_id: 'm', turn: 1, text: 'I look.' });
  expect(partsAfter([...written, complete])).toMatchObject([
    { kind: 'reasoning', isWriting: false },
    { kind: 'text', text: 'I look.', isWriting: false, turn: 1 },
  ]);
});

test('a message that was interrupted, or has only calls, leaves no text', () => {
  expect(partsAfter([delta('I lo'), event('turn.interrupted', { message_id: 'm' })])).toEqual([]);
  const complete = event('message.completed', { message_id: 'm', turn: 1, text: '' });
  expect(partsAfter([delta('{', 'arguments'), delta(' '), complete])).toEqual([]);
});

test('a call goes through its states', () => {
  const call = { call_id: 'c', attempt: 1 };
  const frames = [
    planned('awaiting_approval'),
    event('tool_call.approved', call),
    event('tool_call.progress', { ...call, progress: 2, total: 4 }),
    event('tool_call.input_required', call),
    event('tool_call.resumed', call),
    event('tool_call.completed', { ...call, result }),
  ];
  const states = frames.map((_frame, index) => partsAfter(frames.slice(0, index + 1))[0]);
  expect(states).toMatchObject([
    { state: 'asking', arguments: { a: 1 } },
    { state: 'running' },
    { state: 'running', note: '2 of 4' },
    { state: 'asking' },
    { state: 'running' },
    { state: 'done', note: undefined, result: 'rows\n[image]' },
  ]);
});

test('a failed call has its reason, and a cancelled one none', () => {
  const failed = { call_id: 'c', message: 'no such column', result };
  expect(partsAfter([planned(), event('tool_call.failed', failed)])).toMatchObject([
    { state: 'failed', note: 'no such column' },
  ]);
  expect(partsAfter([planned(), event('tool_call.cancelled', { call_id: 'c' })])).toMatchObject([
    { state: 'cancelled' },
  ]);
});

test('a frame that shows nothing, or belongs to an unknown call, changes nothing', () => {
  const live = new LiveParts();
  expect(live.add(event('run.started', {}))).toBe(false);
  expect(live.add(event('tool_call.completed', { call_id: 'x', result }))).toBe(false);
  expect(live.add(planned())).toBe(true);
});
