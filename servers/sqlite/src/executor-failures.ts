import { ToolError } from '@signalbox/mcp-core';
import type { ExecutorEnd } from './executor-process.ts';

/** Whether an operation reads or writes, and how far it came. */
export type OperationPhase = 'reading' | 'writing' | 'committing';

const OUTCOME: { readonly [Phase in OperationPhase]: string } = {
  reading: '',
  writing: ' Nothing was applied.',
  committing:
    ' It was being committed: the changes may or may not be applied. Check with read_query before you repeat it.',
};

export function timedOut(phase: OperationPhase, timeoutMs: number): ToolError {
  return new ToolError(
    phase === 'reading'
      ? `The query was stopped after ${timeoutMs} ms, its time limit. Add a LIMIT or a WHERE on an indexed column, or ask for less at once; EXPLAIN QUERY PLAN shows full scans.`
      : `The write was stopped after ${timeoutMs} ms, its time limit.${OUTCOME[phase]}`,
  );
}

export function cancelled(phase: OperationPhase, cause: unknown): ToolError {
  return new ToolError(
    `The ${phase === 'reading' ? 'query' : 'write'} was cancelled.${OUTCOME[phase]}`,
    { cause },
  );
}

export function shuttingDown(phase: OperationPhase): ToolError {
  return new ToolError(`The server is shutting down.${OUTCOME[phase]}`);
}

/** The failure of an operation whose process ended by itself; `isReady` is whether it had started. */
export function ended(
  phase: OperationPhase,
  end: ExecutorEnd,
  { isReady, maxMemoryMb }: { readonly isReady: boolean; readonly maxMemoryMb: number },
): ToolError {
  const cause = new Error(end.detail);
  const subject = phase === 'reading' ? 'query' : 'write';
  if (end.reason === 'memory-limit')
    return new ToolError(
      `The ${subject} was stopped because it needed more than ${maxMemoryMb} MB, its memory limit. Sort, group, join or change fewer rows.${OUTCOME[phase]}`,
      { cause },
    );
  if (!isReady)
    return new ToolError('The query process could not be started; the server log says why.', {
      cause,
    });
  return new ToolError(
    phase === 'reading'
      ? 'The query process ended unexpectedly. The database is unharmed; the query can be tried again.'
      : `The process of the write ended unexpectedly.${OUTCOME[phase]}`,
    { cause },
  );
}
