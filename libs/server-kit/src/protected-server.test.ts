import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { initialize, outcome, startServer } from './kit-process.test.support.ts';

const RESOURCE = 'https://kit.example/mcp';
const SECRET = 'client-secret-of-the-server';
const METADATA_PATH = '/.well-known/oauth-protected-resource/mcp';

interface Issuer {
  readonly url: string;
  /** Credentials of the introspection requests. */
  readonly credentials: readonly unknown[];
  token(claims?: { readonly [name: string]: unknown }): string;
}

/** Starts an authorization server with one key, which confirms every token at `/introspect`. */
async function startIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentials: unknown[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/introspect') credentials.push(request.headers.authorization);
    const answers: { readonly [path: string]: unknown } = {
      '/.well-known/oauth-authorization-server': {
        issuer: url,
        jwks_uri: `${url}/jwks`,
        introspection_endpoint: `${url}/introspect`,
      },
      '/jwks': { keys: [publicKey.export({ format: 'jwk' })] },
      '/introspect': { active: true, aud: RESOURCE, sub: 'ada', scope: 'notes' },
    };
    response.end(JSON.stringify(answers[request.url ?? '']));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    credentials,
    token: (claims = {}) => {
      const exp = Math.floor(Date.now() / 1000) + 300;
      const parts = [
        { alg: 'ES256' },
        { iss: url, aud: RESOURCE, sub: 'ada', scope: 'notes', exp, ...claims },
      ];
      const text = parts
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const;
      return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
    },
  };
}

const NOTES_SERVER = `start: async () => ({ server: server({ ...tool('remove', (_args, { auth }) => auth.principal), scopes: ['notes:write'] }) }),`;

/** Starts a protected server and resolves with its address on this machine, and all that it writes. */
async function startProtected(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = startServer(NOTES_SERVER, { args: ['--http', '0', ...args], env });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, found] = /^kit: serving (http:\S+)$/m.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`the server ended before it listened: ${output}`)));
  });
  return { child, url, output: () => output };
}

function post(url: string, token?: string, body: object = initialize) {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
}

