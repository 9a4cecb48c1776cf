import type { JsonObject } from '@signalbox/mcp-core';
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { fileURLToPath } from 'node:url';
import { connectView, loadView, modelTools, viewCapabilities } from './view-host.ts';

// A host without a browser: it shows no iframe, and sends the messages of the page itself.
const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const server = fileURLToPath(new URL('serve.ts', import.meta.url));

const client = await connectClient(
  () => spawnStdio({ command: process.execPath, args: [...process.execArgv, server] }),
  { info: { name: 'host', version: '1.0.0' }, era: 'modern', capabilities: viewCapabilities },
);
const [tool] = modelTools(await client.listTools());
if (tool === undefined) throw new Error('The server has no tool for the model');
print(`${client.server.protocolVersion}: the model calls ${tool.name}`);
const view = await loadView(client, tool);
print(`its view is an HTML page with the policy ${view?.policy.split(';')[0]}; …`);

const result = await client.callTool(tool.name, {});
const connection = await connectView(
  client,
  { tool, args: {}, result },
  {
    port: { postMessage: (message) => print(`to the view: ${summaryOf(message)}`) },
    events: { onMessage: () => undefined, onOpenLink: () => undefined },
  },
);
const page = (message: JsonObject) => connection.received({ jsonrpc: '2.0', ...message });
await page({ id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26' } });
await page({ method: 'ui/notifications/initialized' });
const click = { name: 'cast_vote', arguments: { choice: 'tea' } };
await page({ id: 2, method: 'tools/call', params: click });
connection.close();
await client.close();

function summaryOf(message: JsonObject): string {
  const { method = 'response', params, result: answer = params } = message;
  const { structuredContent } = answer as JsonObject;
  const shown = structuredContent === undefined ? '' : ` ${JSON.stringify(structuredContent)}`;
  return `${String(method)}${shown}`;
}
