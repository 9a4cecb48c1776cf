import { createHttpHandler, type HttpHandlerOptions } from '@signalbox/mcp-core/http/server';
import {
  HttpServerTransportV1,
  SseServerTransportV1,
} from '../../../../peers/src/sdk-v1-serving.ts';
import {
  createMcpHandlerV2,
  HttpServerTransportV2,
  SseServerTransportV2,
  toNodeHandlerV2,
} from '../../../../peers/src/sdk-v2-serving.ts';
import { createOurServer } from '../servers/our-server.ts';
import { createV1Server } from '../servers/v1-server.ts';
import { createV2Server } from '../servers/v2-server.ts';
import { World } from '../world.ts';
import { hostHttp, type Hosted, type Serve } from './host-http.ts';
import { serveSessions } from './serve-sessions.ts';
import { serveSse } from './serve-sse.ts';

/** Hosts our server over HTTP: all revisions at `/mcp`, with these options. */
export function hostOurs(options: HttpHandlerOptions = {}): Promise<Hosted> {
  const world = new World();
  const handler = createHttpHandler(createOurServer(world), {
    path: '/mcp',
    sessions: { retryMs: 20 },
    ...options,
  });
  return hostHttp(
    world,
    (request, response) => handler.handle(request, response),
    () => handler.close(),
  );
}

export function hostV1Sessions(): Promise<Hosted> {
  const world = new World();
  const { serve, forgetSessions } = serveSessions(async (options) => {
    const transport = new HttpServerTransportV1(options);
    await createV1Server(world).connect(transport);
    return transport;
  });
  return forgettingHost(hostHttp(world, serve), forgetSessions);
}

export function hostV1Stateless(): Promise<Hosted> {
  const world = new World();
  return hostHttp(world, async (request, response) => {
    const transport = new HttpServerTransportV1({});
    const server = createV1Server(world);
    response.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
}

export function hostV1Sse(): Promise<Hosted> {
  const world = new World();
  const serve = serveSse(async (path, response) => {
    const transport = new SseServerTransportV1(path, response);
    await createV1Server(world).connect(transport);
    return transport;
  });
  return hostHttp(world, serve);
}

/** `versions`: the legacy revisions that the server accepts. Default: all. */
export function hostV2Sessions(versions?: readonly string[]): Promise<Hosted> {
  const world = new World();
  const { serve, forgetSessions } = serveSessions(async (options) => {
    const transport = new HttpServerTransportV2(options);
    await createV2Server(world, versions === undefined ? {} : { versions }).connect(transport);
    return transport;
  });
  return forgettingHost(hostHttp(world, serve), forgetSessions);
}

/** Hosts the modern era, and legacy requests without a session. */
export function hostV2Requests(): Promise<Hosted> {
  const world = new World();
  const handler = createMcpHandlerV2(() =>
    createV2Server(world, { notifier: () => handler.notify }),
  );
  // The handler's type does not fit node:http under exactOptionalPropertyTypes.
  return hostHttp(world, toNodeHandlerV2(handler) as Serve, () => handler.close());
}

export function hostV2Sse(): Promise<Hosted> {
  const world = new World();
  const serve = serveSse(async (path, response) => {
    const transport = new SseServerTransportV2(path, response);
    await createV2Server(world).connect(transport);
    return transport;
  });
  return hostHttp(world, serve);
}

async function forgettingHost(
  hosting: Promise<Hosted>,
  forgetSessions: () => void,
): Promise<Hosted> {
  return { ...(await hosting), forgetSessions };
}
