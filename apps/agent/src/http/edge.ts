import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ApiKey } from '../config/config.ts';
import { ANONYMOUS } from '../ports/api-key.ts';
import type { Clock } from '../ports/clock.ts';
import { Problem } from './problem.ts';
import { artifactType, takesArtifact } from './artifact-body.ts';
import { allowOrigin, answerPreflight, isPreflight } from './cors.ts';
import { TokenAttempts } from './token-attempts.ts';

export interface EdgeOptions {
  /** Bind address of the service, accepted as a host name in addition to loopback names. */
  readonly host: string;
  /** Further host name under which browsers reach the service. */
  readonly publicHost?: string | undefined;
  /** Keys of which a request needs the token of one. Empty: requests need none. */
  readonly keys: readonly ApiKey[];
  /** Origins whose pages may use the API, besides the origin of the service. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly clock: Clock;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the request has a token, or none is required. */
    isAuthorized: boolean;
    /** Name of its API key. */
    apiKey: string;
    /** Owner of its idempotency keys. */
    principal: string;
  }

  interface FastifyContextConfig {
    /** Whether the route needs no token. Default: no. */
    isOpenToAll?: boolean;
  }
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Bind addresses that stand for every address of the machine. */
const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/**
 * Refuses requests that a web page of another origin, unless it is allowed, or a rebound host name
 * could send, then requests without a token. A service bound to every address cannot know its names, so there only
 * the token protects against rebinding.
 * @see https://owasp.org/www-community/attacks/DNS_Rebinding
 */
export function protectEdge(app: FastifyInstance, options: EdgeOptions): void {
  const host = options.host.toLowerCase();
  const names = new Set([...LOOPBACK, host.includes(':') ? `[${host}]` : host]);
  if (options.publicHost !== undefined) names.add(options.publicHost.toLowerCase());
  const isAnyHostOurs = EVERY_ADDRESS.has(host) && options.keys.length > 0;
  const origins = new Set(options.allowedOrigins);
  const keys = options.keys.map(({ name, token }) => ({ name, digest: sha256(token) }));

  const attempts = new TokenAttempts(options.clock);
  const trustedSockets = new WeakSet<object>();

  /**
   * Finds the key of the request. Connections that have presented a token are not delayed by other
   * clients of their address.
   */
  const authorize = async (request: FastifyRequest): Promise<boolean> => {
    if (keys.length === 0) return true;
    const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (given === undefined) return false;
    const { socket } = request.raw;
    if (!trustedSockets.has(socket)) await attempts.turn(request.ip);
    const digest = sha256(given);
    const key = keys.find((each) => timingSafeEqual(digest, each.digest));
    if (key === undefined) {
      attempts.wasWrong(request.ip);
      return false;
    }
    trustedSockets.add(socket);
    request.apiKey = key.name;
    // The token itself is not stored.
    request.principal = digest.toString('hex');
    return true;
  };

  app.decorateRequest('isAuthorized', false);
  app.decorateRequest('apiKey', ANONYMOUS);
  app.decorateRequest('principal', ANONYMOUS);
  app.addHook('onRequest', async (request, reply) => {
    // Set on the raw response, so that streams have the headers too.
    reply.raw.setHeader('x-request-id', request.id);
    reply.raw.setHeader('x-content-type-options', 'nosniff');
    if (!isAnyHostOurs) checkHost(request, names);
    if (!allowOrigin(request, reply, origins)) checkOrigin(request);
    else if (isPreflight(request)) return answerPreflight(reply);
    request.isAuthorized = await authorize(request);
    if (!request.isAuthorized && request.routeOptions.config.isOpenToAll !== true)
      throw new Problem(
        'unauthorized',
        "send the configured token in the header 'authorization: Bearer …'",
      );
    checkContentType(request);
  });
}

function checkHost(request: FastifyRequest, names: ReadonlySet<string>): void {
  const host = request.headers.host ?? '';
  const name = host.replace(/:\d+$/, '').toLowerCase();
  if (names.has(name)) return;
  throw new Problem(
    'forbidden_host',
    `the Host header names "${name}", which is not an address of this service; use 127.0.0.1 or localhost, or set public_url in the configuration to the address of the proxy in front of the service`,
  );
}

function checkOrigin(request: FastifyRequest): void {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  // A cross-site link may reach a GET endpoint, which has no effect.
  const isForeign =
    request.method !== 'GET' &&
    request.method !== 'HEAD' &&
    (site === 'cross-site' || site === 'same-site');
  if (
    !isForeign &&
    (origin === undefined || origin === `http://${host}` || origin === `https://${host}`)
  )
    return;
  throw new Problem(
    'forbidden_origin',
    'requests from web pages of other origins are refused; call the API from a program or a page of the same origin, or add the origin to allowed_origins of the configuration',
  );
}

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Requires a body without a content coding, and a JSON content type, which web forms cannot send. A
 * POST without a body needs none; the Origin check protects it.
 */
function checkContentType(request: FastifyRequest): void {
  if (!METHODS_WITH_BODY.has(request.method) || (request.method === 'POST' && hasNoBody(request)))
    return;
  const coding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (coding !== 'identity')
    throw new Problem(
      'unsupported_media_type',
      `the body has the content-encoding ${JSON.stringify(coding)}; send it without a content-encoding`,
    );
  if (takesArtifact(request)) {
    artifactType(request);
    return;
  }
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return;
  throw new Problem(
    'unsupported_media_type',
    "send JSON with the header 'content-type: application/json'; only a POST may have no body",
  );
}

/** Whether the request has neither a body nor a content type. */
export function hasNoBody({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return (
    headers['content-type'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    (headers['content-length'] ?? '0') === '0'
  );
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
