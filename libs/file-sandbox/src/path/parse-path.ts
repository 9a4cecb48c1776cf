import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { outsideError, PathError } from './path-error.ts';

/**
 * Returns the absolute path that an argument names: absolute, relative to `baseDirectory`, or a
 * `file:` URL. Decodes URLs only, never expands `~`, and resolves `..` by text, before any symbolic
 * link.
 * @throws PathError `invalid` or `outside`
 */
export function parsePath(
  input: string,
  baseDirectory: string,
  rules: PathRules = platformRules,
): string {
  if (input === '')
    throw new PathError('invalid', 'The path is empty. Use "." for the first allowed directory.');
  if (input.includes('\0')) throw new PathError('invalid', 'The path contains a NUL character.');
  // The system would get U+FFFD in its place, which names another file.
  if (!input.isWellFormed())
    throw new PathError('invalid', 'The path contains half of a surrogate pair.');
  const given = input.startsWith('file:') ? pathOfFileUrl(input, rules) : input;
  if (given.length > maxPathLength)
    throw new PathError('invalid', `The path is longer than ${maxPathLength} characters.`);
  if (/^~(?:[/\\]|$)/.test(given)) throw outsideError(`${input} (~ is not expanded)`);
  if (rules.windows) refuseWindowsTricks(given, input);
  return (rules.windows ? path.win32 : path.posix).resolve(baseDirectory, given);
}

/**
 * Longest path in characters. The system opens no longer ones, and the search for their existing
 * part takes quadratic time.
 */
const maxPathLength = 4096;

export interface PathRules {
  readonly windows: boolean;
}

export const platformRules: PathRules = { windows: path.sep === '\\' };

function pathOfFileUrl(url: string, rules: PathRules): string {
  try {
    return fileURLToPath(url, { windows: rules.windows });
  } catch (error) {
    throw new PathError(
      'invalid',
      `${url} is not a usable file URL: write file:///absolute/path with special characters percent-encoded.`,
      { cause: error },
    );
  }
}

/**
 * Rejects spellings that Windows resolves to other files: device namespaces, alternate streams,
 * reserved names and trimmed names.
 */
function refuseWindowsTricks(given: string, input: string): void {
  if (/^[\\/]{2}[.?][\\/]/.test(given))
    throw new PathError(
      'invalid',
      `${input}: device paths (\\\\?\\ and \\\\.\\) are not accepted.`,
    );
  const segments = given.replace(/^[A-Za-z]:/, '').split(/[\\/]/);
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..') continue;
    if (/[<>:"|?*]/.test(segment))
      throw new PathError(
        'invalid',
        `${input}: the name ${segment} contains a character Windows reserves.`,
      );
    if (/[. ]$/.test(segment))
      throw new PathError(
        'invalid',
        `${input}: the name ${segment} ends in a dot or space, which Windows drops.`,
      );
    if (
      /^(?:con|prn|aux|nul|com[\d\u00b9\u00b2\u00b3]|lpt[\d\u00b9\u00b2\u00b3]|conin\$|conout\$) *(?:\.|$)/i.test(
        segment,
      )
    ) {
      throw new PathError('invalid', `${input}: ${segment} is a Windows device name.`);
    }
  }
}
