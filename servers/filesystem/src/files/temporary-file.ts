import { nodeCrypto } from './node-crypto.ts';

/** A name for a file that becomes another; what a crash leaves behind is recognised by it, and may be removed. */
export function temporaryName(): string {
  return `.signalbox-${nodeCrypto().randomBytes(8).toString('hex')}.tmp`;
}
