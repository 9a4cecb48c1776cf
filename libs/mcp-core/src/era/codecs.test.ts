import { describe, expect, test } from 'vitest';
import { PROTOCOL_VERSIONS } from './versions.ts';
import {
  latestLegacyCodec,
  latestModernCodec,
  legacyCodec,
  modernCodec,
  pickModernCodec,
} from './codecs.ts';

describe('the codecs', () => {
  test('cover every protocol version in exactly one era', () => {
    const eras = PROTOCOL_VERSIONS.map((version) => [
      legacyCodec(version)?.version,
      modernCodec(version)?.version,
    ]);
    expect(eras).toEqual([
      [undefined, '2026-07-28'],
      ['2025-11-25', undefined],
      ['2025-06-18', undefined],
      ['2025-03-26', undefined],
      ['2024-11-05', undefined],
    ]);
  });

  test('are not found for unsupported versions', () => {
    expect([
      legacyCodec('2023-01-01'),
      legacyCodec(undefined),
      modernCodec('DRAFT'),
      modernCodec(20260728),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('list the newest of each era first', () => {
    expect([latestLegacyCodec.version, latestModernCodec.version]).toEqual([
      '2025-11-25',
      '2026-07-28',
    ]);
  });

  test('pick a modern version from a list that mixes eras, and none from a legacy list', () => {
    expect(pickModernCodec(['2025-11-25', 7, '2026-07-28'])?.version).toBe('2026-07-28');
    expect(pickModernCodec(['2025-11-25'])).toBeUndefined();
  });

  test('know the methods of their revision', () => {
    const legacy = legacyCodec('2025-03-26');
    expect(
      ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe'].filter((method) =>
        legacy?.clientRequests.has(method),
      ),
    ).toHaveLength(4);
    expect(legacy?.clientRequests.has('server/discover')).toBe(false);
    expect(legacy?.serverRequests.has('elicitation/create')).toBe(false);
    expect(
      ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe'].filter((method) =>
        latestModernCodec.clientRequests.has(method),
      ),
    ).toEqual([]);
    expect(latestModernCodec.serverRequests.size).toBe(0);
    expect(latestLegacyCodec.serverRequests.has('elicitation/create')).toBe(true);
  });
});
