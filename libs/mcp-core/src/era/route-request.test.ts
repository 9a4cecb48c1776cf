import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../jsonrpc/messages.ts';
import { legacyCodec } from './codecs.ts';
import { readInitialize } from './read-initialize.ts';
import { routeRequest } from './route-request.ts';

const session = { codec: legacyCodec('2025-06-18')! };
const version = 'io.modelcontextprotocol/protocolVersion';
const capabilities = 'io.modelcontextprotocol/clientCapabilities';
const request = (method: string, meta?: JsonObject) =>
  ({
    jsonrpc: '2.0',
    id: 1,
    method,
    ...(meta === undefined ? {} : { params: { _meta: meta } }),
  }) as const;

describe('routeRequest', () => {
  test('treats requests with modern _meta as modern, with and without a session', () => {
    const meta = { [version]: '2026-07-28', [capabilities]: { roots: {} } };
    for (const current of [undefined, session]) {
      expect(routeRequest(request('tools/list', meta), current)).toMatchObject({
        kind: 'modern',
        version: '2026-07-28',
        capabilities: { roots: {} },
      });
    }
  });

  test.each([
    [{ [version]: '2026-07-28' }],
    [{ [capabilities]: {} }],
    [{ [version]: 20260728, [capabilities]: {} }],
    [{ [version]: '2026-07-28', [capabilities]: true }],
    [{ [version]: '1999-01-01' }],
    [
      {
        [version]: '2026-07-28',
        [capabilities]: {},
        'io.modelcontextprotocol/clientInfo': { name: 'x' },
      },
    ],
  ])('refuses incomplete modern _meta %j before it looks at the version', (meta) => {
    expect(routeRequest(request('tools/list', meta), session)).toMatchObject({
      kind: 'refused',
      error: { code: -32602 },
    });
  });

  test.each(['1999-01-01', '2025-11-25', ''])(
    'returns the supported versions when _meta has %j',
    (requested) => {
      expect(
        routeRequest(request('no/such', { [version]: requested, [capabilities]: {} }), undefined),
      ).toMatchObject({
        kind: 'refused',
        error: {
          code: -32022,
          data: {
            requested,
            supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
          },
        },
      });
    },
  );

  test('routes all other requests to the session', () => {
    expect(routeRequest(request('no/such', { other: 1 }), session)).toMatchObject({
      kind: 'legacy',
      session,
    });
    expect(routeRequest(request('initialize'), session)).toMatchObject({
      kind: 'refused',
      error: { code: -32600 },
    });
  });

  test('accepts initialize and ping without a session, and rejects all other requests for their missing _meta', () => {
    expect(routeRequest(request('initialize'), undefined)).toEqual({ kind: 'initialize' });
    expect(routeRequest(request('ping'), undefined)).toEqual({ kind: 'ping' });
    for (const method of ['tools/list', 'server/discover', 'no/such']) {
      expect(routeRequest(request(method), undefined)).toMatchObject({
        kind: 'refused',
        error: { code: -32602 },
      });
    }
  });
});

describe('readInitialize', () => {
  const initialize = (params: JsonObject) =>
    ({ jsonrpc: '2.0', id: 1, method: 'initialize', params }) as const;

  test.each([
    ['2024-11-05', '2024-11-05'],
    ['2025-11-25', '2025-11-25'],
    ['2026-07-28', '2025-11-25'],
    ['1.0.0', '2025-11-25'],
  ])('answers %s with %s', (protocolVersion, expected) => {
    expect(
      readInitialize(
        initialize({ protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } }),
      ).codec.version,
    ).toBe(expected);
  });

  test('keeps the client info, unknown members included', () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { future: { x: 1 } },
      clientInfo: { name: 'c', version: '1', icons: [] },
    };
    expect(readInitialize(initialize(params))).toMatchObject({
      clientInfo: params.clientInfo,
      capabilities: params.capabilities,
    });
  });

  test.each([
    [{}],
    [{ protocolVersion: 7 }],
    [{ protocolVersion: '2025-11-25', capabilities: [] }],
    [{ protocolVersion: '2025-11-25', clientInfo: {} }],
  ])('refuses %j', (params) => {
    expect(() => readInitialize(initialize(params))).toThrow('Invalid params');
  });
});
