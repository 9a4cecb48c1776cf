import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { KEY_BYTES, parseSecretKeys } from '../config/secret-keys.ts';
import { SecretBox } from './secret-box.ts';

/** Name of the file with the keys in the data directory. */
export const KEY_FILE = 'secret.key';

export interface SecretKeySources {
  /** Keys of the environment; undefined: those of the data directory. */
  readonly given: readonly Buffer[] | undefined;
  readonly dataDir: string;
}

/**
 * Returns a function that returns the box of the service. Its first call loads the keys: those of
 * the environment, or else of the file `secret.key` in the data directory, which it creates with
 * mode 0600 if it is missing.
 */
export function secretBoxOf({ given, dataDir }: SecretKeySources): () => SecretBox {
  let box: SecretBox | undefined;
  return () => (box ??= new SecretBox(given ?? fileKeys(dataDir)));
}

function fileKeys(dataDir: string): readonly Buffer[] {
  const file = join(dataDir, KEY_FILE);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) create(dataDir, file);
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  return parseSecretKeys(readFileSync(file, 'utf8'), file);
}

/** Creates the file with its content at once, so that another process reads the same key. */
function create(dataDir: string, file: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  const key = randomBytes(KEY_BYTES).toString('base64');
  writeFileSync(draft, `${key}\n`, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
