import type { FastifyRequest } from 'fastify';
import type { OnCommit } from '../ports/run-engine.ts';
import type { Traces } from '../ports/traces.ts';

/** Makes the client's span, if the request names one, the parent of the run that it starts. */
export function withTraceParent<T>(
  { traces }: { readonly traces?: Traces | undefined },
  { headers: { traceparent, tracestate } }: Pick<FastifyRequest, 'headers'>,
  {
    onCommit,
    runIdOf,
  }: { readonly onCommit: OnCommit<T> | undefined; readonly runIdOf: (result: T) => string },
): OnCommit<T> | undefined {
  if (traces === undefined || typeof traceparent !== 'string') return onCommit;
  const parent = { traceparent, ...(typeof tracestate === 'string' ? { tracestate } : {}) };
  return async (sql, result) => {
    traces.runRequested(runIdOf(result), parent);
    await onCommit?.(sql, result);
  };
}
