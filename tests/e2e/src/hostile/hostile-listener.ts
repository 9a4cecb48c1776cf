// A hostile MCP server and a hostile model over HTTP: node hostile-listener.ts FILE. The file contains the name of a behavior, as for hostile-server.ts. Prints its port.
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { httpBehaviors, ordinaryHttp } from './http-behaviors.ts';
import { answerChat } from './model-behaviors.ts';

const file = process.argv[2] ?? '';
const wanted = (): (typeof httpBehaviors)[string] =>
  httpBehaviors[readFileSync(file, 'utf8')] ?? {};

interface Body {
  readonly id?: unknown;
  readonly method?: string;
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[];
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    const { listen } = wanted();
    return listen === undefined ? void response.writeHead(405).end() : listen(response);
  }
  if (request.method !== 'POST') return void response.writeHead(200).end();
  const { id, method, messages } = JSON.parse(await text(request)) as Body;
  if (messages !== undefined) return answerChat(messages, response);
  if (id === undefined) return void response.writeHead(202).end();
  switch (method) {
    case 'initialize':
      return (wanted().initialize ?? ordinaryHttp.initialize)(response, id);
    case 'tools/list':
      return ordinaryHttp.list(response, id);
    case 'tools/call':
      return (wanted().call ?? ordinaryHttp.call)(response, id);
    case 'ping':
      return ordinaryHttp.empty(response, id);
    default:
      return ordinaryHttp.error(response, id);
  }
}

const listener = createServer((request, response) => {
  response.on('error', () => undefined);
  serve(request, response).catch(() => response.destroy());
}).listen(0, '127.0.0.1', () =>
  process.stdout.write(`${(listener.address() as AddressInfo).port}\n`),
);
