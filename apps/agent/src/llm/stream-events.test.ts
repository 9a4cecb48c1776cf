import { describe, expect, test } from 'vitest';
import {
  MAX_EVENT_BYTES,
  MAX_EVENT_DEPTH,
  MAX_EVENT_PARTS,
  MAX_IDLE_BYTES,
  StreamEvents,
} from './stream-events.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (event: Uint8Array): string => new TextDecoder().decode(event);

function eventsIn(stream: string, pieceBytes = Infinity): string[] {
  const events = new StreamEvents('The server');
  const all = bytes(stream);
  const found: string[] = [];
  for (let at = 0; at < all.length; at += pieceBytes) {
    for (const event of events.push(all.subarray(at, at + pieceBytes))) found.push(text(event));
  }
  const rest = events.rest();
  return rest.length === 0 ? found : [...found, `rest: ${text(rest)}`];
}

test.each([1, 3, Infinity])(
  'a stream in pieces of %d bytes is split into its events, whatever its line ends',
  (pieceBytes) => {
    expect(
      eventsIn('event: a\r\ndata: "ö"\r\n\r\ndata: 1\rdata: 2\r\rdata\n\r\ndata: 3', pieceBytes),
    ).toEqual(['event: a\ndata: "ö"\n\n', 'data: 1\ndata: 2\n\n', 'data\n\n', 'rest: data: 3']);
  },
);

test.each([1, Infinity])(
  'comments and events without data are dropped (pieces of %d bytes)',
  (pieceBytes) => {
    expect(
      eventsIn(': wait\n\n\n\nevent: ping\n\ndata: 1\n: wait\nid: 7\n\ndatum: 1\n\n:', pieceBytes),
    ).toEqual(['data: 1\nid: 7\n\n']);
  },
);

test('the event after a byte order mark is kept', () => {
  expect(eventsIn('\u{feff}data: 1\n\n')).toEqual(['data: 1\n\n']);
});

describe('an event', () => {
  const size = (length: number): string =>
    `data: "${'x'.repeat(length - 'data: ""\n\n'.length)}"\n\n`;
  const parts = (count: number): string => `data: ${'{},'.repeat(Math.floor(count / 2))}\n\n`;
  const levels = (count: number): string => `data: ${'['.repeat(count)}${']'.repeat(count)}\n\n`;
  const inString = (json: string): string => `data: "\\"${json.repeat(MAX_EVENT_PARTS)}"\n\n`;

  test.each([
    ['of the most bytes', size(MAX_EVENT_BYTES)],
    ['of the most JSON values', parts(MAX_EVENT_PARTS - 2)],
    ['of the most levels', levels(MAX_EVENT_DEPTH)],
    ['with brackets and commas in a string', inString('[,{')],
  ])('%s passes', (_, stream) => {
    expect(eventsIn(stream)).toHaveLength(1);
  });

  test.each([
    ['of more bytes', size(MAX_EVENT_BYTES + 2), `an event of more than ${MAX_EVENT_BYTES} bytes`],
    ['of more JSON values', parts(MAX_EVENT_PARTS + 2), `more than ${MAX_EVENT_PARTS} JSON values`],
    [
      'of more lines',
      `${'data:\n'.repeat(MAX_EVENT_PARTS + 1)}\n`,
      `more than ${MAX_EVENT_PARTS} JSON values`,
    ],
    ['of more levels', levels(MAX_EVENT_DEPTH + 1), `more than ${MAX_EVENT_DEPTH} levels`],
    [
      'of more levels after a quote in another field',
      `event: "\n${levels(MAX_EVENT_DEPTH + 1)}`,
      `more than ${MAX_EVENT_DEPTH} levels`,
    ],
  ])('%s is rejected before its end', (_, stream, message) => {
    expect(() => eventsIn(stream.slice(0, -1), 65_536)).toThrow(
      expect.objectContaining({
        kind: 'too_large',
        message: expect.stringContaining(message) as string,
      }) as Error,
    );
  });

  test('with the maximum of JSON values leaves the limit of later events unchanged', () => {
    expect(eventsIn(parts(MAX_EVENT_PARTS - 2).repeat(3))).toHaveLength(3);
  });
});

test('comments of one stream have a limit', () => {
  const events = new StreamEvents('The server');
  const send = (count: number): void => {
    expect([...events.push(bytes(`:${'x'.repeat(count - 3)}\n\n`))]).toEqual([]);
  };
  for (let sent = 0; sent < MAX_IDLE_BYTES; sent += MAX_IDLE_BYTES / 8) send(MAX_IDLE_BYTES / 8);
  expect(() => send(3)).toThrow(
    expect.objectContaining({
      kind: 'too_large',
      message: expect.stringContaining('comments and empty events') as string,
    }) as Error,
  );
});
