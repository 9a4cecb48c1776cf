import { fileURLToPath, pathToFileURL } from 'node:url';
import { ResourceNotFoundError } from '@signalbox/mcp-core';

/** The `file://` URI of an absolute path, special characters percent-encoded. */
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

/** The value of `path` in `file:///{+path}` that stands for an absolute path. That expansion leaves `%`, `#` and `?` as they are. */
export function templateValueOf(absolutePath: string): string {
  const slashed =
    process.platform === 'win32' ? absolutePath.replaceAll('\\', '/') : absolutePath.slice(1);
  return slashed.replaceAll(/[%#?]/g, (character) => encodeURIComponent(character));
}

/** The absolute path of a possibly incomplete value of `path`. */
export function pathOfTemplateValue(value: string): string {
  const decoded = value.replaceAll(/%(?:25|23|3f)/gi, (encoded) => decodeURIComponent(encoded));
  return process.platform === 'win32' ? decoded : `/${decoded}`;
}
