import { expect, test } from 'vitest';
import { seededRandom } from '../testing/seeded-random.ts';
import { memberBytes, memberBytesBound, resultBytes } from './compact-json.ts';
import { ENVELOPE_BYTES, RowCollector } from './row-collector.ts';

const TEXTS = ['', 'plain', '"\\', '\u0000\u0001', 'ä€😀', '\u202e\u2028', 'x'.repeat(60)];

test.each([...TEXTS, 1, -Number.MAX_VALUE, 2 ** 53, null, { $blob: 'AA==', bytes: 1 }])(
  'the bytes of %j are not above their bound',
  (value) => {
    expect(memberBytes(value)).toBeLessThanOrEqual(memberBytesBound(value));
  },
);

test('keeps the most rows that fit, for any values', () => {
  const random = seededRandom(1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const columns = [{ name: 'a' }, { name: 'b"ä' }, { name: 'c' }];
  for (let run = 0; run < 50; run++) {
    const rows = Array.from({ length: 120 }, () => [pick(TEXTS), pick(TEXTS), pick([1.5, null])]);
    const maxResultBytes = ENVELOPE_BYTES + 400 + Math.floor(random() * 20_000);
    const collector = new RowCollector(columns, {
      maxRows: 100,
      maxCellBytes: 65_536,
      maxResultBytes,
    });
    for (const row of rows) if (!collector.add(row)) break;
    let left =
      maxResultBytes -
      ENVELOPE_BYTES -
      resultBytes(columns.map(({ name }) => ({ name, type: 'integer' })));
    const bytesOf = (row: readonly unknown[]): number =>
      row.reduce<number>((sum, cell) => sum + memberBytes(cell), 2 * (row.length + 1) + 4);
    const fitting = rows.findIndex((row) => (left -= bytesOf(row)) < 0);
    const expected = rows.slice(0, Math.min(fitting === -1 ? 100 : fitting, 100));
    expect(collector.result()).toMatchObject({ rows: expected, truncated: true });
  }
});
