import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import {
  chooseOpener,
  createSandboxBase,
  findAllowedDirectories,
  PathError,
  requireRegularFile,
  Sandbox,
  writeStreamed,
  type StreamedFile,
} from '@signalbox/file-sandbox';

/** Files beside a database that belong to it. @see https://www.sqlite.org/tempfiles.html */
const DATABASE_SUFFIXES = ['', '-wal', '-shm', '-journal'];
const CHUNK_BYTES = 256 * 1024;

/** Opens the data directory, once. */
export type OpenDataFolder = () => Promise<DataFolder>;

export interface DataFolderOptions {
  /** Paths of the databases; they and their journals can be neither imported nor exported to. */
  readonly databases: readonly string[];
  /** Whether to accept, on a Linux without `/proc`, paths that are only checked before and after use; default false. */
  readonly allowRecheck?: boolean;
}

/** A file that is imported. The caller closes it. */
export interface SourceFile extends AsyncDisposable {
  readonly realPath: string;
  readonly size: number;
  /**
   * Returns the bytes, a character for each byte, in chunks of at most 256 KiB. `onRead` receives the number of bytes so far.
   * @throws PathError `refused` when the file changes meanwhile
   */
  chunks(onRead: (bytes: number) => void): AsyncGenerator<string, void>;
}

/** The directory of imported and exported files. Links, `..` and special files do not lead out of it. */
export class DataFolder {
  readonly #sandbox: Sandbox;

  private constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  /** @throws PathError when the directory cannot be used, and NoKernelHandlesError */
  static async open(directory: string, options: DataFolderOptions): Promise<DataFolder> {
    const opener = await chooseOpener('/', { allowRecheck: options.allowRecheck });
    const found = await findAllowedDirectories([directory], opener);
    const [root] = found.directories;
    if (root === undefined) throw new PathError('not-found', found.problems.join('; '));
    await using pinned = await opener.pin(root.realPath);
    if (!pinned.stats.isDirectory())
      throw new PathError('wrong-type', `${directory} is not a directory`);
    const files = await Promise.all(options.databases.map((file) => realPathOf(file, opener)));
    const denied = new Set(
      files.flatMap((file) =>
        DATABASE_SUFFIXES.map((suffix) => path.relative(root.realPath, file + suffix)),
      ),
    );
    const { directories } = found;
    const isDenied = (relativePath: string) => denied.has(relativePath);
    return new DataFolder(
      new Sandbox(directories, 'cli', createSandboxBase(opener, { directories, isDenied })),
    );
  }

  /** @throws PathError */
  async source(given: string): Promise<SourceFile> {
    await using file = await this.#sandbox.pin(given);
    requireRegularFile(file);
    const handle = await file.open(constants.O_RDONLY);
    const { size, mtimeMs } = await handle.stat();
    return {
      realPath: file.realPath,
      size,
      chunks: (onRead) => readChunks(handle, { given, size, mtimeMs, onRead }),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  }

  /** Returns the size of an existing file, `undefined` when the name is free. @throws PathError */
  async sizeOf(given: string): Promise<number | undefined> {
    try {
      await using file = await this.#sandbox.pin(given);
      return file.stats.size;
    } catch (error) {
      if (error instanceof PathError && error.reason === 'not-found') return undefined;
      throw error;
    }
  }

  /**
   * Writes a file piece by piece; readers see it when it is complete.
   * @throws PathError, and what `write` throws; then the target is as it was
   */
  write(
    given: string,
    write: (append: (text: string) => Promise<void>) => Promise<void>,
    options: { readonly overwrite: boolean; readonly signal: AbortSignal },
  ): Promise<StreamedFile> {
    return writeStreamed(
      this.#sandbox,
      { path: given, write: (handle) => write((text) => handle.appendFile(text)) },
      { ...options, existsAdvice: 'Set overwrite to replace it, or choose another name.' },
    );
  }
}

/** Resolves links of a database's path as the database does, also when the file does not exist yet. */
async function realPathOf(
  file: string,
  opener: Awaited<ReturnType<typeof chooseOpener>>,
): Promise<string> {
  try {
    await using pinned = await opener.pin(file);
    return pinned.realPath;
  } catch {
    return file;
  }
}

interface ReadState {
  readonly given: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly onRead: (bytes: number) => void;
}

async function* readChunks(
  handle: FileHandle,
  { given, size, mtimeMs, onRead }: ReadState,
): AsyncGenerator<string, void> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = 0;
  while (position < size) {
    const wanted = Math.min(CHUNK_BYTES, size - position);
    const { bytesRead } = await handle.read(buffer, 0, wanted, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    onRead(position);
    yield buffer.toString('latin1', 0, bytesRead);
  }
  const now = await handle.stat();
  if (position < size || now.size !== size || now.mtimeMs !== mtimeMs)
    throw new PathError(
      'refused',
      `${given} changed while it was read; nothing was imported. Try again.`,
    );
}
