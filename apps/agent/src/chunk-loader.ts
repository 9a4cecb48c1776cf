import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** Location of the code cache. */
export interface CodeCache {
  /** Absolute path of a folder, which is created if it does not exist. */
  readonly folder: string;
  /** Calls the argument while V8 has the flags with which all code caches are written: V8 rejects a cache that was written with other flags. */
  readonly withFixedFlags: <T>(work: () => T) => T;
}

/** A chunk evaluates to this function, which runs the chunk and sets `module.exports`. */
type Chunk = (
  ...scope: [
    exports: object,
    require: (name: string) => unknown,
    module: { exports: object },
    filename: string,
    dirname: string,
    url: string,
    importChunk: (name: string) => Promise<object>,
  ]
) => void;

/** The first bytes of a cache file: the checksums of the chunk's text and of V8's data. */
const HEADER_BYTES = 8;

/**
 * Loads the chunks of a bundle. V8's code cache of a chunk also holds the functions that a start has run. Node's own compile cache is written before a module runs,
 * so each start would compile these functions again, in a quarter of its time. A loader is for one process; each chunk runs once.
 *
 * @see https://nodejs.org/docs/latest-v24.x/api/vm.html#scriptcreatecacheddata
 */
export class ChunkLoader {
  readonly #folder: string;
  /** Beginning of the names of the cache files: the folder may also hold caches of other bundles. */
  readonly #cachePrefix: string;
  readonly #require: (name: string) => unknown;
  readonly #modules = new Map<string, { exports: object }>();
  /** Scripts that were compiled without a cache, by the names of their chunks. */
  readonly #uncached = new Map<string, { readonly script: Script; readonly checksum: number }>();
  #cache: CodeCache | undefined;

  /** @param folder absolute path of the chunks */
  constructor(folder: string) {
    this.#folder = folder;
    this.#cachePrefix = `${crc32(folder).toString(16).padStart(8, '0')}-`;
    this.#require = createRequire(join(folder, 'chunk-loader.js'));
  }

  /**
   * Reads and writes caches of the chunks that are loaded from here on. Ignores a folder that cannot be created, or that another user can write to or replace: a cache is code.
   */
  useCodeCache({ folder, withFixedFlags }: CodeCache): void {
    const ownFolder = createOwnFolder(folder);
    if (ownFolder !== undefined) this.#cache = { folder: ownFolder, withFixedFlags };
  }

  /** Returns the exports of a chunk, which runs if it has not. `name` is relative to the folder and begins with `./`. */
  load(name: string): object {
    const known = this.#modules.get(name);
    if (known !== undefined) return known.exports;
    const filename = join(this.#folder, name);
    const module = { exports: {} };
    this.#modules.set(name, module);
    try {
      const run = this.#compile(name, filename).runInThisContext() as Chunk;
      run(
        module.exports,
        (needed) => this.#requireFrom(needed),
        module,
        filename,
        this.#folder,
        pathToFileURL(filename).href,
        (needed) => this.importChunk(needed),
      );
    } catch (error) {
      this.#modules.delete(name);
      throw error;
    }
    return module.exports;
  }

  /** Returns the exports of a chunk as `import()` does. */
  async importChunk(name: string): Promise<object> {
    return this.load(name);
  }

  /**
   * Writes the caches of the chunks that had none, with the functions that have run until now, and removes files of earlier builds. Never rejects: a process without caches starts
   * more slowly.
   */
  async saveCodeCache(): Promise<void> {
    const cache = this.#cache;
    if (cache === undefined || this.#uncached.size === 0) return;
    for (const [name, { script, checksum }] of this.#uncached) {
      this.#uncached.delete(name);
      const data = cache.withFixedFlags(() => script.createCachedData());
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt32LE(checksum, 0);
      header.writeUInt32LE(crc32(data), 4);
      const file = this.#cacheFile(cache, name);
      const temporary = `${file}.${randomUUID()}`;
      try {
        await writeFile(temporary, Buffer.concat([header, data]), { mode: 0o600, flag: 'wx' });
        await rename(temporary, file);
      } catch {
        await rm(temporary, { force: true }).catch(() => undefined);
      }
    }
    await this.#removeOldFiles(cache).catch(() => undefined);
  }

  /** Removes the caches of chunks that the bundle does not have, and temporary files, which killed processes leave. */
  async #removeOldFiles({ folder }: CodeCache): Promise<void> {
    const chunks = new Set(await readdir(this.#folder));
    const prefix = this.#cachePrefix;
    const isOld = (file: string): boolean =>
      file.startsWith(prefix) && !chunks.has(file.slice(prefix.length));
    for (const file of await readdir(folder))
      if (isOld(file)) await rm(join(folder, file), { force: true });
  }

  #requireFrom(name: string): unknown {
    return name.startsWith('./') ? this.load(name) : this.#require(name);
  }

  #compile(name: string, filename: string): Script {
    const source = readFileSync(filename, 'utf8');
    const cache = this.#cache;
    const options = {
      filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    };
    if (cache === undefined) return new Script(source, options);
    const checksum = crc32(source);
    const cachedData = readCache(this.#cacheFile(cache, name), checksum);
    const script = cache.withFixedFlags(
      () => new Script(source, cachedData === undefined ? options : { ...options, cachedData }),
    );
    if (script.cachedDataRejected !== false) this.#uncached.set(name, { script, checksum });
    return script;
  }

  #cacheFile({ folder }: CodeCache, name: string): string {
    return join(folder, `${this.#cachePrefix}${basename(name)}`);
  }
}

/** Creates a folder if it does not exist. Returns its path without symbolic links, or nothing if users outside of its group can write to it or replace it. */
export function createOwnFolder(folder: string): string | undefined {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = realpathSync.native(folder);
    const userId = process.getuid?.();
    if (userId === undefined) return path;
    const { uid, mode } = statSync(path);
    const isOwn = uid === userId && (mode & 0o002) === 0;
    return isOwn && isProtected(dirname(path), userId) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Whether no user outside of their groups can rename the user's entries in this folder and the folders above it. */
function isProtected(folder: string, userId: number): boolean {
  const { uid, mode } = statSync(folder);
  const isSticky = (mode & 0o1000) !== 0;
  if ((uid !== userId && uid !== 0) || ((mode & 0o002) !== 0 && !isSticky)) return false;
  const parent = dirname(folder);
  return parent === folder || isProtected(parent, userId);
}

function readCache(file: string, checksum: number): Buffer | undefined {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch {
    return undefined;
  }
  if (content.length <= HEADER_BYTES) return undefined;
  const data = content.subarray(HEADER_BYTES);
  return content.readUInt32LE(0) === checksum && content.readUInt32LE(4) === crc32(data)
    ? data
    : undefined;
}

/** Loads the chunks of the bundle that this file is part of. */
export const chunks = new ChunkLoader(import.meta.dirname);
