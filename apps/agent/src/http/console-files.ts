import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A file of the web console in one encoding. */
export interface ConsoleFile {
  /** Media type of the content. */
  readonly type: string;
  readonly encoding: 'br' | 'gzip' | undefined;
  readonly etag: string;
  readonly content: Buffer;
}

const TYPES: { readonly [extension: string]: string } = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};
const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;
const PLAIN = { name: undefined, extension: '' } as const;

/** Paths of files in the folder or in its subfolder `assets`, so that none leads elsewhere. */
const PATH = /^(?:assets\/)?[\w-][\w.-]*$/;

/**
 * The built web console: static files, some of them also compressed. They are read at each request, because a build replaces them
 * while the service runs.
 */
export class ConsoleFiles {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens a folder. Returns undefined if it has no `index.html`. */
  static async open(folder: string): Promise<ConsoleFiles | undefined> {
    const files = new ConsoleFiles(folder);
    return (await files.#contentOf('index.html')) === undefined ? undefined : files;
  }

  /**
   * Reads a file in the first encoding that the client accepts. Returns undefined for a file that does not exist.
   * @param path - Path relative to the folder, with forward slashes.
   * @param accepted - The header `accept-encoding`.
   */
  async read(path: string, accepted = ''): Promise<ConsoleFile | undefined> {
    const type = TYPES[extname(path)];
    if (type === undefined || !PATH.test(path)) return undefined;
    for (const { name, extension } of [...ENCODINGS, PLAIN]) {
      if (name !== undefined && !accepts(accepted, name)) continue;
      const content = await this.#contentOf(path + extension);
      if (content === undefined) continue;
      const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22);
      return { type, encoding: name, etag: `"${digest}"`, content };
    }
    return undefined;
  }

  async #contentOf(path: string): Promise<Buffer | undefined> {
    try {
      return await readFile(join(this.#folder, path));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw error;
    }
  }
}

/** Whether an `accept-encoding` header lists an encoding without `q=0`. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((entry) => {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each));
  });
}
