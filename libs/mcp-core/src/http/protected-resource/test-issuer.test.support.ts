import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type JWK,
  type JWTHeaderParameters,
} from 'jose';
import { onTestFinished } from 'vitest';
import { protectedResource } from './index.ts';
import type { ProtectedResourceOptions } from './index.ts';
import { serve, toolOf, type HttpPeer } from '../server/http-peer.test.support.ts';
import type { ServerOptions } from '../../server/server.ts';

/** Public URL of the MCP endpoint under test; nothing listens there. */
export const RESOURCE = 'https://mcp.example/mcp';
/** Text in every token of the tests, which must be in no error. */
export const SECRET_CLAIM = 'claim-that-nobody-may-see';

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

/** A key pair of an issuer or a client. */
export interface TestKey {
  readonly kid: string;
  readonly privateKey: PrivateKey;
  readonly publicJwk: JWK;
}

let keyCount = 0;

export async function testKey(algorithm = 'ES256'): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  keyCount += 1;
  return { kid: `key-${keyCount}`, privateKey, publicJwk: await exportJWK(publicKey) };
}

/** The answer of a path: a JSON value, or a status. */
export type Answer = { readonly [name: string]: unknown } | number;

/** Header parameters of a token, and its key. Default: those of RFC 9068. */
export interface TokenHeader {
  readonly key?: TestKey;
  readonly alg?: string;
  readonly kid?: string | undefined;
  readonly typ?: string | undefined;
}

/** An authorization server on this machine with metadata, keys and introspection. */
export class TestIssuer {
  readonly origin: string;
  /** Requests that arrived, as `METHOD path`. */
  readonly requests: string[] = [];
  readonly bodies: string[] = [];
  readonly credentials: (string | undefined)[] = [];
  /** Published keys. */
  keys: readonly TestKey[];
  /** Members added to the metadata. */
  metadata: { readonly [name: string]: unknown } = {};
  /** Answers by path, instead of the usual ones. */
  answers: { readonly [path: string]: Answer } = {};
  introspect: (token: string) => Answer = () => ({ active: false });

  constructor(origin: string, keys: readonly TestKey[]) {
    this.origin = origin;
    this.keys = keys;
  }

  get firstKey(): TestKey {
    const [first] = this.keys;
    if (first === undefined) throw new Error('The issuer has no key');
    return first;
  }

  /** Returns the number of times that the keys were fetched. */
  get keyFetches(): number {
    return this.requests.filter((request) => request === 'GET /jwks').length;
  }

  /** Signs an access token. Claims that are `undefined` are left out. */
  token(
    claims: { readonly [name: string]: unknown } = {},
    { key = this.firstKey, ...header }: TokenHeader = {},
  ): Promise<string> {
    const seconds = Math.floor(Date.now() / 1000);
    const all: { [name: string]: unknown } = {
      iss: this.origin,
      aud: RESOURCE,
      sub: 'ada',
      client_id: 'host',
      iat: seconds,
      exp: seconds + 300,
      jti: crypto.randomUUID(),
      scope: 'notes',
      note: SECRET_CLAIM,
      ...claims,
    };
    for (const [name, value] of Object.entries(all)) if (value === undefined) delete all[name];
    return (
      new SignJWT(all)
        // Parameters that are undefined are left out of the JSON.
        .setProtectedHeader({
          alg: 'ES256',
          typ: 'at+jwt',
          kid: key.kid,
          ...header,
        } as JWTHeaderParameters)
        .sign(key.privateKey)
    );
  }

  answer(request: IncomingMessage, body: string): Answer {
    const { pathname } = new URL(request.url ?? '/', this.origin);
    this.requests.push(`${request.method ?? ''} ${pathname}`);
    this.bodies.push(body);
    this.credentials.push(request.headers.authorization);
    const given = this.answers[pathname];
    if (given !== undefined) return given;
    switch (pathname) {
      case '/.well-known/oauth-authorization-server':
        return {
          issuer: this.origin,
          jwks_uri: `${this.origin}/jwks`,
          introspection_endpoint: `${this.origin}/introspect`,
          ...this.metadata,
        };
      case '/jwks':
        return {
          keys: this.keys.map(({ kid, publicJwk }) => ({ ...publicJwk, kid, use: 'sig' })),
        };
      case '/introspect':
        return this.introspect(new URLSearchParams(body).get('token') ?? '');
      default:
        return 404;
    }
  }
}

/** Starts an authorization server that is closed at the end of the test. */
export async function testIssuer(): Promise<TestIssuer> {
  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const issuer = new TestIssuer(`http://127.0.0.1:${port}`, [await testKey()]);
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const answer = issuer.answer(request, body);
    response.writeHead(typeof answer === 'number' ? answer : 200, {
      'content-type': 'application/json',
    });
    response.end(typeof answer === 'number' ? '{}' : JSON.stringify(answer));
  };
  return issuer;
}

/** A protected server under test. */
export class ProtectedPeer {
  readonly peer: HttpPeer;
  /** Errors that the operator of the server sees. */
  readonly problems: readonly unknown[];

  constructor(peer: HttpPeer, problems: readonly unknown[]) {
    this.peer = peer;
    this.problems = problems;
  }

  /** Calls a tool with these header fields. */
  call(headers: { readonly [name: string]: string }, name = 'whoami') {
    return this.peer.exchange(this.peer.modern('tools/call', { name }, { headers }));
  }

  bearer(token: string, name?: string) {
    return this.call({ authorization: `Bearer ${token}` }, name);
  }
}

/** Starts a server with the tool `whoami`, which returns `context.auth`. */
export async function protectedPeer(
  issuer: TestIssuer,
  options: Partial<ProtectedResourceOptions> = {},
  serverOptions: Partial<ServerOptions> = {},
): Promise<ProtectedPeer> {
  const problems: unknown[] = [];
  const whoami = toolOf('whoami', (_args, { auth }) => ({ structuredContent: { auth } }));
  const peer = await serve(
    { tools: [whoami], ...serverOptions },
    {
      onError: (error) => problems.push(error),
      access: {
        authenticate: protectedResource({
          issuer: issuer.origin,
          resource: RESOURCE,
          scopes: ['notes'],
          ...options,
        }),
      },
    },
  );
  return new ProtectedPeer(peer, problems);
}

/** Signs a proof of a client. */
export async function dpopProof(
  key: TestKey,
  token: string,
  {
    claims = {},
    header = {},
  }: {
    readonly claims?: { readonly [name: string]: unknown };
    readonly header?: { readonly [name: string]: unknown };
  } = {},
): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  const all: { [name: string]: unknown } = {
    htm: 'POST',
    htu: RESOURCE,
    iat: Math.floor(Date.now() / 1000),
    jti: crypto.randomUUID(),
    ath: Buffer.from(hash).toString('base64url'),
    ...claims,
  };
  for (const [name, value] of Object.entries(all)) if (value === undefined) delete all[name];
  return new SignJWT(all)
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: key.publicJwk, ...header })
    .sign(key.privateKey);
}

/** Returns the claim that binds a token to a key. */
export async function boundTo(key: TestKey): Promise<{ readonly cnf: { readonly jkt: string } }> {
  return { cnf: { jkt: await calculateJwkThumbprint(key.publicJwk) } };
}
