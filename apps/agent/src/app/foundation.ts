import type { Config } from '../config/config.ts';
import { openCassette } from '../llm/cassette/cassette.ts';
import { createMemoryRateGates, MAX_OPENING } from '../llm/memory-rate-gate.ts';
import { createLlmProviders } from '../llm/providers.ts';
import { secretBoxOf } from '../oauth/secret-keys.ts';
import { SecretVault } from '../oauth/secret-vault.ts';
import type { Clock } from '../ports/clock.ts';
import type { JobQueue } from '../ports/job-queue.ts';
import type { LlmProviders } from '../ports/llm-providers.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { OpenedQueue } from '../bullmq/open-postgres-queue.ts';
import { createInProcessSignalBus } from '../queue/in-process-signal-bus.ts';
import type { OpenedRedis, OpenRedisOptions } from '../redis/open-redis.ts';
import { SchemaChecks } from '../schema/schema-checks.ts';
import { openStore } from '../store/open-store.ts';
import type { OpenedStore } from '../store/opened-store.ts';
import { systemClock } from '../system/system-clock.ts';
import { AddressGuard } from '@signalbox/mcp-core/http/addresses';
import type { AppOptions, TestHooks } from './app-options.ts';
import { ConfiguredServers } from './configured-servers.ts';

/** The parts that the processes of every role have. */
export interface Foundation {
  readonly clock: Clock;
  readonly llm: LlmProviders;
  /** The store with the stores of single adapters. */
  readonly opened: OpenedStore;
  /** The store as the engine uses it: a test may have replaced parts. */
  readonly store: Store;
  readonly bus: SignalBus;
  /** Queue that processes share. Undefined: each worker has its own. */
  readonly sharedQueue: JobQueue | undefined;
  /** Set when processes share a Redis. */
  readonly redis: OpenedRedis | undefined;
  readonly schemas: SchemaChecks;
  readonly addressGuard: AddressGuard;
  /** Encrypted secrets of the store. */
  readonly vault: SecretVault;
  readonly servers: ConfiguredServers;
  close(): Promise<void>;
}

let sharedSchemas: SchemaChecks | undefined;

/** Opens the store and creates the parts that need nothing else. @throws StoreError, ConfigError */
export async function openFoundation({
  config,
  logger,
  paced = true,
  hooks = {},
}: AppOptions): Promise<Foundation> {
  const cassette =
    config.llm.cassette === undefined ? undefined : openCassette(config.llm.cassette, systemClock);
  const opened = await openConfiguredStore(config, hooks, logger);
  const clock = hooks.clock?.(opened.clock) ?? opened.clock;
  const width = Math.max(MAX_OPENING, config.concurrency?.modelCalls ?? 0);
  const { redis, inDatabase } = await openShared(config, {
    clock,
    logger,
    width,
    store: opened,
  }).catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  const llm = createLlmProviders([config.llm, ...(config.otherLlms ?? [])], {
    paced,
    cassette,
    gates: redis?.gates ?? createMemoryRateGates({ clock, width }),
  });
  const ownBus = redis !== undefined && isShared(config) ? redis.bus : createInProcessSignalBus();
  const local = hooks.bus?.(ownBus) ?? ownBus;
  const bus = redis === undefined && isShared(config) ? opened.shareSignals(local) : local;
  const { fleet, secrets, isAlone } = opened;
  // Their holders have ended.
  if (isAlone) await secrets.unlockAll();
  // The settings of servers end with the last process of the service.
  if (isAlone && (await fleet.settings()).length > 0) await fleet.clearSettings();
  const schemas =
    hooks.sharesSchemaThread === true ? (sharedSchemas ??= new SchemaChecks()) : new SchemaChecks();
  return {
    clock,
    llm,
    opened,
    store: hooks.store?.(opened) ?? opened,
    bus,
    sharedQueue: inDatabase?.queue ?? redis?.queue,
    redis,
    schemas,
    addressGuard: new AddressGuard({
      allowedNetworks: config.webhooks?.allowedNetworks,
      hint: 'add its network to webhooks.allowed_networks of the configuration to allow it',
      resolve: hooks.resolve,
    }),
    vault: new SecretVault({
      secrets: opened.secrets,
      box: secretBoxOf({ given: config.secretKeys, dataDir: config.dataDir }),
      logger,
    }),
    servers: new ConfiguredServers(config),
    async close() {
      if (schemas !== sharedSchemas) await schemas.close();
      await inDatabase?.close();
      await redis?.close();
      await opened.close();
      const unused = cassette?.unused() ?? 0;
      if (unused > 0) logger.warn('recorded responses of the cassette were not used', { unused });
    },
  };
}

interface Shared {
  readonly redis: OpenedRedis | undefined;
  readonly inDatabase: OpenedQueue | undefined;
}

/** Loads BullMQ and what Redis needs only when they are configured. */
async function openShared(
  { redis: settings, queue, database }: Config,
  options: Omit<OpenRedisOptions, 'settings'>,
): Promise<Shared> {
  const redis =
    settings === undefined
      ? undefined
      : await (await import('../redis/open-redis.ts')).openRedis({ ...options, settings });
  if (queue === undefined || database === undefined) return { redis, inDatabase: undefined };
  try {
    const { openPostgresQueue } = await import('../bullmq/open-postgres-queue.ts');
    return { redis, inDatabase: await openPostgresQueue({ ...options, url: database.url }) };
  } catch (error) {
    await redis?.close();
    throw error;
  }
}

/** Opens the store on PostgreSQL, which a service with SQLite does not load, or in the data directory. */
async function openConfiguredStore(
  { database, dataDir, durability, role = 'all' }: Config,
  { furtherMigrations }: TestHooks,
  logger: Logger,
): Promise<OpenedStore> {
  if (database === undefined)
    return openStore({ dataDir, role, durability, clock: systemClock, furtherMigrations });
  const { openPostgresStore } = await import('../store/postgres/open-postgres-store.ts');
  const onRefused = (message: string): void => logger.error(message);
  return openPostgresStore({ ...database, role, furtherMigrations, onRefused });
}

/** Whether the process uses the database together with others. */
export function isShared({ role = 'all' }: Config): boolean {
  return role !== 'all';
}
