import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { StreamWatchdog } from './stream-watchdog.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function watched() {
  const response = new EventEmitter();
  const destroy = vi.fn<(error: Error) => void>();
  const watchdog = new StreamWatchdog(
    Object.assign(response, { destroy }) as unknown as IncomingMessage,
  );
  return {
    destroy,
    event: () => response.emit('data'),
    comment: () => {
      response.emit('data');
      watchdog.comment();
    },
    close: () => response.emit('close'),
  };
}

describe('the watchdog of an event stream', () => {
  test('breaks a stream that is silent for 60 s where comments came every 15 s', () => {
    const { destroy, comment } = watched();
    vi.advanceTimersByTime(15_000);
    comment();
    vi.advanceTimersByTime(59_999);
    expect(destroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(destroy.mock.calls[0]?.[0].message).toBe('The server sent nothing for 60 s');
  });

  test('waits four times the longest silence that a comment ended', () => {
    const { destroy, comment } = watched();
    for (const silenceMs of [20_000, 30_000, 15_000]) {
      vi.advanceTimersByTime(silenceMs);
      comment();
    }
    vi.advanceTimersByTime(119_999);
    expect(destroy).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(destroy).toHaveBeenCalledOnce();
  });

  test('counts events and comments as signs of life', () => {
    const { destroy, comment, event } = watched();
    vi.advanceTimersByTime(15_000);
    comment();
    for (let count = 0; count < 10; count += 1) {
      vi.advanceTimersByTime(50_000);
      event();
    }
    expect(destroy).not.toHaveBeenCalled();
  });

  test('never breaks a stream without keep-alive comments', () => {
    const { destroy, comment, event } = watched();
    comment();
    event();
    vi.advanceTimersByTime(3_600_000);
    event();
    vi.advanceTimersByTime(3_600_000);
    expect([destroy.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0]);
  });

  test('ends with the stream', () => {
    const { comment, close } = watched();
    vi.advanceTimersByTime(15_000);
    comment();
    close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
