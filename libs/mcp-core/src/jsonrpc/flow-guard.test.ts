import { expect, test } from 'vitest';
import { FlowGuard } from './flow-guard.ts';

const MEBIBYTE = 1024 * 1024;

function guarded() {
  const problems: string[] = [];
  const time = { ms: 0 };
  const guard = new FlowGuard((problem) => problems.push(problem), undefined, () => time.ms);
  return { guard, problems, time };
}

test('what comes at once is read at once, and what comes after it at 16 MiB a second', () => {
  const { guard, problems, time } = guarded();
  expect(guard.read(64 * MEBIBYTE)).toBe(0);
  expect(guard.read(MEBIBYTE)).toBe(63);
  time.ms += 63;
  expect(guard.read(8 * MEBIBYTE)).toBe(500);
  expect(problems).toEqual([]);
});

test('small messages count for what reading them costs', () => {
  const { guard } = guarded();
  for (let index = 0; index < 200_000; index += 1) guard.message();
  expect(guard.read(1)).toBeGreaterThan(1000);
});

test('a peer that floods for ten seconds without a break is ended, once', () => {
  const { guard, problems, time } = guarded();
  for (let index = 0; index < 200; index += 1) time.ms += guard.read(4 * MEBIBYTE);
  expect(time.ms).toBeGreaterThan(10_000);
  expect(problems).toEqual(['it sent more than 16 MiB a second for 10 s']);
});

test('a peer that stops now and then is not', () => {
  const { guard, problems, time } = guarded();
  for (let index = 0; index < 200; index += 1) time.ms += guard.read(64 * MEBIBYTE) + 1500;
  expect(problems).toEqual([]);
});

test('lines that are no messages are allowed a thousand at once, and then twenty a second', () => {
  const { guard, problems, time } = guarded();
  for (let index = 0; index < 1000; index += 1) guard.unreadable();
  time.ms += 1000;
  for (let index = 0; index < 20; index += 1) guard.unreadable();
  expect(problems).toEqual([]);
  guard.unreadable();
  guard.unreadable();
  expect(problems).toEqual(['it sent more than 1000 lines that are no messages, and more than 20 a second']);
});
