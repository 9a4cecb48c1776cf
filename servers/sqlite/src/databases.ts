import { ToolError } from '@signalbox/mcp-core';
import { ExecutorPool, type ReaderPool, type WriterPool } from './executor-pool.ts';
import type { SqliteLimits } from './limits.ts';

/** A database with its query processes. */
export interface ServedDatabase {
  readonly name: string;
  readonly path: string;
  /** Processes with a read-only connection. */
  readonly readers: ReaderPool;
  /** The process that writes, one write at a time; `undefined` in a read-only server. */
  readonly writer: WriterPool | undefined;
}

export interface DatabasesOptions {
  /** Paths of the database files by name; the first is the default. */
  readonly files: { readonly [name: string]: string };
  readonly limits: SqliteLimits;
  readonly readOnly: boolean;
  /** Called with a line for each query process that ended by itself. */
  readonly onCrash: (message: string) => void;
}

/** The databases of a server, in the order of the command line. Starts the reader of the first at once. */
export class Databases {
  readonly #byName: ReadonlyMap<string, ServedDatabase>;

  constructor({ files, ...options }: DatabasesOptions) {
    this.#byName = new Map(
      Object.entries(files).map(([name, path]) => [name, serve(name, path, options)]),
    );
    this.get().readers.warm();
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** Returns the database of this name, or `undefined`. */
  find(name: string): ServedDatabase | undefined {
    return this.#byName.get(name);
  }

  /**
   * Returns the database of this name, by default the first.
   * @throws ToolError that lists the names
   */
  get(name = this.names[0] ?? ''): ServedDatabase {
    const database = this.#byName.get(name);
    if (database === undefined)
      throw new ToolError(
        `There is no database ${JSON.stringify(name.slice(0, 100))}. Existing: ${this.names.join(', ')}.`,
      );
    return database;
  }

  /** Ends every operation and its process. The writers end last, so that they can write back a WAL. */
  async close(): Promise<void> {
    const all = [...this.#byName.values()];
    await Promise.all(all.map(({ readers }) => readers.close()));
    await Promise.all(all.flatMap(({ writer }) => (writer === undefined ? [] : [writer.close()])));
  }
}

function serve(
  name: string,
  path: string,
  { limits, readOnly, onCrash }: Omit<DatabasesOptions, 'files'>,
): ServedDatabase {
  const writer: WriterPool | undefined = readOnly
    ? undefined
    : new ExecutorPool({ path, limits, isWriter: true, onCrash });
  const never = new AbortController().signal;
  const recovery = writer === undefined ? {} : { recover: () => writer.run('recover', {}, never) };
  const readers: ReaderPool = new ExecutorPool({ path, limits, onCrash, ...recovery });
  return { name, path, readers, writer };
}
