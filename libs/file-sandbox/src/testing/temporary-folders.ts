import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** An allowed directory with a forbidden directory beside it, for tests; disposal removes both. */
export interface TemporaryFolders extends AsyncDisposable {
  readonly root: string;
  readonly outside: string;
}

/** File contents by path relative to the folder. */
export interface FolderContents {
  readonly root?: { readonly [path: string]: string | Buffer };
  readonly outside?: { readonly [path: string]: string | Buffer };
}

export async function createTemporaryFolders(
  contents: FolderContents = {},
): Promise<TemporaryFolders> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'signalbox-filesystem-')));
  const root = path.join(base, 'root');
  const outside = path.join(base, 'outside');
  await fill(root, contents.root ?? {});
  await fill(outside, contents.outside ?? {});
  return {
    root,
    outside,
    async [Symbol.asyncDispose]() {
      // Much faster than the asynchronous form for thousands of files.
      await Promise.resolve(rmSync(base, { recursive: true, force: true }));
    },
  };
}

/**
 * Creates many entries of a folder as hard links to one file, because thousands of inodes take
 * seconds on some file systems.
 */
export function createManyEntries(folder: string, names: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const [first, ...others] = names.map((name) => path.join(folder, name));
  if (first === undefined) return;
  writeFileSync(first, '');
  for (const other of others) linkSync(first, other);
}

async function fill(
  folder: string,
  files: { readonly [path: string]: string | Buffer },
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