describe('a server with --auth-issuer', () => {
  test('accepts tokens of its issuer with the scopes, and publishes where to get them', async () => {
    const issuer = await startIssuer();
    const auth = ['--auth-issuer', issuer.url, '--auth-audience', RESOURCE];
    const { url } = await startProtected([...auth, '--auth-scopes', 'notes']);
    const refused = await post(url);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer scope="notes", resource_metadata="https://kit.example${METADATA_PATH}"`,
    );
    const metadata = await fetch(new URL(METADATA_PATH, url));
    expect(await metadata.json()).toMatchObject({
      resource: RESOURCE,
      authorization_servers: [issuer.url],
      scopes_supported: ['notes'],
    });
    expect((await post(url, issuer.token())).status).toBe(200);
    expect((await post(url, issuer.token({ aud: 'https://other.example' }))).status).toBe(401);
    expect((await post(url, issuer.token({ scope: 'other' }))).status).toBe(403);
  });

  test('is known by its public name behind a proxy, and by no other', async () => {
    const issuer = await startIssuer();
    const auth = ['--auth-issuer', issuer.url, '--auth-audience', RESOURCE];
    const { url } = await startProtected(auth);
    const { request } = await import('node:http');
    const statusFor = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        request(new URL(METADATA_PATH, url), { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    await expect(statusFor('kit.example')).resolves.toBe(200);
    await expect(statusFor('evil.example')).resolves.toBe(403);
  });

  test('limits tools to the scopes that they declare', async () => {
    const issuer = await startIssuer();
    const auth = ['--auth-issuer', issuer.url, '--auth-audience', RESOURCE];
    const { url } = await startProtected([...auth, '--auth-scopes', 'notes']);
    const session = await post(url, issuer.token());
    const call = async (scope: string) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${issuer.token({ scope })}`,
          'mcp-session-id': session.headers.get('mcp-session-id') ?? '',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 2,
          method: 'tools/call',
          params: { name: 'remove' },
        }),
      });
      return { status: response.status, challenge: response.headers.get('www-authenticate') };
    };
    expect(await call('notes')).toMatchObject({
      status: 403,
      challenge: expect.stringContaining('scope="notes notes:write"') as string,
    });
    expect((await call('notes notes:write')).status).toBe(200);
  });

  test('asks the issuer with the secret of the environment, which is in no output, nor are tokens', async () => {
    const issuer = await startIssuer();
    const { child, url, output } = await startProtected(
      [
        '--auth-issuer',
        issuer.url,
        '--auth-audience',
        RESOURCE,
        '--auth-client-id',
        'kit',
        '--log-level',
        'debug',
      ],
      { MCP_AUTH_CLIENT_SECRET: SECRET },
    );
    expect((await post(url, 'opaque-token-of-ada')).status).toBe(200);
    expect((await post(url, 'malformed token')).status).toBe(400);
    const credentials = Buffer.from(`kit:${SECRET}`).toString('base64');
    expect(issuer.credentials).toEqual([`Basic ${credentials}`]);
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(output()).toContain('refused status=400 challenge=Bearer error=');
    for (const secret of [SECRET, credentials, 'opaque-token-of-ada', 'malformed token'])
      expect(output()).not.toContain(secret);
  });

  test('needs no MCP_HTTP_TOKEN on an address that others can reach', async () => {
    const { url } = await startProtected([
      '--http',
      '0.0.0.0:0',
      '--auth-issuer',
      'https://login.example',
      '--auth-audience',
      RESOURCE,
    ]);
    expect((await post(url.replace('0.0.0.0', '127.0.0.1'))).status).toBe(401);
  });

  const auth = ['--http', '0', '--auth-issuer', 'https://login.example'];
  test.each([
    [[...auth, '--auth-audience', 'http://kit.example/mcp'], {}, '--auth-resource: "http://kit'],
    [['--http', '0', '--auth-issuer', 'login', '--auth-audience', RESOURCE], {}, '--auth-issuer:'],
    [
      [...auth, '--auth-audience', RESOURCE, '--auth-scopes', 'offline_access'],
      {},
      '--auth-scopes: offline_access',
    ],
    [[...auth, '--auth-audience', RESOURCE, '--auth-networks', 'inside'], {}, '--auth-networks: '],
    [
      [...auth, '--auth-audience', RESOURCE, '--auth-client-id', 'kit'],
      {},
      '--auth-client-id needs its secret in MCP_AUTH_CLIENT_SECRET',
    ],
    [[...auth, '--auth-audience', RESOURCE], { MCP_HTTP_TOKEN: 'a' }, 'unset MCP_HTTP_TOKEN'],
  ])('refuses %j with %j', async (args, env, message) => {
    const { stderr, code } = await outcome(startServer('', { args, env }));
    expect(stderr).toContain(message);
    expect(stderr).toContain('(see kit --help)');
    expect(code).toBe(1);
  });
});

test('without --auth-issuer no code of the authorization is loaded', async () => {
  const preload = encodeURIComponent(
    `import { registerHooks } from 'node:module'; registerHooks({ resolve: (specifier, context, next) => { const result = next(specifier, context); if (/\\/jose\\/|protected-resource|\\/src\\/auth\\//.test(result.url)) process.stderr.write('loaded ' + result.url + '\\n'); return result; } });`,
  );
  const loadedBy = async (args: readonly string[]): Promise<boolean> => {
    const child = startServer('', { args, preload });
    let output = '';
    for await (const line of createInterface({ input: child.stderr })) {
      output += `${line}\n`;
      if (line.startsWith('kit: serving')) child.kill('SIGTERM');
    }
    return output.includes('loaded ');
  };
  const issuer = ['--auth-issuer', 'https://login.example', '--auth-audience', RESOURCE];
  await expect(loadedBy(['--http', '0'])).resolves.toBe(false);
  await expect(loadedBy(['--http', '0', ...issuer])).resolves.toBe(true);
});
