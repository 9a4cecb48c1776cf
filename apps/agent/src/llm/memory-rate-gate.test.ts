import { expect, test } from 'vitest';
import { LlmError } from '../ports/llm-provider.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { MAX_OPENING, ProviderGate } from './provider-gate.ts';

const NEVER = new AbortController().signal;

/** Creates a gate with a number of calls, and the list of admitted calls. */
function gateWith(calls: number, prepare: (gate: ProviderGate) => void = () => undefined) {
  const clock = new ManualClock();
  const gate = new ProviderGate(clock);
  prepare(gate);
  const passed: number[] = [];
  for (let call = 0; call < calls; call += 1) void gate.enter(NEVER).then(() => passed.push(call));
  return { clock, gate, passed };
}

/** Lets pending promises settle. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('the number of concurrent requests is limited, and requests start in the order of arrival', async () => {
  const { gate, passed } = gateWith(MAX_OPENING + 2);
  await settle();
  expect(passed).toHaveLength(MAX_OPENING);
  gate.leave();
  await settle();
  expect(passed.at(-1)).toBe(MAX_OPENING);
});

test('after a rate limit one request is sent first, and each success doubles the concurrency', async () => {
  const { clock, gate, passed } = gateWith(10, (busy) => busy.coolDown(5000));
  clock.advance(4999);
  await settle();
  expect(passed).toEqual([]);
  clock.advance(1);
  await settle();
  expect(passed).toEqual([0]);
  gate.leave();
  gate.widen();
  await settle();
  expect(passed).toEqual([0, 1, 2]);
  gate.leave();
  gate.widen();
  await settle();
  expect(passed).toHaveLength(6);
});

test('the longest of several waits applies', async () => {
  const { clock, passed } = gateWith(1, (gate) => {
    gate.coolDown(8000);
    gate.coolDown(10);
  });
  clock.advance(7999);
  await settle();
  expect(passed).toEqual([]);
  clock.advance(1);
  await settle();
  expect(passed).toEqual([0]);
});

test('a wait that exceeds the limit of a call rejects other calls for a minute; then one call probes', async () => {
  const clock = new ManualClock();
  const gate = new ProviderGate(clock);
  gate.refuse(
    new LlmError('rate', 'until tomorrow', {
      retryable: true,
      retryAfterMs: 86_400_000,
      status: 429,
    }),
  );
  await expect(gate.enter(NEVER)).rejects.toMatchObject({
    kind: 'rate',
    message: 'until tomorrow',
    retryable: false,
    retryAfterMs: 86_400_000,
  });
  clock.advance(60_000);
  await gate.enter(NEVER);
});

test('a call with a longer limit waits out a wait that rejected another call; other calls are rejected with the remaining time', async () => {
  const clock = new ManualClock();
  const gate = new ProviderGate(clock);
  gate.refuse(new LlmError('rate', 'slow down', { retryAfterMs: 30_000 }));
  clock.advance(10_000);
  await expect(gate.enter(NEVER, 5000)).rejects.toMatchObject({
    kind: 'rate',
    retryAfterMs: 20_000,
  });
  const passed: string[] = [];
  void gate.enter(NEVER, 60_000).then(() => passed.push('patient'));
  clock.advance(19_999);
  await settle();
  expect(passed).toEqual([]);
  clock.advance(1);
  await settle();
  expect(passed).toEqual(['patient']);
});

test('an aborted call leaves the queue and takes no slot', async () => {
  const { clock, gate, passed } = gateWith(0, (busy) => busy.coolDown(1000));
  const controller = new AbortController();
  const aborted = gate.enter(controller.signal);
  void gate.enter(NEVER).then(() => passed.push(1));
  controller.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  clock.advance(1000);
  await settle();
  expect(passed).toEqual([1]);
});

test('a call that is admitted and aborted at the same time takes exactly one slot', async () => {
  const { clock, gate, passed } = gateWith(0, (busy) => busy.coolDown(1000));
  const controller = new AbortController();
  const first = gate.enter(controller.signal);
  void gate.enter(NEVER).then(() => passed.push(2));
  void gate.enter(NEVER).then(() => passed.push(3));
  clock.advance(1000);
  controller.abort(new Error('enough'));
  await first;
  await settle();
  expect(passed).toEqual([]);
  gate.leave();
  await settle();
  expect(passed).toEqual([2]);
});
