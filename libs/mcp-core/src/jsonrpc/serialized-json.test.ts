import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { toJsonParts } from './json-parts.ts';
import { toJsonBytes } from './json-string.ts';
import { toJsonText } from './json-text.ts';
import { LineWriter } from './line-writer.ts';
import type { JsonObject } from './messages.ts';
import {
  retainSerialized,
  SerializedJson,
  serializedLength,
  textBlockOf,
} from './serialized-json.ts';

/** Splits a text into pieces of one byte, so that characters are divided. */
function bytewise(text: string): Uint8Array[] {
  return Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte));
}

function answer(result: JsonObject) {
  return { jsonrpc: '2.0' as const, id: 'a', result };
}

const value = { rows: [['ä"\\\n\u2028😀', 1]], count: 1 };
const text = JSON.stringify(value);

const source = new SerializedJson(bytewise(text));

describe('serialized JSON', () => {
  test('is the value for everything that serializes it', () => {
    expect(source.toJSON()).toEqual(value);
    expect(JSON.stringify({ source })).toBe(`{"source":${text}}`);
    expect(JSON.stringify(textBlockOf(source))).toBe(JSON.stringify({ type: 'text', text }));
    expect(textBlockOf(source).text).toBe(text);
  });

  test('is sent as it is, with the other members of the result', () => {
    const others = { content: [textBlockOf(source), { type: 'text', text: 'b' }], _meta: { a: 1 } };
    for (const result of [
      { ...others, structuredContent: source },
      { structuredContent: source, ...others },
      { content: [textBlockOf(source)] },
      { content: [], structuredContent: source },
    ])
      expect(toJsonText(answer(result))).toBe(JSON.stringify(answer(result)));
  });

  test('is sent on one line, whose text keeps the line ends', () => {
    const pretty = JSON.stringify({ ...value, text: 'a'.repeat(40_000) }, undefined, 2);
    for (const json of [pretty, pretty.replaceAll('\n', '\r\n'), pretty.replaceAll('\n', '\r')]) {
      const given = new SerializedJson([Buffer.from(json)]);
      const message = answer({ content: [textBlockOf(given)], structuredContent: given });
      const parts = (toJsonParts(message) ?? []).map((part) => Buffer.from(part));
      for (const line of [toJsonText(message), Buffer.concat(parts).toString()]) {
        expect(line).not.toMatch(/[\r\n]/u);
        const { result } = JSON.parse(line) as { result: JsonObject };
        expect(result.structuredContent).toEqual(JSON.parse(json));
        expect(result.content).toEqual([{ type: 'text', text: json }]);
      }
    }
  });

  test('knows its length', () => {
    expect(serializedLength(source)).toBe(Buffer.byteLength(text));
    expect(serializedLength(textBlockOf(source))).toBe(Buffer.byteLength(JSON.stringify(text)));
    expect(serializedLength(value)).toBeUndefined();
  });
});

test.each([
  ['line ends', JSON.stringify(value, undefined, 2)],
  ['many quotes', JSON.stringify(['"\\'.repeat(1000)])],
  ['a quote at the end', JSON.stringify('x'.repeat(1000))],
  ['nothing', 'null'],
  ['a long ordinary text', JSON.stringify(Array.from({ length: 999 }, (_, id) => ({ id })))],
])('a text with %s is quoted as JSON.stringify does it', (_, json) => {
  const { quoted } = new SerializedJson(bytewise(json));
  expect(Buffer.from(quoted).toString()).toBe(JSON.stringify(json));
});

test('texts are quoted as JSON.stringify does it, however their escapes lie and the bytes are divided', () => {
  const characters = ['"', '\\', '\n', '\u0001', '\u007f', 'ä', '😀', 'x', 'y', ' '];
  let seed = 7;
  const next = (count: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * count);
  };
  for (let round = 0; round < 500; round += 1) {
    const plain = next(30);
    const json = Array.from({ length: next(200) }, () =>
      next(30) < plain ? 'x' : (characters[next(characters.length)] ?? ''),
    ).join('');
    const bytes = Buffer.from(json);
    const middle = next(bytes.length);
    const given = new SerializedJson([bytes.subarray(0, middle), bytes.subarray(middle)]);
    expect(Buffer.from(given.quoted).toString()).toBe(JSON.stringify(json));
    expect(toJsonBytes(json).toString()).toBe(JSON.stringify(json));
  }
});

