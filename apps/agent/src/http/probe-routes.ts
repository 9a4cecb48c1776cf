import type { Clock } from '../ports/clock.ts';
import { described } from './described.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { Problem } from './problem.ts';
import { Health, METRICS, ProblemDetails, Readiness } from './response-schemas.ts';

/** Longest time in which `/readyz` waits for the store, and for Redis, in milliseconds. */
const MAX_WAIT_MS = 3000;

/** Adds the endpoints for health, readiness and metrics. */
export function probeRoutes(
  app: HttpApp,
  { llm, version, phase, read, store, clock, metrics, redis }: RouteDependencies,
): void {
  const readStore = atMostOncePerSecond(clock, async () => void (await read.run('none')));
  const writeStore = atMostOncePerSecond(clock, () => store.probe());
  const inTime = <T>(work: Promise<T>, onLate: () => T): Promise<T> =>
    within(clock, { work, onLate });

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
      const reading = readStore().catch((error: unknown) => {
        throw new Problem('not_ready', 'the store cannot be read', { cause: error });
      });
      await inTime(reading, () => failLate('read'));
      await inTime(writeStore(), () => failLate('written'));
      if (redis === undefined) return { status: 'ready' as const };
      const isRedisUp = await inTime(redis.isUp(), () => false);
      return {
        status: 'ready' as const,
        redis: isRedisUp ? ('ready' as const) : ('unreachable' as const),
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

function failLate(what: 'read' | 'written'): never {
  throw new Problem(
    'not_ready',
    `the store could not be ${what} within ${MAX_WAIT_MS / 1000} seconds`,
  );
}

/** Resolves as `work` does, or as `onLate` does when the work takes too long. */
async function within<T>(
  clock: Clock,
  { work, onLate }: { readonly work: Promise<T>; readonly onLate: () => T },
): Promise<T> {
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(MAX_WAIT_MS, resolve);
  try {
    return await Promise.race([work, isLate.then(onLate)]);
  } finally {
    cancel();
  }
}

/**
 * Shares the result of an action among the callers within a second, and as long as it takes, so that
 * probes cannot keep the disk or the connections busy.
 */
function atMostOncePerSecond(clock: Clock, action: () => Promise<void>): () => Promise<void> {
  let last: { readonly at: number; readonly outcome: Promise<void> } | undefined;
  let isRunning = false;
  return () => {
    const now = clock.now();
    if (last !== undefined && (isRunning || now - last.at < 1000)) return last.outcome;
    isRunning = true;
    const outcome = action().finally(() => (isRunning = false));
    last = { at: now, outcome };
    return outcome;
  };
}
