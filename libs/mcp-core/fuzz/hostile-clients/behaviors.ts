import { type RawClient, request } from './raw-client.ts';

/** Actions of a hostile client, which may stay connected. */
export type Behavior = (client: RawClient) => Promise<void>;

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'hostile', version: '1.0.0' },
  },
};
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: { form: {} },
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
};
const HALF_BODY = 'x'.repeat(1_000_000);
const COMPLETE = /\r\n\r\n/u;

export const behaviors: { readonly [name: string]: Behavior } = {
  'open sessions and leave': async (client) => {
    await openSession(client);
    client.leave();
  },
  'leave responses unread': async (client) => {
    await client.write(modern('tools/call', { name: 'big', arguments: {} }, { 'mcp-name': 'big' }));
    await client.read(COMPLETE);
  },
  'leave streams unread': async (client) => {
    await client.write(request('GET', await openSession(client)));
  },
  'send endless headers': async (client) => {
    await client.write(`POST /mcp HTTP/1.1\r\nhost: localhost\r\nx-endless: ${'x'.repeat(8000)}`);
  },
  'send endless bodies': async (client) => {
    await client.write(
      request('POST', { 'content-type': 'application/json', 'content-length': '4000000' }) +
        HALF_BODY,
    );
  },
  'never answer input requests': async (client) => {
    const session = await openSession(client);
    const params = { name: 'ask', arguments: { held: 'x'.repeat(2000) } };
    await client.write(
      request('POST', session, { jsonrpc: '2.0', id: 2, method: 'tools/call', params }),
    );
    await client.read(/elicitation\/create|HTTP\/1.1 503/u);
  },
  'start tasks': async (client) => {
    await client.write(modern('tools/call', { name: 'job', arguments: {} }, { 'mcp-name': 'job' }));
    await client.read(COMPLETE);
  },
  'subscribe to resources': async (client) => {
    const resourceSubscriptions = Array.from({ length: 50 }, (_each, index) => `test://${index}`);
    await client.write(
      modern('subscriptions/listen', { notifications: { resourceSubscriptions } }),
    );
    await client.read(COMPLETE);
  },
};

/** Returns the header fields of a new session. */
async function openSession(client: RawClient): Promise<{ readonly [name: string]: string }> {
  await client.write(request('POST', {}, INITIALIZE));
  const text = await client.read(/"id":1/u);
  const id = /mcp-session-id: (\S+)/iu.exec(text)?.[1] ?? '';
  return { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
}

function modern(method: string, params: object, headers: object = {}): string {
  return request(
    'POST',
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers },
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } },
  );
}
