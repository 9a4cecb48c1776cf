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

/** The revision a client offers in `initialize`, and a server answers with when it does not know the one offered. */
export const latestLegacyCodec: Codec = codec20251125;

/** The revision a client tries first. */
export const latestModernCodec: Codec = codec20260728;

/** The version of a legacy HTTP request without `MCP-Protocol-Version`. @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header */
export const HEADERLESS_VERSION: ProtocolVersion = codec20250326.version;

/** Returns the codec of any supported version. */
export function codecOf(version: unknown): Codec | undefined {
  return NEWEST_FIRST.find((codec) => codec.version === version);
}

/** The codec of a revision that is spoken after `initialize`. */
export function legacyCodec(version: unknown): Codec | undefined {
  return LEGACY.find((codec) => codec.version === version);
}

/** The codec of a revision that travels in each request's `_meta`. */
export function modernCodec(version: unknown): Codec | undefined {
  return MODERN.find((codec) => codec.version === version);
}

/** The newest modern revision of a peer's `supported` or `supportedVersions` list that we speak; such lists may name legacy ones, too. */
export function pickModernCodec(supported: readonly unknown[]): Codec | undefined {
  return MODERN.find((codec) => supported.includes(codec.version));
}
