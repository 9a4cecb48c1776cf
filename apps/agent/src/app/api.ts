import { keyLimitsByName } from '../config/api-keys.ts';
import { FleetRequester } from '../fleet/fleet-requester.ts';
import { Heartbeat } from '../fleet/heartbeat.ts';
import { requestedDirectory } from '../fleet/requested-directory.ts';
import { storedCatalogue } from '../fleet/stored-catalogue.ts';
import { configuredServers, StoredServers } from '../fleet/stored-servers.ts';
import { invalidStatuses } from '../mcp/invalid-servers.ts';
import { observeService } from '../metrics/observation.ts';
import { createHandingQueue } from '../queue/handing-queue.ts';
import { createCommandEngine } from '../run/command-engine.ts';
import { orderedIds } from '../run/core/ordered-ids.ts';
import { createOutputChecker } from '../schema/output-checker.ts';
import { noEditing } from '../server-definitions/no-editing.ts';
import { createScheduleCommands } from '../schedules/schedule-commands.ts';
import { createWebhookCommands } from '../webhooks/webhook-commands.ts';
import type { AppOptions, Service } from './app-options.ts';
import { createLoginSide } from './login-side.ts';
import { openFoundation } from './foundation.ts';
import { httpEdge, type Phase } from './http-edge.ts';

/**
 * Creates a process that serves the REST API. It starts no server and takes no turn: workers on the
 * same data directory do.
 * @throws StoreError, ConfigError
 */
export async function createApi(options: AppOptions): Promise<Service> {
  const { config, logger, hooks = {} } = options;
  const foundation = await openFoundation(options);
  const { clock, llm, opened, store, bus, redis, sharedQueue, schemas } = foundation;
  const { policies } = foundation.servers;
  const { fleet, toolPins: pins } = opened;
  const servers = new StoredServers({
    fleet,
    configured: configuredServers(config.servers),
    invalid: invalidStatuses(config.invalidServers ?? [], clock),
    clock,
  });
  const catalogue = storedCatalogue({ servers, bus, clock, schemas });
  const queue = sharedQueue ?? createHandingQueue(opened.handedJobs, bus);
  const { metrics, onEvents, onServed } = observeService({
    clock,
    logger,
    read: store.read,
    queue,
    registry: catalogue,
  });
  const engine = createCommandEngine({
    store,
    queue,
    bus,
    catalogue,
    llm,
    outputs: createOutputChecker(schemas),
    clock,
    logger,
    onEvents,
    policies,
    ...(hooks.crashPoints === undefined ? {} : { crashPoints: hooks.crashPoints }),
    ...(config.maxQueuedRuns === undefined ? {} : { maxQueuedRuns: config.maxQueuedRuns }),
    keyLimits: keyLimitsByName(config.keyLimits),
  });
  const heartbeat = new Heartbeat({ store: opened, clock, logger });
  const webhooks = createWebhookCommands({
    store,
    guard: foundation.addressGuard,
    clock,
    newId: orderedIds(),
  });
  const schedules = createScheduleCommands({ store, engine, clock, newId: orderedIds() });
  const logins = createLoginSide(options, foundation, { engine });
  let phase: Phase = 'starting';
  const http = httpEdge(
    options,
    {
      engine,
      schedules,
      webhooks,
      store,
      read: store.read,
      bus,
      catalogue,
      directory: requestedDirectory({
        fleet,
        pins,
        servers,
        requester: new FleetRequester({ fleet, bus, clock }),
        names: config.servers.map(({ name }) => name),
      }),
      logins: logins.logins,
      definitions: noEditing,
      llm,
      clock,
      metrics,
      redis,
      phase: () => phase,
      onServed,
      // The workers send the spans; they read the parent in the row of the run.
      traces: config.traces === undefined ? undefined : { runRequested: () => undefined },
    },
    'api',
  );
  return {
    llm,
    async listen() {
      const url = await http.listen(config.port);
      logins.listening(url);
      heartbeat.start();
      logins.start();
      phase = 'ready';
      return url;
    },
    async close() {
      phase = 'closing';
      await http.close();
      await logins.close();
      await engine.close();
      await heartbeat.close();
      await foundation.close();
    },
  };
}
