import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';

export type ServerName = 'filesystem' | 'sqlite' | 'weather';

/** A call of a server's tool, and part of the text of its result. */
export interface ToolCall {
  readonly tool: string;
  readonly args: { readonly [name: string]: unknown };
  readonly text: string;
}

export interface OurServer {
  readonly name: ServerName;
  /** Arguments for Node that start the server over stdio. */
  readonly args: readonly string[];
  readonly works: ToolCall;
  readonly fails: ToolCall;
}

const binOf = (name: ServerName): string =>
  fileURLToPath(new URL('bin.js', import.meta.resolve(`@signalbox/server-${name}/package.json`)));

/**
 * Prepares the three servers with test data. Each has a successful and a failing call, both of a
 * tool with an output schema.
 */
export async function ourServers(): Promise<{
  readonly servers: readonly OurServer[];
  remove(): Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), 'hosts-'));
  await writeFile(join(folder, 'note.txt'), 'hello from a file');
  const database = join(folder, 'shop.db');
  new Database(database)
    .exec("CREATE TABLE item (name TEXT); INSERT INTO item VALUES ('lamp')")
    .close();
  const servers: OurServer[] = [
    {
      name: 'filesystem',
      args: [binOf('filesystem'), folder],
      works: { tool: 'read_text_file', args: { path: 'note.txt' }, text: 'hello from a file' },
      fails: { tool: 'read_text_file', args: { path: 'missing.txt' }, text: 'missing.txt' },
    },
    {
      name: 'sqlite',
      args: [binOf('sqlite'), database],
      works: { tool: 'read_query', args: { query: 'SELECT name FROM item' }, text: 'lamp' },
      fails: { tool: 'read_query', args: { query: 'SELECT name FROM nowhere' }, text: 'nowhere' },
    },
    {
      name: 'weather',
      args: [binOf('weather'), '--demo', '--demo-delay-ms', '0'],
      works: { tool: 'weather_current', args: { location: 'Berlin' }, text: 'Berlin' },
      fails: { tool: 'weather_current', args: { location: 'Nowherexyz' }, text: 'Nowherexyz' },
    },
  ];
  return { servers, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Serves over HTTP on a free port of this machine until stopped. */
export async function serveOverHttp({
  args,
}: OurServer): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [...args, '--http', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /serving (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`the server ended: ${said}`)));
  });
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
