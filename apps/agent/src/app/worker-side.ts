import { keyLimitsByName } from '../config/api-keys.ts';
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type { Config, ServerConfig } from '../config/config.ts';
import { describeDatabase } from '../text/describe-database.ts';
import { FleetMember } from '../fleet/fleet-member.ts';
import { JobIntake } from '../fleet/job-intake.ts';
import { localCatalogue } from '../fleet/local-catalogue.ts';
import { SingletonServers } from '../fleet/singleton-servers.ts';
import { StoredServers, configuredServers } from '../fleet/stored-servers.ts';
import { withInvalidServers } from '../mcp/invalid-servers.ts';
import { storedAuthorizations } from '../oauth/authorizations.ts';
import { createServerPool, type ServerPool } from '../mcp/server-pool.ts';
import { createScheduleCommands } from '../schedules/schedule-commands.ts';
import { Scheduler } from '../schedules/scheduler.ts';
import { postWebhook } from '../webhooks/post-webhook.ts';
import { createWebhookCommands } from '../webhooks/webhook-commands.ts';
import { WebhookSender } from '../webhooks/webhook-sender.ts';
import { observeService, type Observation } from '../metrics/observation.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { RunEngine } from '../ports/run-engine.ts';
import type { ScheduleCommands } from '../ports/schedule-commands.ts';
import type { WebhookCommands } from '../ports/webhook-commands.ts';
import type { ToolCatalogue } from '../ports/tool-catalogue.ts';
import { handingBack } from '../queue/handing-queue.ts';
import { createMemoryJobQueue } from '../queue/memory-job-queue.ts';
import { withOwnJobs } from '../queue/own-jobs.ts';
import { orderedIds } from '../run/core/ordered-ids.ts';
import { RetentionSweep } from '../run/lifecycle/retention.ts';
import { runTextStep } from '../run/recovery/run-text-step.ts';
import { createRunEngine } from '../run/run-engine.ts';
import { createOutputChecker } from '../schema/output-checker.ts';
import { openTraces } from '../traces/open-traces.ts';
import { withTraces } from '../traces/traced-registry.ts';
import type { AppOptions } from './app-options.ts';
import { createLoginSide, type LoginSide } from './login-side.ts';
import { isShared, type Foundation } from './foundation.ts';
import { logServerChanges } from './log-server-changes.ts';

