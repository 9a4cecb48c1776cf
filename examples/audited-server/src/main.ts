import { join } from 'node:path';
import type { Era, Transport } from '@signalbox/mcp-core';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { serveNotes } from './serve-notes.ts';
import { useNotes } from './use-notes.ts';

async function show(title: string, open: () => Transport, era: Era): Promise<void> {
  const report = await useNotes(open, era);
  process.stdout.write(`${title}, ${era} era\n${report.map((line) => `  ${line}\n`).join('')}`);
}

const callers = new Map([
  ['token-of-ada', 'ada'],
  ['token-of-bob', 'bob'],
]);
const listener = await serveNotes(callers, { requests: 3, entries: 100 });
const overHttp = (token: string) => (): Transport =>
  httpTransport({ url: listener.url, headers: { authorization: `Bearer ${token}` } });

await show(
  'stdio',
  () =>
    spawnStdio({
      command: 'node',
      args: [...process.execArgv, join(import.meta.dirname, 'stdio.ts')],
    }),
  'legacy',
);
await show('HTTP as Ada', overHttp('token-of-ada'), 'modern');
await show('HTTP as Bob', overHttp('token-of-bob'), 'legacy');
await listener.close();
