import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createHttpServer } from '../http/http-server.ts';
import type { HttpDependencies } from '../http/route.ts';
import { PACKAGE_FOLDER } from '../package-folder.ts';
import type { AppOptions } from './app-options.ts';

export type Phase = ReturnType<HttpDependencies['phase']>;

/** The HTTP server of a process. */
export interface HttpEdge {
  /** Resolves with the base URL. */
  listen(port: number): Promise<string>;
  close(): Promise<void>;
}

/** Creates the HTTP server when it is to listen. `routes`: the whole API, or the probes of a worker. */
export function httpEdge(
  { config, version, logger }: AppOptions,
  dependencies: Omit<HttpDependencies, 'version' | 'onError'>,
  routes: 'api' | 'probes',
): HttpEdge {
  let http: FastifyInstance | undefined;
  return {
    async listen(port) {
      http = await createHttpServer(
        {
          ...dependencies,
          version,
          onError: (error, { method, path, requestId }) =>
            logger.error('a request failed', { method, path, request_id: requestId, error }),
        },
        {
          host: config.host,
          keys: config.apiKeys,
          allowedOrigins: config.allowedOrigins,
          publicHost: config.publicUrl && new URL(config.publicUrl).hostname,
          routes,
          consoleFolder: join(PACKAGE_FOLDER, 'bundle/console'),
          admission: {
            streams: config.maxStreams,
            streamsPerRun: config.maxStreamsPerRun,
            pendingBodyBytes: config.maxPendingBodyBytes,
          },
        },
        join(PACKAGE_FOLDER, 'openapi.json'),
      );
      return http.listen({ host: config.host, port });
    },
    close: async () => http?.close(),
  };
}
