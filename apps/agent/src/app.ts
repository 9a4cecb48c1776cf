import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { localCatalogue } from './fleet/local-catalogue.ts';
import type { Config, ServerConfig } from './config/config.ts';
import { launchDigest } from './config/launch-digest.ts';
import { createHttpServer } from './http/http-server.ts';
import type { HttpDependencies } from './http/route.ts';
import { openCassette } from './llm/cassette/cassette.ts';
import { createMemoryRateGates, MAX_OPENING } from './llm/memory-rate-gate.ts';
import { createLlmProviders } from './llm/providers.ts';
import { observeService } from './metrics/observation.ts';
import { createOutputChecker } from './schema/output-checker.ts';
import { withInvalidServers } from './mcp/invalid-servers.ts';
import { SchemaChecks } from './schema/schema-checks.ts';
import { createServerPool } from './mcp/server-pool.ts';
import type { LlmProviders } from './ports/llm-providers.ts';
import type { Logger } from './ports/logger.ts';
import type { RunEngine } from './ports/run-engine.ts';
import type { StoreReader, Store } from './ports/store.ts';
import type { CrashPoints } from './ports/test-hooks.ts';
import type { ToolDispatcher } from './ports/tool-dispatcher.ts';
import { createInProcessSignalBus } from './queue/in-process-signal-bus.ts';
import { createMemoryJobQueue } from './queue/memory-job-queue.ts';
import type { ServerPolicy } from './run/core/server-policy.ts';
import { SignalWatch } from './signals/signal-watch.ts';
import type { RecoveryDecision } from './run/core/engine-parts.ts';
import { RetentionSweep } from './run/lifecycle/retention.ts';
import { createRunEngine } from './run/run-engine.ts';
import { openStore } from './store/open-store.ts';
import { systemClock } from './system/system-clock.ts';
import { openTraces } from './traces/open-traces.ts';
import { withTraces } from './traces/traced-registry.ts';

/** Hooks for tests that end the service at a crash point, disable a guard or run many services in one process. */
export interface TestHooks {
  readonly crashPoints?: CrashPoints;
  readonly recovery?: RecoveryDecision;
  readonly store?: (store: Store) => Store;
  /** Whether the service uses one thread for schemas with the others of this process, which stays when it ends. Default: no. */
  readonly sharesSchemaThread?: boolean;
}

let sharedSchemas: SchemaChecks | undefined;

export interface AppOptions {
  readonly config: Config;
  readonly version: string;
  readonly logger: Logger;
  /** Whether scripted answers keep the pace of their scenario. Default: true. */
  readonly paced?: boolean;
  readonly hooks?: TestHooks;
}

