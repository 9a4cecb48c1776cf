import { expect, test } from 'vitest';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const LIMITED = { a: { runningRuns: 1 }, b: {} } as const;

const statusesOf = ({ read }: Service, ids: readonly string[]): Promise<readonly unknown[]> =>
  Promise.all(ids.map((id) => read.runStatus(id)));

test('a key has no more runs in progress than it may have; the next begins when one ends, and other keys go on', async () => {
  const held = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const service = await openService({
    script: (_request, index) => ({
      text: 'done',
      hold: held[index]?.promise ?? Promise.resolve(),
    }),
    keyLimits: (apiKey) => (apiKey === 'a' ? LIMITED.a : LIMITED.b),
  });
  const ids: string[] = [];
  for (const apiKey of ['a', 'a', 'b'])
    ids.push((await service.engine.createRun({ prompt: 'go', apiKey })).id);
  const [first = '', second = '', other = ''] = ids;
  await service.status(other, 'running');
  await service.until(async () => (service.llm.requests.length === 2 ? true : undefined));
  expect(await statusesOf(service, ids)).toEqual(['running', 'queued', 'running']);
  held[0]?.resolve();
  await service.settled(first);
  await service.status(second, 'running');
  for (const { resolve } of held) resolve();
  for (const id of ids) await service.settled(id);
});

test('many slots of a worker that start runs of a key at once do not exceed its limit', async () => {
  const held = Promise.withResolvers<void>();
  const options = {
    script: () => ({ text: 'done', hold: held.promise }),
    keyLimits: () => ({ runningRuns: 2 }),
  };
  const one = await openService({ ...options, isStarted: false });
  const ids: string[] = [];
  for (let count = 0; count < 8; count += 1)
    ids.push((await one.engine.createRun({ prompt: 'go', apiKey: 'a' })).id);
  await one.engine.start();
  await one.until(async () => (one.llm.requests.length === 2 ? true : undefined));
  expect((await one.read.runCounts()).get('running')).toBe(2);
  held.resolve();
  for (const id of ids) await one.settled(id);
});

test('a run that waits for a person leaves its place to another', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'w__write' }]]),
    tools: { w__write: { call: () => Promise.resolve(ok('x')) } },
    keyLimits: () => ({ runningRuns: 1 }),
  });
  const ids: string[] = [];
  for (let count = 0; count < 2; count += 1) {
    const { id } = await service.engine.createRun({ prompt: 'go', apiKey: 'a' });
    ids.push(id);
    await service.status(id, 'input_required');
  }
  expect(await statusesOf(service, ids)).toEqual(['input_required', 'input_required']);
});

test('a key that started as many runs in a minute as it may is refused until the oldest is a minute old', async () => {
  const tools = { r__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('read')) } };
  const service = await openService({
    script: () => ({ text: 'done' }),
    tools,
    keyLimits: (apiKey) => (apiKey === 'a' ? { runsPerMinute: 2 } : {}),
  });
  const { engine, clock } = service;
  const run = (apiKey: string) => engine.createRun({ prompt: 'go', apiKey });
  const { id } = await run('a');
  clock.advance(10_000);
  await engine.startCall({ wireName: 'r__read', arguments: {}, apiKey: 'a' });
  const refused = { code: 'run_rate_exceeded', retryAfterMs: 50_000 };
  await expect(run('a')).rejects.toMatchObject(refused);
  await expect(engine.forkRun(id, { atTurn: 0, apiKey: 'a' })).rejects.toMatchObject(refused);
  await expect(
    engine.startCall({ wireName: 'r__read', arguments: {}, apiKey: 'a' }),
  ).rejects.toMatchObject(refused);
  await run('b');
  clock.advance(50_000);
  await run('a');
  await expect(run('a')).rejects.toMatchObject({ retryAfterMs: 10_000 });
});
