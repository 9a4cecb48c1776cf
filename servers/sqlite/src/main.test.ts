import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Progress } from '@signalbox/mcp-core';
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { msUntilEnd } from '@signalbox/server-kit/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { RUNAWAY } from './testing/runaway.ts';
import { temporaryDatabase } from './testing/temporary-database.ts';

const MAIN = ['--conditions=@signalbox/source', fileURLToPath(new URL('main.ts', import.meta.url))];
/** Options of a wait for an event that must happen. */
const soon = { timeout: 10_000, interval: 10 };

describe('signalbox-sqlite', () => {
  test('answers other requests during a runaway query, reports its progress and stops it at the deadline', async () => {
    const open = () =>
      spawnStdio({
        command: 'node',
        args: [...MAIN, '--db-path', temporaryDatabase(), '--timeout-ms', '1200'],
        env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' },
      });
    const client = await connectClient(open, { info: { name: 'test', version: '1' } });
    onTestFinished(() => client.close());
    await client.callTool('read_query', { query: 'SELECT 1' });
    const happened: string[] = [];
    const progressed: Progress[] = [];
    const runaway = client.callTool(
      'read_query',
      { query: RUNAWAY },
      { onProgress: (progress) => progressed.push(progress) },
    );
    void runaway.finally(() => happened.push('stopped'));
    await client.listTools();
    happened.push('answered');
    expect(await runaway).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('stopped after 1200 ms') as string }],
    });
    expect(happened).toEqual(['answered', 'stopped']);
    expect(progressed[0]).toMatchObject({
      progress: 1,
      message: 'The query has been running for 1 s',
    });
  });

  test('ends the query process of a cancelled call before a short query is answered, and sends no result', async () => {
    const { input, output, childPids } = startRaw(['--timeout-ms', '3600000', temporaryDatabase()]);
    input(callReadQuery('a', RUNAWAY));
    input(callReadQuery('b', 'SELECT 41'));
    await vi.waitFor(() => expect(output()).toContain('[[41]]'), soon);
    // One runs the endless query, and the other answered meanwhile.
    const pids = childPids();
    expect(pids).toHaveLength(2);
    input({ method: 'notifications/cancelled', params: { requestId: 'a' } });
    // About 0.2 s of processor time, whatever else this machine does.
    input(callReadQuery('c', countingTo(2_000_000)));
    await vi.waitFor(() => expect(output()).toContain('[[2000000]]'), soon);
    const left = childPids();
    expect(pids.filter((pid) => left.includes(pid))).toHaveLength(1);
    expect(output()).not.toContain('"id":"a"');
  });

  test.each(['stdin end', 'SIGTERM'])(
    'exits within a second of %s during a query, without leaving a process',
    async (end) => {
      const { input, output, childPids, server } = startRaw([
        '--timeout-ms',
        '3600000',
        temporaryDatabase(),
      ]);
      input(callReadQuery('a', RUNAWAY));
      input(callReadQuery('b', 'SELECT 41'));
      await vi.waitFor(() => expect(output()).toContain('[[41]]'), soon);
      const pids = childPids();
      expect(pids.length).toBeGreaterThan(0);
      const ended = msUntilEnd(server);
      if (end === 'SIGTERM') server.kill('SIGTERM');
      else server.stdin.end();
      expect(await ended).toBeLessThan(1000);
      expect([server.exitCode, server.signalCode]).toEqual([0, null]);
      expect(listProcesses().filter(({ pid }) => pids.includes(pid))).toEqual([]);
    },
  );

  test('refuses arguments it cannot use with one line', async () => {
    const server = spawn(process.execPath, [...MAIN, '--max-rows', '0', 'x.db'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [stderr] = await Promise.all([text(server.stderr), once(server, 'exit')]);
    expect({ stderr, code: server.exitCode }).toEqual({
      stderr:
        'signalbox-sqlite: --max-rows must be a whole number from 1 to 100000, not "0" (see signalbox-sqlite --help)\n',
      code: 1,
    });
  });
});

function startRaw(args: readonly string[]) {
  const server = spawn(process.execPath, [...MAIN, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
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

function countingTo(count: number): string {
  return `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ${count}) SELECT count(*) FROM c`;
}

function callReadQuery(id: string, query: string): object {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    id,
    method: 'tools/call',
    params: { name: 'read_query', arguments: { query }, _meta: meta },
  };
}

/** Returns all processes except zombies. */
function listProcesses(): { pid: number; parentPid: number }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state?.startsWith('Z') !== true)
    .map(([pid, parentPid]) => ({ pid: Number(pid), parentPid: Number(parentPid) }));
}
