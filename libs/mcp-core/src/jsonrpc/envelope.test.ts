import { describe, expect, test } from 'vitest';
import { isRequestId, readEnvelope } from './envelope.ts';

describe('readEnvelope', () => {
  test.each([
    [{ jsonrpc: '2.0', id: 0, method: 'ping' }, 'request'],
    [{ jsonrpc: '2.0', id: '', method: 'ping', extra: true }, 'request'],
    [{ jsonrpc: '2.0', method: 'notifications/initialized' }, 'notification'],
    [{ jsonrpc: '2.0', id: 'a', result: {} }, 'result'],
    [{ jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'no' } }, 'error'],
    [{ jsonrpc: '2.0', error: { code: -32700, message: 'no' } }, 'error'],
    [[{ jsonrpc: '2.0', id: 1, method: 'ping' }], 'batch'],
    [[], 'batch'],
  ])('reads %j as %s', (value, kind) => {
    expect(readEnvelope(value).kind).toBe(kind);
  });

  test.each([
    [null, undefined],
    ['text', undefined],
    [7, undefined],
    [{}, undefined],
    [{ id: 4, method: 'ping' }, 4],
    [{ jsonrpc: '1.0', id: 4, method: 'ping' }, 4],
    [{ jsonrpc: '2.0', id: 4, method: 7 }, 4],
    [{ jsonrpc: '2.0', id: 4, method: 'ping', params: [] }, 4],
    [{ jsonrpc: '2.0', id: 4, method: 'ping', params: null }, 4],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, undefined],
    [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, undefined],
    [{ jsonrpc: '2.0', id: 2 ** 60, method: 'ping' }, undefined],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }, undefined],
  ])('refuses %j and names the readable id %j', (value, id) => {
    expect(readEnvelope(value)).toMatchObject({ kind: 'invalid', id });
  });

  test.each([
    [{ jsonrpc: '2.0', id: 3, result: {}, error: { code: 1, message: '' } }, 3],
    [{ jsonrpc: '2.0', id: 3, result: 'text' }, 3],
    [{ jsonrpc: '2.0', id: 3, error: { code: 'x', message: '' } }, 3],
    [{ jsonrpc: '2.0', id: 3, error: { code: 1.5, message: '' } }, 3],
    [{ jsonrpc: '2.0', result: {} }, undefined],
    [{ id: 3, result: {} }, 3],
  ])('refuses the answer %j', (value, id) => {
    expect(readEnvelope(value)).toMatchObject({ kind: 'invalid-response', id });
  });

  test('reads a null id of an error as absent', () => {
    expect(
      readEnvelope({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'no' } }),
    ).toEqual({
      kind: 'error',
      message: { jsonrpc: '2.0', error: { code: -32700, message: 'no' } },
    });
  });

  test('accepts only strings and exact integers as ids', () => {
    expect([0, -1, '', 'a', Number.MAX_SAFE_INTEGER].every(isRequestId)).toBe(true);
    expect([null, undefined, 0.5, Number.NaN, Infinity, 2 ** 53, true, {}].some(isRequestId)).toBe(
      false,
    );
  });
});
