/** Limits of the server under attack; an absent limit is off. */
export interface ServerLimits {
  readonly maxConnections: number;
  readonly maxSessions: number;
  readonly maxRequestBytes?: number;
  readonly maxUnsentBytes?: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bytes of a server without clients, and of what does not depend on options. */
const FIXED_BYTES = 192 * MIB;
/** Bytes of a connection with its parser, its headers and its incomplete or unread message. */
const CONNECTION_BYTES = 64 * KIB;
/** Bytes of a session. */
const SESSION_BYTES = 16 * KIB;
/** Bytes of JSON values for each byte of their text, at most: empty objects in a list. */
const PARSED = 24;
/** Bytes of the default event store: its limit in texts of two bytes for each character. */
const EVENT_STORE_BYTES = 2 * 64 * MIB;

/** Returns the most bytes that clients can make a server hold; docs/mcp-core.md states it. */
export function memoryBound({
  maxConnections,
  maxSessions,
  maxRequestBytes = 0,
  maxUnsentBytes = 0,
}: ServerLimits): number {
  return (
    FIXED_BYTES +
    CONNECTION_BYTES * maxConnections +
    SESSION_BYTES * maxSessions +
    PARSED * maxRequestBytes +
    maxUnsentBytes +
    EVENT_STORE_BYTES
  );
}
