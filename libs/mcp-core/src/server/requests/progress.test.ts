import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Progress } from '../../protocol/progress.ts';
import { type ProgressPace, ProgressReporter } from './progress.ts';

describe('ProgressReporter', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const taken = Promise.resolve();

  function collect(pace?: ProgressPace) {
    const sent: number[] = [];
    const send = ({ progress }: Progress) => {
      sent.push(progress);
      return taken;
    };
    return { sent, reporter: new ProgressReporter(send, pace) };
  }

  test('sends at most ten a second, the last of each interval', () => {
    const { sent, reporter } = collect();
    for (let millisecond = 0; millisecond < 1000; millisecond += 1) {
      reporter.report({ progress: millisecond });
      vi.advanceTimersByTime(1);
    }
    expect(sent).toHaveLength(11);
    expect(sent.slice(0, 3)).toEqual([0, 99, 199]);
  });

  test('without an interval sends every update until the reader is slow', () => {
    let isCongested = false;
    const { sent, reporter } = collect({ intervalMs: 0, isCongested: () => isCongested });
    for (let progress = 1; progress <= 1000; progress += 1) reporter.report({ progress });
    expect(sent).toHaveLength(1000);
    isCongested = true;
    for (let progress = 1001; progress <= 2000; progress += 1) reporter.report({ progress });
    expect(sent.slice(1000)).toEqual([1001]);
    vi.advanceTimersByTime(100);
    expect(sent.slice(1000)).toEqual([1001, 2000]);
  });

  test('drops updates that do not increase or are not numbers', () => {
    const { sent, reporter } = collect();
    for (const progress of [1, 1, 0, Number.NaN, Infinity, 2]) {
      reporter.report({ progress });
      vi.advanceTimersByTime(200);
    }
    expect(sent).toEqual([1, 2]);
  });

  test('removes a total that JSON cannot represent', () => {
    const sent: Progress[] = [];
    const reporter = new ProgressReporter((progress) => {
      sent.push(progress);
      return taken;
    });
    reporter.report({ progress: 1, total: Infinity, message: 'one' });
    reporter.finish();
    expect(sent).toEqual([{ progress: 1, message: 'one' }]);
    expect(sent[0]).not.toHaveProperty('total');
  });

  test('sends the pending update when it finishes, and nothing later', () => {
    const { sent, reporter } = collect();
    reporter.report({ progress: 1 });
    reporter.report({ progress: 2 });
    reporter.report({ progress: 3 });
    reporter.finish();
    reporter.report({ progress: 4 });
    vi.advanceTimersByTime(1000);
    expect(sent).toEqual([1, 3]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('drops the pending update when it is silenced', () => {
    const { sent, reporter } = collect();
    reporter.report({ progress: 1 });
    reporter.report({ progress: 2 });
    reporter.silence();
    vi.advanceTimersByTime(1000);
    expect(sent).toEqual([1]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an update resolves when the reader can take more', async () => {
    const drained = Promise.withResolvers<void>();
    const reporter = new ProgressReporter(() => drained.promise, {
      intervalMs: 0,
      isCongested: () => false,
    });
    const isTaken = vi.fn<() => void>();
    void reporter.report({ progress: 1 }).then(isTaken);
    await vi.advanceTimersByTimeAsync(1000);
    expect(isTaken).not.toHaveBeenCalled();
    drained.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(isTaken).toHaveBeenCalledOnce();
  });

  test('an update that waits for a slow reader resolves when it is sent', async () => {
    const { sent, reporter } = collect({ intervalMs: 0, isCongested: () => true });
    void reporter.report({ progress: 1 });
    const sentWhenTaken: number[][] = [];
    void reporter.report({ progress: 2 }).then(() => sentWhenTaken.push([...sent]));
    await vi.advanceTimersByTimeAsync(99);
    expect(sentWhenTaken).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(sentWhenTaken).toEqual([[1, 2]]);
  });

  test('an update that only waits for its interval resolves immediately', async () => {
    const { sent, reporter } = collect();
    await reporter.report({ progress: 1 });
    await reporter.report({ progress: 2 });
    expect(sent).toEqual([1]);
    reporter.finish();
  });

  test.each(['finish', 'silence'] as const)('%s resolves pending updates', async (end) => {
    const { reporter } = collect({ intervalMs: 0, isCongested: () => true });
    void reporter.report({ progress: 1 });
    const waiting = reporter.report({ progress: 2 });
    reporter[end]();
    await waiting;
    expect(vi.getTimerCount()).toBe(0);
  });
});
