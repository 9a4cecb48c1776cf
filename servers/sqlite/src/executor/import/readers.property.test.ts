import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CsvReader } from './csv-reader.ts';
import { TextDecoding, type Encoding } from './decode-text.ts';
import { countLines, type ImportRecord, type RecordReader } from './import-record.ts';
import { JsonArrayReader, NdjsonReader } from './json-readers.ts';

/** Every character but the surrogates. The table of fast-check's unit `binary` takes a second and 80 MB. */
const anyCharacter = fc
  .nat({ max: 0x10ffff - 0x800 })
  .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800));

/** Splits between characters at the given places, as a decoder does, and reads the parts. */
async function readAll(
  reader: RecordReader,
  text: string,
  places: readonly number[],
): Promise<readonly ImportRecord[]> {
  const characters = Array.from(text);
  const at = sorted(places, characters.length);
  const records = at
    .slice(1)
    .flatMap((end, index) => reader.push(characters.slice(at[index], end).join('')));
  records.push(...(await reader.end()));
  expect(reader.failure).toBeUndefined();
  return records;
}

function sorted(places: readonly number[], length: number): readonly number[] {
  return [0, ...places.map((place) => place % (length + 1)), length].toSorted((a, b) => a - b);
}

/** Returns the records with the lines on which they begin, for rows that end with `\n`. */
function withLines(
  rows: readonly { readonly text: string; readonly value: ImportRecord['value'] }[],
) {
  let line = 1;
  return rows.map(({ text, value }) => {
    const record = { line, value };
    line += countLines(text) + 1;
    return record;
  });
}

const cuts = fc.array(fc.nat(), { maxLength: 6 });
const field = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', '"', ',', ';', '\n', ' ', '\u00e9', '\u{1f600}'),
    maxLength: 8,
  }),
  fc.string({ maxLength: 6 }).map((text) => text.replaceAll('\r', ' ')),
);
const numRuns = 60;

test('CSV of any fields, line ends and chunks is read back with its lines', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(',', ';', '\t', '|'),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 4 }).chain((width) =>
        fc.array(fc.array(field, { minLength: width, maxLength: width }), {
          minLength: 1,
          maxLength: 8,
        }),
      ),
      fc.boolean(),
      cuts,
      async (delimiter, eol, rows, isLastEnded, places) => {
        const quote = (text: string) =>
          /["\n\r,;\t|]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
        const lines = rows.map((row) => row.map(quote).join(delimiter));
        const text = lines.join(eol) + (isLastEnded ? eol : '');
        const records = await readAll(new CsvReader(delimiter), text, places);
        expect(records).toEqual(
          withLines(rows.map((value, index) => ({ text: lines[index] ?? '', value }))),
        );
      },
    ),
    { numRuns },
  );
});

const row = fc.oneof(
  fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 4 }),
  fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
);

test('NDJSON in any chunks is read back with its lines', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { maxLength: 8 }), cuts, async (rows, places) => {
      const values = rows.map(
        (value) => JSON.parse(JSON.stringify(value)) as ImportRecord['value'],
      );
      const lines = values.map((value) => JSON.stringify(value));
      const records = await readAll(new NdjsonReader(), lines.join('\n'), places);
      expect(records).toEqual(withLines(values.map((value) => ({ text: '', value }))));
    }),
    { numRuns },
  );
});

test('a JSON array in any layout and chunks is read back with its lines', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 8 }),
      fc.constantFrom(0, 2),
      cuts,
      async (rows, indent, places) => {
        const values = rows.map(
          (value) => JSON.parse(JSON.stringify(value)) as ImportRecord['value'],
        );
        const texts = values.map((value) => JSON.stringify(value, null, indent));
        const records = await readAll(
          new JsonArrayReader(),
          `[\n${texts.join(',\n')}\n]\n`,
          places,
        );
        expect(records).toEqual(
          withLines(values.map((value, index) => ({ text: texts[index] ?? '', value }))).map(
            ({ line, value }) => ({ line: line + 1, value }),
          ),
        );
      },
    ),
    { numRuns },
  );
});

test('text in any encoding and chunks of bytes is decoded', () => {
  const encode = (text: string, encoding: Encoding): Buffer => {
    if (encoding === 'windows-1252') return Buffer.from(text, 'latin1');
    if (encoding === 'utf-8') return Buffer.from(text);
    const bytes = Buffer.from(text, 'utf16le');
    return encoding === 'utf-16be' ? bytes.swap16() : bytes;
  };
  fc.assert(
    fc.property(
      fc.constantFrom<Encoding>('utf-8', 'utf-16le', 'utf-16be', 'windows-1252'),
      fc.boolean(),
      fc.boolean(),
      fc.string({ unit: anyCharacter }),
      cuts,
      (encoding, hasMark, isNamed, any, places) => {
        const isSingleByte = encoding === 'windows-1252';
        // Bytes from 0x80 to 0x9f are other characters in windows-1252 than in Latin-1.
        const text = isSingleByte
          ? any.replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/gu, '\u00e9')
          : any.replaceAll('\uFEFF', '').toWellFormed();
        const isMarked = hasMark && !isSingleByte;
        const bytes = encode(isMarked ? `\uFEFF${text}` : text, encoding);
        const decoding = new TextDecoding(isNamed || !isMarked ? encoding : undefined);
        const at = sorted(places, bytes.length);
        const parts = at
          .slice(1)
          .map((end, index) => decoding.push(bytes.subarray(at[index], end)));
        expect(parts.join('') + decoding.end()).toBe(text);
      },
    ),
    { numRuns },
  );
});
