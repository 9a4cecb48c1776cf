import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerDetail } from '@signalbox/client';
import { terminalJson, terminalLine } from '../text/terminal-text.ts';
import type { Command, Invocation } from './command-definition.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-code.ts';
import { UsageError, type Io } from './io.ts';
import { openBrowser } from './open-browser.ts';
import { optionsHelp, parseOptions, SERVICE_OPTIONS, type OptionName } from './options.ts';
import { table } from './print-table.ts';
import { ServiceClient, servicePlace } from './service-client.ts';

const TAKEN = [
  'device',
  'no-browser',
  'json',
  ...SERVICE_OPTIONS,
] as const satisfies readonly OptionName[];

const HELP = `signalbox servers: lists the MCP servers of a running service with their states, tools and errors
signalbox servers login SERVER: logs in to a remote server, and waits until the login is finished
signalbox servers logout SERVER: deletes the tokens of a remote server, and revokes them

The login opens the browser of this machine, or prints the address where there is none.

${optionsHelp(TAKEN)}

${EXIT_CODES_HELP}
`;

/** Milliseconds between two looks at the server during a login. */
const POLL_MS = 500;

interface ServersRequest {
  readonly io: Io;
  readonly client: ServiceClient;
  readonly env: Invocation['env'];
  readonly isJson: boolean;
}

export const serversCommand: Command = {
  help: () => HELP,
  async run({ io, rest, env }) {
    const { values, positionals } = parseOptions('servers', rest, TAKEN);
    const client = new ServiceClient(servicePlace(values, env));
    const request = { io, client, env, isJson: values.json === true };
    const [word, server, ...more] = positionals;
    const isDevice = values.device === true;
    const isPrinted = values['no-browser'] === true;
    if (word !== 'login' && (isDevice || isPrinted))
      throw new UsageError('--device and --no-browser are options of signalbox servers login');
    if (word === undefined) return list(request);
    if ((word !== 'login' && word !== 'logout') || server === undefined || more.length > 0)
      throw new UsageError(
        'usage: signalbox servers [login SERVER|logout SERVER]; see signalbox servers --help',
      );
    return word === 'login'
      ? logIn(request, server, { isDevice, isPrinted })
      : logOut(request, server);
  },
};

async function list({ io, client, isJson }: ServersRequest): Promise<number> {
  const servers = await client.list((api, at, signal) =>
    api.GET('/v1/servers', { params: { query: at }, signal }),
  );
  if (isJson) for (const server of servers) io.out(`${terminalJson(server)}\n`);
  else
    io.out(
      table(
        servers.map(
          ({ name, configured_name: configuredName, state, tool_count: tools, error }) => [
            configuredName ?? name,
            state,
            `${tools} tools`,
            error ?? '',
          ],
        ),
      ),
    );
  if (servers.length === 0 && !isJson) io.err('no server is configured\n');
  return EXIT.done;
}

async function logIn(
  { io, client, env, isJson }: ServersRequest,
  server: string,
  { isDevice, isPrinted }: { readonly isDevice: boolean; readonly isPrinted: boolean },
): Promise<number> {
  const before = (await detailOf(client, server)).logged_in?.at;
  const begun = await client.request((api, signal) =>
    api.POST('/v1/servers/{name}/login', {
      params: { path: { name: server } },
      body: isDevice ? { method: 'device' } : {},
      signal,
    }),
  );
  if (isJson) io.out(`${terminalJson(begun)}\n`);
  const url = begun.complete_url ?? begun.url;
  const isOpened = !isPrinted && (await openBrowser(url, { platform: process.platform, env }));
  io.err(terminalLine(promptOf(begun, isOpened)));
  io.err(`\n  ${terminalLine(begun.url)}\n`);
  const stopped = new AbortController();
  const unsubscribe = io.onInterrupt(() => stopped.abort());
  try {
    return await awaitLogin({ io, client, isJson }, server, {
      before,
      until: Date.parse(begun.expires_at),
      signal: stopped.signal,
    });
  } finally {
    unsubscribe();
  }
}

function promptOf({ user_code: code }: { readonly user_code?: string }, isOpened: boolean): string {
  if (code !== undefined) return `Enter the code ${code} at this address:`;
  return isOpened
    ? 'Log in in the browser, which was opened at this address:'
    : 'Open this address in a browser and log in:';
}

interface Wait {
  /** Time of the login before. */
  readonly before: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
  readonly signal: AbortSignal;
}

async function awaitLogin(
  { io, client, isJson }: Omit<ServersRequest, 'env'>,
  server: string,
  { before, until, signal }: Wait,
): Promise<number> {
  while (Date.now() < until) {
    const detail = await detailOf(client, server);
    const at = detail.logged_in?.at;
    if (at !== undefined && at !== before) {
      if (isJson) io.out(`${terminalJson(detail)}\n`);
      else io.out(`${terminalLine(`logged in to ${detail.name}`)}\n`);
      return EXIT.done;
    }
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return EXIT.interrupted;
  }
  io.err('signalbox: the login has expired; begin a new one\n');
  return EXIT.failed;
}

async function logOut(
  { io, client, isJson }: Omit<ServersRequest, 'env'>,
  server: string,
): Promise<number> {
  const result = await client.request((api, signal) =>
    api.DELETE('/v1/servers/{name}/login', { params: { path: { name: server } }, signal }),
  );
  if (isJson) io.out(`${terminalJson(result)}\n`);
  else io.out(`${terminalLine(`logged out of ${server}`)}\n`);
  if (!result.is_revoked)
    io.err(
      'signalbox: the tokens were deleted, but the authorization server did not revoke them\n',
    );
  return EXIT.done;
}

function detailOf(client: ServiceClient, name: string): Promise<ServerDetail> {
  return client.request((api, signal) =>
    api.GET('/v1/servers/{name}', { params: { path: { name } }, signal }),
  );
}
