import type { Era } from '@signalbox/mcp-core';
import { connectClient } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { serveHttp } from '@signalbox/mcp-core/http/server';
import { createEverythingServer } from './everything-server.ts';
import { connectProxy } from './proxy.ts';

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function show(from: Era, to: Era): Promise<void> {
  const behind = await serveHttp(createEverythingServer());
  const proxy = await connectProxy({ open: () => httpTransport({ url: behind.url }), era: to });
  const front = await serveHttp(proxy.server);
  const client = await connectClient(() => httpTransport({ url: front.url }), {
    info: { name: 'traveler', version: '1.0.0' },
    era: from,
    handlers: {
      elicit: () => Promise.resolve({ action: 'accept', content: { city: 'Rome' } }),
      sample: () =>
        Promise.resolve({ role: 'assistant', content: { type: 'text', text: 'Yes.' }, model: 'm' }),
      listRoots: () => Promise.resolve([{ uri: 'file:///home' }]),
    },
    events: { onLog: ({ data }) => print(`  log: ${String(data)}`) },
  });
  print(`A ${client.server.protocolVersion} client of a ${to} server`);
  const { content } = await client.callTool('book', {});
  print(`  ${JSON.stringify(content)}`);
  await client.close();
  await front.close();
  await proxy.close();
  await behind.close();
}

await show('legacy', 'modern');
await show('modern', 'legacy');
