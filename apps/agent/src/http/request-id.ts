import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

/** A request as it may be logged, without its query, which may hold secrets. */
export interface FailedRequest {
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
}

/** Returns the `x-request-id` of the client when it is 1 to 64 letters, digits, dots, dashes or underscores, else a new id. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

/** Returns the fields of a request that may be logged. */
export function failedRequest({ method, url, id }: FastifyRequest): FailedRequest {
  return { method, path: url.split('?')[0] ?? '', requestId: id };
}
