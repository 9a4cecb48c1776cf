import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { toJsonParts } from './json-parts.ts';
import { toJsonText } from './json-text.ts';
import { LineWriter } from './line-writer.ts';
import type { JsonObject } from './messages.ts';
import {
  keepSerialized,
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

test('random texts are quoted as JSON.stringify does it, however they are divided', () => {
  const characters = ['"', '\\', '\n', '\u0001', '\u007f', 'ä', '😀', 'x', 'y', ' '];
  const random = (count: number) => Math.floor(Math.random() * count);
  for (let round = 0; round < 500; round += 1) {
    const plain = random(30);
    const json = Array.from({ length: random(200) }, () =>
      random(30) < plain ? 'x' : (characters[random(characters.length)] ?? ''),
    ).join('');
    const bytes = Buffer.from(json);
    const middle = random(bytes.length);
    const given = new SerializedJson([bytes.subarray(0, middle), bytes.subarray(middle)]);
    expect(Buffer.from(given.quoted).toString()).toBe(JSON.stringify(json));
    given.beginWrite();
    given.endWrite();
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

test('the memory of a text is used again only after its last write', () => {
  const first = new SerializedJson([Buffer.from('["first"]')]);
  const { quoted } = first;
  first.beginWrite();
  first.beginWrite();
  first.endWrite();
  const second = new SerializedJson([Buffer.from('["other"]')]);
  expect(second.quoted.buffer).not.toBe(quoted.buffer);
  expect(Buffer.from(quoted).toString()).toBe(JSON.stringify('["first"]'));
  first.endWrite();
  expect(new SerializedJson([Buffer.from('["third"]')]).quoted.buffer).toBe(quoted.buffer);
  expect(Buffer.from(first.quoted).toString()).toBe(JSON.stringify('["first"]'));
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
    given.beginWrite();
    given.endWrite();
    expect(release).toHaveBeenCalledTimes(1);
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
    expect(JSON.parse(await received)).toHaveProperty('result.structuredContent', given.toJSON());
    expect(release).toHaveBeenCalledTimes(times);
  });

  test('stays when it is kept to be sent again', () => {
    const release = vi.fn<() => void>();
    const given = new SerializedJson([long], release);
    expect(keepSerialized({ structuredContent: given })).toEqual({ structuredContent: given });
    given.beginWrite();
    given.endWrite();
    expect(release).not.toHaveBeenCalled();
  });
});
