import { describe, expect, test } from 'vitest';
import { legacyRevision, modernRevision } from './revisions.ts';
import { PROTOCOL_VERSIONS } from './versions.ts';

describe('the revisions', () => {
  test('cover every protocol version in exactly one era', () => {
    const eras = PROTOCOL_VERSIONS.map((version) => [
      legacyRevision(version)?.version,
      modernRevision(version)?.version,
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
      legacyRevision('2023-01-01'),
      legacyRevision(undefined),
      modernRevision('DRAFT'),
      modernRevision(20260728),
    ]).toEqual([undefined, undefined, undefined, undefined]);
  });
});
