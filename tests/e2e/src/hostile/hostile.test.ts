import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { hostileCases, shortCases } from './cases.ts';
import { runCase } from './run-case.ts';
import { createWorld, type World } from './world.ts';

// Times on the clock are judged by `npm run hostile` on a quiet machine; beside other tests they say nothing.
const limits = { blockedMs: 250, memoryMb: 512, answerMs: Infinity, runMs: Infinity };

let world: World;

beforeAll(async () => {
  world = await createWorld();
}, 30_000);

afterAll(() => world.close(), 30_000);

test.each(hostileCases.filter(({ name }) => shortCases.includes(name)))(
  'a service lives on beside $name, its event loop is free and a calm run completes',
  { timeout: 60_000 },
  async (hostile) => {
    const { problems } = await runCase(world, hostile, limits);
    expect(problems).toEqual([]);
  },
);

test('the short list names cases that exist', () => {
  expect(
    shortCases.filter((name) => !hostileCases.some((hostile) => hostile.name === name)),
  ).toEqual([]);
  expect(hostileCases.length).toBeGreaterThanOrEqual(60);
});

test(
  'a large result is noticed where the limit of messages is raised',
  { timeout: 60_000 },
  async () => {
    const unguarded = await createWorld({ acceptsEverything: true });
    onTestFinished(() => unguarded.close());
    const large = hostileCases.find(({ name }) => name === 'a result of 45 MB of objects');
    if (large === undefined) throw new Error('no such case');
    const { problems } = await runCase(unguarded, large, { ...limits, blockedMs: 150 });
    expect(problems).not.toEqual([]);
  },
);

test(
  'a loop that is blocked and memory that is taken are noticed',
  { timeout: 30_000 },
  async () => {
    await world.reset();
    await world.disturb({ blockMs: 400, holdMb: 600 });
    expect(world.measured().longestMs).toBeGreaterThan(limits.blockedMs);
    expect(world.measured().peakMb).toBeGreaterThan(limits.memoryMb);
  },
);
