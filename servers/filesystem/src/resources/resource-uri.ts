import { fileURLToPath, pathToFileURL } from 'node:url';
import { ResourceNotFoundError } from '@signalbox/mcp-core';

/** Returns the `file://` URI of an absolute path, with special characters percent-encoded. */
export function uriOf(absolutePath: string): string {
  return pathToFileURL(absolutePath).href;
}

/** @throws ResourceNotFoundError for anything that is not a `file:` URI of this machine */
export function pathOfUri(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    throw new ResourceNotFoundError(uri);
  }
}

/**
 * Returns the value of `path` in `file:///{+path}` for an absolute path. The expansion does not
 * encode `%`, `#` and `?`.
 */
export function templateValueOf(absolutePath: string): string {
  const slashed =
    process.platform === 'win32' ? absolutePath.replaceAll('\\', '/') : absolutePath.slice(1);
  return slashed.replaceAll(/[%#?]/g, (character) => encodeURIComponent(character));
}

/** Returns the absolute path of a value of `path`, which may be incomplete. */
export function pathOfTemplateValue(value: string): string {
  const decoded = value.replaceAll(/%(?:25|23|3f)/gi, (encoded) => decodeURIComponent(encoded));
  return process.platform === 'win32' ? decoded : `/${decoded}`;
}
