import type { Clock } from '../ports/clock.ts';
import { described } from './described.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { Problem } from './problem.ts';
import { Health, METRICS, ProblemDetails, Readiness } from './response-schemas.ts';

/** Adds the endpoints for health, readiness and metrics. */
export function probeRoutes(
  app: HttpApp,
  { llm, version, phase, read, store, clock, metrics, redis }: RouteDependencies,
): void {
  const probe = atMostOncePerSecond(clock, () => store.probe());

  app.get(
    '/healthz',
    {
      config: { isOpenToAll: true },
      schema: {
        summary: 'Whether the service is alive',
        description: 'When a token is configured, a request without it gets only the status.',
        response: described(() => ({ 200: Health })),
      },
    },
    async (request) => {
      if (!request.isAuthorized) return { status: 'ok' as const };
      const { provider, model, scripted, notice } = llm.info;
      return {
        status: 'ok' as const,
        version,
        provider,
        model,
        scripted,
        ...(notice === undefined ? {} : { notice }),
      };
    },
  );

  app.get(
    '/readyz',
    {
      config: { isOpenToAll: true },
      schema: {
        summary: 'Whether the service accepts work',
        description:
          'Not ready before the runs of an earlier process are recovered, or while the store cannot be read or written. MCP servers that are not connected do not matter, and a Redis that does not answer is reported only: the service accepts runs, which wait.',
        response: described(() => ({ 200: Readiness, 503: ProblemDetails })),
      },
    },
    async () => {
      if (phase() !== 'ready') throw new Problem('not_ready', `the service is ${phase()}`);
      await read.run('none').catch((error: unknown) => {
        throw new Problem('not_ready', 'the store cannot be read', { cause: error });
      });
      await probe();
      if (redis === undefined) return { status: 'ready' as const };
      return {
        status: 'ready' as const,
        redis: (await redis.isUp()) ? ('ready' as const) : ('unreachable' as const),
      };
    },
  );

  app.get(
    '/metrics',
    { schema: { summary: 'Metrics', response: described(() => ({ 200: METRICS })) } },
    async (_request, reply) => {
      reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8');
      return metrics.text();
    },
  );
}

/**
 * Shares the result of an action among the callers within a second, so that probes cannot keep the
 * disk busy.
 */
function atMostOncePerSecond(clock: Clock, action: () => Promise<void>): () => Promise<void> {
  let last: { readonly at: number; readonly outcome: Promise<void> } | undefined;
  return () => {
    const now = clock.now();
    if (last === undefined || now - last.at >= 1000) last = { at: now, outcome: action() };
    return last.outcome;
  };
}
