import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../any-character.test.support.ts';
import { type SseEvent, SseReader } from './sse-reader.ts';

interface Reading {
  readonly events: readonly SseEvent[];
  readonly tooLarge: number;
  readonly lastEventId: string;
  readonly retryMs: number | undefined;
}

function read(chunks: readonly Uint8Array[], maxEventBytes = 1024 * 1024): Reading {
  const events: SseEvent[] = [];
  let tooLarge = 0;
  const reader = new SseReader(
    { event: (event) => events.push(event), tooLarge: () => (tooLarge += 1) },
    { maxBytes: maxEventBytes },
  );
  for (const chunk of chunks) reader.push(chunk);
  return { events, tooLarge, lastEventId: reader.lastEventId, retryMs: reader.retryMs };
}

const readText = (text: string, maxEventBytes?: number): Reading =>
  read([Buffer.from(text)], maxEventBytes);

describe('an event stream', () => {
  it.each(['\n', '\r', '\r\n'])('may end its lines with %j', (end) => {
    const text = ['event: a', 'data: 1', 'data: 2', '', 'data:3', '', ''].join(end);
    expect(readText(text).events).toEqual([
      { name: 'a', data: '1\n2' },
      { name: 'message', data: '3' },
    ]);
  });

  it('may mix line ends and begin with a byte order mark', () => {
    expect(
      readText('\uFEFFdata: a\r\rdata: b\n\r\ndata: c\r\n\n').events.map(({ data }) => data),
    ).toEqual(['a', 'b', 'c']);
  });

  it('has a byte order mark at its beginning only', () => {
    expect(readText('data: a\n\n\uFEFFdata: b\n\n').events.map(({ data }) => data)).toEqual(['a']);
  });

  it('may contain comments, unknown fields and fields without a value', () => {
    expect(readText(': hi\n\n:\nfoo: x\nevent\ndata: 1\ndata\n\n').events).toEqual([
      { name: 'message', data: '1\n' },
    ]);
  });

  it('removes one space before a value', () => {
    expect(readText('data:  a: b \n\n').events).toEqual([{ name: 'message', data: ' a: b ' }]);
  });

  it('is primed by an id with empty data, which is no event', () => {
    expect(readText('id: e-1\nretry: 250\ndata: \n\n')).toEqual({
      events: [],
      tooLarge: 0,
      lastEventId: 'e-1',
      retryMs: 250,
    });
  });

  it('counts an id only when its event is complete', () => {
    expect(readText('id: 1\ndata: a\n\nid: 2\ndata: b\n').lastEventId).toBe('1');
  });

  it('keeps the id of the last event with one, and can reset it', () => {
    expect(readText('id: 1\ndata: a\n\ndata: b\n\n').lastEventId).toBe('1');
    expect(readText('id: 1\ndata: a\n\nid\ndata: b\n\n').lastEventId).toBe('');
  });

  it.each(['retry: soon', 'retry: -1', 'retry: 1.5', 'retry:', 'id: a\0b'])(
    'ignores %j',
    (line) => {
      expect(readText(`${line}\ndata: x\n\n`)).toMatchObject({
        lastEventId: '',
        retryMs: undefined,
        events: [{ data: 'x' }],
      });
    },
  );

  it('does not deliver an incomplete event', () => {
    expect(readText('data: a\n\ndata: b\n').events).toHaveLength(1);
  });

  it('replaces invalid UTF-8', () => {
    expect(read([Buffer.from('data: a'), Buffer.from([0xff]), Buffer.from('\n\n')]).events).toEqual(
      [{ name: 'message', data: 'a\uFFFD' }],
    );
  });
});

describe('an event over the limit', () => {
  it('is discarded and reported once, and the next one is read', () => {
    const text = `id: 1\ndata: ${'x'.repeat(11)}\ndata: more\n\ndata: ${'y'.repeat(10)}\n\n`;
    expect(readText(text, 10)).toMatchObject({
      tooLarge: 1,
      events: [{ name: 'message', data: 'y'.repeat(10) }],
    });
  });

  it('is reported before its end arrives, even if it has many lines', () => {
    expect(readText('data: 12345\n'.repeat(100), 100).tooLarge).toBe(1);
    expect(readText(`data: ${'x'.repeat(200)}`, 100).tooLarge).toBe(1);
    expect(readText(`:${'x'.repeat(200)}`, 100).tooLarge).toBe(1);
  });

  it('does not consist of comments', () => {
    expect(readText(`${':\n'.repeat(1000)}data: a\n\n`, 100)).toMatchObject({
      tooLarge: 0,
      events: [{ data: 'a' }],
    });
  });
});

it('events do not depend on the position of the cuts', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '',
      '',
      'data',
      'data:',
      'data: ',
      ': c',
      'event: x',
      'id: 7',
      'id',
      'retry: 5',
      '\uFEFFdata: b',
    ),
    fc.string({ unit: anyCharacter, maxLength: 12 }).map((text) => `data: ${text}`),
  );
  const streams = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')))
    .map((lines) => lines.map(([text, end]) => text + end).join(''));
  fc.assert(
    fc.property(streams, fc.array(fc.integer({ min: 0, max: 400 })), (stream, cuts) => {
      const bytes = Buffer.from(stream);
      const ends = [
        ...new Set([...cuts.filter((cut) => cut < bytes.length), bytes.length]),
      ].toSorted((a, b) => a - b);
      const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      const expected = readByDefinition(stream);
      expect(read(chunks)).toMatchObject(expected);
      expect(read(Array.from(bytes, (byte) => Buffer.from([byte])))).toMatchObject(expected);
    }),
    { numRuns: 200 },
  );
});

it('a long event in small pieces takes proportional time', () => {
  const text = 'x'.repeat(2 * 1024 * 1024);
  const bytes = Buffer.from(`data: ${text}\n\n`);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, index) =>
    bytes.subarray(index * 16, index * 16 + 16),
  );
  const { events } = read(chunks, 4 * 1024 * 1024);
  expect(events[0]?.data === text).toBe(true);
});

/** Parses a whole text by the algorithm of the standard. */
function readByDefinition(stream: string): {
  events: SseEvent[];
  lastEventId: string;
  retryMs: number | undefined;
} {
  const events: SseEvent[] = [];
  let [data, name, idBuffer, lastEventId] = ['', '', '', ''];
  let retryMs: number | undefined;
  const lines = Buffer.from(stream)
    .toString()
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/);
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      lastEventId = idBuffer;
      if (data !== '' && data !== '\n')
        events.push({ name: name === '' ? 'message' : name, data: data.slice(0, -1) });
      [data, name] = ['', ''];
      continue;
    }
    const [, field = line, value = ''] = /^([^:]*):? ?(.*)$/su.exec(line) ?? [];
    if (field === 'data') data += `${value}\n`;
    if (field === 'event') name = value;
    if (field === 'id' && !value.includes('\0')) idBuffer = value;
    if (field === 'retry' && /^[0-9]+$/.test(value)) retryMs = Number(value);
  }
  return { events, lastEventId, retryMs };
}
