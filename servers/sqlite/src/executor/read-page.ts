import { fileState, waitForClockTick } from './file-state.ts';
import type { OperationContext } from './operation.ts';
import type { QueryPage, ReadPageInput } from './protocol.ts';
import { readQuery } from './read-query.ts';

/**
 * Reads one page of the rows of a query. Runs the query again for each page, and tells whether the
 * database was written since the first one.
 */
export function readPage(
  { firstState, ...input }: ReadPageInput,
  { database, configuration }: OperationContext,
): QueryPage {
  const { path } = configuration;
  if (firstState === undefined) waitForClockTick(path);
  const state = firstState ?? fileState(path);
  const result = readQuery(database, input, configuration);
  return {
    result,
    firstState: state,
    hasChanged: firstState !== undefined && firstState !== fileState(path),
  };
}
