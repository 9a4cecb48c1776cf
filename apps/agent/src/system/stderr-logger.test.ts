import { expect, test } from 'vitest';
import { createStderrLogger } from './stderr-logger.ts';

function logged(
  level: 'debug' | 'warn',
  format?: 'json',
): { readonly lines: string[]; readonly logger: ReturnType<typeof createStderrLogger> } {
  const lines: string[] = [];
  return { lines, logger: createStderrLogger({ level, format }, (line) => lines.push(line)) };
}

test('an entry is one line of time, level, message and fields', () => {
  const { lines, logger } = logged('debug');
  logger.warn('a server\nis not available', { server: 'files', error: 'no "such" file', pid: 7 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^\d{4}-\d\d-\d\dT[\d:.]+Z warn a server is not available server=files error="no \\"such\\" file" pid=7\n$/,
  );
});

test('the stderr and the errors of a server cannot control the terminal', () => {
  const { lines, logger } = logged('debug');
  logger.debug('\u001b[2J\u009b31mboo', {
    error: '\u001b]0;title\u0007',
    other: 'a\u009bb',
    failure: new Error('\u001b[1m'),
  });
  expect(lines[0]).toMatch(
    / debug \[2J31mboo error="\\u001b]0;title\\u0007" other="a\\u009bb" failure="Error: \\u001b\[1m/,
  );
  expect(lines[0]).not.toMatch(/[^\P{Cc}\n]/u);
});

test('an error is written with its stack, and entries below the level are not written', () => {
  const { lines, logger } = logged('warn');
  logger.info('quiet');
  logger.error('a job failed', { error: new TypeError('a bug') });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/error a job failed error="TypeError: a bug\\n +at /);
});

test('as JSON an entry is one object on one line, and no field hides another', () => {
  const { lines, logger } = logged('debug', 'json');
  logger.warn('a server\nis not available', {
    run_id: 'r1',
    level: 'x',
    message: '\u001b[2J',
    duration_ms: 7,
    error: new TypeError('a bug'),
  });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[^\n]+\n$/);
  expect(lines[0]).not.toContain('\u001b');
  expect(JSON.parse(lines[0]!)).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    level: 'warn',
    msg: 'a server\nis not available',
    run_id: 'r1',
    message: '\u001b[2J',
    duration_ms: 7,
    error: expect.stringMatching(/^TypeError: a bug\n +at /) as string,
  });
});
