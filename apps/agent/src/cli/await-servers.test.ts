import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import { awaitServers } from './await-servers.ts';
import type { Io } from './io.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function terminal(): {
  readonly io: Io;
  readonly printed: string[];
  readonly interrupt: () => void;
} {
  const printed: string[] = [];
  const listeners = new Set<() => void>();
  const io = {
    err: (text: string) => void printed.push(text),
    onInterrupt: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  // Nothing else is used.
  return {
    io: io as unknown as Io,
    printed,
    interrupt: () => listeners.forEach((listener) => listener()),
  };
}

function connecting(settled: Promise<void>) {
  const asked: unknown[] = [];
  const registry = {
    servers: () => [
      { name: 'cold', state: 'connecting' } as ServerStatus,
      { name: 'warm', state: 'ready' } as ServerStatus,
    ],
    settled: (...args: readonly unknown[]) => {
      asked.push(args);
      return settled;
    },
  };
  return { registry, asked };
}

test('a task waits at most a minute for the first connection of its servers, and prints a notice after two seconds', async () => {
  const { io, printed } = terminal();
  const done = Promise.withResolvers<void>();
  const { registry, asked } = connecting(done.promise);
  const waited = awaitServers(io, registry, ['cold', 'warm']);
  expect(asked).toEqual([[60_000, ['cold', 'warm']]]);
  vi.advanceTimersByTime(1999);
  expect(printed).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(printed).toEqual([
    'waiting for cold to connect, at most 60 s; Ctrl-C continues without them\n',
  ]);
  done.resolve();
  await waited;
});

test('Ctrl-C ends the wait', async () => {
  const { io, interrupt } = terminal();
  const { registry, asked } = connecting(new Promise(() => undefined));
  const waited = awaitServers(io, registry, []);
  interrupt();
  await waited;
  expect(asked).toEqual([[60_000, undefined]]);
});
