import { readFile } from 'node:fs/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { SignalWatch } from '../signals/signal-watch.ts';
import { shareReads } from '../run/follow/shared-run-reader.ts';
import { ConsoleFiles } from './console-files.ts';
import { consoleRoutes } from './console-routes.ts';
import { approvalRoutes } from './approval-routes.ts';
import { agentRoutes } from './agent-routes.ts';
import { artifactRoutes } from './artifact-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { callRoutes } from './call-routes.ts';
import type { ApiDocument } from './api-document.ts';
import { BODY_LIMIT, DEFAULT_MAX_PENDING_BODY_BYTES, limitPendingBodies } from './body-budget.ts';
import { removeResponseSchemas } from './described.ts';
import { protectEdge, type EdgeOptions } from './edge.ts';
import { FrameEncoder } from './frame-encoder.ts';
import { collectMethods } from './allowed-methods.ts';
import { connectionLimits, type ConnectionLimits } from './connection-limits.ts';
import { createServeOnce } from './idempotency.ts';
import { inboxRoutes } from './inbox-routes.ts';
import { parseBodies } from './parse-bodies.ts';
import { isOverLimit, Problem, sendProblem, toProblem } from './problem.ts';
import { modelRoutes } from './model-routes.ts';
import { probeRoutes } from './probe-routes.ts';
import { parseQuery } from './query-string.ts';
import { failedRequest, requestIdOf } from './request-id.ts';
import { reportRequests } from './request-log.ts';
import type { HttpApp, HttpDependencies, RouteDependencies } from './route.ts';
import { runControlRoutes } from './run-control-routes.ts';
import { runEventRoutes } from './run-event-routes.ts';
import { runRoutes } from './run-routes.ts';
import { scheduleRoutes } from './schedule-routes.ts';
import { serverDefinitionRoutes } from './server-definition-routes.ts';
import { serverRoutes } from './server-routes.ts';
import { StreamConnections } from './stream-connections.ts';
import { StreamHeartbeats } from './stream-heartbeats.ts';
import { StreamSlots } from './stream-slots.ts';
import { validateRequest } from './validate.ts';
import { threadRoutes } from './thread-routes.ts';
import { statsRoutes } from './stats-routes.ts';
import { webhookRoutes } from './webhook-routes.ts';

export interface ServerOptions extends Pick<
  EdgeOptions,
  'host' | 'publicHost' | 'keys' | 'allowedOrigins'
> {
  /** Default: derived from the limit of file descriptors of this process. */
  readonly limits?: ConnectionLimits;
  /** Milliseconds to receive a whole request; half of it for the head. Default: 30,000. */
  readonly requestTimeoutMs?: number;
  readonly admission?: AdmissionLimits | undefined;
  /** Endpoints: the whole API (default), or health, readiness and metrics only. */
  readonly routes?: 'api' | 'probes';
  /** Folder of the built web console, which is served with the API. Default: none; a folder without the console is none. */
  readonly consoleFolder?: string | undefined;
}

/** Limits beyond which requests are refused with 429. */
export interface AdmissionLimits {
  /** Open event streams; at most, and by default, the streams of `ConnectionLimits`. */
  readonly streams?: number | undefined;
  /** Open event streams of one run. Default: 2,000. */
  readonly streamsPerRun?: number | undefined;
  /** Bytes of the request bodies that are being received. Default: 64 MiB. */
  readonly pendingBodyBytes?: number | undefined;
}

const REQUEST_TIMEOUT_MS = 30_000;

const ROUTES: readonly ((app: HttpApp, dependencies: RouteDependencies) => void)[] = [
  runControlRoutes,
  runRoutes,
  runEventRoutes,
  callRoutes,
  threadRoutes,
  agentRoutes,
  modelRoutes,
  artifactRoutes,
  probeRoutes,
  inboxRoutes,
  serverRoutes,
  serverDefinitionRoutes,
  approvalRoutes,
  auditRoutes,
  scheduleRoutes,
  webhookRoutes,
  statsRoutes,
];

/** A generator of the OpenAPI document, for tests. */
export interface ApiGenerator {
  /** Called before the routes are added. May also set the serializer compiler. */
  readonly prepare: (app: FastifyInstance, version: string) => Promise<void>;
  /** Returns the document. Called after the routes were added. */
  readonly document: (app: FastifyInstance) => ApiDocument;
}

