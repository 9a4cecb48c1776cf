import { expect, test } from 'vitest';
import { coalesce } from './coalesce.ts';

function fixture(): {
  readonly request: () => Promise<void>;
  readonly runs: PromiseWithResolvers<void>[];
  readonly pauses: PromiseWithResolvers<void>[];
} {
  const runs: PromiseWithResolvers<void>[] = [];
  const pauses: PromiseWithResolvers<void>[] = [];
  const waitFor = (list: PromiseWithResolvers<void>[]) => (): Promise<void> => {
    const entry = Promise.withResolvers<void>();
    list.push(entry);
    return entry.promise;
  };
  return { runs, pauses, request: coalesce(waitFor(runs), waitFor(pauses)) };
}

test('requests during an execution share one further execution after a pause', async () => {
  const { request, runs, pauses } = fixture();
  const first = request();
  const [second, third] = [request(), request()];
  expect(runs).toHaveLength(1);
  runs[0]!.resolve();
  await first;
  await expect.poll(() => pauses.length).toBe(1);
  const fourth = request();
  pauses[0]!.resolve();
  await expect.poll(() => runs.length).toBe(2);
  runs[1]!.resolve();
  await Promise.all([second, third, fourth]);
  expect([runs.length, pauses.length]).toEqual([2, 1]);
});

test('a request after the execution starts the next execution at once', async () => {
  const { request, runs, pauses } = fixture();
  const first = request();
  runs[0]!.resolve();
  await first;
  void request();
  expect([runs.length, pauses.length]).toEqual([2, 0]);
});

test('an execution that fails rejects only its own requests', async () => {
  const { request, runs, pauses } = fixture();
  const first = request();
  const second = request();
  runs[0]!.reject(new Error('no'));
  await expect(first).rejects.toThrow('no');
  await expect.poll(() => pauses.length).toBe(1);
  pauses[0]!.resolve();
  await expect.poll(() => runs.length).toBe(2);
  runs[1]!.resolve();
  await expect(second).resolves.toBeUndefined();
});
