import { hash } from 'node:crypto';
import { canonicalJson } from '@signalbox/mcp-core';

/** Returns the SHA-256 of the canonical JSON text of a value, in hex. */
export function digestOf(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex');
}
