import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { layOutPacked } from './testing/install-packed.ts';

const root = join(import.meta.dirname, '../../..');

/** A server whose structured content fits its output schema with the argument `aa`, and not with `ab`. */
const SERVER = `
import { createInterface } from 'node:readline';

const outputSchema = { type: 'object', properties: { name: { type: 'string', pattern: '^a+$' } } };
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '0' } }),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' }, outputSchema }] }),
  'tools/call': ({ arguments: structuredContent }) => ({ content: [], structuredContent }),
};
for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line);
  const result = results[method]?.(params);
  if (id !== undefined && result !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
}
`;

const HOST = `
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';

const problems = [];
const client = await connectClient(() => spawnStdio({ command: process.execPath, args: ['server.js'] }), {
  info: { name: 'host', version: '0' },
  era: 'legacy',
  events: { onProblem: ({ message }) => problems.push(message) },
});
await client.listTools();
const outcomes = [];
for (const name of ['aa', 'ab']) outcomes.push(await client.callTool('echo', { name }).then(() => 'fits', ({ code }) => code));
console.log(JSON.stringify({ outcomes, problems }));
await client.close();
`;

let home: string;
beforeAll(async () => {
  home = await layOutPacked([join(root, 'libs/mcp-core')], join(root, 'node_modules'));
  writeFileSync(join(home, 'server.js'), SERVER);
  writeFileSync(join(home, 'host.js'), HOST);
});

test('the packed client checks structured content against a pattern, in its thread, and ends', () => {
  const output = execFileSync(process.execPath, ['host.js'], {
    cwd: home,
    encoding: 'utf8',
    timeout: 150_000,
  });
  expect(JSON.parse(output)).toEqual({ outcomes: ['fits', 'invalid-response'], problems: [] });
});
