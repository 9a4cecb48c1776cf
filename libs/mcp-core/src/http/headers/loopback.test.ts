import { expect, test } from 'vitest';
import { isLoopback } from './loopback.ts';

test.each(['127.0.0.1', '127.9.9.9', '127.1', '::1', '[::1]', 'localhost', 'LocalHost'])(
  '%s can be reached from this machine only',
  (host) => {
    expect(isLoopback(host)).toBe(true);
  },
);

test.each([
  '0.0.0.0',
  '::',
  '10.0.0.1',
  '128.0.0.1',
  'example.org',
  '127.example.org',
  '127.0.0.1.example.org',
  'localhost.example.org',
  '',
])('%j can be reached from other machines', (host) => {
  expect(isLoopback(host)).toBe(false);
});
