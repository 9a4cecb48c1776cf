import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LoggedRequest } from '../metrics/observation.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the end of the response is not the end of what the client receives. */
    isReportedLater: boolean;
  }
}

/** Reports each request when its response has ended. */
export function reportRequests(
  app: FastifyInstance,
  onServed: (request: LoggedRequest) => void,
): void {
  app.decorateRequest('isReportedLater', false);
  app.addHook('onResponse', async (request, reply) => {
    if (!request.isReportedLater) onServed(loggedRequest(request, reply));
  });
}

/** Leaves the report of a request to its event stream. Returns the function that reports it. */
export function reportLater(
  request: FastifyRequest,
  reply: FastifyReply,
  { onServed }: { readonly onServed: (request: LoggedRequest) => void },
): () => void {
  request.isReportedLater = true;
  return reportOf(loggedRequest(request, reply), onServed);
}

/** Returns a function that keeps the fields of the request and not the request. */
function reportOf(logged: LoggedRequest, onServed: (request: LoggedRequest) => void): () => void {
  const begun = performance.now() - logged.durationMs;
  return () => onServed({ ...logged, durationMs: performance.now() - begun });
}

function loggedRequest(request: FastifyRequest, reply: FastifyReply): LoggedRequest {
  return {
    method: request.method,
    route: request.routeOptions.url ?? 'none',
    requestId: request.id,
    status: reply.raw.statusCode,
    durationMs: reply.elapsedTime,
    runId: runIdOf(request, reply),
    isStream: String(reply.raw.getHeader('content-type')).startsWith('text/event-stream'),
  };
}

function runIdOf(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const started = /^\/v1\/runs\/([\w-]+)$/.exec(String(reply.getHeader('location')))?.[1];
  if (started !== undefined || request.routeOptions.url?.startsWith('/v1/runs/:id') !== true)
    return started;
  // The route declares the parameter.
  return (request.params as { readonly id: string }).id;
}
