import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tool } from '@signalbox/mcp-core';
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { expect, test } from 'vitest';

const servers = join(import.meta.dirname, '../../../servers');
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Command line arguments of the servers that need any. */
const ARGUMENTS: { readonly [server: string]: readonly string[] | undefined } = {
  filesystem: [temporaryFolder()],
  sqlite: [temporaryDatabase()],
  weather: ['--demo'],
};

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'annotations-'));
}

function temporaryDatabase(): string {
  const path = join(temporaryFolder(), 'empty.db');
  writeFileSync(path, '');
  return path;
}

/** Returns the hints that tools leave to the defaults of the specification, as `tool: hint`. */
function missingHints(tools: readonly Tool[]): readonly string[] {
  return tools.flatMap(({ name, annotations = {} }) =>
    HINTS.filter((hint) => annotations[hint] === undefined).map((hint) => `${name}: ${hint}`),
  );
}

/** Returns the names of the tools that leave the model without a description. */
function withoutDescription(tools: readonly Tool[]): readonly string[] {
  return tools.flatMap(({ name, description = '' }) => (description.trim() === '' ? [name] : []));
}

async function toolsOf(server: string): Promise<readonly Tool[]> {
  const folder = join(servers, server);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly bin: { readonly [command: string]: string };
  };
  const args = [join(folder, Object.values(bin)[0] ?? ''), ...(ARGUMENTS[server] ?? [])];
  const client = await connectClient(() => spawnStdio({ command: process.execPath, args }), {
    info: { name: 'annotations', version: '1.0.0' },
  });
  try {
    return await client.listTools();
  } finally {
    await client.close();
  }
}

test.each(readdirSync(servers))(
  'every tool of servers/%s has a description and all annotations',
  async (server) => {
    const tools = await toolsOf(server);
    expect(tools.length).toBeGreaterThan(0);
    expect(withoutDescription(tools)).toEqual([]);
    expect(missingHints(tools)).toEqual([]);
  },
);

test('a tool without a hint is reported', () => {
  const inputSchema = { type: 'object' };
  const complete = Object.fromEntries(HINTS.map((hint) => [hint, false]));
  const { openWorldHint: _left, ...incomplete } = complete;
  expect(
    missingHints([
      { name: 'complete', inputSchema, annotations: complete },
      { name: 'incomplete', inputSchema, annotations: incomplete },
      { name: 'bare', inputSchema },
    ]),
  ).toEqual(['incomplete: openWorldHint', ...HINTS.map((hint) => `bare: ${hint}`)]);
});

test('a tool without a description is reported', () => {
  const inputSchema = { type: 'object' };
  expect(
    withoutDescription([
      { name: 'described', description: 'Does something.', inputSchema },
      { name: 'blank', description: ' ', inputSchema },
      { name: 'bare', inputSchema },
    ]),
  ).toEqual(['blank', 'bare']);
});
