import {
  startAuthorizationServer,
  type AuthorizationServer,
} from '@signalbox/authorization-server';
import { protectedResource } from '@signalbox/mcp-core/http/protected-resource';
import { serveHttp } from '@signalbox/mcp-core/http/server';
import { createServer } from '@signalbox/mcp-core/server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { proves, type Subject } from '../requirements/proves.ts';
import { modernHeaders } from './http-wire.ts';
import { CLIENT_INFO, modernMeta, type Message } from './message.ts';
import { serverOptions, tool } from './test-tools.ts';

const RESOURCE = 'https://notes.example/mcp';
const METADATA = 'https://notes.example/.well-known/oauth-protected-resource/mcp';

let authorizationServer: AuthorizationServer;

beforeAll(async () => {
  authorizationServer = await startAuthorizationServer();
});

afterAll(() => authorizationServer.stop());

/** Signs an access token; claims that are `undefined` are left out. */
function token(claims: { readonly [name: string]: unknown } = {}): Promise<string> {
  const seconds = Math.floor(Date.now() / 1000);
  const all = {
    iss: authorizationServer.issuer,
    aud: RESOURCE,
    sub: 'ada',
    client_id: 'host',
    scope: 'notes:read',
    iat: seconds,
    exp: seconds + 60,
    jti: crypto.randomUUID(),
    ...claims,
  };
  return authorizationServer.keys.sign(all, 'at+jwt');
}

const SERVER = { side: 'server', wire: 'http' } as const;

const challengeOf = ({ headers }: Answer): string => headers.get('www-authenticate') ?? '';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A protected server, and requests to it in one era. */
class ProtectedWire {
  readonly era: 'legacy' | 'modern';
  readonly url: string;
  /** Names of the tools that ran. */
  readonly ran: readonly string[];

  private constructor(era: 'legacy' | 'modern', url: string, ran: readonly string[]) {
    this.era = era;
    this.url = url;
    this.ran = ran;
  }

  /** Serves `read`, which needs `notes:read`, and `remove`, which needs `notes:write` too. */
  static async open(era: 'legacy' | 'modern', sessions?: false): Promise<ProtectedWire> {
    const ran: string[] = [];
    const run = (name: string) => () => {
      ran.push(name);
      return 'a secret note';
    };
    const tools = [
      tool('read', run('read')),
      { ...tool('remove', run('remove')), scopes: ['notes:write'] },
    ];
    const listener = await serveHttp(createServer(serverOptions({ tools })), {
      sessions,
      onError: () => undefined,
      access: {
        authenticate: protectedResource({
          issuer: authorizationServer.issuer,
          resource: RESOURCE,
          scopes: ['notes:read'],
          impliedScopes: { notes: ['notes:read', 'notes:write'] },
        }),
      },
    });
    onTestFinished(() => listener.close());
    return new ProtectedWire(era, listener.url, ran);
  }

  async post(body: Message, headers: { readonly [name: string]: string } = {}): Promise<Answer> {
    const versioned =
      this.era === 'modern' ? modernHeaders(body) : { 'mcp-protocol-version': '2025-11-25' };
    const response = await fetch(this.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...versioned,
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  call(authorization?: string, name = 'read'): Promise<Answer> {
    const meta = this.era === 'modern' ? { _meta: modernMeta() } : {};
    const params = { name, arguments: {}, ...meta };
    return this.post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      authorization === undefined ? {} : { authorization },
    );
  }
}

describe.each(['legacy', 'modern'] as const)('a protected server, in the %s era,', (era) => {
  const subject: Subject = { ...SERVER, era };

  test(
    'publishes where its tokens come from, and says so to a client without one',
    proves(
      subject,
      'auth.metadata',
      'auth.metadata-found',
      'auth.challenge-scope',
      ...(era === 'modern' ? (['auth.no-offline-access'] as const) : []),
    ),
    async () => {
      const wire = await ProtectedWire.open(era, false);
      const refused = await wire.call();
      expect(refused.status).toBe(401);
      expect(challengeOf(refused)).toBe(
        `Bearer scope="notes:read", resource_metadata="${METADATA}"`,
      );
      const metadata = await fetch(new URL(new URL(METADATA).pathname, wire.url));
      expect(await metadata.json()).toMatchObject({
        resource: RESOURCE,
        authorization_servers: [authorizationServer.issuer],
        scopes_supported: ['notes:read'],
      });
    },
  );

  test(
    'answers 401 to a token that is not valid here, and processes nothing',
    proves(
      subject,
      'auth.unauthorized',
      'auth.audience',
      'auth.own-issuer',
      'auth.before-processing',
    ),
    async () => {
      const wire = await ProtectedWire.open(era, false);
      const bad = [
        'opaque',
        await token({ exp: 1 }),
        await token({ aud: 'https://other.example/mcp' }),
        await token({ aud: undefined }),
        await token({ iss: 'https://other.example' }),
      ];
      for (const each of bad) {
        const refused = await wire.call(`Bearer ${each}`);
        expect(refused.status).toBe(401);
        expect(challengeOf(refused)).toContain('error="invalid_token"');
        expect(refused.text).not.toContain('note');
      }
      expect(wire.ran).toEqual([]);
      expect((await wire.call(`Bearer ${await token()}`)).text).toContain('a secret note');
    },
  );

  test('answers 400 to a malformed one', proves(subject, 'auth.malformed'), async () => {
    const wire = await ProtectedWire.open(era, false);
    expect((await wire.call('Bearer two tokens')).status).toBe(400);
  });

  test(
    'answers 403 with all scopes to a token without one of them',
    proves(
      subject,
      'auth.forbidden',
      'auth.insufficient-scope',
      ...(era === 'modern' ? (['auth.all-scopes'] as const) : []),
    ),
    async () => {
      const wire = await ProtectedWire.open(era, false);
      for (const scope of ['notes:read', 'notes:write', 'other']) {
        const refused = await wire.call(`Bearer ${await token({ scope })}`, 'remove');
        expect(refused.status).toBe(403);
        for (const part of [
          'error="insufficient_scope"',
          'scope="notes:read notes:write"',
          `resource_metadata="${METADATA}"`,
        ])
          expect(challengeOf(refused)).toContain(part);
      }
      expect(wire.ran).toEqual([]);
    },
  );
});

test(
  'a protected server accepts a broader scope for narrower ones',
  proves({ ...SERVER, era: 'modern' }, 'auth.scope-hierarchy'),
  async () => {
    const wire = await ProtectedWire.open('modern', false);
    const accepted = await wire.call(`Bearer ${await token({ scope: 'notes' })}`, 'remove');
    expect(accepted.status).toBe(200);
    expect(wire.ran).toEqual(['remove']);
  },
);

test(
  'a protected server needs a token with each request of a session',
  proves({ ...SERVER, era: 'legacy' }, 'auth.no-session-login'),
  async () => {
    const wire = await ProtectedWire.open('legacy');
    const authorization = `Bearer ${await token()}`;
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT_INFO };
    const opened = await wire.post(
      { jsonrpc: '2.0', id: 'init', method: 'initialize', params },
      { authorization },
    );
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' } as const;
    expect((await wire.post(list, session)).status).toBe(401);
    expect((await wire.post(list, { ...session, authorization })).status).toBe(200);
    const other = `Bearer ${await token({ sub: 'eve' })}`;
    expect((await wire.post(list, { ...session, authorization: other })).status).toBe(404);
  },
);