/** The whole service in one process. */
export interface App {
  readonly engine: RunEngine;
  readonly read: StoreReader;
  readonly watch: SignalWatch;
  readonly dispatcher: ToolDispatcher;
  readonly llm: LlmProviders;
  /**
   * Recovers the state of an earlier process and starts processing. Servers connect in the
   * background.
   */
  start(): Promise<void>;
  /** Starts the service and the REST server. Resolves with its base URL. */
  listen(): Promise<string>;
  /** Stops the REST server, the engine and every server process. */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 3000;

/** Creates ports and adapters without starting them. @throws StoreError, ConfigError */
export async function createApp({
  config,
  version,
  logger,
  paced = true,
  hooks = {},
}: AppOptions): Promise<App> {
  const clock = systemClock;
  const cassette =
    config.llm.cassette === undefined ? undefined : openCassette(config.llm.cassette, clock);
  const llm = createLlmProviders([config.llm, ...(config.otherLlms ?? [])], {
    paced,
    cassette,
    gates: createMemoryRateGates({
      clock,
      width: Math.max(MAX_OPENING, config.concurrency?.modelCalls ?? 0),
    }),
  });
  const opened = await openStore({
    dataDir: config.dataDir,
    durability: config.durability,
    clock,
  });
  const store = hooks.store?.(opened) ?? opened;
  const bus = createInProcessSignalBus();
  const queue = createMemoryJobQueue({
    clock,
    onError: (job, error) => logger.error('a job failed', { ...job, error }),
  });
  const schemas =
    hooks.sharesSchemaThread === true ? (sharedSchemas ??= new SchemaChecks()) : new SchemaChecks();
  const pool = createServerPool({
    owner: ownerOf(config.dataDir),
    servers: config.servers,
    pins: opened.toolPins,
    clientInfo: { name: 'signalbox', version },
    logger,
    clock,
    schemas,
  });
  const dispatcher = withInvalidServers(pool, config.invalidServers ?? [], { clock, logger });
  const { metrics, onEvents, onServed } = observeService({
    clock,
    logger,
    read: store.read,
    queue,
    registry: dispatcher,
  });
  const traces = await openTraces(config.traces, {
    version,
    provider: llm.info.provider,
    logger,
  });
  const { crashPoints, recovery } = hooks;
  const engine = createRunEngine({
    store,
    queue,
    bus,
    catalogue: localCatalogue(dispatcher),
    dispatcher: withTraces(dispatcher, traces),
    llm,
    outputs: createOutputChecker(schemas),
    clock,
    logger,
    onEvents:
      traces === undefined
        ? onEvents
        : (runId, events) => {
            onEvents(runId, events);
            traces.hear(runId, events);
          },
    policies: Object.fromEntries(config.servers.map((server) => [server.name, policyOf(server)])),
    ...(crashPoints === undefined ? {} : { crashPoints }),
    ...(recovery === undefined ? {} : { recovery }),
    concurrency: config.concurrency,
    ...(config.maxQueuedRuns === undefined ? {} : { maxQueuedRuns: config.maxQueuedRuns }),
  });
  const retention = new RetentionSweep({
    clock,
    store,
    logger,
    days: config.retentionDays ?? {},
    onDeleted: (runs) => metrics.runsDeleted(runs),
  });
  logServerChanges(dispatcher, logger);
  let http: FastifyInstance | undefined;
  let started: Promise<void> | undefined;
  let phase: ReturnType<HttpDependencies['phase']> = 'starting';
  const start = (): Promise<void> => {
    started ??= (async () => {
      dispatcher.start();
      await engine.start();
      retention.start();
      phase = 'ready';
    })();
    return started;
  };
  return {
    engine,
    read: store.read,
    watch: new SignalWatch(bus, clock),
    dispatcher,
    llm,
    start,
    async listen() {
      const onError: HttpDependencies['onError'] = (error, { method, path, requestId }) =>
        logger.error('a request failed', { method, path, request_id: requestId, error });
      const dependencies = {
        engine,
        store,
        read: store.read,
        bus,
        catalogue: localCatalogue(dispatcher),
        directory: dispatcher,
        llm,
        clock,
        metrics,
        traces,
        phase: () => phase,
        version,
        onServed,
        onError,
      };
      http = await createHttpServer(
        dependencies,
        {
          host: config.host,
          token: config.token,
          admission: {
            streams: config.maxStreams,
            streamsPerRun: config.maxStreamsPerRun,
            pendingBodyBytes: config.maxPendingBodyBytes,
          },
        },
        join(import.meta.dirname, '../openapi.json'),
      );
      const url = await http.listen({ host: config.host, port: config.port });
      await start();
      return url;
    },
    async close() {
      phase = 'closing';
      await http?.close();
      await engine.close({ graceMs: CLOSE_GRACE_MS });
      await Promise.all([retention.close(), dispatcher.close(), traces?.close()]);
      if (schemas !== sharedSchemas) await schemas.close();
      await store.close();
      const unused = cassette?.unused() ?? 0;
      if (unused > 0) logger.warn('answers of the cassette were not asked for', { unused });
    },
  };
}

/** Returns an identifier of the data directory, which one service uses at a time. */
function ownerOf(dataDir: string): string {
  return createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16);
}

function policyOf(server: ServerConfig): ServerPolicy {
  const { approval, approvals = [], sampling, samplingReview = false } = server;
  return { approval, approvals, sampling, samplingReview, launchDigest: launchDigest(server) };
}

/**
 * Logs each state of a server once, so that repeated failures for the same reason are one warning.
 */
function logServerChanges(dispatcher: ToolDispatcher, logger: Logger): void {
  const told = new Map<string, string>();
  dispatcher.onServerChange(({ name, state, toolCount, era, error }) => {
    if (state !== 'failed' && state !== 'ready') return;
    const news = `${state} ${toolCount} ${error}`;
    if (told.get(name) === news) return;
    told.set(name, news);
    if (state === 'failed')
      logger.warn('a server is not available', {
        server: name,
        ...(error === undefined ? {} : { error }),
      });
    else
      logger.info('a server is ready', {
        server: name,
        tools: toolCount,
        ...(era === undefined ? {} : { era }),
      });
  });
}