/** The part of a process that continues runs and is connected to the servers. */
export interface WorkerSide extends Pick<Observation, 'metrics' | 'onServed'> {
  readonly engine: RunEngine;
  readonly schedules: ScheduleCommands;
  readonly webhooks: WebhookCommands;
  readonly pool: ServerPool;
  readonly logins: LoginSide;
  readonly catalogue: ToolCatalogue;
  readonly traces: Awaited<ReturnType<typeof openTraces>>;
  /** Starts processing and recovers a batch of the runs of ended workers. The others follow, and servers connect, in the background. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 3000;
/** Milliseconds of one request to a webhook. */
const WEBHOOK_TIMEOUT_MS = 15_000;

/** Creates the engine and the connections to the servers without starting them. */
export async function createWorkerSide(
  options: AppOptions,
  foundation: Foundation,
): Promise<WorkerSide> {
  const { config, version, logger, hooks = {} } = options;
  const { clock, llm, opened, store, bus, sharedQueue, schemas, servers, addressGuard, vault } =
    foundation;
  const singletons = isShared(config) ? config.servers.filter(isSingleton) : [];
  const held = new Set(singletons.map(({ name }) => name));
  const local = ownQueue(foundation, config, logger);
  const queue = sharedQueue === undefined ? local : withOwnJobs(sharedQueue, local);
  const configured = createServerPool({
    owner: ownerOf(config),
    isShared: isShared(config),
    servers: config.servers,
    pins: opened.toolPins,
    clientInfo: { name: 'signalbox', version },
    logger,
    clock,
    schemas,
    held,
    authorizations: storedAuthorizations({ vault, settings: config.remoteServers }),
    allowedNetworks: config.remoteServers?.allowedNetworks,
  });
  const valid = withInvalidServers(configured, () => servers.invalid, { clock, logger });
  const owned =
    singletons.length === 0
      ? undefined
      : ownSingletons(foundation, { config, valid, held, logger });
  const pool = owned?.pool ?? valid;
  const catalogue = localCatalogue(pool);
  const { metrics, onEvents, onServed } = observeService({
    clock,
    logger,
    read: store.read,
    queue,
    registry: pool,
  });
  const traces = await openTraces(config.traces, {
    version,
    provider: llm.info.provider,
    logger,
  });
  const sender = new WebhookSender({
    store,
    post: (request, signal) =>
      postWebhook(request, { guard: addressGuard, clock, timeoutMs: WEBHOOK_TIMEOUT_MS, signal }),
    clock,
    logger,
    userAgent: `signalbox/${version}`,
    onAttempt: (outcome) => metrics.webhookAttempted(outcome),
  });
  const apiKeyNames = new Set(config.apiKeyNames);
  const scheduler = new Scheduler({
    store,
    createRun: (input, onCommit) => engine.createRun(input, onCommit),
    hasApiKey: (name) => apiKeyNames.has(name),
    clock,
    logger,
    onDecision: (outcome) => metrics.scheduleDecided(outcome),
  });
  const { crashPoints, recovery } = hooks;
  const engine = createRunEngine({
    store,
    queue,
    ownQueue: local,
    bus,
    catalogue,
    dispatcher: withTraces(pool, traces),
    traces,
    llm,
    outputs: createOutputChecker(schemas),
    clock,
    logger,
    onEvents:
      traces === undefined
        ? onEvents
        : (runId, events) => {
            onEvents(runId, events);
            traces.record(runId, events);
          },
    policies: servers.policies,
    onAnnounced: () => sender.wake(),
    ...(owned === undefined ? {} : { handToOwner: (call) => owned.handToOwner(call) }),
    sweepSteps: [sender, scheduler, runTextStep(store)],
    ...(crashPoints === undefined ? {} : { crashPoints }),
    ...(recovery === undefined ? {} : { recovery }),
    concurrency: config.concurrency,
    ...(config.maxQueuedRuns === undefined ? {} : { maxQueuedRuns: config.maxQueuedRuns }),
    keyLimits: keyLimitsByName(config.keyLimits),
    callsPerMinute: (server) => servers.get(server)?.callsPerMinute,
  });
  const retention = new RetentionSweep({
    clock,
    store,
    logger,
    days: config.retentionDays ?? {},
    deliveryDays: config.webhooks?.retentionDays,
    onDeleted: (runs) => metrics.runsDeleted(runs),
  });
  const shared = isShared(config)
    ? shareServers(foundation, { pool, queue, local, logger })
    : undefined;
  const logins = createLoginSide(options, foundation, { engine, pool: configured });
  logServerChanges(pool, logger);
  return {
    engine,
    schedules: createScheduleCommands({ store, engine, clock, newId: orderedIds() }),
    webhooks: createWebhookCommands({
      store,
      guard: addressGuard,
      clock,
      newId: orderedIds(),
      onDue: () => sender.wake(),
    }),
    pool,
    logins,
    catalogue,
    metrics,
    onServed,
    traces,
    async start() {
      await owned?.start();
      // Reads settings that hold for servers from their start.
      await shared?.member.start();
      pool.start();
      await engine.start();
      retention.start();
      logins.start();
      shared?.intake.start();
    },
    async close() {
      await owned?.close();
      await logins.close();
      await shared?.intake.close();
      await Promise.all([engine.close({ graceMs: CLOSE_GRACE_MS }), sender.close()]);
      await shared?.member.close();
      await Promise.all([retention.close(), pool.close(), traces?.close()]);
    },
  };
}

/** Creates the queue of this process alone. */
function ownQueue(
  { clock, opened, bus }: Foundation,
  config: AppOptions['config'],
  logger: AppOptions['logger'],
): JobQueue {
  const queue = createMemoryJobQueue({
    clock,
    onError: (job, error) => logger.error('a job failed', { ...job, error }),
  });
  return isShared(config) ? handingBack(queue, opened.handedJobs, bus) : queue;
}

function isSingleton({ singleton }: ServerConfig): boolean {
  return singleton === true;
}

/** Creates the singleton servers of this worker. */
function ownSingletons(
  { clock, opened, bus, schemas }: Foundation,
  {
    config,
    valid,
    held,
    logger,
  }: {
    readonly config: Config;
    readonly valid: ServerPool;
    readonly held: Set<string>;
    readonly logger: AppOptions['logger'];
  },
): SingletonServers {
  const { fleet, serverOwners, handedJobs } = opened;
  return new SingletonServers({
    pool: valid,
    held,
    owners: serverOwners,
    fleet,
    stored: new StoredServers({
      fleet,
      configured: configuredServers(config.servers.filter(isSingleton)),
      clock,
    }),
    handed: handedJobs,
    workerId: () => opened.workerId,
    bus,
    clock,
    logger,
    schemas,
  });
}

/** Creates the access of API processes to this worker: its states, commands and jobs in the store. */
function shareServers(
  { clock, opened, bus }: Foundation,
  {
    pool,
    queue,
    local,
    logger,
  }: {
    readonly pool: ServerPool;
    readonly queue: JobQueue;
    readonly local: JobQueue;
    readonly logger: AppOptions['logger'];
  },
): { readonly member: FleetMember; readonly intake: JobIntake } {
  return {
    member: new FleetMember({
      fleet: opened.fleet,
      pool,
      workerId: () => opened.workerId,
      bus,
      clock,
      logger,
    }),
    intake: new JobIntake({
      handed: opened.handedJobs,
      queue,
      ownQueue: local,
      workerId: () => opened.workerId,
      bus,
      clock,
      logger,
    }),
  };
}

/** Returns an identifier of the database, the same at each start. */
function ownerOf({ database, dataDir }: Config): string {
  const place = database === undefined ? realpathSync(dataDir) : describeDatabase(database.url);
  return createHash('sha256').update(place).digest('hex').slice(0, 16);
}
