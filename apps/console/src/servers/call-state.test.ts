import type { RunFrame } from '@signalbox/client';
import { expect, test } from 'vitest';
import { afterFrame, NEW_CALL, type CallState } from './call-state.ts';

const after = (...frames: readonly (readonly [type: string, data: object])[]): CallState =>
  frames.reduce(
    (state, [type, data]) =>
      // Only the fields that the console reads are given.
      afterFrame(state, { type, data } as unknown as RunFrame),
    NEW_CALL,
  );

const PLANNED = ['tool_call.planned', { call_id: 'c' }] as const;
const SENT = ['tool_call.dispatched', {}] as const;

test('a call runs, reports its progress and succeeds', () => {
  expect(after(PLANNED, SENT, ['tool_call.progress', { progress: 1, total: 2 }])).toMatchObject({
    phase: 'running',
    callId: 'c',
    progress: { progress: 1, total: 2 },
  });
  expect(after(PLANNED, SENT, ['tool_call.completed', {}], ['run.completed', {}])).toMatchObject({
    phase: 'ended',
    outcome: 'succeeded',
  });
});

test('a call waits for a person until the item is answered or withdrawn', () => {
  const asking = [PLANNED, ['inbox.opened', { inbox_item_id: 'i' }]] as const;
  expect(after(...asking)).toMatchObject({ phase: 'asking', itemId: 'i' });
  for (const type of ['inbox.answered', 'inbox.void', 'inbox.expired'])
    expect(after(...asking, [type, {}]).itemId).toBeUndefined();
  expect(after(...asking, ['inbox.answered', {}], SENT)).toMatchObject({ phase: 'running' });
});

test('the reason of a wait or a failure is shown', () => {
  expect(after(PLANNED, ['tool_call.waiting', { message: 'busy' }])).toMatchObject({
    phase: 'waiting',
    reason: 'busy',
  });
  expect(after(SENT, ['tool_call.failed', { message: 'no' }], ['run.completed', {}])).toMatchObject(
    { outcome: 'failed', reason: 'no' },
  );
  expect(after(['run.cancelling', {}]).phase).toBe('cancelling');
  expect(after(['run.cancelled', {}]).outcome).toBe('cancelled');
});
