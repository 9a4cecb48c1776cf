import { expect, test } from 'vitest';
import { createStderrLogger } from './stderr-logger.ts';

function logged(level: 'debug' | 'warn'): { readonly lines: string[]; readonly logger: ReturnType<typeof createStderrLogger> } {
  const lines: string[] = [];
  return { lines, logger: createStderrLogger(level, (line) => lines.push(line)) };
}

test('an entry is one line of time, level, message and fields', () => {
  const { lines, logger } = logged('debug');
  logger.warn('a server\nis not available', { server: 'files', error: 'no "such" file', pid: 7 });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z warn a server is not available server=files error="no \\"such\\" file" pid=7\n$/);
});

test('a server cannot steer the terminal by what it writes to its stderr or puts in its errors', () => {
  const { lines, logger } = logged('debug');
  logger.debug('\u001b[2J\u009b31mboo', { error: '\u001b]0;title\u0007', other: 'a\u009bb', failure: new Error('\u001b[1m') });
  expect(lines[0]).toMatch(/ debug \[2J31mboo error="\\u001b]0;title\\u0007" other="a\\u009bb" failure="Error: \\u001b\[1m/);
  expect(lines[0]).not.toMatch(/[^\P{Cc}\n]/u);
});

test('an error is written with its stack, and entries below the level are not written', () => {
  const { lines, logger } = logged('warn');
  logger.info('quiet');
  logger.error('a job failed', { error: new TypeError('a bug') });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/error a job failed error="TypeError: a bug\\n +at /);
});
