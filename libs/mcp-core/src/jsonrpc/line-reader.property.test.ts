import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../any-character.test.support.ts';
import { LineReader } from './line-reader.ts';
import { lengthLimit } from './message-limits.ts';
import type { UnreadableMessage } from './transport.ts';

function collect(maxLineBytes: number) {
  const heard: unknown[] = [];
  const reader = new LineReader(
    {
      message: (value) => heard.push({ value }),
      unreadable: ({ reason }: UnreadableMessage) => heard.push({ reason }),
    },
    lengthLimit(maxLineBytes),
  );
  return { heard, reader };
}

/**
 * Pushes copies of the bytes in pieces of the given lengths, repeating the lengths until the end.
 */
function pushInPieces(reader: LineReader, bytes: Buffer, lengths: readonly number[]): void {
  for (let start = 0, index = 0; start < bytes.length; index += 1) {
    const end = start + lengths[index % lengths.length]!;
    const piece = Buffer.from(bytes.subarray(start, end));
    reader.push(piece);
    start = end;
  }
}

const text = fc.string({ unit: anyCharacter, maxLength: 40 });
const json = fc.oneof(
  fc.jsonValue(),
  text,
  fc.record({ text }),
  fc.nat(12_000).map((length) => 'ä'.repeat(length)),
);
const newline = fc.constantFrom('\n', '\r\n', '\n\n', '\n \t\r\n');
const lengths = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 10_000 })),
  { minLength: 1, maxLength: 6 },
);

test('messages do not depend on the position of the cuts, even within characters and line ends', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(json, newline), { maxLength: 12 }),
      lengths,
      fc.boolean(),
      (lines, cuts, isOpen) => {
        const written = lines.map(([value, end]) => `${JSON.stringify(value)}${end}`).join('');
        const { heard, reader } = collect(100_000);
        pushInPieces(reader, Buffer.from(isOpen ? written.trimEnd() : written), cuts);
        reader.end();
        expect(heard).toEqual(
          lines.map(([value]) => ({ value: JSON.parse(JSON.stringify(value)) as unknown })),
        );
      },
    ),
    { numRuns: 150 },
  );
});

test('arbitrary bytes give the same reports wherever they are cut, one for each line that is not blank', () => {
  const bytes = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc
        .constantFrom('{"a":1}', '"ü"', '\n', '\n', '\r\n', ' ', 'x'.repeat(30))
        .map((piece) => Buffer.from(piece)),
    ),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(bytes, lengths, (pieces, cuts) => {
      const whole = Buffer.concat(pieces);
      const [inOne, inPieces] = [collect(20), collect(20)];
      inOne.reader.push(Buffer.from(whole));
      inOne.reader.end();
      pushInPieces(inPieces.reader, whole, cuts);
      inPieces.reader.end();
      expect(inPieces.heard).toEqual(inOne.heard);
      const lines = whole
        .toString('latin1')
        .split('\n')
        .filter((line) => !/^[ \t\r\v\f\u00a0]*$/u.test(line) || line.length > 20);
      expect(inOne.heard.length).toBeLessThanOrEqual(whole.toString('latin1').split('\n').length);
      expect(inOne.heard.length).toBeGreaterThanOrEqual(lines.length);
    }),
    { numRuns: 300 },
  );
});

test('a line of 12 MiB in pieces of 64 bytes is read fast, and one over the limit takes no memory', () => {
  const { heard, reader } = collect(12 * 1024 * 1024);
  const piece = Buffer.alloc(64, 'x');
  const push = (count: number): void => {
    for (let index = 0; index < count; index += 1) reader.push(piece);
  };
  const startedAt = process.threadCpuUsage();
  reader.push(Buffer.from('"'));
  push((12 * 1024 * 1024) / 64 - 1);
  reader.push(Buffer.from('"\n'));
  expect(process.threadCpuUsage(startedAt).user).toBeLessThan(10_000_000);
  expect((heard[0] as { value: string }).value).toHaveLength(12 * 1024 * 1024 - 64);
  push((13 * 1024 * 1024) / 64);
  const before = process.memoryUsage().arrayBuffers;
  push(200_000);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
  reader.push(Buffer.from('\n{"next":1}\n'));
  expect(heard.slice(1)).toEqual([{ reason: 'too-large' }, { value: { next: 1 } }]);
});
