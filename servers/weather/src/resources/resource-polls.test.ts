import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDemoProvider } from '../mock/demo-provider.ts';
import type { WeatherAlert, WeatherProvider } from '../provider.ts';
import { WeatherError } from '../weather-error.ts';
import { ResourcePolls } from './resource-polls.ts';

const { signal } = new AbortController();
const uri = 'weather://CA/alerts';

/** Polls of alerts whose description the test sets; the cache keeps them for two minutes. */
function setUp(pollMs?: number) {
  const state = { description: 'first', failure: undefined as WeatherError | undefined, reads: 0 };
  const provider: WeatherProvider = {
    ...createDemoProvider({ delayMs: 0 }),
    alerts: () => {
      state.reads += 1;
      if (state.failure !== undefined) return Promise.reject(state.failure);
      const alert = { description: state.description } as WeatherAlert;
      return Promise.resolve({
        value: [alert],
        cache: { hit: false, ageSeconds: state.reads, stale: false },
        freshForMs: 120_000,
        origin: { source: 'test', attribution: 'test' },
      });
    },
  };
  const changed: string[] = [];
  const polls = new ResourcePolls({
    setup: { provider, defaultUnits: 'metric', now: Date.now },
    pollMs,
    onChange: (own) => changed.push(own),
    debug: () => undefined,
  });
  onTestFinished(() => {
    polls.close();
  });
  return { state, polls, changed };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('ResourcePolls', () => {
  test('reads again when the cache expires, and reports only changed values', async () => {
    const { state, polls, changed } = setUp();
    await polls.subscribe(uri, { signal });
    await vi.advanceTimersByTimeAsync(119_000);
    expect(state.reads).toBe(1);
    await vi.advanceTimersByTimeAsync(242_000);
    expect([state.reads, changed]).toEqual([4, []]);
    state.description = 'second';
    await vi.advanceTimersByTimeAsync(240_000);
    expect(changed).toEqual([uri]);
  });

  test('reads for all subscribers at once, and ends with the last', async () => {
    const { state, polls } = setUp(1000);
    const [first, second] = await Promise.all([
      polls.subscribe(uri, { signal }),
      polls.subscribe(uri, { signal }),
    ]);
    await vi.advanceTimersByTimeAsync(3000);
    expect(state.reads).toBe(2 + 3);
    first();
    first();
    await vi.advanceTimersByTimeAsync(1000);
    expect([state.reads, polls.size]).toEqual([6, 1]);
    second();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([state.reads, polls.size]).toEqual([6, 0]);
  });

  test('goes on after a failure, and reports what changed meanwhile', async () => {
    const { state, polls, changed } = setUp(1000);
    await polls.subscribe(uri, { signal });
    state.failure = new WeatherError('network', 'offline');
    await vi.advanceTimersByTimeAsync(3000);
    state.failure = undefined;
    state.description = 'second';
    await vi.advanceTimersByTimeAsync(60_000);
    expect(changed).toEqual([uri]);
  });

  test.each([
    ['weather://Nowhere/current', -32_602],
    ['weather://ZZ/alerts', -32_602],
    ['weather://Springfield/current', -32_602],
    ['weather://CA/other', -32_602],
    ['weather://%/alerts', -32_602],
  ])('refuses %s', async (own, code) => {
    const { polls } = setUp(1000);
    vi.useRealTimers();
    await expect(polls.subscribe(own, { signal })).rejects.toMatchObject({ code });
    expect(polls.size).toBe(0);
  });
});
