import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
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
  parent = tmpdir(),
): Promise<Fixture> {
  const base = await realpath(await mkdtemp(path.join(parent, 'fs-case-')));
  fillBase(base, files, outsideFiles);
  const started: StdioPeer[] = [];
  const { root } = pathsIn(base);
  return {
    ...pathsIn(base),
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

/**
 * Returns a function that makes fixtures one after another, all in the same directories, for the tests of a file that do not judge the process: `serve` without options gives the one server
 * of its era.
 */
export function shareServers(): (
  files?: FixtureFiles,
  outsideFiles?: FixtureFiles,
) => Promise<Fixture> {
  let shared: Fixture;
  const peers = new Map<Era, Promise<StdioPeer>>();
  beforeAll(async () => {
    shared = await createFixture();
  });
  afterAll(() => shared[Symbol.asyncDispose]());
  const peerOf = (era: Era): Promise<StdioPeer> => {
    const peer = peers.get(era) ?? shared.serve(era);
    peers.set(era, peer);
    return peer;
  };
  return (files = {}, outsideFiles = {}) => {
    empty(path.dirname(shared.root), shared.root);
    empty(shared.root);
    fillBase(path.dirname(shared.root), files, outsideFiles);
    return Promise.resolve({
      ...shared,
      serve: (era, options) => (options === undefined ? peerOf(era) : shared.serve(era, options)),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    });
  };
}

function pathsIn(base: string): Pick<Fixture, 'root' | 'outside' | 'at'> {
  const root = path.join(base, 'root');
  return {
    root,
    outside: path.join(base, 'outside'),
    at: (...names) => path.join(root, ...names),
  };
}

/** Removes everything in the folder but `kept`. */
function empty(folder: string, kept?: string): void {
  for (const name of readdirSync(folder)) {
    const entry = path.join(folder, name);
    if (entry !== kept) rmSync(entry, { recursive: true });
  }
}

function fillBase(base: string, files: FixtureFiles, outsideFiles: FixtureFiles): void {
  const { root, outside } = pathsIn(base);
  fill(root, files);
  fill(outside, outsideFiles);
}

function fill(folder: string, files: FixtureFiles): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
