import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostileCases, shortCases } from './cases.ts';
import { repeatCalmRuns, runCase, type Pace } from './run-case.ts';
import { createWorld, type World } from './world.ts';

// Times on the clock depend on the other tests of the machine: `npm run hostile` judges them.
const limits = { blockedMs: Infinity, memoryMb: 512, answerMs: Infinity, runMs: Infinity };
const pace: Pace = { maxCaseMs: 1500, minCaseMs: 300, calmPauseMs: 250, watchPauseMs: 250 };
/**
 * Longest block of the event loop, in units of a fixed piece of work that the same thread does before each case. On a machine on which this work takes 50 ms or less, as on the
 * one where the limit of 250 ms of `npm run hostile` was set, it is at most 250 ms; on a slow or loaded machine both grow.
 */
const MAX_BLOCK_YARDSTICKS = 5;
/** Times that a case is measured until its block is short enough: the load of the machine only makes blocks longer. */
const MAX_MEASUREMENTS = 3;

let world: World;

beforeAll(async () => {
  world = await createWorld();
  // The first runs load modules, which no server causes.
  await repeatCalmRuns(world.api, new AbortController().signal, { count: 3 });
});

afterAll(() => world.close());

test.each(hostileCases.filter(({ name }) => shortCases.includes(name)))(
  'a service survives $name, its event loop is free and an ordinary run completes',
  async (hostile) => {
    let yardsticks = Infinity;
    for (let count = 0; count < MAX_MEASUREMENTS && yardsticks >= MAX_BLOCK_YARDSTICKS; count++) {
      const { problems, longestMs, yardstickMs } = await runCase(world, hostile, limits, pace);
      expect(problems).toEqual([]);
      yardsticks = longestMs / yardstickMs;
    }
    expect(yardsticks).toBeLessThan(MAX_BLOCK_YARDSTICKS);
  },
);

test('the short list names cases that exist', () => {
  expect(
    shortCases.filter((name) => !hostileCases.some((hostile) => hostile.name === name)),
  ).toEqual([]);
  expect(hostileCases.length).toBeGreaterThanOrEqual(60);
});

test('control: a large result is detected when the message limit is raised', async () => {
  const large = {
    name: 'a result of 6 MB of objects',
    moment: 'call',
    server: 'unguarded',
  } as const;
  const { longestMs, yardstickMs } = await runCase(world, large, limits, {
    ...pace,
    maxCaseMs: 10_000,
  });
  expect(longestMs / yardstickMs).toBeGreaterThan(MAX_BLOCK_YARDSTICKS);
});

test('control: a blocked event loop and allocated memory are detected', async () => {
  await world.reset();
  const { yardstickMs } = world.measured();
  await world.disturb({
    blockMs: (MAX_BLOCK_YARDSTICKS + 1) * yardstickMs,
    holdMb: limits.memoryMb,
  });
  const { longestMs, peakMb } = world.measured();
  expect(longestMs / yardstickMs).toBeGreaterThan(MAX_BLOCK_YARDSTICKS);
  expect(peakMb).toBeGreaterThan(limits.memoryMb);
});
