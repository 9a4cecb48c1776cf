import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SchemaWorker, type SchemaWorkerOptions } from './schema-worker.ts';

function open(options: Partial<SchemaWorkerOptions<string>> = {}): SchemaWorker<string, number> {
  const main = join(import.meta.dirname, 'echo-worker.test.support.mjs');
  const worker = new SchemaWorker<string, number>({
    main,
    lengthOf: (job) => job.length,
    ...options,
  });
  onTestFinished(() => worker.close('the test is over'));
  return worker;
}

test('one thread runs every job', async () => {
  const worker = open();
  const threads = await Promise.all(
    ['a', 'b', 'c'].map(async (owner) => (await worker.run(owner, 'job', 1000)).result),
  );
  expect(new Set(threads).size).toBe(1);
});

test('an idle thread is ended, and the next job starts another', async () => {
  const worker = open({ idleMs: 1 });
  const { result: first } = await worker.run('a', 'job', 1000);
  await expect
    .poll(async () => (await worker.run('a', 'job', 1000)).result, { interval: 50 })
    .not.toBe(first);
});

test('jobs are rejected immediately when the thread can never be started', async () => {
  const worker = open({ main: join(import.meta.dirname, 'not-there.mjs') });
  const startedAt = performance.now();
  await expect(worker.run('a', 'job', 1000)).rejects.toMatchObject({
    message: 'the evaluation cannot be started',
    isTemporary: false,
  });
  // Four retries of a failed start take four seconds.
  expect(performance.now() - startedAt).toBeLessThan(4000);
});

test('a job whose thread gets no processor time for a while is not rejected', async () => {
  const worker = open({ main: join(import.meta.dirname, 'waiting-worker.test.support.ts') });
  await expect(worker.run('a', 'job', 200)).resolves.toMatchObject({ result: 3 });
});

test('jobs over the limit of waiting ones are rejected', async () => {
  const worker = open();
  await expect(worker.run('a', 'x'.repeat(64 * 1024 * 1024 + 1), 1000)).rejects.toMatchObject({
    message: expect.stringContaining('too many checks') as string,
    isTemporary: true,
  });
});

test('jobs of a closed worker are rejected with the reason', async () => {
  const worker = open();
  const waiting = worker.run('a', 'job', 1000);
  await Promise.all([expect(waiting).rejects.toThrow('enough'), worker.close('enough')]);
  await expect(worker.run('a', 'job', 1000)).rejects.toThrow('enough');
});

test('an idle thread does not keep the process alive', () => {
  const script = join(import.meta.dirname, 'evaluate-once.test.support.ts');
  // The thread itself would end only after a minute.
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    timeout: 150_000,
  });
  expect({ status, stderr, stdout }).toEqual({
    status: 0,
    stderr: '',
    stdout: '["\\"a\\" must match pattern \\"^x\\"."]',
  });
});

test.skipIf(process.platform === 'win32')(
  'without a free descriptor a pattern is not evaluated, ordinary schemas are, and the process lives',
  () => {
    const script = join(import.meta.dirname, 'without-descriptors.test.support.ts');
    const { status, stdout, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, script],
      { encoding: 'utf8', timeout: 150_000 },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      without: 'EvaluationUnavailableError',
      ordinary: [],
      after: ['The value must match pattern "^x".'],
    });
  },
);
