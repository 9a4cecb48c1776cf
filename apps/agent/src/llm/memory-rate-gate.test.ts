import { expect, test } from 'vitest';
import { rateGateContract } from '../ports/rate-gate.contract.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { createMemoryRateGates } from './memory-rate-gate.ts';

rateGateContract('in memory', async ({ width }) => {
  const clock = new ManualClock();
  const gates = createMemoryRateGates({ clock, width });
  return {
    // One process has one set of gates.
    processes: [gates, gates],
    async advance(ms) {
      clock.advance(ms);
      // Lets pending promises settle.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
});

test('a request that is admitted and aborted at the same time takes exactly one slot', async () => {
  const clock = new ManualClock();
  const gate = createMemoryRateGates({ clock }).of('a');
  await gate.coolDown(1000);
  const controller = new AbortController();
  const first = gate.enter({ signal: controller.signal });
  const passed: number[] = [];
  const { signal } = new AbortController();
  for (const each of [2, 3]) void gate.enter({ signal }).then(() => passed.push(each));
  clock.advance(1000);
  controller.abort(new Error('enough'));
  const slot = await first;
  await new Promise((resolve) => setImmediate(resolve));
  expect(passed).toEqual([]);
  await slot.release();
  await new Promise((resolve) => setImmediate(resolve));
  expect(passed).toEqual([2]);
});
