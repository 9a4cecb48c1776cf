import type { PathError } from '@signalbox/file-sandbox';
import { ToolError } from '@signalbox/mcp-core';
import type { DataFolder, OpenDataFolder } from '../files/data-folder.ts';

/** @throws ToolError when the server has no data directory */
export async function requireDataFolder(open: OpenDataFolder | undefined): Promise<DataFolder> {
  if (open !== undefined) return open();
  throw new ToolError(
    'File paths are refused, because the server was started without --data-dir DIR. Start it with this option, or leave out path.',
  );
}

/** Converts the error of a path to the answer for the model. */
export function fileError(error: PathError): ToolError {
  const advice =
    error.reason === 'outside' ? ' Files are read and written below the data directory only.' : '';
  return new ToolError(`${error.message}${advice}`, { cause: error });
}
