import { expect, test } from 'vitest';
import { FlowGuard } from './flow-guard.ts';

const MEBIBYTE = 1024 * 1024;

const CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const ANSWER = { jsonrpc: '2.0', id: 1, result: {} };

function guarded() {
  const problems: string[] = [];
  const time = { ms: 0 };
  const guard = new FlowGuard(
    (problem) => problems.push(problem),
    undefined,
    () => time.ms,
  );
  return { guard, problems, time };
}

test('a burst is read immediately, and later bytes at 16 MiB per second', () => {
  const { guard, problems, time } = guarded();
  expect(guard.read(64 * MEBIBYTE)).toBe(0);
  expect(guard.read(MEBIBYTE)).toBe(63);
  time.ms += 63;
  expect(guard.read(8 * MEBIBYTE)).toBe(500);
  expect(problems).toEqual([]);
});

test('small messages count with the cost of reading them', () => {
  const { guard } = guarded();
  for (let index = 0; index < 200_000; index += 1) guard.message(CHANGED);
  expect(guard.read(1)).toBeGreaterThan(1000);
});

test.each([
  [
    'one by one',
    (guard: FlowGuard, count: number): void =>
      Array.from({ length: count }, () => PING).forEach((ping) => guard.message(ping)),
  ],
  [
    'in a batch',
    (guard: FlowGuard, count: number): void =>
      guard.message(Array.from({ length: count }, () => PING)),
  ],
])('a thousand requests may come at once, and then 256 a second, %s', (_how, ask) => {
  const { guard, problems, time } = guarded();
  ask(guard, 1000);
  expect(guard.read(0)).toBe(0);
  ask(guard, 24 + 256);
  expect(guard.read(0)).toBe(1000);
  time.ms += 1000;
  expect(guard.read(0)).toBe(0);
  expect(problems).toEqual([]);
});

test('a peer that sends too many requests for ten seconds without a break is ended', () => {
  const { guard, problems, time } = guarded();
  for (let index = 0; index < 8000; index += 1) {
    guard.message(PING);
    time.ms += guard.read(50);
  }
  expect(problems).toEqual(['it sent more than 16 MiB or 256 requests a second for 10 s']);
});

test('responses do not count as requests', () => {
  const { guard } = guarded();
  for (let index = 0; index < 10_000; index += 1) guard.message(ANSWER);
  expect(guard.read(1)).toBe(0);
});

test('a peer that floods for ten seconds without a break is ended, once', () => {
  const { guard, problems, time } = guarded();
  for (let index = 0; index < 200; index += 1) time.ms += guard.read(4 * MEBIBYTE);
  expect(time.ms).toBeGreaterThan(10_000);
  expect(problems).toEqual(['it sent more than 16 MiB or 256 requests a second for 10 s']);
});

test('a peer that pauses now and then is not ended', () => {
  const { guard, problems, time } = guarded();
  for (let index = 0; index < 200; index += 1) time.ms += guard.read(64 * MEBIBYTE) + 1500;
  expect(problems).toEqual([]);
});

test('unreadable lines are limited to a burst of a thousand, then to twenty per second', () => {
  const { guard, problems, time } = guarded();
  for (let index = 0; index < 1000; index += 1) guard.unreadable();
  time.ms += 1000;
  for (let index = 0; index < 20; index += 1) guard.unreadable();
  expect(problems).toEqual([]);
  guard.unreadable();
  guard.unreadable();
  expect(problems).toEqual([
    'it sent more than 1000 lines that are not messages, and more than 20 a second',
  ]);
});
