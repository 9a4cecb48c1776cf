import type { RunEvent, RunFrame } from '@signalbox/client';
import { describe, expect, test } from 'vitest';
import type { CallEntry, MessageEntry, TurnEntry } from './entries.ts';
import { TimelineBuilder } from './timeline-builder.ts';

/** A run that is written event by event, one second after the other. */
class Recording {
  readonly builder = new TimelineBuilder();
  #seq = 0;

  add(type: RunEvent['type'], data: object = {}): this {
    this.#seq += 1;
    const at = new Date(this.#seq * 1000).toISOString();
    this.builder.add({ run_id: 'r', seq: this.#seq, type, version: 1, at, data } as RunEvent);
    return this;
  }

  delta(kind: string, text: string, more: object = {}): this {
    const frame = { type: 'message.delta', run_id: 'r', message_id: 'm', kind, offset: 0, text };
    this.builder.add({ ...frame, ...more } as RunFrame);
    return this;
  }

  planned(more: object = {}): this {
    return this.add('tool_call.planned', { call_id: 'c', name: 's__t', state: 'planned', ...more });
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the cast is in one place
  entry<T>(key: string): T {
    return this.builder.entries().find((entry) => entry.key === key) as T;
  }
}

const turn = { turn: 1, message_id: 'm', model: 'model-a' };
const call = { call_id: 'c', attempt: 1 };

describe('a message', () => {
  test('grows with its deltas and is replaced by the whole message', () => {
    const run = new Recording().add('turn.started', turn);
    run.delta('reasoning', 'hm').delta('text', 'Hel').delta('text', 'lo');
    run.delta('arguments', '{"a"', { tool_use: { index: 1, id: 'u', name: 's__t' } });
    run.delta('arguments', ':1}', { tool_use: { index: 1, id: 'u', name: 's__t' } });
    expect(run.entry<MessageEntry>('message-m')).toMatchObject({
      text: 'Hello',
      reasoning: 'hm',
      state: 'writing',
      turn: 1,
    });
    // The arguments of the first call were lost with a connection.
    expect(run.entry<MessageEntry>('message-m').drafts).toEqual([
      { name: '', text: '' },
      { name: 's__t', text: '{"a":1}' },
    ]);
    run.add('message.completed', { ...turn, text: 'Hello.', is_partial: false });
    expect(run.entry<MessageEntry>('message-m')).toMatchObject({
      text: 'Hello.',
      drafts: [],
      state: 'complete',
    });
    expect(run.builder.entries().map(({ kind }) => kind)).toEqual(['turn', 'message']);
  });

  test('of a failed attempt is discarded, and the turn waits for its next attempt', () => {
    const run = new Recording().add('turn.started', turn).delta('text', 'Hel');
    run.add('turn.failed', {
      ...turn,
      error: { code: 'overloaded', message: 'too busy' },
      retryable: true,
      next_attempt_at: '1970-01-01T00:00:09Z',
    });
    run.add('turn.started', { ...turn, message_id: 'm2' });
    expect(run.entry<MessageEntry>('message-m').state).toBe('discarded');
    expect(run.entry<TurnEntry>('turn-1')).toMatchObject({
      state: 'running',
      failures: [{ message: 'too busy', nextAt: '1970-01-01T00:00:09Z' }],
      spans: [
        { phase: 'model', from: 1000, to: 2000 },
        { phase: 'waiting', from: 2000, to: 3000 },
        { phase: 'model', from: 3000 },
      ],
    });
  });
});

describe('a tool call', () => {
  test('shows progress, then its result, and the time that it spent in each phase', () => {
    const run = new Recording().planned();
    run.add('tool_call.waiting', { ...call, reason: 'rate_limited', message: 'its turn is next' });
    expect(run.entry<CallEntry>('call-c')).toMatchObject({
      state: 'waiting',
      note: 'its turn is next',
    });
    run.add('tool_call.dispatched', call);
    run.add('tool_call.progress', { ...call, progress: 1, total: 4 });
    const result = { text: 'done', truncated: false, is_error: false, other_content: [] };
    run.add('tool_call.completed', { ...call, result });
    expect(run.entry<CallEntry>('call-c')).toMatchObject({
      state: 'succeeded',
      note: '',
      progress: { progress: 1, total: 4 },
      result: { text: 'done' },
      seq: 1,
      lastSeq: 5,
      spans: [
        { phase: 'waiting', from: 1000, to: 3000 },
        { phase: 'running', from: 3000, to: 5000 },
      ],
    });
  });

  test('that needs an approval waits for the person and takes the edited arguments', () => {
    const run = new Recording().planned({ state: 'awaiting_approval' });
    run.add('inbox.opened', { inbox_item_id: 'i', call_id: 'c', kind: 'tool_approval' });
    run.add('inbox.answered', { inbox_item_id: 'i', response: { action: 'approve' } });
    run.add('tool_call.approved', { ...call, attempt: 0, arguments: { line: 'b' } });
    expect(run.entry('question-i')).toMatchObject({
      state: 'answered',
      response: { action: 'approve' },
    });
    expect(run.entry<CallEntry>('call-c')).toMatchObject({
      state: 'planned',
      editedArguments: { line: 'b' },
      spans: [
        { phase: 'asking', from: 1000, to: 4000 },
        { phase: 'waiting', from: 4000 },
      ],
    });
  });

  test('keeps its retries, its unknown outcome and the model calls of its server', () => {
    const usage = { input: 1, output: 2 };
    const run = new Recording().planned().add('tool_call.dispatched', call);
    run.add('usage.updated', { source: 'server', call_id: 'c', usage });
    run.add('tool_call.retrying', { ...call, reason: 'connection_lost', delay_ms: 100 });
    run.add('tool_call.outcome_unknown', { ...call, message: 'the connection was lost' });
    expect(run.entry<CallEntry>('call-c')).toMatchObject({
      state: 'unknown',
      note: 'the connection was lost',
      retries: [{ reason: 'connection_lost' }],
      sampling: [usage],
    });
  });
});

test('the usage of a model call belongs to its turn', () => {
  const run = new Recording().add('turn.started', turn);
  run.add('usage.updated', { source: 'agent', usage: { input: 5 } });
  expect(run.entry<TurnEntry>('turn-1').usage).toEqual({ input: 5 });
});

test('an unknown event is a note, and a row that did not change stays the same object', () => {
  const run = new Recording().planned();
  const before = run.entry('call-c');
  run.add('future.event' as RunEvent['type'], { text: 'new' });
  expect(run.entry('call-c')).toBe(before);
  expect(run.builder.entries().at(-1)).toMatchObject({ kind: 'note', key: 'note-2' });
});

test('every event leads to a row: its own, or the one before it', () => {
  const run = new Recording().add('run.queued', { prompt: 'p' }).add('run.started');
  run.planned().add('tool_call.dispatched', call).add('tool_call.progress', call);
  run.add('limit.warning', { limit: 'turns' });
  expect([1, 2, 3, 4, 5, 6, 99].map((seq) => run.builder.keyOf(seq))).toEqual([
    'prompt',
    'prompt',
    'call-c',
    'call-c',
    'call-c',
    'note-6',
    'note-6',
  ]);
});
