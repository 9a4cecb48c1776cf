import { compactJsonBytes } from './compact-json.ts';
import { settledFileState, fileState } from './file-state.ts';
import type { OperationContext } from './operation.ts';
import type { QueryPage, ReadPageInput } from './protocol.ts';
import { readQuery } from './read-query.ts';

/**
 * Reads one page of the rows of a query. Runs the query again for each page, and tells whether the
 * database was written since the first one.
 */
export function readPage(
  { firstState, ...input }: ReadPageInput,
  { database, configuration, readWhole }: OperationContext,
): QueryPage {
  const { path } = configuration;
  const state = firstState ?? settledFileState(path);
  const result = readQuery(database, input, configuration, readWhole);
  return {
    rowCount: result.rowCount,
    truncated: result.truncated,
    firstState: state,
    hasChanged: firstState !== undefined && firstState !== fileState(path),
    body: [compactJsonBytes(result).subarray(0, -1)],
  };
}
