import { buildCodec } from './build-codec.ts';
import type { Codec } from './codec.ts';
import { REVISIONS } from './revisions.ts';
import type { ProtocolVersion } from './versions.ts';

const CODECS: ReadonlyMap<unknown, Codec> = new Map(
  REVISIONS.map((revision) => [revision.version, buildCodec(revision)]),
);
const NEWEST_FIRST = [...CODECS.values()];
const LEGACY = NEWEST_FIRST.filter((codec) => codec.era === 'legacy');
const MODERN = NEWEST_FIRST.filter((codec) => codec.era === 'modern');

/**
 * The newest legacy revision: clients offer it in `initialize`, and servers respond with it to an
 * unknown version.
 */
export const latestLegacyCodec: Codec = codecOf('2025-11-25');

/** The newest modern revision: clients try it first. */
export const latestModernCodec: Codec = codecOf('2026-07-28');

/** Returns the codec of a supported version. */
export function codecOf(version: ProtocolVersion): Codec {
  // CODECS has an entry for each version.
  return CODECS.get(version) as Codec;
}

/** Returns the codec of a legacy version; such versions are negotiated by `initialize`. */
export function legacyCodec(version: unknown): Codec | undefined {
  return LEGACY.find((codec) => codec.version === version);
}

/**
 * Returns the codec of the newest modern version in a peer's `supported` or `supportedVersions`
 * list. The list may also name legacy versions.
 */
export function pickModernCodec(supported: readonly unknown[]): Codec | undefined {
  return MODERN.find((codec) => supported.includes(codec.version));
}
