import { describe, expect, test } from 'vitest';
import { parseCommandLine } from './command-line.ts';

const ISSUER = ['--auth-issuer', 'https://login.example'];
const AUDIENCE = ['--auth-audience', 'https://kit.example/mcp'];

function authOf(...args: readonly string[]): unknown {
  const line = parseCommandLine({}, { args });
  return line.kind === 'start' ? line.auth : line.kind;
}

describe('the options of the authorization', () => {
  test('are absent without an issuer', () => {
    expect(authOf('--http', '0')).toBeUndefined();
  });

  test('need an issuer and an audience, which is the URL of the server', () => {
    expect(authOf('--http', '0', ...ISSUER, ...AUDIENCE)).toEqual({
      issuer: 'https://login.example',
      audience: 'https://kit.example/mcp',
      resource: 'https://kit.example/mcp',
      scopes: [],
      clientId: undefined,
      networks: undefined,
    });
  });

  test('name the URL if the audience is another text, scopes, a client and networks', () => {
    expect(
      authOf(
        '--http',
        '0',
        ...ISSUER,
        '--auth-audience',
        'api://kit',
        '--auth-resource',
        'https://kit.example/mcp',
        '--auth-scopes',
        'read  write',
        '--auth-client-id',
        'kit',
        '--auth-networks',
        '10.0.0.0/8, fd00::/8',
      ),
    ).toEqual({
      issuer: 'https://login.example',
      audience: 'api://kit',
      resource: 'https://kit.example/mcp',
      scopes: ['read', 'write'],
      clientId: 'kit',
      networks: ['10.0.0.0/8', 'fd00::/8'],
    });
  });

  test('may be variables, which the error names', () => {
    const env = { MCP_KIT_AUTH_ISSUER: 'https://login.example', MCP_KIT_HTTP: '0' };
    const parse = (more: NodeJS.ProcessEnv) =>
      parseCommandLine({}, { args: [], env: { ...env, ...more }, envPrefix: 'MCP_KIT' });
    expect(parse({ MCP_KIT_AUTH_AUDIENCE: 'https://kit.example/mcp' })).toMatchObject({
      auth: { issuer: 'https://login.example', audience: 'https://kit.example/mcp' },
    });
    expect(() => parse({})).toThrow(
      '--auth-issuer needs --auth-audience (from MCP_KIT_AUTH_ISSUER)',
    );
  });

  test.each([
    [[...ISSUER, ...AUDIENCE], '--auth-issuer needs --http'],
    [['--http', '0', ...ISSUER], '--auth-issuer needs --auth-audience'],
    [['--http', '0', ...AUDIENCE], '--auth-audience needs --auth-issuer'],
    [['--http', '0', '--auth-scopes', 'read'], '--auth-scopes needs --auth-issuer'],
    [
      ['--http', '0', ...ISSUER, '--auth-audience', 'api://kit'],
      '--auth-audience "api://kit" is not a URL: add --auth-resource',
    ],
  ])('%j are refused', (args, message) => {
    expect(() => authOf(...args)).toThrow(message);
  });
});
