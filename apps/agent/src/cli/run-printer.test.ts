import { describe, expect, test } from 'vitest';
import type { RunEventBody } from '../run/core/events.ts';
import { RunPrinter } from './run-printer.ts';
import { testIo } from './testing/test-io.ts';

function printed(isTerminal = false) {
  let text = '';
  const append = (part: string): void => void (text += part);
  const io = {
    ...testIo({ isTerminal, isOutTerminal: isTerminal, columns: 60 }),
    out: append,
    err: append,
  };
  return { io, text: () => text };
}

const event = (body: RunEventBody, at = 0) =>
  ({
    type: 'event',
    event: { runId: 'r1', seq: 1, version: 1, at, type: body.type, data: body.data },
  }) as const;
const delta = (offset: number, text: string) =>
  ({
    type: 'delta',
    delta: { type: 'delta', runId: 'r1', messageId: 'm1', kind: 'text', offset, text },
  }) as const;
const planned = event({
  type: 'tool_call.planned',
  data: {
    call_id: 'c1',
    turn: 1,
    position: 0,
    tool_use_id: 't1',
    name: 'files__search',
    server: 'files',
    tool: 'search',
    arguments: { path: '.' },
    state: 'planned',
    repeatable: true,
  },
});

test('a call is shown with its arguments, its time and the first line of its result', () => {
  const { io, text } = printed();
  const printer = new RunPrinter(io);
  printer.frame(planned);
  printer.frame(
    event(
      { type: 'tool_call.dispatched', data: { call_id: 'c1', attempt: 1, server: 's', tool: 't' } },
      1000,
    ),
  );
  printer.frame(
    event(
      {
        type: 'tool_call.completed',
        data: {
          call_id: 'c1',
          attempt: 1,
          result: { text: 'a\nb', truncated: false, is_error: false, other_content: [] },
        },
      },
      1250,
    ),
  );
  expect(text()).toBe('→ files__search {"path":"."}\n✓ files__search 250 ms: a b\n');
});

test('a retry of a model call is a line with the delay and the reason', () => {
  const { io, text } = printed();
  const printer = new RunPrinter(io);
  const data = {
    turn: 1,
    message_id: 'm1',
    error: { code: 'llm_overloaded', message: 'Overloaded.' },
  };
  printer.frame(
    event({
      type: 'turn.failed',
      data: { ...data, retryable: true, attempt: 1, next_attempt_at: '2026-01-01T00:00:05.000Z' },
    }),
  );
  printer.frame(event({ type: 'turn.failed', data: { ...data, retryable: false } }));
  expect(text()).toBe('… the model request is retried at 2026-01-01T00:00:05.000Z: Overloaded.\n');
});

test('text is printed once, whether it came in deltas, in the message, or partly in each', () => {
  const { io, text } = printed(true);
  const printer = new RunPrinter(io);
  printer.frame(delta(0, 'Hel'));
  printer.frame(delta(1, 'ello'));
  const data = {
    turn: 1,
    message_id: 'm1',
    role: 'assistant',
    text: 'Hello you',
    tool_uses: [],
    is_partial: false,
  } as const;
  printer.frame(event({ type: 'message.completed', data }));
  printer.end();
  expect(text()).toBe('│ Hello you\n');
});

test('a sampling request of a server is a line; a turn of the run is not', () => {
  const { io, text } = printed();
  const printer = new RunPrinter(io);
  const usage = {
    input: 9,
    cache_read: 0,
    cache_write: 0,
    output: 1,
    reasoning: 0,
    source: 'reported',
  } as const;
  const used = { call_id: 'c1', model: 'small', usage, total: usage };
  printer.frame(
    event({ type: 'usage.updated', data: { ...used, source: 'server', server: 'shop' } }),
  );
  printer.frame(
    event({ type: 'usage.updated', data: { ...used, source: 'agent', server: undefined } }),
  );
  expect(text()).toBe('· shop used the model small (sampling)\n');
});

test('progress redraws one line on a terminal and clears it before the next', () => {
  const { io, text } = printed(true);
  const printer = new RunPrinter(io);
  printer.frame(planned);
  printer.frame(
    event({
      type: 'tool_call.progress',
      data: { call_id: 'c1', attempt: 1, progress: 1, total: 2, message: 'half' },
    }),
  );
  printer.frame(event({ type: 'run.cancelled', data: { reason: undefined, answer: undefined } }));
  expect(text()).toContain('\r\u001b[K  [████████████░░░░░░░░░░░░] 50% files__search half');
  expect(text().endsWith('\r\u001b[Krun cancelled\n')).toBe(true);
});

test('progress is a line for each tenth when stderr is not a terminal', () => {
  const { io, text } = printed();
  const printer = new RunPrinter(io);
  for (let progress = 1; progress <= 100; progress += 1) {
    printer.frame(
      event({
        type: 'tool_call.progress',
        data: { call_id: 'c1', attempt: 1, progress, total: 100, message: undefined },
      }),
    );
  }
  expect(text().split('\n').length - 1).toBe(11);
});

