import { noEditing } from '../server-definitions/no-editing.ts';
import type { AppOptions, Service } from './app-options.ts';
import { openFoundation } from './foundation.ts';
import { httpEdge, type Phase } from './http-edge.ts';
import { createWorkerSide } from './worker-side.ts';

/**
 * Creates a process that continues runs and is connected to the servers, without the REST API. With
 * `probePort` it serves `/healthz`, `/readyz` and `/metrics`.
 * @throws StoreError, ConfigError
 */
export async function createWorker(options: AppOptions): Promise<Service> {
  const { probePort } = options.config;
  const foundation = await openFoundation(options);
  const worker = await createWorkerSide(options, foundation);
  const { store, bus, llm, clock, redis } = foundation;
  const { engine, schedules, webhooks, catalogue, pool, logins, metrics, onServed } = worker;
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
      definitions: noEditing,
      llm,
      clock,
      metrics,
      redis,
      phase: () => phase,
      onServed,
    },
    'probes',
  );
  return {
    llm,
    async listen() {
      const url = probePort === undefined ? undefined : await http.listen(probePort);
      await worker.start();
      phase = 'ready';
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