/**
 * Creates the REST server without listening. The zod schemas are the one source of validation, types
 * and `/openapi.json`. `apiDocument`: the path of the OpenAPI document, or, in tests, a generator of
 * it. With a path, responses are not checked.
 */
export async function createHttpServer(
  dependencies: HttpDependencies,
  {
    host,
    publicHost,
    keys,
    allowedOrigins,
    limits = connectionLimits(),
    requestTimeoutMs = REQUEST_TIMEOUT_MS,
    admission = {},
    routes = 'api',
    consoleFolder,
  }: ServerOptions,
  apiDocument: string | ApiGenerator,
): Promise<FastifyInstance> {
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    requestTimeout: requestTimeoutMs,
    requestIdHeader: false,
    genReqId: requestIdOf,
    // As long as a request line: the schemas reject longer values and name the parameter.
    routerOptions: { maxParamLength: 16 * 1024, querystringParser: parseQuery },
    // Without a factory Fastify loads its own compilers, which are not used.
    schemaController: {
      compilersFactory: { buildValidator: missingValidator, buildSerializer: missingSerializer },
    },
    // Fastify calls no hook for these.
    frameworkErrors: (error, request, reply) =>
      connections.whenFree(
        request.raw.socket,
        () => void sendProblem(request, reply, toProblem(error)),
      ),
    // `protectEdge` rejects a missing host, when it is the turn of the request.
    http: {
      headersTimeout: requestTimeoutMs / 2,
      connectionsCheckingInterval: requestTimeoutMs / 6,
      requireHostHeader: false,
    },
  });
  const connections = new StreamConnections(app.server);
  app.setValidatorCompiler(validateRequest);
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
    if (isOverLimit(problem)) dependencies.metrics.requestRefused(problem);
    const hasLeft = request.raw.destroyed && !request.raw.complete;
    if (problem.code === 'internal_error' && !hasLeft)
      dependencies.onError(error, failedRequest(request));
    return sendProblem(request, reply, problem);
  });
  app.addHook('onRequest', (request, _reply, done) =>
    connections.whenFree(request.raw.socket, done),
  );
  reportRequests(app, dependencies.onServed);
  parseBodies(app);
  protectEdge(app, { host, publicHost, keys, allowedOrigins, clock: dependencies.clock });
  limitPendingBodies(app, admission.pendingBodyBytes ?? DEFAULT_MAX_PENDING_BODY_BYTES);
  app.server.maxConnections = limits.connections;

  if (typeof apiDocument === 'string') removeResponseSchemas(app);
  else await apiDocument.prepare(app, dependencies.version);
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const routeDependencies = {
    ...dependencies,
    once: createServeOnce(dependencies),
    follow: shareReads(dependencies.read),
    watch: new SignalWatch(dependencies.bus, dependencies.clock),
    frames: new FrameEncoder(dependencies.llm),
    connections,
    heartbeats: new StreamHeartbeats(dependencies.clock),
    streams: new StreamSlots(
      Math.min(admission.streams ?? limits.streams, limits.streams),
      admission.streamsPerRun,
    ),
  };
  if (routes === 'probes') {
    probeRoutes(typed, routeDependencies);
    await app.ready();
    return app;
  }
  for (const addRoutes of ROUTES) addRoutes(typed, routeDependencies);
  const files = consoleFolder === undefined ? undefined : await ConsoleFiles.open(consoleFolder);
  if (files !== undefined) consoleRoutes(typed, files);
  let document: ApiDocument | undefined;
  const describe = async (): Promise<ApiDocument> =>
    typeof apiDocument === 'string'
      ? (JSON.parse(await readFile(apiDocument, 'utf8')) as ApiDocument)
      : apiDocument.document(app);
  app.get('/openapi.json', { schema: { hide: true } }, async () => (document ??= await describe()));
  await app.ready();
  return app;
}

function missingValidator(): never {
  throw new Error('a route was added before the validator compiler was set');
}

function missingSerializer(): never {
  throw new Error('a route has response schemas outside of described()');
}

/** Adds an empty query schema to every API route without one. */
function refuseUnknownQueries(app: FastifyInstance): void {
  const none = z.strictObject({});
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith('/v1/')) route.schema = { querystring: none, ...route.schema };
  });
}
