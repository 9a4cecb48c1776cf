import type { Logger } from '../ports/logger.ts';
import type { Clock } from '../ports/clock.ts';
import type { RunEventBody } from '../run/core/events.ts';
import { RunTimings } from './run-timings.ts';
import { ServiceMetrics, type MetricSources, type ServedRequest } from './service-metrics.ts';

export interface Observation {
  readonly metrics: ServiceMetrics;
  /** Called with the events of every commit of the engine. */
  readonly onEvents: (runId: string, events: readonly RunEventBody[]) => void;
  /** Called for every request when it was answered. */
  readonly onServed: (request: LoggedRequest) => void;
}

export interface LoggedRequest extends ServedRequest {
  /** Request id, as in the `x-request-id` header of the response. */
  readonly requestId: string;
  /** Run that the request was about or started. */
  readonly runId: string | undefined;
  readonly isStream: boolean;
}

/** Routes that are requested too often to be logged. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Counts requests and runs, and logs one line for each request and tool call; `run_id` and
 * `call_id` connect them. Arguments and results are not logged.
 */
export function observeService({
  clock,
  logger,
  ...sources
}: MetricSources & {
  readonly clock: Clock;
  readonly logger: Logger;
}): Observation {
  const metrics = new ServiceMetrics(sources);
  const timings = new RunTimings({
    clock,
    onRunEnd: (end) => metrics.runEnded(end),
    onTurnEnd: (end) => metrics.turnEnded(end),
    onCallEnd: (end) => {
      metrics.callEnded(end);
      const { runId, callId, attempt, server, tool, outcome, durationMs } = end;
      logger.info('a tool call ended', {
        run_id: runId,
        call_id: callId,
        server,
        tool,
        attempt,
        outcome,
        ...(durationMs === undefined ? {} : { duration_ms: Math.round(durationMs) }),
      });
    },
  });
  return {
    metrics,
    onEvents: (runId, events) => timings.record(runId, events),
    onServed: (request) => {
      const { method, route, status, durationMs, requestId, runId, isStream } = request;
      // The duration of a stream is that of its reader's stay.
      if (!isStream) metrics.requestServed(request);
      const level = PROBES.has(route) ? 'debug' : 'info';
      logger[level]('a request was answered', {
        method,
        route,
        status,
        duration_ms: Math.round(durationMs),
        request_id: requestId,
        ...(runId === undefined ? {} : { run_id: runId }),
      });
    },
  };
}
