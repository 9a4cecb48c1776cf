import { expect, test } from 'vitest';
import { idOfRefused, RefusedMessage } from './refused-message.ts';

test.each([
  ['{"jsonrpc":"2.0","id":7,"result":{"id":8}}', { answers: 7 }],
  [' {"result":{"id":8},"id":"a"}', { answers: 'a' }],
  ['{"id":1,"method":"ping"}', { requests: 1 }],
  ['[{"id":1,"method":"ping"}]', {}],
  ['x{"id":1,"method":"ping"}', {}],
  ['{"id":1}{"method":"ping"}', {}],
])('the id of %s is %o', (text, found) => {
  expect(idOfRefused(Buffer.from(text))).toEqual(found);
});

test.each([
  ['text that is not an object', 'x'.repeat(1000), 1],
  ['a batch', `[${'{},'.repeat(300)}`, 1],
  ['the bytes after a message', `{}${'x'.repeat(1000)}`, 2],
])('%s is not read further', (_, text, expected) => {
  let reads = 0;
  const bytes = new Proxy(Buffer.from(text), {
    get(buffer, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      return Reflect.get(buffer, key, buffer) as unknown;
    },
  });
  const message = new RefusedMessage();
  message.push(bytes);
  message.push(bytes);
  expect(reads).toBe(expected);
});
