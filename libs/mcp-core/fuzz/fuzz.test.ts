import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { fuzz } from './fuzz.ts';
import { httpTarget } from './http-target.ts';
import { inMemoryTarget } from './in-memory-target.ts';
import { stdioTarget } from './stdio-target.ts';

const MESSAGES = 6000;

test.each([stdioTarget, inMemoryTarget, httpTarget])(
  '$name: every request among many bad messages gets the expected response',
  async (target) => {
    const reports: string[] = [];
    await fuzz(target, { messages: MESSAGES, seed: 7, report: (line) => reports.push(line) });
    expect(reports).toEqual([
      expect.stringMatching(
        new RegExp(`^${target.name}: ${String(MESSAGES)} messages, \\d{4,} answers`, 'u'),
      ),
    ]);
  },
);

test('the fuzzer detects a missing guard', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const args = [
    '--conditions=@signalbox/source',
    main,
    '--without-guard',
    'id-shape',
    '--messages',
    String(MESSAGES),
    '--target',
    'stdio',
  ];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stderr }).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/answer/u) as string,
  });
});
