import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ClientV1, StdioClientTransportV1 } from '../../../../peers/src/sdk-v1-clients.ts';
import { ClientV2 } from '../../../../peers/src/sdk-v2-clients.ts';
import { StdioClientTransportV2 } from '../../../../peers/src/sdk-v2.ts';
import { createFixture, program } from './fixture.test.support.ts';

const info = { name: 'cases', version: '1.0.0' };

/** Starts the server behind a program that also writes what it sends to a file. */
function recorded(root: string, lines: string) {
  return {
    command: 'sh',
    args: ['-c', '"$0" "$1" "$2" | tee "$3"', process.execPath, program, root, lines],
    stderr: 'ignore' as const,
  };
}

const clients = {
  async 'SDK v1'(root: string, lines: string) {
    const client = new ClientV1(info, { capabilities: {} });
    await client.connect(new StdioClientTransportV1(recorded(root, lines)));
    return client;
  },
  async 'SDK v2'(root: string, lines: string) {
    const client = new ClientV2(info, { capabilities: {} });
    await client.connect(new StdioClientTransportV2(recorded(root, lines)));
    return client;
  },
  async 'SDK v2 in the modern era'(root: string, lines: string) {
    const client = new ClientV2(info, {
      capabilities: {},
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    });
    await client.connect(new StdioClientTransportV2(recorded(root, lines)));
    return client;
  },
};

describe.runIf(process.platform !== 'win32').each(Object.entries(clients))(
  'the stdio client of the %s',
  (_name, connect) => {
    test('FS-27 keeps its connection when it reads a file of 6 MB', async () => {
      await using files = await createFixture({ 'b.txt': `${'x'.repeat(99)}\n`.repeat(60_000) });
      const lines = `${files.outside}/lines`;
      const client = await connect(files.root, lines);
      try {
        expect(
          await client.callTool({ name: 'read_text_file', arguments: { path: 'b.txt' } }),
        ).toMatchObject({ structuredContent: { truncated: true } });
        expect(
          await client.callTool({ name: 'list_allowed_directories', arguments: {} }),
        ).toMatchObject({ structuredContent: { directories: [files.root] } });
      } finally {
        await client.close();
      }
      const lengths = readFileSync(lines, 'latin1')
        .split('\n')
        .map(({ length }) => length);
      // At least the answers of both calls.
      expect(lengths.filter((length) => length > 0).length).toBeGreaterThanOrEqual(2);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(4 * 1024 * 1024);
    });
  },
);
