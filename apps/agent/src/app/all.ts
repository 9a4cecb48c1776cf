import type { RunEngine } from '../ports/run-engine.ts';
import type { StoreReader } from '../ports/store.ts';
import type { ToolDispatcher } from '../ports/tool-dispatcher.ts';
import { noEditing } from '../server-definitions/no-editing.ts';
import { ServerEditor } from '../server-definitions/server-editor.ts';
import { SignalWatch } from '../signals/signal-watch.ts';
import type { AppOptions, Service } from './app-options.ts';
import { openFoundation } from './foundation.ts';
import { httpEdge, type Phase } from './http-edge.ts';
import { createWorkerSide } from './worker-side.ts';

/** The whole service in one process. */
export interface App extends Service {
  readonly engine: RunEngine;
  readonly read: StoreReader;
  readonly watch: SignalWatch;
  readonly dispatcher: ToolDispatcher;
  /**
   * Starts processing and recovers a batch of the runs of an earlier process. The others follow, and
   * servers connect, in the background.
   */
  start(): Promise<void>;
  /** Starts the service and the REST server. Resolves with its base URL. */
  listen(): Promise<string>;
}

/** Creates ports and adapters without starting them. @throws StoreError, ConfigError */
export async function createApp(options: AppOptions): Promise<App> {
  const { config } = options;
  const foundation = await openFoundation(options);
  const worker = await createWorkerSide(options, foundation);
  const { store, bus, llm, clock, redis } = foundation;
  const { engine, schedules, webhooks, catalogue, pool, logins, metrics, traces, onServed } =
    worker;
  const { serverEditing } = options;
  const definitions =
    serverEditing === undefined
      ? noEditing
      : new ServerEditor({
          editing: serverEditing,
          servers: foundation.servers,
          pool,
          logins: logins.logins,
          store,
          logger: options.logger,
          allowedNetworks: config.remoteServers?.allowedNetworks,
        });
  let started: Promise<void> | undefined;
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
      directory: pool,
      logins: logins.logins,
      definitions,
      llm,
      clock,
      metrics,
      redis,
      traces,
      phase: () => phase,
      onServed,
    },
    'api',
  );
  const start = (): Promise<void> => {
    started ??= (async () => {
      await worker.start();
      phase = 'ready';
    })();
    return started;
  };
  return {
    engine,
    read: store.read,
    watch: new SignalWatch(bus, clock),
    dispatcher: pool,
    llm,
    start,
    async listen() {
      const url = await http.listen(config.port);
      logins.listening(url);
      await start();
      return url;
    },
    async close() {
      phase = 'closing';
      await http.close();
      await worker.close();
      await foundation.close();
    },
  };
}
