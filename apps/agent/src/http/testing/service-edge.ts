import { randomUUID } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { RunEngine } from '../../ports/run-engine.ts';
import type { Service } from '../../run/testing/service.ts';
import { createHttpServer } from '../http-server.ts';

export interface ServiceEdge {
  readonly app: FastifyInstance;
  request(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, options?: { readonly body?: unknown; readonly headers?: { readonly [name: string]: string } }): Promise<LightMyRequestResponse>;
}

/** The edge over an engine with everything behind it; `engine` replaces parts of that. */
export async function createServiceEdge(service: Service, { token, engine = {} }: { readonly token?: string; readonly engine?: Partial<RunEngine> } = {}): Promise<ServiceEdge> {
  const { store, read, bus, registry, clock, llm } = service;
  const app = await createHttpServer(
    {
      engine: bound(service.engine, engine),
      store,
      read,
      bus,
      registry,
      directory: { server: () => undefined, control: () => undefined },
      llm,
      clock,
      newId: randomUUID,
      version: '1.2.3',
      onError: () => undefined,
    },
    { host: '127.0.0.1', token },
  );
  return {
    app,
    request: (method, url, { body, headers = {} } = {}) =>
      app.inject({
        method,
        url,
        headers: { host: '127.0.0.1:8020', ...(method === 'POST' || method === 'PUT' ? { 'content-type': 'application/json' } : {}), ...headers },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      }),
  };
}

function bound(engine: RunEngine, replaced: Partial<RunEngine>): RunEngine {
  return new Proxy(engine, {
    get: (target, name: keyof RunEngine) => replaced[name] ?? target[name].bind(target),
  });
}
