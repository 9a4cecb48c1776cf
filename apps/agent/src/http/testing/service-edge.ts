import { randomUUID } from 'node:crypto';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import type { RunCommands } from '../../ports/run-engine.ts';
import type { Service } from '../../run/testing/service.ts';
import { observeService } from '../../metrics/observation.ts';
import { createMemoryJobQueue } from '../../queue/memory-job-queue.ts';
import { AddressGuard } from '@signalbox/mcp-core/http/addresses';
import { createScheduleCommands } from '../../schedules/schedule-commands.ts';
import { createWebhookCommands } from '../../webhooks/webhook-commands.ts';
import { noEditing } from '../../server-definitions/no-editing.ts';
import { noLogins } from './no-logins.ts';
import { createHttpServer, type ServerOptions } from '../http-server.ts';
import type { HttpDependencies } from '../route.ts';
import { generatedDescription } from './description/generated-description.ts';

export interface ServiceEdge {
  readonly app: FastifyInstance;
  request(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    options?: { readonly body?: unknown; readonly headers?: { readonly [name: string]: string } },
  ): Promise<LightMyRequestResponse>;
}

export interface EdgeOptions extends Partial<
  Pick<
    HttpDependencies,
    'read' | 'store' | 'webhooks' | 'onServed' | 'onError' | 'clock' | 'traces' | 'redis'
  >
> {
  readonly token?: string;
  /** Default: the key of `token`. */
  readonly keys?: ServerOptions['keys'];
  /** Replacements of engine methods. */
  readonly engine?: Partial<RunCommands>;
  readonly limits?: ServerOptions['limits'];
  readonly admission?: ServerOptions['admission'];
  readonly requestTimeoutMs?: number;
  readonly consoleFolder?: string;
  readonly phase?: ReturnType<HttpDependencies['phase']>;
  /** Path of the OpenAPI document; responses are then not checked. Default: `generatedDescription`, which checks them. */
  readonly apiDocument?: string;
}

/** Creates the REST server over a complete engine. */
export async function createServiceEdge(
  service: Service,
  {
    token,
    keys = token === undefined ? [] : [{ name: 'default', token }],
    engine = {},
    phase = 'ready',
    limits,
    admission,
    requestTimeoutMs,
    consoleFolder,
    apiDocument,
    ...others
  }: EdgeOptions = {},
): Promise<ServiceEdge> {
  const quiet = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const { store, read, bus, registry, clock, llm } = service;
  const { metrics, onServed } = observeService({
    clock,
    logger: quiet,
    read: others.read ?? read,
    queue: createMemoryJobQueue({ clock, onError: () => undefined }),
    registry,
  });
  const app = await createHttpServer(
    {
      engine: bound(service.engine, engine),
      schedules: createScheduleCommands({
        store,
        engine: service.engine,
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
      read,
      bus,
      catalogue: registry.catalogue,
      directory: { server: () => undefined, control: () => undefined },
      logins: noLogins,
      definitions: noEditing,
      llm,
      clock,
      metrics,
      phase: () => phase,
      onServed,
      version: '1.2.3',
      onError: () => undefined,
      ...others,
    },
    {
      host: '127.0.0.1',
      keys,
      admission,
      consoleFolder,
      ...(limits === undefined ? {} : { limits }),
      ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
    },
    apiDocument ?? generatedDescription,
  );
  return {
    app,
    request: (method, url, { body, headers = {} } = {}) =>
      app.inject({
        method,
        url,
        headers: {
          host: '127.0.0.1:8020',
          ...(['POST', 'PUT', 'PATCH'].includes(method)
            ? { 'content-type': 'application/json' }
            : {}),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      }),
  };
}

function bound(engine: RunCommands, replaced: Partial<RunCommands>): RunCommands {
  return new Proxy(engine, {
    get: (target, name: keyof RunCommands) => replaced[name] ?? target[name].bind(target),
  });
}
