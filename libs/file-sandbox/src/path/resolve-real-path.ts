import { realpath as realpathByLinks } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { errorCode } from './path-error.ts';

/**
 * Resolves symbolic links and returns the spelling that the file system stores. Virtual drives of
 * Windows (RAM disks, some cloud folders) cannot report it; there the given spelling is kept.
 * @throws the system error
 */
export async function resolveRealPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || !unsupportedCodes.has(code)) throw error;
    return await process.getBuiltinModule('node:util').promisify(realpathByLinks)(path);
  }
}

const unsupportedCodes: ReadonlySet<string> = new Set(['EISDIR', 'EINVAL', 'ENOSYS', 'UNKNOWN']);
