import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ExecutorConfiguration, ExecutorMessage } from './executor/messages.ts';
import { ExecutorProcess, type ExecutorEnd } from './executor-process.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { RUNAWAY } from './testing/runaway.ts';
import { temporaryDatabase } from './testing/temporary-database.ts';

interface StartedProcess {
  readonly process: ExecutorProcess;
  readonly ready: Promise<void>;
  readonly reply: Promise<ExecutorMessage>;
  readonly ended: Promise<ExecutorEnd>;
}

function startProcess(configuration: Partial<ExecutorConfiguration> = {}): StartedProcess {
  const ready = Promise.withResolvers<void>();
  const reply = Promise.withResolvers<ExecutorMessage>();
  const ended = Promise.withResolvers<ExecutorEnd>();
  const executor = new ExecutorProcess(
    {
      ...DEFAULT_LIMITS,
      path: temporaryDatabase(),
      parentPid: process.pid,
      isSpare: false,
      isWriter: false,
      ...configuration,
    },
    { ready: ready.resolve, message: reply.resolve, ended: ended.resolve },
  );
  onTestFinished(() => executor.kill());
  return { process: executor, ready: ready.promise, reply: reply.promise, ended: ended.promise };
}

test('answers a request with its id', async () => {
  const started = startProcess();
  await started.ready;
  started.process.send({
    kind: 'request',
    id: 7,
    operation: 'list-tables',
    input: { includeViews: true },
  });
  expect(await started.reply).toEqual({
    kind: 'result',
    id: 7,
    output: { tables: [], truncated: false },
  });
});

test('inherits no secrets from the environment', async () => {
  process.env['SIGNALBOX_TEST_SECRET'] = 'secret';
  onTestFinished(() => {
    delete process.env['SIGNALBOX_TEST_SECRET'];
  });
  const started = startProcess();
  await started.ready;
  const environment =
    process.platform === 'linux'
      ? readFileSync(`/proc/${started.process.pid ?? 0}/environ`, 'utf8')
      : '';
  expect(environment).not.toContain('SECRET');
});

describe.each([
  { watched: 'from its start', isSpare: false },
  { watched: 'from its first query', isSpare: true },
])('a process that is watched $watched', ({ isSpare }) => {
  test.each([
    { when: 'the query outlives its deadline by two seconds', options: { timeoutMs: 100 } },
    { when: 'its parent is not the configured process', options: { parentPid: 1 } },
  ])('ends itself during a query when $when', async ({ options }) => {
    const started = startProcess({ ...options, isSpare });
    await started.ready;
    started.process.send({
      kind: 'request',
      id: 1,
      operation: 'read-query',
      input: { query: RUNAWAY },
    });
    expect(await started.ended).toEqual({ reason: 'ended', detail: 'signal SIGKILL' });
  });
});

test('reports the reason when it was killed', async () => {
  const started = startProcess();
  await started.ready;
  await started.process.kill();
  expect(await started.ended).toEqual({ reason: 'killed', detail: 'signal SIGKILL' });
});
