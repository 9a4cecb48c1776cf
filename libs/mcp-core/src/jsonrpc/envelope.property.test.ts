import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEnvelope, type Envelope } from './envelope.ts';

/** Near misses of JSON-RPC messages, mixed with arbitrary JSON. */
const id = fc.oneof(fc.integer(), fc.string(), fc.double(), fc.constant(null), fc.jsonValue());
const nearlyMessage = fc.record(
  {
    jsonrpc: fc.oneof(fc.constant('2.0'), fc.constant('2.0'), fc.jsonValue()),
    id,
    method: fc.oneof(fc.string(), fc.constant('ping'), fc.jsonValue()),
    params: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
    result: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
    error: fc.oneof(fc.record({ code: fc.integer(), message: fc.string() }), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const anyMessage = fc.oneof(nearlyMessage, nearlyMessage, fc.jsonValue(), fc.array(nearlyMessage));

test('every JSON value is exactly one kind of message, with the members of that kind', () => {
  fc.assert(
    fc.property(anyMessage, (value) => {
      const envelope = readEnvelope(JSON.parse(JSON.stringify(value)));
      expect(isAsPromised(envelope, value), JSON.stringify(envelope)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('every request is read as a request, whatever its other members', () => {
  const request = fc.record({
    jsonrpc: fc.constant('2.0'),
    id: fc.oneof(fc.maxSafeInteger(), fc.string()),
    method: fc.string(),
  });
  fc.assert(
    fc.property(
      request,
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (message, params, extra) => {
        const value = { ...extra, params, ...message };
        expect(readEnvelope(value)).toEqual({ kind: 'request', message: value });
      },
    ),
    { numRuns: 200 },
  );
});

test('100,000 levels of nesting do not matter', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(
    readEnvelope(JSON.parse(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"deep":${deep}}}`))
      .kind,
  ).toBe('request');
  expect(readEnvelope(JSON.parse(`{"jsonrpc":"2.0","id":1,"result":{"deep":${deep}}}`)).kind).toBe(
    'result',
  );
  expect(readEnvelope(JSON.parse(deep)).kind).toBe('batch');
});

function isAsPromised(envelope: Envelope, value: unknown): boolean {
  switch (envelope.kind) {
    case 'batch':
      return Array.isArray(value);
    case 'request':
      return (
        isId(envelope.message.id) &&
        typeof envelope.message.method === 'string' &&
        isObjectOrAbsent(envelope.message.params)
      );
    case 'notification':
      return (
        !('id' in envelope.message) &&
        typeof envelope.message.method === 'string' &&
        isObjectOrAbsent(envelope.message.params)
      );
    case 'result':
      return (
        isId(envelope.message.id) &&
        isObjectOrAbsent(envelope.message.result) &&
        !('error' in envelope.message)
      );
    case 'error':
      return (
        (envelope.message.id === undefined || isId(envelope.message.id)) &&
        Number.isInteger(envelope.message.error.code)
      );
    case 'invalid':
    case 'invalid-response':
      return (envelope.id === undefined || isId(envelope.id)) && envelope.detail !== '';
    default:
      return envelope satisfies never;
  }
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function isObjectOrAbsent(value: unknown): boolean {
  return (
    value === undefined || (typeof value === 'object' && value !== null && !Array.isArray(value))
  );
}
