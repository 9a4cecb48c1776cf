import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { JsonObject } from '@signalbox/mcp-core';
import type { FastifyInstance } from 'fastify';
import { EngineError, type RunCommands } from '../ports/run-engine.ts';
import type { Run } from '../ports/store/run.ts';
import type { Store } from '../ports/store.ts';
import type { SignalBus } from '../ports/signal-bus.ts';
import type { Clock } from '../ports/clock.ts';
import { queuedRun } from '../ports/testing/queued-run.ts';
import type { ToolDispatcher } from '../ports/tool-dispatcher.ts';
import { localCatalogue } from '../fleet/local-catalogue.ts';
import { observeService } from '../metrics/observation.ts';
import { createArtifact } from '../run/lifecycle/create-artifact.ts';
import { createAgent, deleteAgent, replaceAgent } from '../run/lifecycle/agents.ts';
import { queuedEvent } from '../run/lifecycle/create-run.ts';
import { createThread, updateThread } from '../run/lifecycle/threads.ts';
import { updateMetadata } from '../run/lifecycle/update-metadata.ts';
import { createInProcessSignalBus } from '../queue/in-process-signal-bus.ts';
import { createMemoryJobQueue } from '../queue/memory-job-queue.ts';
import { openStore } from '../store/open-store.ts';
import { databaseFolder, provideMigratedDatabase } from '../store/testing/migrated-database.ts';
import { FakeLlm } from '../run/testing/fake-llm.ts';
import { AddressGuard } from '@signalbox/mcp-core/http/addresses';
import { createScheduleCommands } from '../schedules/schedule-commands.ts';
import { createWebhookCommands } from '../webhooks/webhook-commands.ts';
import { noEditing } from '../server-definitions/no-editing.ts';
import { noLogins } from './testing/no-logins.ts';
import { createHttpServer, type ServerOptions } from './http-server.ts';
import type { HttpDependencies } from './route.ts';
import { generatedDescription } from './testing/description/generated-description.ts';

export interface TestEdge {
  readonly app: FastifyInstance;
  readonly store: Store;
  readonly bus: SignalBus;
  readonly errors: unknown[];
  /** Returns the number of listeners on the bus. */
  listeners(): number;
  /** Appends events as the engine does: in one transaction, followed by the signal. */
  append(
    runId: string,
    types: readonly string[],
    patch?: Partial<Pick<Run, 'status' | 'answer'>>,
  ): Promise<void>;
  close(): Promise<void>;
}

const fakeLlm = new FakeLlm(
  () => ({}),
  () => undefined,
);
const clock: Clock = {
  now: () => Date.now(),
  after: () => () => undefined,
};

const call = { call_id: 'c1', attempt: 1 };
const turn = { turn: 1, message_id: 'm1' };

/** Data of the events that tests append. */
const SAMPLE_DATA: { readonly [type: string]: JsonObject } = {
  'run.started': { provider: 'scripted', model: 'scripted', scripted: true },
  'turn.started': { ...turn, provider: 'scripted', model: 'scripted', attempt: 1 },
  'message.completed': {
    ...turn,
    role: 'assistant',
    text: 'done',
    tool_uses: [],
    is_partial: false,
  },
  'tool_call.progress': { ...call, progress: 1 },
  'run.completed': { answer: 'done', scripted: true },
};

