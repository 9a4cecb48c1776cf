import { setImmediate } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { JobQueue } from '../../ports/job-queue.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const CALLS = 8;

/** Two queues in memory as one that two workers share: each tool call goes to the other worker. */
function crossed(): (queue: JobQueue) => JobQueue {
  const queues: JobQueue[] = [];
  return (queue) => {
    const position = queues.push(queue) - 1;
    return {
      start: (handler, options) => queue.start(handler, options),
      enqueue: (job, options) =>
        ((job.type === 'call-tool' && queues[1 - position]) || queue).enqueue(job, options),
      depth: () => queue.depth(),
      close: () => queue.close(),
    };
  };
}

/** Two workers with one slot each for the calls of a server, and a run with more calls than slots. */
async function busyServer(hasOwnQueue: boolean): Promise<{
  readonly id: string;
  readonly workers: readonly [Service, Service];
}> {
  const options = {
    changeQueue: crossed(),
    hasOwnQueue,
    concurrency: { callsPerServer: 1 },
    policies: { s: { approval: 'auto', sampling: 'ask' } },
    tools: { s__work: { call: () => Promise.resolve(ok('done')) } },
    script: callsThenAnswer([Array.from({ length: CALLS }, () => ({ name: 's__work' }))]),
  } as const;
  const first = await openService(options);
  const second = await openService({ ...options, beside: first });
  const { id } = await first.engine.createRun({ prompt: 'go' });
  return { id, workers: [first, second] };
}

const status = async ({ read }: Service, id: string): Promise<string | undefined> =>
  (await read.run(id))?.status;

/** Lets both workers sweep often, with time for their jobs after each sweep. */
async function sweepOften([{ clock }]: readonly [Service, Service]): Promise<void> {
  for (let sweep = 0; sweep < 20; sweep += 1) {
    clock.advance(2000);
    for (let step = 0; step < 50; step += 1) await setImmediate();
  }
}

test('a call gets its reserved slot when another worker takes the jobs of the shared queue', async () => {
  const { id, workers } = await busyServer(true);
  await vi.waitFor(async () => expect(await status(workers[0], id)).toBe('completed'));
  expect(workers.flatMap(({ registry }) => registry.sent)).toHaveLength(CALLS);
});

test('control: with jobs for reserved slots in the shared queue, the calls wait for ever', async () => {
  const { id, workers } = await busyServer(false);
  await vi.waitFor(() => expect(workers[0].registry.sent.length).toBeGreaterThan(0));
  await sweepOften(workers);
  expect(await status(workers[0], id)).toBe('running');
  const states = (await workers[0].read.toolCalls(id)).map(({ state }) => state);
  expect(new Set(states)).toEqual(new Set(['succeeded', 'planned']));
});
