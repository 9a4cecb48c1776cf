import type { Era, ProtocolVersion } from '../protocol/capabilities.ts';
import { legacyCodec, modernCodec } from './codecs.ts';

/** The revision of a legacy request that nothing else tells about. @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header */
export const HEADERLESS_VERSION: ProtocolVersion = '2025-03-26';

/** The era of a version as a header names it; `undefined` for one that is not spoken here. */
export function eraOf(version: string): Era | undefined {
  return (modernCodec(version) ?? legacyCodec(version))?.era;
}

/**
 * Whether clients of this revision take an event with an id and no data, and come back for the rest of a stream whose connection was closed.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
 */
export function hasPrimingEvents(version: ProtocolVersion | undefined): boolean {
  return version === '2025-11-25';
}

/** Whether a server must accept arrays of messages in this revision. */
export function hasBatches(version: ProtocolVersion): boolean {
  return legacyCodec(version)?.hasBatches ?? false;
}
