import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** For tests: an allowed directory with a forbidden one beside it; both are removed when the test ends. */
export interface TemporaryFolders extends AsyncDisposable {
  readonly root: string;
  readonly outside: string;
}

/** Files are given by path relative to the folder. */
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
      // Much faster than its asynchronous form for the thousands of files of some tests.
      await Promise.resolve(rmSync(base, { recursive: true, force: true }));
    },
  };
}

/** Makes one file appear under many names of a folder; links, because creating thousands of inodes takes seconds on some file systems. */
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
