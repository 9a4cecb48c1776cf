import { readFileSync } from 'node:fs';

export interface ConnectionLimits {
  /** Open connections; further ones are closed at once. */
  readonly connections: number;
  /** Open event streams; further ones are refused with 503. */
  readonly streams: number;
}

const MAX_CONNECTIONS = 8192;
/** Descriptors for everything else: servers, the database, the model provider. At least half of a small limit is kept. */
const RESERVED_DESCRIPTORS = 512;

/** Returns how many connections and streams a process with this limit of file descriptors may hold; default the limit of this process. */
export function connectionLimits(descriptors: number = descriptorLimit()): ConnectionLimits {
  const spare = Math.max(descriptors - RESERVED_DESCRIPTORS, Math.floor(descriptors / 2));
  const connections = Math.min(MAX_CONNECTIONS, spare);
  // Requests must be possible while all streams are open.
  return { connections, streams: Math.floor(connections / 2) };
}

/** The hard limit, to which Node raises the soft one when it starts. Unlimited where the system does not say. */
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
