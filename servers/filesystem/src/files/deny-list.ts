import path from 'node:path';
import type { DenyList } from '@signalbox/file-sandbox';
import { compilePatterns } from './glob.ts';

export interface DenyListOptions {
  /** Default: true on platforms whose file systems usually ignore case. */
  readonly ignoreCase?: boolean;
}

/**
 * Compiles globs that are matched against the relative path, against each directory above it, and
 * against their names. Different Unicode spellings of a name are equal. Returns `undefined` without globs.
 * @throws PathError `invalid` for a glob that cannot be used
 */
export function createDenyList(
  globs: readonly string[],
  options: DenyListOptions = {},
): DenyList | undefined {
  if (globs.length === 0) return undefined;
  const { ignoreCase = process.platform === 'win32' || process.platform === 'darwin' } = options;
  const fold = (text: string) =>
    ignoreCase ? text.normalize('NFC').toLowerCase() : text.normalize('NFC');
  const matchers = compilePatterns(globs.map(fold));
  return (relativePath) => {
    if (relativePath === '') return false;
    const names = fold(relativePath.replaceAll(path.sep, '/')).split('/');
    return names.some((name, index) => {
      const prefix = names.slice(0, index + 1).join('/');
      return matchers.some((matches) => matches(prefix) || matches(name));
    });
  };
}
