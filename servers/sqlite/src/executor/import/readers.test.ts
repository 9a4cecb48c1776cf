import { expect, test } from 'vitest';
import { CsvReader } from './csv-reader.ts';
import { EncodingError, TextDecoding } from './decode-text.ts';
import { MAX_RECORD_CHARACTERS, type RecordReader } from './import-record.ts';
import { JsonArrayReader, NdjsonReader } from './json-readers.ts';

async function read(reader: RecordReader, ...parts: readonly string[]): Promise<unknown[]> {
  const records = parts.flatMap((part) => reader.push(part));
  return [...records, ...(await reader.end())].map(({ line, value }) => [line, value]);
}

test.each([
  ['a;b\n1;2,3\n', ['1', '2,3']],
  ['a\tb\n1\t2\n', ['1', '2']],
  ['a|"x,y"\n1|2\n', ['1', '2']],
  ['a,b\n1;2,3\n', ['1;2', '3']],
])('the delimiter of %j is found in its first line', async (text, row) => {
  expect((await read(new CsvReader(), text))[1]).toEqual([2, row]);
});

test('rows end with CRLF, LF or CR, and empty lines are skipped', async () => {
  expect(await read(new CsvReader(), 'a\r', '\nb\n\n\rc\r\n\r\n"d\r\ne"\nf')).toMatchObject([
    [1, ['a']],
    [2, ['b']],
    [expect.any(Number), ['c']],
    [expect.any(Number), ['d\r\ne']],
    [expect.any(Number), ['f']],
  ]);
});

test('without any text there are no rows', async () => {
  expect(await read(new CsvReader())).toEqual([]);
  expect(await read(new NdjsonReader(), '\n\n')).toEqual([]);
});

test.each([
  ['a,b\n1,"x"y\n5,6\n', 2, 'followed by text'],
  ['a,b\n1,x"y\n5,6\n', 2, 'inside an unquoted field'],
  ['a,b\n1,2\n3,"x\ny\nz', 3, 'not closed'],
])('a quote in the wrong place of %j ends the rows at its line', async (text, line, message) => {
  const reader = new CsvReader();
  expect((await read(reader, text)).length).toBe(line - 1);
  expect(reader.failure).toEqual({ line, message: expect.stringContaining(message) as string });
});

test.each([
  ['CSV', new CsvReader(), 'x'],
  ['NDJSON', new NdjsonReader(), 'x'],
  ['JSON', new JsonArrayReader(), '[["'],
] as const)('a row of %s without end is refused before it fills the memory', (_, reader, start) => {
  const chunk = start.at(-1) === '"' ? 'x'.repeat(2 ** 20) : start.repeat(2 ** 20);
  reader.push(start);
  let pushed = 0;
  for (; reader.failure === undefined && pushed < 40; pushed++) reader.push(chunk);
  expect(pushed).toBeLessThanOrEqual(MAX_RECORD_CHARACTERS / 2 ** 20 + 2);
  expect(reader.failure).toMatchObject({
    line: 1,
    message: expect.stringContaining('longer than') as string,
  });
});

test.each([
  ['{"a":1}', 1, 'not a JSON array'],
  ['[{"a":1},\n2]', 2, 'object or an array'],
  ['[{"a":1} {"b":2}]', 1, 'a comma'],
  ['[{"a":1}]\n[]', 2, 'after the end'],
  ['[\n{"a":\n1', 3, 'not closed'],
  ['[{"a":01}]', 1, 'not valid JSON'],
  ['[{"a":1},]', 1, 'object or an array'],
])('the JSON %j is refused with its line', async (text, line, message) => {
  const reader = new JsonArrayReader();
  await read(reader, text);
  expect(reader.failure).toEqual({ line, message: expect.stringContaining(message) as string });
});

test('a key such as __proto__ is a plain member', async () => {
  const [[, value] = []] = (await read(new NdjsonReader(), '{"__proto__":{"x":1}}')) as [
    number,
    object,
  ][];
  expect(Object.keys(value ?? {})).toEqual(['__proto__']);
  expect((value as { x?: number }).x).toBeUndefined();
});

test('invalid bytes are refused near their line, also across chunks', () => {
  const decoding = new TextDecoding();
  decoding.push(Buffer.from('a\nb\n\u00e9'));
  expect(() => decoding.push(Buffer.concat([Buffer.from('c\nd\nx'), Buffer.from([0xff])]))).toThrow(
    expect.objectContaining({ line: 5 }) as EncodingError,
  );
  const half = new TextDecoding();
  half.push(Buffer.from([0x61, 0x62, 0x63, 0xc3]));
  expect(() => half.end()).toThrow(EncodingError);
});
