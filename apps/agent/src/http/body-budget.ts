import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from './problem.ts';

/** Maximum size of one request body in bytes. */
export const BODY_LIMIT = 1024 * 1024;

/** Default limit of the bytes of request bodies that are being received. */
export const DEFAULT_MAX_PENDING_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Limits the total size of the request bodies that are being received, and refuses a further request
 * with 429 before its body is read. A body of unknown size counts as the limit
 * of its endpoint, `BODY_LIMIT` in general.
 */
export function limitPendingBodies(app: FastifyInstance, maxBytes: number): void {
  let pending = 0;
  const sizes = new WeakMap<FastifyRequest, number>();
  const release = (request: FastifyRequest): void => {
    pending -= sizes.get(request) ?? 0;
    sizes.delete(request);
  };
  app.addHook('onRequest', (request, reply, done) => {
    const bytes = bodyBytes(request);
    if (pending + bytes > maxBytes) {
      done(
        new Problem(
          'too_many_bodies',
          `the bodies of other requests that are being received have ${pending} bytes, and max_pending_body_bytes of the configuration allows ${maxBytes} bytes in total; send the request again later`,
        ),
      );
      return;
    }
    if (bytes > 0) {
      pending += bytes;
      sizes.set(request, bytes);
      reply.raw.once('close', () => release(request));
    }
    done();
  });
  app.addHook('preValidation', (request, _reply, done) => {
    release(request);
    done();
  });
}

function bodyBytes({ headers, routeOptions }: FastifyRequest): number {
  const limit = routeOptions.bodyLimit;
  if (headers['transfer-encoding'] !== undefined) return limit;
  return Math.min(Number(headers['content-length'] ?? 0), limit);
}
