import { PROTOCOL_VERSIONS, type ProtocolVersion } from './versions.ts';
import { codec20241105 } from './codec-2024-11-05.ts';
import { codec20250326 } from './codec-2025-03-26.ts';
import { codec20250618 } from './codec-2025-06-18.ts';
import { codec20251125 } from './codec-2025-11-25.ts';
import { codec20260728 } from './codec-2026-07-28.ts';
import type { Codec } from './codec.ts';

const CODECS: { readonly [V in ProtocolVersion]: Codec } = {
  '2026-07-28': codec20260728,
  '2025-11-25': codec20251125,
  '2025-06-18': codec20250618,
  '2025-03-26': codec20250326,
  '2024-11-05': codec20241105,
};

const NEWEST_FIRST = PROTOCOL_VERSIONS.map((version) => CODECS[version]);
const LEGACY = NEWEST_FIRST.filter((codec) => codec.era === 'legacy');
const MODERN = NEWEST_FIRST.filter((codec) => codec.era === 'modern');

/**
 * The newest legacy revision: clients offer it in `initialize`, and servers respond with it to an
 * unknown version.
 */
export const latestLegacyCodec: Codec = codec20251125;

/** The newest modern revision: clients try it first. */
export const latestModernCodec: Codec = codec20260728;

/** The version of a legacy HTTP request without `MCP-Protocol-Version`. @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header */
export const HEADERLESS_VERSION: ProtocolVersion = codec20250326.version;

/** Returns the codec of any supported version. */
export function codecOf(version: unknown): Codec | undefined {
  return NEWEST_FIRST.find((codec) => codec.version === version);
}

/** Returns the codec of a legacy version; such versions are negotiated by `initialize`. */
export function legacyCodec(version: unknown): Codec | undefined {
  return LEGACY.find((codec) => codec.version === version);
}

/** Returns the codec of a modern version; such versions are named in each request's `_meta`. */
export function modernCodec(version: unknown): Codec | undefined {
  return MODERN.find((codec) => codec.version === version);
}

/**
 * Returns the codec of the newest modern version in a peer's `supported` or `supportedVersions`
 * list. The list may also name legacy versions.
 */
export function pickModernCodec(supported: readonly unknown[]): Codec | undefined {
  return MODERN.find((codec) => supported.includes(codec.version));
}
