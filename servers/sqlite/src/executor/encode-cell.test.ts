import { describe, expect, test } from 'vitest';
import { cutText, encodeCell } from './encode-cell.ts';

describe('encodeCell', () => {
  test.each([
    [null, { json: null, type: undefined }],
    [1n, { json: 1, type: 'integer' }],
    [9007199254740991n, { json: 9007199254740991, type: 'integer' }],
    [9007199254740992n, { json: '9007199254740992', type: 'int64' }],
    [-9007199254740991n, { json: -9007199254740991, type: 'integer' }],
    [-9223372036854775808n, { json: '-9223372036854775808', type: 'int64' }],
    [1.5, { json: 1.5, type: 'real' }],
    [Infinity, { json: 'Infinity', type: 'real' }],
    [-Infinity, { json: '-Infinity', type: 'real' }],
    ['x', { json: 'x', type: 'text' }],
    [Buffer.from([0, 255]), { json: { $blob: 'AP8=', bytes: 2 }, type: 'blob' }],
    [Buffer.alloc(0), { json: { $blob: '', bytes: 0 }, type: 'blob' }],
  ])('keeps %o', (value, encoded) => {
    expect(encodeCell(value, 100)).toEqual(encoded);
  });

  test('cuts long text and says how long it was', () => {
    expect(encodeCell('x'.repeat(101), 100).json).toEqual({
      $text: 'x'.repeat(100),
      bytes: 101,
      truncated: true,
    });
    expect(encodeCell('x'.repeat(100), 100).json).toBe('x'.repeat(100));
  });

  test('cuts between characters, never inside one', () => {
    expect(cutText('ab€', 4)).toBe('ab');
    expect(cutText('ab€', 5)).toBe('ab€');
    expect(cutText('😀😀', 7)).toBe('😀');
  });

  test('cuts long blobs so that their base64 stays within the limit', () => {
    expect(encodeCell(Buffer.alloc(1000, 1), 100).json).toEqual({
      $blob: Buffer.alloc(75, 1).toString('base64'),
      bytes: 1000,
      truncated: true,
    });
  });
});
