import { readFile } from 'node:fs/promises';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifySerializerCompiler,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { LoggedRequest } from '../metrics/observation.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { ProviderInfo } from '../ports/llm-provider.ts';
import type { RunEngine } from '../ports/run-engine.ts';
import type { RunReader, RunStore } from '../ports/run-store.ts';
import type { ServerDirectory } from '../ports/server-directory.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { Clock } from '../ports/test-hooks.ts';
import type { ToolRegistry } from '../ports/tool-registry.ts';
import { shareReads, type FollowReader } from '../run/shared-run-reader.ts';
import { agentRoutes } from './agent-routes.ts';
import { artifactRoutes } from './artifact-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { callRoutes } from './call-routes.ts';
import { describeApi, type ApiDocument } from './describe-api.ts';
import { protectEdge, type EdgeOptions } from './edge.ts';
import { FrameTexts } from './frame-texts.ts';
import { collectMethods } from './allowed-methods.ts';
import { connectionLimits, type ConnectionLimits } from './connection-limits.ts';
import { createServeOnce, principalOf, type ServeOnce } from './idempotency.ts';
import { inboxRoutes } from './inbox-routes.ts';
import { parseJsonBodies } from './json-body.ts';
import { Problem, sendProblem, toProblem } from './problem.ts';
import { probeRoutes } from './probe-routes.ts';
import { parseQuery } from './query-string.ts';
import { failedRequest, requestIdOf } from './request-id.ts';
import { tellOfRequests } from './request-log.ts';
import { runRoutes } from './run-routes.ts';
import { serializeAsIs } from './serialize.ts';
import { serverRoutes } from './server-routes.ts';
import { serviceRoutes } from './service-routes.ts';
import { StreamSlots } from './stream-slots.ts';
import { validateRequest } from './validate.ts';
import { threadRoutes } from './thread-routes.ts';

export interface HttpDependencies {
  readonly engine: RunEngine;
  readonly store: RunStore;
  readonly read: RunReader;
  readonly bus: SignalBus;
  readonly registry: ToolRegistry;
  readonly directory: ServerDirectory;
  readonly llm: { readonly info: ProviderInfo };
  readonly clock: Clock;
  readonly queue: JobQueue;
  readonly metrics: ServiceMetrics;
  /** What a start waits for; `ready` when it is over and until the close begins. */
  readonly phase: () => 'starting' | 'ready' | 'closing';
  /** Ids of threads and agents. */
  readonly newId: () => string;
  readonly version: string;
  /** Hears of each request when its answer has ended. */
  readonly onServed: (request: LoggedRequest) => void;
  /** Hears each failure that a client is told only as `internal_error`. */
  readonly onError: (error: unknown, request: FailedRequest) => void;
  /** Makes the text of a response; default `serializeAsIs`. */
  readonly serializer?: FastifySerializerCompiler<z.ZodType>;
}

/** A request as the log may name it: without the query. */
export interface FailedRequest {
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
}

export interface ServerOptions extends Pick<EdgeOptions, 'host' | 'token'> {
  /** Default: by the limit of file descriptors of this process. */
  readonly limits?: ConnectionLimits;
  /** Time to receive a whole request, default 30 s; half of it for the head. */
  readonly requestTimeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 30_000;

export interface RouteDependencies extends HttpDependencies {
  readonly principal: string;
  readonly once: ServeOnce;
  readonly follow: FollowReader;
  readonly frames: FrameTexts;
  readonly streams: StreamSlots;
}

export type HttpApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/**
 * The REST edge, not yet listening. Schemas are one source for validation, types and `/openapi.json`. With `openApiFile` that document is read from there
 * instead of made anew, which saves what makes it: a twentieth of the start and of the memory.
 */
export async function createHttpServer(
  dependencies: HttpDependencies,
  {
    host,
    token,
    limits = connectionLimits(),
    requestTimeoutMs = REQUEST_TIMEOUT_MS,
  }: ServerOptions,
  openApiFile?: string,
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: 1024 * 1024,
    forceCloseConnections: true,
    requestTimeout: requestTimeoutMs,
    http: {
      headersTimeout: requestTimeoutMs / 2,
      connectionsCheckingInterval: requestTimeoutMs / 6,
    },
    requestIdHeader: false,
    genReqId: requestIdOf,
    // As much as a request line can hold: the schemas refuse what is too long, and name it.
    routerOptions: { maxParamLength: 16 * 1024, querystringParser: parseQuery },
    frameworkErrors: (error, request, reply) => void sendProblem(request, reply, toProblem(error)),
  });
  app.setValidatorCompiler(validateRequest);
  app.setSerializerCompiler(dependencies.serializer ?? serializeAsIs);
  const methodsOf = collectMethods(app);
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? '';
    const methods = methodsOf(path);
    if (methods.length === 0)
      return sendProblem(
        request,
        reply,
        new Problem(
          'route_not_found',
          `${request.method} ${path} does not exist; /openapi.json lists the endpoints`,
        ),
      );
    reply.header('allow', methods.join(', '));
    return sendProblem(
      request,
      reply,
      new Problem(
        'method_not_allowed',
        `${path} supports ${methods.join(', ')}, not ${request.method}`,
      ),
    );
  });
  refuseUnknownQueries(app);
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    const hasLeft = request.raw.destroyed && !request.raw.complete;
    if (problem.code === 'internal_error' && !hasLeft)
      dependencies.onError(error, failedRequest(request));
    return sendProblem(request, reply, problem);
  });
  tellOfRequests(app, dependencies.onServed);
  parseJsonBodies(app);
  protectEdge(app, { host, token, clock: dependencies.clock });
  app.server.maxConnections = limits.connections;

  if (openApiFile === undefined) await describeRoutes(app, dependencies.version);
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const principal = principalOf(token);
  const routeDependencies = {
    ...dependencies,
    principal,
    once: createServeOnce({ ...dependencies, principal }),
    follow: shareReads(dependencies.read, dependencies.bus),
    frames: new FrameTexts(dependencies.llm.info),
    streams: new StreamSlots(limits.streams),
  };
  runRoutes(typed, routeDependencies);
  callRoutes(typed, routeDependencies);
  threadRoutes(typed, routeDependencies);
  agentRoutes(typed, routeDependencies);
  artifactRoutes(typed, routeDependencies);
  probeRoutes(typed, routeDependencies);
  serviceRoutes(typed, routeDependencies);
  serverRoutes(typed, routeDependencies);
  inboxRoutes(typed, dependencies);
  auditRoutes(typed, dependencies);
  let description: ApiDocument | undefined;
  const describe = async (): Promise<ApiDocument> =>
    openApiFile === undefined
      ? describeApi(app.swagger() as unknown as ApiDocument)
      : (JSON.parse(await readFile(openApiFile, 'utf8')) as ApiDocument);
  app.get(
    '/openapi.json',
    { schema: { hide: true } },
    async () => (description ??= await describe()),
  );
  await app.ready();
  return app;
}

/** Makes the app know its own description; before its routes. */
async function describeRoutes(app: FastifyInstance, version: string): Promise<void> {
  const { default: fastifySwagger } = await import('@fastify/swagger');
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Signalbox',
        version,
        description:
          'Runs agent tasks over the tools of MCP servers. Errors are RFC 9457 problem details; times are UTC, ISO 8601.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
}

/** Gives every API route without a query schema one that knows no fields. */
function refuseUnknownQueries(app: FastifyInstance): void {
  const none = z.strictObject({});
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/v1/')) route.schema = { querystring: none, ...route.schema };
  });
}
