import { mkdir, mkdtemp, realpath, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Sample files for the file servers. */
export interface SampleFiles extends AsyncDisposable {
  readonly root: string;
  /** Directories of 500 empty files each; 300 by default. */
  readonly tree: string;
  readonly directories: number;
  /** 1 MiB of text in lines of 64 characters. */
  readonly text: string;
  readonly textLength: number;
  /** 600 MiB without a line end; sparse, so that nothing is written. */
  readonly huge: string;
}

export const FILES_PER_DIRECTORY = 500;

export async function createSampleFiles(directories: number): Promise<SampleFiles> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'bench-files-')));
  const tree = join(root, 'tree');
  for (let directory = 0; directory < directories; directory += 1) {
    const path = join(tree, `d${String(directory)}`);
    await mkdir(path, { recursive: true });
    const names = Array.from(
      { length: FILES_PER_DIRECTORY },
      (_, index) => `f${String(index)}.txt`,
    );
    await Promise.all(names.map((name) => writeFile(join(path, name), '')));
  }
  const text = join(root, 'text.txt');
  const lines = 'the quick brown fox jumps over the lazy dog and does it again..\n'.repeat(16_384);
  await writeFile(text, lines);
  const huge = join(root, 'huge.txt');
  await writeFile(huge, '');
  await truncate(huge, 600 * 1024 * 1024);
  return {
    root,
    tree,
    directories,
    text,
    textLength: lines.length,
    huge,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
