import { protectedResource } from '@signalbox/mcp-core/http/protected-resource';
import {
  createHttpHandler,
  type HttpAccessOptions,
  type RequestAuthenticator,
} from '@signalbox/mcp-core/http/server';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { RESOURCE, type TokenIssuer } from './token-issuer.ts';

type Headers = { readonly [name: string]: string };

/** Processor time of a check in microseconds, all threads included, by the name of the check. */
export type TokenFigures = ReadonlyMap<string, number>;

/** Name of the row with a target. */
export const KNOWN_JWT = 'a JWT that is known';
const TARGET = { method: 'POST', path: '/mcp' };

/** Measures how long a protected server takes to decide about a token, and to serve a call with one. */
export async function measureTokens(issuer: TokenIssuer, checks: number): Promise<TokenFigures> {
  const options = { issuer: issuer.url, resource: RESOURCE, scopes: ['notes'] };
  const authenticator = protectedResource(options);
  const known = bearer(issuer.token('ES256'));
  const bound = issuer.boundToken();
  const fresh = Math.max(1, Math.floor(checks / 20));
  const times = (count: number, make: () => Headers) => Array.from({ length: count }, make);
  const call = defineTool({
    name: 'echo',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    handler: ({ text = '' }) => text,
  });
  const server = createServer({ info: { name: 'bench', version: '1.0.0' }, tools: [call] });
  const served = (access: HttpAccessOptions, headers: Headers) =>
    serveCalls(createHttpHandler(server, { access }), headers);
  const rows: readonly (readonly [string, readonly Headers[], (headers: Headers) => unknown])[] = [
    [KNOWN_JWT, times(checks, () => known), (headers) => decide(authenticator, headers)],
    [
      'a new JWT, ES256',
      times(fresh, () => bearer(issuer.token('ES256'))),
      (headers) => decide(authenticator, headers),
    ],
    [
      'a new JWT, RS256',
      times(fresh, () => bearer(issuer.token('RS256'))),
      (headers) => decide(authenticator, headers),
    ],
    [
      'a known token with a new DPoP proof, ES256',
      times(fresh, () => ({ authorization: `DPoP ${bound}`, dpop: issuer.proof(bound) })),
      (headers) => decide(authenticator, headers),
    ],
    ['a call without authentication', times(checks, () => ({})), served({}, {})],
    [
      'a call with access.bearerToken',
      times(checks, () => ({})),
      served({ bearerToken: 'secret' }, bearer('secret')),
    ],
    [
      'a call with a JWT that is known',
      times(checks, () => ({})),
      served({ authenticate: authenticator }, known),
    ],
  ];
  const figures = new Map<string, number>();
  for (const [name, inputs, check] of rows) {
    const warmUp = inputs.slice(0, Math.floor(inputs.length / 10));
    const measured = inputs.slice(warmUp.length);
    for (const input of warmUp) await check(input);
    figures.set(name, await cpuMicros(measured, check));
  }
  return figures;
}

function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

/** @throws Error when the request is refused */
async function decide({ authenticate }: RequestAuthenticator, headers: Headers): Promise<void> {
  const decision = await authenticate(headers, TARGET);
  if ('refused' in decision) throw new Error(`Refused: ${decision.challenge ?? ''}`);
}

/** Returns a function that sends a call through the handler. */
function serveCalls(
  handler: ReturnType<typeof createHttpHandler>,
  headers: Headers,
): () => Promise<void> {
  const params = {
    name: 'echo',
    arguments: { text: 'hello' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const fields = {
    host: 'localhost',
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'echo',
    ...headers,
  };
  return async () => {
    const request = new Request('http://localhost/mcp', { method: 'POST', headers: fields, body });
    const response = await handler.fetch(request);
    if (response.status !== 200) throw new Error(`Status ${String(response.status)}`);
    await response.text();
  };
}

async function cpuMicros(
  inputs: readonly Headers[],
  check: (headers: Headers) => unknown,
): Promise<number> {
  const before = process.cpuUsage();
  for (const input of inputs) await check(input);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / inputs.length;
}
