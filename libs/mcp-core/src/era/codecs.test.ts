import { describe, expect, test } from 'vitest';
import { latestLegacyCodec, latestModernCodec, legacyCodec, pickModernCodec } from './codecs.ts';

describe('the codecs', () => {
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
