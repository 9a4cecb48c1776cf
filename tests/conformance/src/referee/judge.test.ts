import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientCommand } from '../client-command.ts';
import { judge } from './judge.ts';
import { readRequirementSet } from './requirement-set.ts';

let folder: string;
let servers: Server[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'judge-'));
  servers = [];
});

afterEach(() => {
  for (const server of servers) server.close();
});

test('a server that knows nothing passes nothing', { timeout: 60_000 }, async () => {
  const server = createServer((request, response) => void request.resume().once('end', () => response.writeHead(404).end()));
  servers.push(server.listen(0, '127.0.0.1'));
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  const { port } = server.address() as AddressInfo;

  const { required, extra, problems } = await judge({ leg: 'server', url: `http://127.0.0.1:${String(port)}/mcp` }, '2025-11-25', folder);

  expect(required).toEqual({ passed: 0, total: readRequirementSet('2025-11-25', 'server').scored.length });
  expect(extra.passed).toBe(0);
  expect(problems.length).toBe(required.total + extra.total);
});

test('a client that ends with an error has passed nothing, whatever the referee saw of it', { timeout: 60_000 }, async () => {
  const file = join(folder, 'client with a space.mjs');
  writeFileSync(file, "console.error('I cannot'); process.exitCode = 1;");

  const { required, problems } = await judge({ leg: 'client', command: clientCommand(file) }, '2026-07-28', folder);

  expect(required).toEqual({ passed: 0, total: readRequirementSet('2026-07-28', 'client').scored.length });
  expect(problems.join('\n')).toContain('http-standard-headers\n  the client said: I cannot');
});

test('a referee that cannot run is a problem of every scenario', { timeout: 60_000 }, async () => {
  const { required, problems } = await judge({ leg: 'server', url: 'nonsense' }, '2025-11-25', folder);

  expect(required.passed).toBe(0);
  expect(problems[0]).toContain('the referee could not run it');
});
