import type { FastifyReply, FastifyRequest } from 'fastify';

/** Headers of responses that a page of another origin may read, besides the safelisted ones. */
const EXPOSED_HEADERS = [
  'content-range',
  'etag',
  'idempotent-replayed',
  'location',
  'preference-applied',
  'retry-after',
  'x-request-id',
].join(', ');

/** Headers of requests that a page of another origin may send, besides the safelisted ones. */
const ALLOWED_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'prefer',
  'range',
  'x-request-id',
].join(', ');

const ALLOWED_METHODS = 'DELETE, GET, HEAD, PATCH, POST, PUT';

/** Seconds for which a browser keeps the answer to a preflight. Browsers cap it at 2 or 24 hours. */
const PREFLIGHT_MAX_AGE_S = 7200;

/**
 * Lets pages of the configured origins read the response. Returns whether the origin of the request is
 * one of them. Cookies are not allowed, because the service uses none.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function allowOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  origins: ReadonlySet<string>,
): boolean {
  if (origins.size === 0) return false;
  // Set on the raw response, so that streams and problems have the headers too.
  reply.raw.setHeader('vary', 'origin');
  const { origin } = request.headers;
  if (origin === undefined || !origins.has(origin)) return false;
  reply.raw.setHeader('access-control-allow-origin', origin);
  reply.raw.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
  return true;
}

/** Whether a browser asks whether a page may send a request. It sends no token with the question. */
export function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** Answers a preflight of a configured origin, for every endpoint alike. */
export function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': ALLOWED_METHODS,
      'access-control-allow-headers': ALLOWED_HEADERS,
      'access-control-max-age': String(PREFLIGHT_MAX_AGE_S),
    })
    .send();
}
