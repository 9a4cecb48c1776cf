import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { beginLogin, finishLogin, type LoginTarget } from '@signalbox/mcp-core/auth';
import { serveHttp } from '@signalbox/mcp-core/http/server';
import { createServer, defineTool } from '@signalbox/mcp-core/server';
import { startAuthorizationServer } from '../authorization-server.ts';
import { SqliteTokenStore } from './sqlite-token-store.ts';
import type { CallsCommand, WorkerSettings } from './worker.ts';

/** Options of `runRefreshRace`. */
export interface RefreshRaceOptions {
  /** Number of times that the token expires. */
  readonly rounds: number;
  /** Empty folder for the token store. */
  readonly folder: string;
  /** Whether the store locks. */
  readonly isLocking: boolean;
  /** Calls of each process in a round, all at once. Default: 2. */
  readonly calls?: number;
}

/** Observations of a race. */
export interface RefreshRaceResult {
  /** Refreshes that the authorization server accepted or refused, by round. */
  readonly refreshes: readonly number[];
  /** Requests that the MCP server answered with 401 in all rounds. */
  readonly refusedRequests: number;
  /** Messages of calls that failed. */
  readonly failures: readonly string[];
}

const TOKEN_SECONDS = 3600;
/** Milliseconds before the end of the token's life at which a round begins; the token still is valid. */
const LEFT_MS = 15_000;
const redirectUri = 'http://127.0.0.1:1/callback';

/**
 * Lets two processes use the same token when it expires, again and again: they share a store, and
 * their clocks and that of the authorization server are set forward before each round.
 */
export async function runRefreshRace({
  rounds,
  folder,
  isLocking,
  calls = 2,
}: RefreshRaceOptions): Promise<RefreshRaceResult> {
  let clockOffsetMs = 0;
  let refusedRequests = 0;
  let metadataUrl = '';
  const server = await startAuthorizationServer({
    accessTokenSeconds: TOKEN_SECONDS,
    now: () => Date.now() + clockOffsetMs,
  });
  const echo = defineTool({
    name: 'echo',
    description: 'Returns the text.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    handler: ({ text }) => ({ content: [{ type: 'text', text: String(text) }] }),
  });
  const mcp = createServer({ info: { name: 'protected', version: '1' }, tools: [echo] });
  const listener = await serveHttp(mcp, {
    port: 0,
    access: {
      authenticate: ({ authorization }) => {
        const token = server.findAccess(String(authorization).replace('Bearer ', ''));
        if (token !== undefined) return { auth: { principal: token.grant.subject } };
        refusedRequests += 1;
        return { refused: 401, challenge: `Bearer resource_metadata="${metadataUrl}"` };
      },
    },
  });
  const file = join(folder, 'tokens.sqlite');
  metadataUrl = server.publishResource(listener.url);
  await logIn({ server: listener.url, metadataUrl }, file, server.browse.bind(server));
  const settings = { url: listener.url, file, redirectUri, isLocking };
  const workers: ChildProcess[] = [];
  try {
    for (let count = 0; count < 2; count += 1) workers.push(startWorker(settings));
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    refusedRequests = 0;
    const refreshes: number[] = [];
    const failures: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      clockOffsetMs += TOKEN_SECONDS * 1000 - LEFT_MS;
      const before = server.requestsTo('token').length;
      const reports = await Promise.all(
        workers.map((worker) => callIn(worker, { calls, clockOffsetMs })),
      );
      failures.push(...reports.flat());
      refreshes.push(server.requestsTo('token').length - before);
    }
    return { refreshes, refusedRequests, failures };
  } finally {
    await Promise.all(workers.map(stopWorker));
    await listener.close();
    await server.stop();
  }
}

async function logIn(
  target: LoginTarget,
  file: string,
  browse: (url: string) => Promise<string>,
): Promise<void> {
  const store = new SqliteTokenStore(file);
  const begun = await beginLogin(target, { store, redirectUri });
  await finishLogin(begun.pending, await browse(begun.url), { store, redirectUri });
  store.close();
}

function startWorker(settings: WorkerSettings): ChildProcess {
  return fork(join(import.meta.dirname, 'worker.ts'), [JSON.stringify(settings)], {
    execArgv: ['--conditions=@signalbox/source', '--disable-warning=ExperimentalWarning'],
  });
}

async function callIn(worker: ChildProcess, command: CallsCommand): Promise<readonly string[]> {
  const settled = new AbortController();
  const { signal } = settled;
  const answered = once(worker, 'message', { signal });
  const ended = once(worker, 'exit', { signal }).then(([code]) => {
    throw new Error(`A worker ended with code ${code}.`);
  });
  ended.catch(() => undefined);
  worker.send(command);
  try {
    const [failures] = (await Promise.race([answered, ended])) as [readonly string[]];
    return failures;
  } finally {
    settled.abort();
  }
}

async function stopWorker(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null) return;
  const ended = once(worker, 'exit');
  worker.disconnect();
  await ended;
}