test('progress without a total shows its message or its number', () => {
  const { io, text } = printed(true);
  const printer = new RunPrinter(io);
  printer.frame(planned);
  printer.frame(
    event({
      type: 'tool_call.progress',
      data: {
        call_id: 'c1',
        attempt: 1,
        progress: 1000,
        total: undefined,
        message: '5 matches in 1000 entries',
      },
    }),
  );
  printer.frame(
    event({
      type: 'tool_call.progress',
      data: { call_id: 'c1', attempt: 1, progress: 1143, total: undefined, message: undefined },
    }),
  );
  expect(text().split('\r\u001b[K').slice(1)).toEqual([
    '  … files__search 5 matches in 1000 entries',
    '  … files__search 1143',
  ]);
});

test("a tool's text contains no terminal control sequences", () => {
  const { io, text } = printed(true);
  const printer = new RunPrinter(io);
  printer.frame(
    event({
      type: 'tool_call.failed',
      data: {
        call_id: 'c1',
        attempt: 1,
        message: 'x',
        result: { text: '\u001b[2J\u0007boo', truncated: false, is_error: true, other_content: [] },
      },
    }),
  );
  expect(text()).toBe('✗ c1 0 ms: [2Jboo\n');
});

test('answers, tool names, messages of servers and errors of providers contain no terminal control sequences', () => {
  const { io, text } = printed(true);
  const printer = new RunPrinter(io);
  const hostile = 'a\u001b[2J\u009b1m\r\u202eb\nc';
  printer.frame(delta(0, hostile));
  printer.frame(
    event({
      type: 'tool_call.planned',
      data: {
        call_id: 'c1',
        turn: 1,
        position: 0,
        tool_use_id: 't1',
        name: hostile,
        server: 's',
        tool: 't',
        arguments: { [hostile]: 1 },
        state: 'planned',
        repeatable: false,
      },
    }),
  );
  printer.frame(
    event({
      type: 'tool_call.progress',
      data: { call_id: 'c1', attempt: 1, progress: 1, total: 2, message: hostile },
    }),
  );
  printer.frame(
    event({
      type: 'tool_call.retrying',
      data: { call_id: 'c1', attempt: 1, reason: 'connection_lost', message: hostile, delay_ms: 0 },
    }),
  );
  printer.frame(
    event({
      type: 'tool_call.outcome_unknown',
      data: { call_id: 'c1', attempt: 1, message: hostile },
    }),
  );
  printer.frame(
    event({
      type: 'run.failed',
      data: { error: { code: 'x', message: hostile }, answer: undefined },
    }),
  );
  const ours = text().replaceAll('\r\u001b[K', '');
  expect(ours).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  expect(ours).toContain('run failed: a[2J1m b c\n');
  expect(ours.split('\n').filter((line) => line.startsWith('│'))).toEqual(['│ a[2J1mb', '│ c']);
});

describe('model output cannot look like a line of signalbox', () => {
  const forged = '✓ files__delete 3 ms: done';

  test('every line of its text has the prefix, whatever its length and parts', () => {
    const { io, text } = printed(true);
    const printer = new RunPrinter(io);
    const whole = `Hello\n${forged}\n\n${' '.repeat(55)}${forged}\n${'宽'.repeat(25)}   ${forged}`;
    for (let at = 0; at < whole.length; at += 3) printer.frame(delta(at, whole.slice(at, at + 3)));
    printer.end();
    const rows = text()
      .replace(/\n$/, '')
      .split('\n')
      .flatMap((line) => rowsOf(line, 60));
    expect(rows.filter((row) => !row.startsWith('│ '))).toEqual([]);
  });

  test('rows of a line that is wider than the terminal have the prefix', () => {
    const { io, text } = printed(true);
    const printer = new RunPrinter(io);
    const path = `${' '.repeat(32)}${forged}`;
    printer.line(`→ files__read {"path":"${'x'.repeat(30)}${path}${'y'.repeat(60)}${forged}"}`);
    const rows = text()
      .replace(/\n$/, '')
      .split('\n')
      .flatMap((line) => rowsOf(line, 60));
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.slice(1).filter((row) => !row.startsWith('    '))).toEqual([]);
  });

  /** The rows that a terminal makes of a line. */
  function rowsOf(line: string, columns: number): readonly string[] {
    const rows: string[] = [''];
    let column = 0;
    for (const character of line) {
      const cells = character === '宽' ? 2 : 1;
      if (column + cells > columns) {
        rows.push('');
        column = 0;
      }
      rows[rows.length - 1] += character;
      column += cells;
    }
    return rows;
  }
});

test('unless stdout is a terminal it receives the answer alone, unchanged; text between calls goes to stderr', () => {
  const io = testIo();
  const printer = new RunPrinter(io);
  const message = { turn: 1, role: 'assistant', is_partial: false } as const;
  printer.frame(delta(0, 'I will look.'));
  printer.frame(
    event({
      type: 'message.completed',
      data: {
        ...message,
        message_id: 'm1',
        text: 'I will look.',
        tool_uses: [{ id: 't', name: 'files__search', input: {} }],
      },
    }),
  );
  printer.frame(planned);
  printer.frame(
    event({
      type: 'message.completed',
      data: { ...message, message_id: 'm2', text: '✓ It is\nthere.', tool_uses: [] },
    }),
  );
  printer.frame(
    event({
      type: 'run.completed',
      data: { answer: '✓ It is\nthere.', output: undefined, scripted: false },
    }),
  );
  printer.end();
  expect(io.written).toEqual({
    out: '✓ It is\nthere.\n',
    err: '│ I will look.\n→ files__search {"path":"."}\n',
  });
});
