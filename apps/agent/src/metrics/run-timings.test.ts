import { expect, test } from 'vitest';
import type { RunEventBody } from '../run/core/events.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { RunTimings, type CallEnd } from './run-timings.ts';

const call = (id: string): { readonly call_id: string; readonly attempt: number } => ({
  call_id: id,
  attempt: 1,
});

function planned(id: string): RunEventBody {
  return {
    type: 'tool_call.planned',
    data: {
      call_id: id,
      turn: 1,
      position: 0,
      tool_use_id: id,
      name: 'files__read',
      server: 'files',
      tool: 'read',
      arguments: {},
      state: 'planned',
      repeatable: true,
    },
  };
}

const completed = (id: string): RunEventBody => ({
  type: 'tool_call.completed',
  data: {
    ...call(id),
    result: { text: 'ok', truncated: false, is_error: false, other_content: [] },
  },
});

function timings(): { readonly timings: RunTimings; readonly ends: CallEnd[] } {
  const ends: CallEnd[] = [];
  const ignore = (): void => undefined;
  return {
    ends,
    timings: new RunTimings({
      clock: new ManualClock(),
      onCallEnd: (end) => ends.push(end),
      onTurnEnd: ignore,
      onRunEnd: ignore,
    }),
  };
}

test('calls that are planned here and end in another process are forgotten, the oldest first', () => {
  const { timings: runTimings, ends } = timings();
  runTimings.record('run', [planned('first')]);
  for (let index = 0; index < 10_000; index++) runTimings.record('run', [planned(`call-${index}`)]);
  runTimings.record('run', [completed('first'), completed('call-9999')]);
  expect(ends.map(({ callId, server }) => [callId, server])).toEqual([
    ['first', ''],
    ['call-9999', 'files'],
  ]);
});

test('a call that another process planned is counted under its server', () => {
  const { timings: runTimings, ends } = timings();
  runTimings.record('run', [
    { type: 'tool_call.dispatched', data: { ...call('a'), server: 'files', tool: 'read' } },
    completed('a'),
  ]);
  expect(ends).toMatchObject([{ callId: 'a', server: 'files', tool: 'read', durationMs: 0 }]);
});
