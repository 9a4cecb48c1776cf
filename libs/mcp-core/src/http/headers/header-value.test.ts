import { describe, expect, it } from 'vitest';
import { decodeHeaderValue, encodeHeaderValue } from './header-value.ts';

describe('a header value', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['us west 1', 'us west 1'],
    ['', ''],
    ['file:///a%20b?c=d#e', 'file:///a%20b?c=d#e'],
    [42, '42'],
    [-7, '-7'],
    [0, '0'],
    [true, 'true'],
    [false, 'false'],
    ['=?BASE64?eA==?=', '=?BASE64?eA==?='],
  ])('%j travels as it is', (value, expected) => {
    expect(encodeHeaderValue(value)).toBe(expected);
    expect(decodeHeaderValue(expected)).toBe(String(value));
  });

  it.each([
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['=?base64??=', '=?base64?PT9iYXNlNjQ/Pz0=?='],
    ['=?base64?=', '=?base64?PT9iYXNlNjQ/PQ==?='],
    ['\tindented', '=?base64?CWluZGVudGVk?='],
    ['a\r\nX-Evil: 1', '=?base64?YQ0KWC1FdmlsOiAx?='],
    ['\u007f', '=?base64?fw==?='],
  ])('%j travels encoded', (value, expected) => {
    expect(encodeHeaderValue(value)).toBe(expected);
    expect(decodeHeaderValue(expected)).toBe(value);
  });

  it.each(['caf\u00e9', 'a\u0000b', '=?base64?###?=', '=?base64?eA?=', '=?base64?/w==?='])(
    '%j cannot be decoded',
    (value) => {
      expect(decodeHeaderValue(value)).toBeUndefined();
    },
  );

  it('keeps inner white space and the case of the marks', () => {
    expect(decodeHeaderValue('a\tb')).toBe('a\tb');
    expect(decodeHeaderValue('=?Base64?eA==?=')).toBe('=?Base64?eA==?=');
    expect(decodeHeaderValue('=?base64?=')).toBe('=?base64?=');
  });
});
