import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { Opener, PinnedPath } from '@signalbox/file-sandbox';
import { pinInPlace } from './pin-in-place.ts';

export interface Signature {
  /** Differs when the content may differ; empty for a missing path. */
  readonly text: string;
  readonly isDirectory: boolean;
}

export const missing: Signature = { text: '', isDirectory: false };

/** Entries that the signature of a tree covers. */
const maxTreeEntries = 10_000;

/**
 * Returns a signature that changes with the content of a file, or with the entries of a directory,
 * without reading it; `missing` also when a link on the way leads elsewhere. Never throws.
 */
export async function signatureOf(opener: Opener, target: string): Promise<Signature> {
  try {
    await using parent = await pinInPlace(opener, path.dirname(target));
    return parent === undefined ? missing : await entrySignature(parent, path.basename(target));
  } catch {
    return missing;
  }
}

/** Returns the signatures of a directory and of up to 10,000 entries below it that are not hidden. Never throws. */
export async function treeSignature(
  opener: Opener,
  target: string,
  isHidden: (realPath: string) => boolean,
): Promise<Signature> {
  const top = await signatureOf(opener, target);
  const lines = [top.text];
  const waiting = top.isDirectory ? [target] : [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const directory = next;
    for await (const [entry, signature] of entrySignatures(opener, directory)) {
      if (isHidden(entry)) continue;
      lines.push(`${entry}\n${signature.text}`);
      if (signature.isDirectory) waiting.push(entry);
      if (lines.length > maxTreeEntries) return { ...top, text: lines.join('\n') };
    }
  }
  return { ...top, text: lines.join('\n') };
}

/** Yields nothing for a directory that cannot be read. */
async function* entrySignatures(
  opener: Opener,
  directory: string,
): AsyncGenerator<readonly [string, Signature]> {
  try {
    await using pinned = await pinInPlace(opener, directory);
    if (pinned === undefined) return;
    for await (const { name } of await pinned.entries())
      yield [
        path.join(directory, name),
        await entrySignature(pinned, name).catch(() => missing),
      ] as const;
  } catch {
    return;
  }
}

async function entrySignature(parent: PinnedPath, name: string): Promise<Signature> {
  await parent.verify();
  const stats = await lstat(`${parent.address}/${name || '.'}`, { bigint: true });
  return {
    text: [stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeNs].join(':'),
    isDirectory: stats.isDirectory(),
  };
}
