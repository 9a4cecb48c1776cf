import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createProcessIo } from './process-io.ts';

test.each([
  [{ isTTY: true, columns: 120 }, 120],
  [{ isTTY: true, columns: 0 }, 80],
  [{}, 80],
])('an output that is %j is %i columns wide', (output, columns) => {
  const stdout = Object.assign(new PassThrough(), output);
  // Only the streams are read before a question or a signal.
  const io = createProcessIo({ stdin: new PassThrough(), stdout, stderr: new PassThrough() } as unknown as NodeJS.Process);
  expect(io.columns).toBe(columns);
});
