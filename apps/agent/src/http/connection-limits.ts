import { readFileSync } from 'node:fs';

export interface ConnectionLimits {
  /** Maximum open connections; further ones are closed at once. */
  readonly connections: number;
  /** Maximum open event streams; further ones are refused with 429. */
  readonly streams: number;
}

const MAX_CONNECTIONS = 8192;
/**
 * Descriptors reserved for servers, the database and the model provider. At least half of a small
 * limit is reserved.
 */
const RESERVED_DESCRIPTORS = 512;

/**
 * Returns the connections and streams that a limit of file descriptors allows. Default: the limit
 * of this process.
 */
export function connectionLimits(descriptors: number = descriptorLimit()): ConnectionLimits {
  const spare = Math.max(descriptors - RESERVED_DESCRIPTORS, Math.floor(descriptors / 2));
  const connections = Math.min(MAX_CONNECTIONS, spare);
  // Requests must remain possible while all streams are open.
  return { connections, streams: Math.floor(connections / 2) };
}

/**
 * Returns the hard limit, which Node makes the soft limit at start. Unlimited if the system reports
 * none.
 */
function descriptorLimit(): number {
  try {
    const limit = /^Max open files\s+\d+\s+(\d+)/m.exec(
      readFileSync('/proc/self/limits', 'utf8'),
    )?.[1];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}
