import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioPeer, type Era, type PeerOptions } from '../stdio-peer.test.support.ts';

export const program = fileURLToPath(
  new URL('../../../../../servers/filesystem/bin.js', import.meta.url),
);

export interface Fixture extends AsyncDisposable {
  /** The allowed directory. */
  readonly root: string;
  /** A directory beside it. */
  readonly outside: string;
  readonly at: (...names: readonly string[]) => string;
  /** Starts the server for `root`, or with these arguments. */
  readonly serve: (
    era: Era,
    options?: Partial<PeerOptions> & { readonly args?: readonly string[] },
  ) => Promise<StdioPeer>;
}

export interface FixtureFiles {
  readonly [path: string]: string | Buffer;
}

export async function createFixture(
  files: FixtureFiles = {},
  outsideFiles: FixtureFiles = {},
): Promise<Fixture> {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), 'fs-case-')));
  const [root, outside] = [path.join(base, 'root'), path.join(base, 'outside')];
  fill(root, files);
  fill(outside, outsideFiles);
  const started: StdioPeer[] = [];
  return {
    root,
    outside,
    at: (...names) => path.join(root, ...names),
    serve: async (era, { args = [root], ...options } = {}) => {
      const peer = await StdioPeer.start(program, args, { era, ...options });
      started.push(peer);
      return peer;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((peer) => peer[Symbol.asyncDispose]()));
      await rm(base, { recursive: true, force: true });
    },
  };
}

function fill(folder: string, files: FixtureFiles): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
