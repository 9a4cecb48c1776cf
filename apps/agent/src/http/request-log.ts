import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LoggedRequest } from '../metrics/observation.ts';

/** Reports each request when its response has ended. */
export function tellOfRequests(
  app: FastifyInstance,
  onServed: (request: LoggedRequest) => void,
): void {
  app.addHook('onResponse', async (request, reply) => {
    onServed({
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      requestId: request.id,
      status: reply.raw.statusCode,
      durationMs: reply.elapsedTime,
      runId: runIdOf(request, reply),
      isStream: String(reply.raw.getHeader('content-type')).startsWith('text/event-stream'),
    });
  });
}

function runIdOf(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const started = /^\/v1\/runs\/([\w-]+)$/.exec(String(reply.getHeader('location')))?.[1];
  if (started !== undefined || request.routeOptions.url?.startsWith('/v1/runs/:id') !== true)
    return started;
  // The route declares the parameter.
  return (request.params as { readonly id: string }).id;
}
