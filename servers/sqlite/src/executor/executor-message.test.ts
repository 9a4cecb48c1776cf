import { expect, test } from 'vitest';
import { isExecutorReply } from './executor-reply.ts';

test.each([
  [{ kind: 'ready' }],
  [{ kind: 'result', id: 1, output: null }],
  [{ kind: 'failure', id: 1, message: 'x' }],
])('takes %j for a reply', (message) => {
  expect(isExecutorReply(message)).toBe(true);
});

test.each([
  ['ready'],
  [null],
  [{}],
  [{ kind: 'result', id: 1 }],
  [{ kind: 'result', output: 1 }],
  [{ kind: 'failure', id: '1', message: 'x' }],
  [{ kind: 'failure', id: 1, message: 2 }],
  [{ kind: 'other', id: 1, output: 1 }],
])('does not take %j for a reply', (message) => {
  expect(isExecutorReply(message)).toBe(false);
});
