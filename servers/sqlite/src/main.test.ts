import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Era, Progress } from '@signalbox/mcp-core';
import { connectClient, type Client } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryDatabase } from './testing/temporary-database.ts';

const RUNAWAY = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';
const MAIN = ['--conditions=@signalbox/source', fileURLToPath(new URL('main.ts', import.meta.url))];
const SCHEMA = `CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
  INSERT INTO users VALUES (1, 'Ada'), (2, 'Grace');
  CREATE VIEW names AS SELECT name FROM users;`;

async function connect(args: readonly string[], era: Era = 'modern'): Promise<Client> {
  const open = () => spawnStdio({ command: 'node', args: [...MAIN, ...args] });
  const client = await connectClient(open, { info: { name: 'test', version: '1' }, era });
  onTestFinished(() => client.close());
  return client;
}

describe('signalbox-sqlite', () => {
  test.each(['legacy', 'modern'] as const)('answers a %s client', async (era) => {
    const client = await connect(['--db-path', temporaryDatabase(SCHEMA)], era);
    expect(client.server.era).toBe(era);
    const result = await client.callTool('read_query', { query: 'SELECT name FROM users WHERE id = ?', params: [2] });
    expect(result.isError ?? false).toBe(false);
    expect(result.structuredContent).toMatchObject({ columns: [{ name: 'name', type: 'text' }], rows: [['Grace']], rowCount: 1, truncated: false });
    expect(JSON.parse((result.content[0] as { text: string }).text)).toEqual(result.structuredContent);
  });

  test('lists three small tools with every hint and schema', async () => {
    const tools = await (await connect([temporaryDatabase(SCHEMA)])).listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['describe_table', 'list_tables', 'read_query']);
    for (const tool of tools) {
      expect(tool.annotations).toEqual({ readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false });
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(6000);
  });

  test('gives results that conform to the published schemas', async () => {
    const client = await connect([temporaryDatabase(`${SCHEMA} CREATE VIEW broken AS SELECT * FROM gone; CREATE INDEX i ON users(lower(name)); CREATE VIRTUAL TABLE f USING fts5(x)`)]);
    const calls = [
      client.callTool('list_tables', {}),
      client.callTool('list_tables', { includeViews: true }),
      ...['users', 'names', 'f', 'f_data'].map((name) => client.callTool('describe_table', { table_name: name })),
      client.callTool('read_query', { query: "SELECT 1, 1.5, 'x', x'00', NULL, 9e999, 9223372036854775807, printf('%.*c', 100000, 'x')", limit: 1 }),
      client.callTool('read_query', { query: "VALUES (1), ('x')" }),
    ];
    const results = await Promise.all(calls);
    expect(results.map((result) => result.isError === true && result.content)).toEqual(Array(8).fill(false));
  });

  test('tells the model what was wrong with a call', async () => {
    const client = await connect([temporaryDatabase(SCHEMA)]);
    const errorOf = async (name: string, args: { [key: string]: unknown }) => {
      const result = await client.callTool(name, args);
      return result.isError === true ? (result.content[0] as { text: string }).text : 'no error';
    };
    expect(await errorOf('read_query', { query: 'DELETE FROM users' })).toContain('DELETE is not allowed');
    expect(await errorOf('read_query', { query: 'SELECT age FROM users' })).toContain('Existing columns: users.id, users.name');
    expect(await errorOf('read_query', { query: 'SELECT ?', params: [] })).toContain('Too few');
    expect(await errorOf('read_query', { query: 'SELECT 1', params: 'x' })).toContain('params');
    expect(await errorOf('read_query', { query: 'SELECT 1', limit: 1001 })).toContain('limit');
    expect(await errorOf('read_query', { sql: 'SELECT 1' })).toContain('query');
    expect(await errorOf('describe_table', { table_name: 'user' })).toContain('Existing: users');
  });

  test('stays responsive during a runaway query, reports progress and stops it at the deadline', { retry: 2 }, async () => {
    const client = await connect([temporaryDatabase(SCHEMA), '--timeout-ms', '1600']);
    const progressed: Progress[] = [];
    const runaway = client.callTool('read_query', { query: RUNAWAY }, { onProgress: (progress) => progressed.push(progress) });
    const startedMs = performance.now();
    await client.listTools();
    expect(performance.now() - startedMs).toBeLessThan(300);
    const result = await runaway;
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('stopped after 1600 ms') as string }] });
    expect(progressed).toEqual([expect.objectContaining({ progress: 1 })]);
  });

  test('ends the query process of a cancelled call within 250 ms and says nothing more about the call', { retry: 2 }, async () => {
    const { input, output, childPids } = startRaw([temporaryDatabase(SCHEMA)]);
    await vi.waitFor(() => expect(childPids()).toHaveLength(1));
    const [first] = childPids();
    input(callReadQuery('a', RUNAWAY));
    input(callReadQuery('b', 'SELECT 41')); // Answered by a second process: the first is in the middle of its query.
    await vi.waitFor(() => expect(output()).toContain('[[41]]'), { timeout: 5000 });
    const startedMs = performance.now();
    input({ method: 'notifications/cancelled', params: { requestId: 'a' } });
    await vi.waitFor(() => expect(childPids()).not.toContain(first), { interval: 10 });
    expect(performance.now() - startedMs).toBeLessThan(250);
    input(callReadQuery('c', 'SELECT 42'));
    await vi.waitFor(() => expect(output()).toContain('[[42]]'), { timeout: 5000 });
    expect(output()).not.toContain('"id":"a"');
  });

  test.each(['stdin end', 'SIGTERM'])('exits within a second of %s during a query, without leaving a process', async (end) => {
    const { input, childPids, server } = startRaw([temporaryDatabase(SCHEMA)]);
    input(callReadQuery('a', RUNAWAY));
    await vi.waitFor(() => expect(childPids()).toHaveLength(1));
    const pids = childPids();
    const startedMs = performance.now();
    if (end === 'SIGTERM') server.kill('SIGTERM');
    else server.stdin.end();
    expect(await once(server, 'exit')).toEqual([0, null]);
    expect(performance.now() - startedMs).toBeLessThan(1000);
    expect(listProcesses().filter(({ pid }) => pids.includes(pid))).toEqual([]);
  });

  test('serves on when the file is no database', async () => {
    const path = join(dirname(temporaryDatabase()), 'text.db');
    writeFileSync(path, 'no database '.repeat(100));
    const client = await connect([path]);
    expect(await client.callTool('list_tables', {})).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('SQLITE_NOTADB') as string }] });
    expect(await client.listTools()).toHaveLength(3);
  });

  test('reads the schema as a resource', async () => {
    const client = await connect([temporaryDatabase(SCHEMA)]);
    expect((await client.listResources()).map((resource) => resource.uri)).toEqual(['sqlite://main']);
    const [contents] = await client.readResource('sqlite://main');
    expect(JSON.parse((contents as { text: string }).text)).toMatchObject({ tables: [{ name: 'names', type: 'view' }, { name: 'users', type: 'table' }] });
    await expect(client.readResource('sqlite://other')).rejects.toThrow('Resource not found');
  });

  test('leaves the database file as it was', async () => {
    const path = temporaryDatabase(SCHEMA);
    const before = { bytes: readFileSync(path), mtimeMs: statSync(path).mtimeMs };
    const client = await connect([path]);
    for (const query of ['SELECT * FROM users', 'REPLACE INTO users VALUES (1, 0)', 'PRAGMA user_version = 7', 'PRAGMA integrity_check']) await client.callTool('read_query', { query });
    expect({ bytes: readFileSync(path), mtimeMs: statSync(path).mtimeMs }).toEqual(before);
  });

  test.each([
    [[], 'name the database file'],
    [['/nowhere/at-all.db'], 'there is no database file /nowhere/at-all.db; create an empty one with: sqlite3 "/nowhere/at-all.db" VACUUM'],
    [['--db-path', '/nowhere/a.db', '/nowhere/b.db'], 'only one database file can be served, not also "/nowhere/b.db"'],
    [['--max-rows', '0', 'x.db'], '--max-rows must be a whole number from 1 to 100000, not "0"'],
    [['--time-ms', '1', 'x.db'], "Unknown option '--time-ms'"],
  ])('refuses the arguments %j with one line', async (args, message) => {
    const { code, stderr } = await runToEnd(args);
    expect(code).toBe(1);
    expect(stderr).toBe(`signalbox-sqlite: ${message} (see signalbox-sqlite --help)\n`);
  });

  test('refuses a folder', async () => {
    const folder = join(dirname(temporaryDatabase()), 'folder');
    mkdirSync(folder);
    expect((await runToEnd([folder])).stderr).toContain(`${folder} is not a file`);
  });
});

function startRaw(args: readonly string[]) {
  const server = spawn(process.execPath, [...MAIN, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    server.kill('SIGKILL');
  });
  const input = (message: object): void => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  let written = '';
  server.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    written += chunk;
  });
  const childPids = (): number[] =>
    listProcesses()
      .filter((child) => child.parentPid === server.pid)
      .map((child) => child.pid);
  return { server, input, output: () => written, childPids };
}

function callReadQuery(id: string, query: string): object {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { id, method: 'tools/call', params: { name: 'read_query', arguments: { query }, _meta: meta } };
}

/** Every process but those that ended and wait to be collected. */
function listProcesses(): { pid: number; parentPid: number }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state?.startsWith('Z') !== true)
    .map(([pid, parentPid]) => ({ pid: Number(pid), parentPid: Number(parentPid) }));
}

async function runToEnd(args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const server = spawn(process.execPath, [...MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [stderr] = await Promise.all([text(server.stderr), once(server, 'exit')]);
  return { code: server.exitCode, stderr };
}