/** Creates the REST server over a real store, with an engine that only stores requests. */
export async function createTestEdge(
  edge: Partial<ServerOptions> = {},
  engine: Partial<RunCommands> = {},
  servers: Partial<
    Pick<HttpDependencies, 'catalogue' | 'directory' | 'version' | 'definitions'>
  > = {},
): Promise<TestEdge> {
  const dataDir = databaseFolder();
  await provideMigratedDatabase(dataDir);
  const store = await openStore({ dataDir, durability: 'process', clock });
  const { bus, listeners } = counted(createInProcessSignalBus());
  const errors: unknown[] = [];
  const quiet = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const { metrics, onServed } = observeService({
    clock,
    logger: quiet,
    read: store.read,
    queue: createMemoryJobQueue({ clock, onError: () => undefined }),
    registry: emptyRegistry,
  });
  const app = await createHttpServer(
    {
      engine: { ...storingEngine(store), ...engine },
      schedules: createScheduleCommands({
        store,
        engine: { checkRun: () => Promise.resolve() },
        clock,
        newId: randomUUID,
      }),
      webhooks: createWebhookCommands({
        store,
        guard: new AddressGuard(),
        clock,
        newId: randomUUID,
      }),
      store,
      read: store.read,
      bus,
      catalogue: localCatalogue(emptyRegistry),
      directory: { server: () => undefined, control: () => undefined },
      logins: noLogins,
      definitions: noEditing,
      llm: fakeLlm,
      clock,
      metrics,
      phase: () => 'ready',
      onServed,
      version: '1.2.3',
      ...servers,
      onError: (error) => errors.push(error),
    },
    { host: '127.0.0.1', keys: [], ...edge },
    generatedDescription,
  );
  const ofTheServer = listeners();
  return {
    app,
    store,
    bus,
    errors,
    listeners: () => listeners() - ofTheServer,
    async append(runId, types, patch) {
      const lastSeq = await store.write({}, async (transaction) => {
        if (patch !== undefined) await transaction.updateRun(runId, patch);
        return transaction.append(
          runId,
          types.map((type) => ({ type, data: SAMPLE_DATA[type] ?? {} })),
        );
      });
      bus.publish({ type: 'events', runId, lastSeq });
    },
    async close() {
      await app.close();
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

function counted(bus: SignalBus): { readonly bus: SignalBus; readonly listeners: () => number } {
  let count = 0;
  return {
    listeners: () => count,
    bus: {
      publish: (signal) => bus.publish(signal),
      subscribe(topic, listener) {
        count += 1;
        const unsubscribe = bus.subscribe(topic, listener);
        return () => {
          count -= 1;
          unsubscribe();
        };
      },
    },
  };
}

const BROKEN = {
  name: 'broken',
  transport: 'stdio',
  state: 'failed',
  breaker: { state: 'closed', failures: 0 },
  toolCount: 0,
  quarantined: [],
  roots: [],
  warnings: [],
  since: 0,
  connections: [],
  waiting: [],
  restarts: 2,
} as const;

const emptyRegistry: ToolDispatcher = {
  start: () => undefined,
  settled: async () => undefined,
  servers: () => [
    { ...BROKEN, error: "command 'nope' was not found: check mcpServers.broken.command" },
  ],
  tools: () => [
    {
      wireName: 'files__read',
      server: 'files',
      name: 'read',
      description: 'Reads.',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
      trusted: true,
    },
  ],
  useLogins: () => Promise.resolve(),
  find: () => undefined,
  whyNotOffered: () => undefined,
  isQuarantined: () => false,
  checkArguments: () => Promise.resolve(undefined),
  reserve: () => Promise.reject(new Error('not called here')),
  call: () => Promise.reject(new Error('not called here')),
  onServerChange: () => undefined,
  close: async () => undefined,
};

function storingEngine(store: Store): RunCommands {
  let count = 0;
  const parts = { store, clock, newId: randomUUID, llm: fakeLlm };
  return {
    async createRun({ prompt, servers }, onCommit) {
      if (servers?.includes('nowhere') === true)
        throw new EngineError('unknown_server', 'no server is named "nowhere"');
      count += 1;
      const run = queuedRun(`run-${count}`, { prompt, createdAt: count });
      await store.write({}, async (transaction) => {
        await transaction.insertRun(run);
        await transaction.append(run.id, [queuedEvent(run)]);
        await onCommit?.(transaction, { ...run, lastSeq: 1 });
      });
      return (await store.read.run(run.id)) ?? run;
    },
    checkRun: () => Promise.resolve(),
    startCall: ({ wireName }) =>
      Promise.reject(new EngineError('tool_not_found', `no tool is called ${wireName}`)),
    forkRun: (id) => Promise.reject(new EngineError('run_not_found', `no run has the id "${id}"`)),
    cancelCall: ({ id }) =>
      Promise.reject(new EngineError('tool_call_not_found', `no tool call has the id "${id}"`)),
    resumeRun: (id) =>
      Promise.reject(new EngineError('run_not_found', `no run has the id "${id}"`)),
    deleteRun: (id) =>
      Promise.reject(new EngineError('run_not_found', `no run has the id "${id}"`)),
    updateMetadata: (id, change) => updateMetadata({ store }, id, change),
    createArtifact: (input, onCommit) => createArtifact(parts, input, onCommit),
    createThread: (details, onCommit) => createThread(parts, details, onCommit),
    updateThread: (id, change) => updateThread(parts, id, change),
    createAgent: (definition, onCommit) => createAgent(parts, definition, onCommit),
    replaceAgent: (id, definition, check) => replaceAgent(parts, id, definition, check),
    deleteAgent: (id, check) => deleteAgent(parts, id, check),
    deleteThread: (id) =>
      Promise.reject(new EngineError('thread_not_found', `no thread has the id "${id}"`)),
    async cancelRun(id) {
      const run = await store.read.run(id);
      if (run === undefined) throw new EngineError('run_not_found', `no run has the id "${id}"`);
      return run;
    },
    respond: () =>
      Promise.reject(new EngineError('inbox_item_not_open', 'it was answered already')),
    continueAfterLogin: () => Promise.resolve(),
    forgetApproval: (id) =>
      Promise.reject(
        new EngineError('approval_not_found', `there is no remembered approval ${id}`),
      ),
  };
}
