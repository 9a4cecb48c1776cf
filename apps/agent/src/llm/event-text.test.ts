import { expect, test } from 'vitest';
import { parseEvent } from './event-text.ts';

test.each([
  ['data: {"a":1}\n\n', undefined, '{"a":1}'],
  ['data:{"a":1}\n\n', undefined, '{"a":1}'],
  ['event: ping\ndata: 1\ndata:  2\n\n', 'ping', '1\n 2'],
  ['id: 7\ndata\ndatum: 3\nretry: 1\n\n', undefined, ''],
  ['\u{feff}data: first\n\n', undefined, 'first'],
  ['event: cut\ndata: off', 'cut', 'off'],
  ['event:\ndata: "ö: 🙂"\n\n', undefined, '"ö: 🙂"'],
])('%j has the name %s and the data %j', (text, name, data) => {
  expect(parseEvent(new TextEncoder().encode(text))).toEqual({ name, data });
});
