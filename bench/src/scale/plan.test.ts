import { expect, test } from 'vitest';
import type { Costs } from './costs.ts';
import { planFor } from './plan.ts';

const costs: Costs = {
  api: 0.001,
  worker: 0.003,
  postgres: 0.002,
  redis: 0.0003,
  waiting: 0.01,
  transactions: 5,
  redisCommands: 20,
  processGib: 0.25,
};

test('a plan serves its load with processes and cores at 60 % of their capacity', () => {
  const plan = planFor(costs, { runs: 10_000, modelSeconds: 8, toolSeconds: 2 });
  expect(plan).toMatchObject({ apis: 2, workers: 5, postgresCores: 4, redisServers: 1 });
  expect(plan.turnsPerSecond).toBeGreaterThan(990);
  expect(plan.turnsPerSecond).toBeLessThan(1000);
  expect(plan.predicted.utilization).toBeCloseTo(0.6, 1);
  expect(plan.modelCallsPerWorker).toBe(Math.ceil((plan.turnsPerSecond * 8) / 5));
  expect(plan.redisCommandsPerSecond).toBeCloseTo(plan.turnsPerSecond * 20);
  expect(plan.postgresConnections).toBe(77);
  expect(plan.serviceGib).toBe(7 * 0.25);
});

test('a load beyond one Redis is divided among several', () => {
  const load = { runs: 10_000, modelSeconds: 4, toolSeconds: 1 };
  const plan = planFor({ ...costs, redis: 0.0012 }, load);
  expect(plan.redisServers).toBe(4);
  expect(plan.turnsPerSecond).toBeGreaterThan(1900);
});

test('a small load needs one process of each kind', () => {
  expect(planFor(costs, { runs: 10, modelSeconds: 8, toolSeconds: 2 })).toMatchObject({
    apis: 1,
    workers: 1,
    postgresCores: 1,
  });
});
