import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createClientAuthorization,
  MemoryTokenStore,
  type StoredTokens,
} from '@signalbox/mcp-core/auth';
import type { Transport } from '@signalbox/mcp-core';
import { httpTransport, type HttpAuthorization } from '@signalbox/mcp-core/http/client';
import { median } from '../figures.ts';
import type { TokenFigures } from './measure-tokens.ts';
import type { TokenIssuer } from './token-issuer.ts';

/** Name of the row with a target: the median of the differences of neighboring parts. */
export const EXTRA = 'client: difference of these calls';
const FIXED_HEADER = 'client: a call with a fixed header';
const VALID_TOKEN = 'client: a call with a valid token';

/** Number of alternating parts of a measurement of calls, so that all rows have the same load. */
const PARTS = 200;

/** Measures the cost of an authorization on the side of the client, processor time in microseconds. */
export async function measureClientTokens(
  issuer: TokenIssuer,
  calls: number,
): Promise<TokenFigures> {
  const server = await startCalledServer(issuer.url);
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`;
  const bearer = await authorizationWith(issuer, url, { tokenType: 'Bearer' });
  const bound = await authorizationWith(issuer, url, {
    tokenType: 'DPoP',
    dpopKey: await privateKey(),
  });
  const request = { server: url, url, method: 'POST', body: JSON.stringify(callOf(1)) } as const;
  const transports = [
    httpTransport({ url, headers: { Authorization: `Bearer ${TOKEN}` } }),
    httpTransport({ url, authorization: bearer }),
  ] as const;
  const ways: readonly (readonly [string, number, () => unknown])[] = [
    ['client: headers with a valid token', calls * 10, () => bearer.headers(request)],
    ['client: headers with a bound token and its proof', calls, () => bound.headers(request)],
    [FIXED_HEADER, calls, caller(transports[0])],
    [VALID_TOKEN, calls, caller(transports[1])],
  ];
  const parts = new Map(ways.map(([name]) => [name, [] as number[]]));
  for (let part = -PARTS / 10; part < PARTS; part += 1)
    for (const [name, count, step] of part % 2 === 0 ? ways : ways.toReversed()) {
      const times = Math.max(1, Math.floor(count / PARTS));
      const before = process.cpuUsage();
      for (let time = 0; time < times; time += 1) await step();
      const { user, system } = process.cpuUsage(before);
      if (part >= 0) parts.get(name)?.push((user + system) / times);
    }
  for (const transport of transports) await transport.close();
  server.closeAllConnections();
  server.close();
  const [fixed = [], valid = []] = [parts.get(FIXED_HEADER), parts.get(VALID_TOKEN)];
  return new Map([
    ...[...parts].map(([name, figures]) => [name, median(figures)] as const),
    [EXTRA, median(valid.map((figure, part) => figure - (fixed[part] ?? Number.NaN)))],
  ]);
}

const TOKEN = 'access-token-of-usual-length'.repeat(20);

/** Creates an authorization that holds a token, which a first 401 made it read from its store. */
async function authorizationWith(
  issuer: TokenIssuer,
  url: string,
  tokens: Pick<StoredTokens, 'tokenType' | 'dpopKey'>,
): Promise<HttpAuthorization> {
  const store = new MemoryTokenStore();
  const key = { issuer: issuer.url, resource: url, principal: '' };
  await store.writeTokens(key, {
    ...tokens,
    accessToken: TOKEN,
    refreshToken: 'refresh-token',
    requestedScopes: [],
    scopes: [],
    expiresAt: Date.now() + 3_600_000,
    clientId: 'bench',
  });
  const authorization = createClientAuthorization({ store });
  const request = { server: url, url, method: 'POST', sent: {}, attempt: 0 } as const;
  await authorization.refused({ ...request, status: 401, responseHeaders: {} });
  return authorization;
}

/** Returns a function that sends a call and waits for its response. */
function caller(transport: Transport): () => Promise<void> {
  let resolve = (): void => undefined;
  let reject = (_error: Error): void => undefined;
  let id = 0;
  void transport.start({
    message: () => resolve(),
    unreadable: () => reject(new Error('The response cannot be read')),
    requestFailed: (_id, error) => reject(error),
    inputEnded: () => undefined,
    closed: () => undefined,
  });
  return async () => {
    const answered = new Promise<void>((onAnswer, onFailure) => {
      resolve = onAnswer;
      reject = onFailure;
    });
    id += 1;
    await transport.send(callOf(id));
    await answered;
  };
}

function callOf(id: number) {
  const params = {
    name: 'echo',
    arguments: { text: 'hello' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  return { jsonrpc: '2.0', id, method: 'tools/call', params } as const;
}

/** Starts a server that answers every call with the same text, and publishes its issuer. */
async function startCalledServer(issuer: string): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const origin = `http://${String(request.headers.host)}`;
      const result = { resultType: 'complete', content: [{ type: 'text', text: 'hello' }] };
      const answer =
        request.method === 'GET'
          ? { resource: `${origin}/mcp`, authorization_servers: [issuer] }
          : { jsonrpc: '2.0', id: (JSON.parse(body) as { id: number }).id, result };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function privateKey(): Promise<NonNullable<StoredTokens['dpopKey']>> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const pair = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  return crypto.subtle.exportKey('jwk', pair.privateKey);
}
