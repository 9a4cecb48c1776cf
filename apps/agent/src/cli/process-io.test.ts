import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createStderrLogger } from '../system/stderr-logger.ts';
import { MAX_WAITING_BYTES } from './lossy-output.ts';
import { createProcessIo } from './process-io.ts';

test.each([
  [{ isTTY: true, columns: 120 }, 120],
  [{ isTTY: true, columns: 0 }, 80],
  [{}, 80],
])('an output that is %j is %i columns wide', (output, columns) => {
  const stderr = Object.assign(new PassThrough(), output);
  // Only the streams are read before a question or a signal.
  const io = createProcessIo({
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr,
  } as unknown as NodeJS.Process);
  expect(io.columns).toBe(columns);
});

/** As Node's own streams, its errors do not end it. */
function failing(state: { error?: Error }) {
  const written: string[] = [];
  const write = (text: string, done: (error?: Error) => void): void => {
    if (state.error === undefined) written.push(text);
    process.nextTick(() => done(state.error));
  };
  return { stream: Object.assign(new EventEmitter(), { writableLength: 0, write }), written };
}

test('a log on a full disk drops and counts its entries, and later entries report the count', async () => {
  const state: { error?: Error } = {
    error: Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }),
  };
  const { stream, written } = failing(state);
  const io = createProcessIo({
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: stream,
  } as unknown as NodeJS.Process);
  const logger = createStderrLogger(
    { level: 'info' },
    (line) => io.err(line),
    () => io.losses?.(),
  );
  logger.info('lost');
  await setImmediate();
  logger.info('lost, too');
  await setImmediate();
  delete state.error;
  logger.info('written');
  await setImmediate();
  logger.info('the end');
  await setImmediate();
  expect(written.join('').replaceAll(/^\S+ /gm, '')).toBe(
    'warn log entries were lost count=2 reason=ENOSPC\ninfo written\ninfo the end\n',
  );
});

test('an unread log uses a bounded amount of memory', () => {
  const stderr = new PassThrough();
  const io = createProcessIo({
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr,
  } as unknown as NodeJS.Process);
  for (let entry = 0; entry < 100_000; entry += 1) io.err(`${'x'.repeat(99)}\n`);
  expect(stderr.writableLength + stderr.readableLength).toBeLessThan(2 * MAX_WAITING_BYTES);
  expect(io.losses?.()).toMatchObject({ reason: 'the reader is too slow' });
});
