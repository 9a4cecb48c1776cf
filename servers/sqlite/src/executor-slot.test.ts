import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChunkExchange } from './chunk-exchange.ts';
import { saveMemory, type ExecutorTask } from './executor-task.ts';
import type { ExecutorProcess } from './executor-process.ts';
import { ExecutorSlot } from './executor-slot.ts';

const TIMEOUT_MS = 5000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function startSlot() {
  const sent: unknown[] = [];
  const expired = vi.fn<(timeoutMs: number) => void>();
  // A slot only sends to its process.
  const process = { send: (message: unknown) => sent.push(message) } as unknown as ExecutorProcess;
  const slot = new ExecutorSlot(process, TIMEOUT_MS, { expired, stalled: () => undefined });
  return { slot, sent, expired };
}

function readTask(): ExecutorTask {
  return {
    request: { kind: 'request', id: 1, operation: 'read-query', input: {} },
    exchange: new ChunkExchange(1, {}),
    isShared: true,
    totalTimeoutMs: undefined,
    leftMs: undefined,
    resolve: () => undefined,
    reject: () => undefined,
    release: () => undefined,
    phase: 'reading',
    isRepeated: false,
    isSettled: false,
  };
}

test('a repeated read gets only the time that its first run left', () => {
  const first = startSlot();
  const task = readTask();
  first.slot.send(task);
  vi.advanceTimersByTime(3000);
  saveMemory(task, first.slot.leftMs);
  first.slot.clear();
  const second = startSlot();
  second.slot.send(task);
  vi.advanceTimersByTime(1999);
  expect(second.expired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(second.expired.mock.calls).toEqual([[TIMEOUT_MS]]);
  expect(first.expired).not.toHaveBeenCalled();
  expect(second.sent).toMatchObject([{ savesMemory: true }]);
});
