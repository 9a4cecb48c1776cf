import type { FastifyRequest } from 'fastify';
import type { OnCommit } from '../ports/run-engine.ts';
import type { TraceContext, Traces } from '../ports/traces.ts';

/** Longest `tracestate` that is kept, in characters. */
const MAX_TRACE_STATE_CHARACTERS = 512;

/** Version, trace id, span id and flags. Only later versions than 00 may have more fields. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:$|(?<!^00.{53})-.{0,200}$)/;

/**
 * Makes the span of the client, if the request names one, the parent of the run that the request
 * starts, and stores it with the run for the workers. A malformed context is ignored.
 */
export function withTraceParent<T>(
  { traces }: { readonly traces?: Pick<Traces, 'runRequested'> | undefined },
  request: Pick<FastifyRequest, 'headers'>,
  {
    onCommit,
    runIdOf,
  }: { readonly onCommit: OnCommit<T> | undefined; readonly runIdOf: (result: T) => string },
): OnCommit<T> | undefined {
  const traceContext = traceContextOf(request);
  if (traces === undefined || traceContext === undefined) return onCommit;
  return async (sql, result) => {
    const runId = runIdOf(result);
    await sql.updateRun(runId, { traceContext });
    traces.runRequested(runId, traceContext);
    await onCommit?.(sql, result);
  };
}

/** @see https://www.w3.org/TR/trace-context/#traceparent-header-field-values */
export function traceContextOf({
  headers: { traceparent, tracestate },
}: Pick<FastifyRequest, 'headers'>): TraceContext | undefined {
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return undefined;
  const hasState =
    typeof tracestate === 'string' && tracestate.length <= MAX_TRACE_STATE_CHARACTERS;
  return hasState ? { traceparent, tracestate } : { traceparent };
}
