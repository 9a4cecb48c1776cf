import { isJsonObject } from '../jsonrpc/envelope.ts';
import type { Implementation } from './capabilities.ts';

/** Whether a peer's description of itself has what every revision requires of it. */
export function isImplementation(value: unknown): value is Implementation {
  return isJsonObject(value) && typeof value.name === 'string' && typeof value.version === 'string';
}
