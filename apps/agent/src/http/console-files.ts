import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
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

/** The built web console: static files, some of them also compressed. */
export class ConsoleFiles {
  readonly #folder: string;
  readonly #paths: ReadonlySet<string>;

  private constructor(folder: string, paths: ReadonlySet<string>) {
    this.#folder = folder;
    this.#paths = paths;
  }

  /** Lists the files of a folder. Returns undefined if it has no `index.html`. */
  static async open(folder: string): Promise<ConsoleFiles | undefined> {
    const entries = await readdir(folder, { recursive: true }).catch(() => []);
    const paths = new Set(entries.map((path) => path.replaceAll('\\', '/')));
    return paths.has('index.html') ? new ConsoleFiles(folder, paths) : undefined;
  }

  /**
   * Reads a file in the first encoding that the client accepts.
   * @param path - Path relative to the folder, with forward slashes. Only listed files exist, so a path cannot leave the folder.
   * @param accepted - The header `accept-encoding`.
   */
  async read(path: string, accepted = ''): Promise<ConsoleFile | undefined> {
    const type = TYPES[extname(path)];
    if (type === undefined || !this.#paths.has(path)) return undefined;
    const encoding = ENCODINGS.find(
      ({ name, extension }) => accepts(accepted, name) && this.#paths.has(path + extension),
    );
    const content = await readFile(join(this.#folder, path + (encoding?.extension ?? '')));
    const digest = createHash('sha256').update(content).digest('base64url').slice(0, 22);
    return { type, encoding: encoding?.name, etag: `"${digest}"`, content };
  }
}

/** Whether an `accept-encoding` header lists an encoding without `q=0`. */
function accepts(header: string, encoding: string): boolean {
  return header.split(',').some((entry) => {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each));
  });
}
