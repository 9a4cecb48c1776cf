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
