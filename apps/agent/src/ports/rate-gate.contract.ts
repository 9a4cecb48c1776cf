import { describe, expect, test } from 'vitest';
import { LlmError } from './llm-provider.ts';
import type { RateGate, RateGates, RateSlot } from './rate-gate.ts';

interface OpenedRateGates {
  /** Gates of two processes that share the adapter; the same gates for an adapter of one process. */
  readonly processes: readonly [RateGates, RateGates];
  /** Lets time pass for the gates, and resolves when all requests that may then be sent are admitted. */
  readonly advance: (ms: number) => Promise<void>;
}

const NEVER = new AbortController().signal;
const WIDTH = 4;

/** Describes the behavior of every rate gate. `open` returns gates that are open. */
export function rateGateContract(
  name: string,
  open: (options: { readonly width: number }) => Promise<OpenedRateGates>,
): void {
  describe(`rate gate contract: ${name}`, () => {
    async function start() {
      const { processes, advance } = await open({ width: WIDTH });
      const [one, two] = processes.map((gates) => gates.of('a')) as [RateGate, RateGate];
      const passed: string[] = [];
      const slots: RateSlot[] = [];
      const enter = async (gate: RateGate, call: string): Promise<void> => {
        const slot = await gate.enter({ signal: NEVER });
        passed.push(call);
        slots.push(slot);
      };
      const queue = (gate: RateGate, call: string): void => void enter(gate, call);
      return { one, two, processes, advance, passed, slots, queue };
    }

    test('the number of requests without a response is limited for all processes together, and a released slot is used again', async () => {
      const { one, two, advance, passed, slots, queue } = await start();
      for (let call = 0; call < 3; call += 1) {
        queue(one, `one ${call}`);
        queue(two, `two ${call}`);
      }
      await advance(0);
      expect(passed).toHaveLength(WIDTH);
      await slots[0]?.release();
      await slots[0]?.release();
      await advance(0);
      expect(passed).toHaveLength(WIDTH + 1);
    });

    test('requests of a process pass in the order of arrival', async () => {
      const { one, advance, passed, slots, queue } = await start();
      for (const call of ['1', '2', '3', '4', '5', '6']) queue(one, call);
      await advance(0);
      await Promise.all(slots.map((slot) => slot.release()));
      await advance(0);
      expect(passed).toEqual(['1', '2', '3', '4', '5', '6']);
    });

    test('after an overload response in one process no process sends; then one request is sent, and each response doubles the limit', async () => {
      const { one, two, advance, passed, slots, queue } = await start();
      await one.coolDown(5000);
      for (let call = 0; call < 4; call += 1) queue(two, `${call}`);
      await advance(4999);
      expect(passed).toEqual([]);
      await advance(1);
      expect(passed).toEqual(['0']);
      await slots[0]?.release();
      await two.widen();
      await advance(0);
      expect(passed).toHaveLength(3);
      await slots[1]?.release();
      await two.widen();
      await advance(0);
      expect(passed).toHaveLength(4);
    });

    test('the longest of several waits applies', async () => {
      const { one, two, advance, passed, queue } = await start();
      await one.coolDown(8000);
      await two.coolDown(10);
      queue(one, 'call');
      await advance(7999);
      expect(passed).toEqual([]);
      await advance(1);
      expect(passed).toEqual(['call']);
    });

    test('a wait longer than the patience of a request rejects the requests of every process for a minute; then one request probes', async () => {
      const { one, two, advance } = await start();
      await one.refuse(
        new LlmError('rate', 'until tomorrow', {
          retryable: true,
          retryAfterMs: 86_400_000,
          status: 429,
        }),
      );
      await expect(two.enter({ signal: NEVER })).rejects.toMatchObject({
        kind: 'rate',
        message: 'until tomorrow',
        retryable: false,
        retryAfterMs: 86_400_000,
        status: 429,
      });
      await advance(60_000);
      await two.enter({ signal: NEVER });
    });

    test('a request with more patience waits; a request with less is rejected with the remaining time', async () => {
      const { one, two, advance } = await start();
      await one.refuse(new LlmError('rate', 'slow down', { retryAfterMs: 30_000 }));
      await advance(10_000);
      await expect(two.enter({ signal: NEVER, patienceMs: 5000 })).rejects.toMatchObject({
        kind: 'rate',
        retryAfterMs: 20_000,
      });
      const passed: string[] = [];
      void two.enter({ signal: NEVER, patienceMs: 60_000 }).then(() => passed.push('patient'));
      await advance(19_999);
      expect(passed).toEqual([]);
      await advance(1);
      expect(passed).toEqual(['patient']);
    });

    test('a response ends a refusal', async () => {
      const { one, two } = await start();
      await one.refuse(new LlmError('rate', 'slow down', { retryAfterMs: 0 }));
      await two.widen();
      await expect(one.enter({ signal: NEVER, patienceMs: 0 })).resolves.toBeDefined();
    });

    test('an aborted request leaves the queue and takes no slot', async () => {
      const { one, advance, passed, queue } = await start();
      await one.coolDown(1000);
      const controller = new AbortController();
      const aborted = one.enter({ signal: controller.signal });
      queue(one, 'next');
      controller.abort(new Error('enough'));
      await expect(aborted).rejects.toThrow('enough');
      await advance(1000);
      expect(passed).toEqual(['next']);
      await expect(one.enter({ signal: controller.signal })).rejects.toThrow('enough');
    });

    test('another provider has a gate of its own', async () => {
      const { one, processes } = await start();
      await one.coolDown(60_000);
      await expect(processes[0].of('b').enter({ signal: NEVER })).resolves.toBeDefined();
    });
  });
}
