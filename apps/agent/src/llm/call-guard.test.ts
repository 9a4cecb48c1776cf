import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test, vi } from 'vitest';
import type { LlmError } from '../ports/llm-provider.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { CallGuard } from './call-guard.ts';
import { failure } from './testing/failure.ts';

function guarded(signal = new AbortController().signal): {
  clock: ManualClock;
  guard: CallGuard;
  reason: () => LlmError | undefined;
} {
  const clock = new ManualClock();
  const guard = new CallGuard({
    clock,
    signal,
    label: 'The server',
    idleTimeoutMs: 120_000,
    deadlineMs: 600_000,
  });
  return {
    clock,
    guard,
    reason: () => (guard.signal.aborted ? (guard.signal.reason as LlmError) : undefined),
  };
}

const NEVER = new Promise<never>(() => undefined);

describe('the idle time', () => {
  test('ends an await after 120 s without data, and restarts at each touch', async () => {
    const { clock, guard, reason } = guarded();
    const awaited = failure(guard.watch(NEVER));
    clock.advance(119_000);
    guard.touch();
    clock.advance(119_000);
    expect(reason()).toBeUndefined();
    clock.advance(1_000);
    expect(await awaited).toMatchObject({
      kind: 'timeout',
      message: expect.stringContaining('nothing for 120 s') as string,
    });
  });

  test('does not count while nothing is awaited', async () => {
    const { clock, guard, reason } = guarded();
    expect(await guard.watch(Promise.resolve(1))).toBe(1);
    guard.touch();
    clock.advance(500_000);
    expect(reason()).toBeUndefined();
  });
});

test('the result of an await is not retained until the call ends', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const { guard } = guarded();
  const given = await (async () =>
    new WeakRef(await guard.watch(Promise.resolve({ some: 'event' }))))();
  await vi.waitFor(() => {
    collectGarbage();
    // An assertion about the object itself would retain it.
    expect(given.deref() === undefined).toBe(true);
  }, 10_000);
  guard.close();
});

test('the deadline counts from the start of the call, even while nothing is awaited', () => {
  const { clock, reason } = guarded();
  clock.advance(600_000);
  expect(reason()).toMatchObject({
    kind: 'timeout',
    message: expect.stringContaining('longer than 600 s') as string,
  });
});

test("the caller's abort ends an await that ignores the signal, and its reason becomes the cause", async () => {
  const controller = new AbortController();
  const { guard } = guarded(controller.signal);
  const awaited = failure(guard.watch(NEVER));
  controller.abort('enough');
  expect(await awaited).toMatchObject({ kind: 'aborted', cause: 'enough' });
});

test('an await that begins after the abort ends at once', async () => {
  const { guard } = guarded(AbortSignal.abort());
  expect(await failure(guard.watch(NEVER))).toMatchObject({ kind: 'aborted' });
});

test('close clears its timers and aborts the running await', () => {
  const { clock, guard, reason } = guarded();
  guard.close();
  expect(clock.waits).toEqual([]);
  expect(reason()?.kind).toBe('aborted');
});
