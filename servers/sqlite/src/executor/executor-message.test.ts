import { expect, test } from 'vitest';
import { isExecutorMessage } from './executor-message.ts';

test.each([
  [{ kind: 'ready' }],
  [{ kind: 'result', id: 1, output: null }],
  [{ kind: 'failure', id: 1, message: 'x' }],
  [{ kind: 'chunk', id: 1, chunk: 'x' }],
  [{ kind: 'pull', id: 1 }],
  [{ kind: 'committing', id: 1 }],
])('takes %j for a message', (message) => {
  expect(isExecutorMessage(message)).toBe(true);
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
  [{ kind: 'chunk', id: 1 }],
  [{ kind: 'pull' }],
])('does not take %j for a message', (message) => {
  expect(isExecutorMessage(message)).toBe(false);
});
