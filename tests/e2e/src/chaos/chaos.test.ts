import { expect, test } from 'vitest';
import type { EventView } from '../support/client.ts';
import { chaos } from './chaos.ts';
import { problemsOf, type RunResult } from './problems-of.ts';
import { digestOf } from './reader.ts';

test('runs of two workers, of which one is frozen until its lease is over: nothing is lost, nothing is done twice, and every reader has each event once', async () => {
  const { problems, faults } = await chaos({
    store: 'sqlite',
    queue: 'memory',
    runs: 4,
    turns: 4,
    seed: 1,
    parallel: 4,
    paceMs: 200,
    apis: 1,
    workers: 2,
    kinds: ['long-freeze-worker'],
    bursts: 1,
    faultsPerBurst: 1,
    limitMs: 120_000,
  });
  expect(problems).toEqual([]);
  expect(Object.keys(faults)).toEqual(['long-freeze-worker']);
});

const events: readonly EventView[] = [
  { type: 'run.queued', data: {} },
  { type: 'run.started', data: {} },
  { type: 'message.completed', data: { turn: 1, message_id: 'm1', is_partial: false } },
  { type: 'tool_call.planned', data: { call_id: 'c1', state: 'planned' } },
  { type: 'tool_call.dispatched', data: { call_id: 'c1', attempt: 1 } },
  { type: 'tool_call.completed', data: { call_id: 'c1', attempt: 1 } },
  { type: 'message.completed', data: { turn: 2, message_id: 'm2', is_partial: false } },
  { type: 'run.completed', data: { answer: 'done r1' } },
].map((event, index) => ({ ...event, seq: index + 1, at: '2026-01-01T00:00:00Z' }));
const unknownOutcome = { seq: 9, at: '2026-01-01T00:00:00Z', type: 'tool_call.outcome_unknown' };
const seqs = events.map(({ seq }) => seq);
const reader = { name: 'late', runId: 'r', seqs, digest: digestOf(events), connections: 1 };
const call: RunResult['calls'][number] = {
  id: 'c1',
  state: 'succeeded',
  attempt: 1,
  turn: 1,
  tool: 'effects__append',
  isRepeatable: false,
  effects: 1,
  responses: [],
};
const good: RunResult = {
  name: 'r1',
  status: 'completed',
  answer: 'done r1',
  lastSeq: events.length,
  openItems: [],
  events,
  calls: [call],
  messages: [
    [1, 'm1'],
    [2, 'm2'],
  ],
  readers: [reader],
};

test('a run without a fault has no problems', () => {
  expect(problemsOf(good, 2)).toEqual([]);
});

test.each<[fault: string, run: Partial<RunResult>]>([
  ['a run that did not complete', { status: 'running' }],
  ['an effect that happened twice', { calls: [{ ...call, effects: 2 }] }],
  ['a call without an effect', { calls: [{ ...call, effects: 0 }] }],
  ['a call of another state than its events', { calls: [{ ...call, attempt: 2 }] }],
  [
    'an unknown outcome without a question',
    { events: [...events, { ...unknownOutcome, data: { call_id: 'c1' } }] },
  ],
  ['an item that is open after the end', { openItems: ['i1'] }],
  ['a message that is stored twice', { messages: [...good.messages, [2, 'm3']] }],
  ['an event that a reader lacks', { readers: [{ ...reader, seqs: seqs.slice(0, -1) }] }],
  ['an event that a reader has twice', { readers: [{ ...reader, seqs: [1, ...seqs] }] }],
  ['events out of order', { readers: [{ ...reader, seqs: seqs.toReversed() }] }],
  ['an event with other data', { readers: [{ ...reader, digest: digestOf(events.slice(1)) }] }],
])('control: %s is a problem', (_, fault) => {
  expect(problemsOf({ ...good, ...fault }, 2)).not.toEqual([]);
});
