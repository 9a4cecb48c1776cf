import type { FileHandle } from 'node:fs/promises';
import { nodeCrypto } from '../node-crypto.ts';

/** Returns `sha256:` and the hexadecimal digest of the bytes. */
export function hashOf(bytes: Uint8Array): string {
  return `sha256:${nodeCrypto().createHash('sha256').update(bytes).digest('hex')}`;
}

/** Settings of the hash of a file. */
export interface HashFileOptions {
  readonly signal: AbortSignal;
  /** Called with the number of bytes read so far. */
  readonly onScanned?: ((bytes: number) => void) | undefined;
}

const chunkBytes = 1024 * 1024;

/** Returns the hash of a whole file, in constant memory. */
export async function hashOfFile(
  handle: FileHandle,
  { signal, onScanned }: HashFileOptions,
): Promise<string> {
  const hash = nodeCrypto().createHash('sha256');
  const buffer = Buffer.allocUnsafe(chunkBytes);
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) return `sha256:${hash.digest('hex')}`;
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
    onScanned?.(position);
  }
}