test('a changed copy of a text block is sent as it is', () => {
  const block = { ...textBlockOf(new SerializedJson(bytewise(text))), text: 'changed' };
  expect(toJsonText(answer({ content: [block] }))).toContain('"changed"');
  expect(serializedLength(block)).toBeUndefined();
});

test('a long result is sent in the pieces that the handler gave', () => {
  const long = Buffer.from(JSON.stringify({ text: 'a'.repeat(40_000) }));
  const given = new SerializedJson([long]);
  const message = answer({ content: [textBlockOf(given)], structuredContent: given });
  const parts = toJsonParts(message) ?? [];
  expect(parts.some((part) => part === long)).toBe(true);
  expect(parts.map(String).map((part) => part.length)).toHaveLength(5);
  expect(Buffer.concat(parts.map((part) => Buffer.from(part))).toString()).toBe(
    JSON.stringify(message),
  );
});

describe('the memory of a text', () => {
  const longText = (letter: string) => JSON.stringify([letter.repeat(40_000)]);
  const textOfQuoted = ({ quoted }: SerializedJson) => Buffer.from(quoted).toString();

  test('is used again only after its last write', () => {
    const first = new SerializedJson([Buffer.from(longText('a'))]);
    const { quoted } = first;
    first.beginWrite();
    first.beginWrite();
    first.endWrite();
    const second = new SerializedJson([Buffer.from(longText('b'))]);
    expect(second.quoted.buffer).not.toBe(quoted.buffer);
    expect(Buffer.from(quoted).toString()).toBe(JSON.stringify(longText('a')));
    first.endWrite();
    const third = new SerializedJson([Buffer.from(longText('c'))]);
    expect(third.quoted.buffer).toBe(quoted.buffer);
    expect(textOfQuoted(first)).toBe(JSON.stringify(longText('a')));
  });

  test('is not taken by a short text, which would not give it back', () => {
    const long = new SerializedJson([Buffer.from(longText('a'))]);
    const { buffer } = long.quoted;
    long.beginWrite();
    long.endWrite();
    expect(new SerializedJson([Buffer.from('[1]')]).quoted.buffer).not.toBe(buffer);
    expect(new SerializedJson([Buffer.from(longText('b'))]).quoted.buffer).toBe(buffer);
  });
});

describe('a text whose memory can be freed', () => {
  const long = Buffer.from(JSON.stringify(['a'.repeat(40_000)]));

  test('is released once, after the last of its writes', () => {
    const release = vi.fn<() => void>();
    const given = new SerializedJson([long], release);
    given.beginWrite();
    given.beginWrite();
    given.endWrite();
    expect(release).not.toHaveBeenCalled();
    given.endWrite();
    expect(release).toHaveBeenCalledTimes(1);
    expect(() => given.toJSON()).toThrow('call retain()');
    given.beginWrite();
    given.endWrite();
    expect(release).toHaveBeenCalledTimes(1);
  });

  test('that fails to be released does so only once', () => {
    const given = new SerializedJson([long], () => {
      throw new Error('cannot be freed');
    });
    given.beginWrite();
    expect(() => {
      given.endWrite();
    }).toThrow('cannot be freed');
    given.beginWrite();
    given.endWrite();
  });

  test.each([
    ['is released when it was written to a stream that copies', true, 1],
    ['stays when the stream may still hold it', false, 0],
  ])('%s', async (_, copies, times) => {
    const release = vi.fn<() => void>();
    const given = new SerializedJson([long], release);
    const output = new PassThrough();
    const received = textOf(output);
    const writer = new LineWriter(output, copies);
    void writer.write(answer({ content: [textBlockOf(given)], structuredContent: given }));
    await writer.emptied();
    output.end();
    expect(JSON.parse(await received)).toHaveProperty(
      'result.structuredContent',
      JSON.parse(long.toString()),
    );
    expect(release).toHaveBeenCalledTimes(times);
  });

  test('stays when it is retained to be sent again', () => {
    const release = vi.fn<() => void>();
    const given = new SerializedJson([long], release);
    expect(retainSerialized({ structuredContent: given })).toEqual({ structuredContent: given });
    given.beginWrite();
    given.endWrite();
    expect(release).not.toHaveBeenCalled();
  });
});
