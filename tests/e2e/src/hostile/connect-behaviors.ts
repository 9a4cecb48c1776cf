import { longText, MB, nested, objects, rawHost, type RawHost } from './wire.ts';

/** Behavior of a hostile server while a host connects. Absent members behave as in an ordinary server. */
export interface ConnectBehavior {
  /** Runs when the process starts. */
  readonly start?: (host: RawHost) => void | Promise<void>;
  /** JSON text of the result of `initialize`, or undefined for no answer. */
  readonly initialize?: (id: unknown) => string | undefined;
  /** JSON text of the result of `tools/list`, or undefined for no answer. */
  readonly list?: (cursor: string | undefined) => string | undefined;
}

const ordinary = (more: string): string =>
  `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}${more}},"serverInfo":{"name":"hostile","version":"1"}}`;
const tool = (name: string, more = ''): string =>
  `{"name":${JSON.stringify(name)},"inputSchema":{"type":"object"}${more}}`;
const schemaTool = (schema: string): string => `{"tools":[{"name":"odd","inputSchema":${schema}}]}`;

async function repeat(host: RawHost, piece: string | Buffer, bytes: number): Promise<void> {
  for (let sent = 0; sent < bytes; sent += piece.length) await host.write(piece);
}

const block = (line: string, bytes = MB): string => line.repeat(Math.ceil(bytes / line.length));

const forever =
  (piece: string) =>
  async (host: RawHost): Promise<void> => {
    for (;;) await host.write(piece);
  };

export const connectBehaviors: { readonly [name: string]: ConnectBehavior } = {
  'capabilities of 60 MB': {
    initialize: () => ordinary(`,"experimental":{"a":${objects(60 * MB)}}`),
  },
  'capabilities of 20 MB': {
    initialize: () => ordinary(`,"experimental":{"a":${objects(20 * MB)}}`),
  },
  'capabilities of 3 MB of objects': {
    initialize: () => ordinary(`,"experimental":{"a":${objects(3 * MB)}}`),
  },
  'capabilities nested 100,000 levels': {
    initialize: () => ordinary(`,"experimental":{"a":${nested(100_000)}}`),
  },
  'a name and a version of 10 MB': {
    initialize: () =>
      `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":${longText(10 * MB)},"version":${longText(10 * MB)}}}`,
  },
  'a name of 1 MB': {
    initialize: () =>
      `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":${longText(MB)},"version":"1"}}`,
  },
  'instructions of 3 MB': {
    initialize: () =>
      `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"},"instructions":${longText(3 * MB)}}`,
  },
  'no answer to initialize': { initialize: () => undefined },
  'an exit at the start': { start: () => process.exit(1) },
  'odd types in initialize': {
    initialize: () => '{"protocolVersion":7,"capabilities":"all","serverInfo":null}',
  },
  'two pages of 60 MB': {
    list: (cursor) =>
      `{"tools":[${tool('go')}],"x":${objects(60 * MB)}${cursor === undefined ? ',"nextCursor":"2"' : ''}}`,
  },
  '100,000 tools': {
    list: () =>
      `{"tools":[${Array.from({ length: 100_000 }, (_, index) => tool(`t${index}`)).join(',')}]}`,
  },
  'a list without end': {
    list: (cursor = '0') =>
      `{"tools":[${tool(`t${cursor}`)}],"nextCursor":"${Number(cursor) + 1}"}`,
  },
  'a list with the same cursor on every page': {
    list: () => `{"tools":[${tool('go')}],"nextCursor":"same"}`,
  },
  'a list that is not an array': { list: () => '{"tools":{"length":1e9}}' },
  'no answer to the list': { list: () => undefined },
  'a schema nested 5,000 levels': {
    list: () =>
      schemaTool(`${'{"type":"object","properties":{"a":'.repeat(5000)}{}${'}}'.repeat(5000)}`),
  },
  'a schema that takes exponential time to match': {
    list: () =>
      schemaTool('{"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$"}}}'),
  },
  'schemas that are slow to compile': {
    list: () =>
      `{"tools":[${Array.from({ length: 5 }, (_, index) => `{"name":"slow${index}","inputSchema":{"type":"object","allOf":[${'{"properties":{"a":{"type":"string","minLength":1}}},'.repeat(2000)}{}]}}`).join(',')}]}`,
  },
  'a schema that refers to another host': {
    list: () => schemaTool('{"type":"object","$ref":"http://127.0.0.1:9/schema.json"}'),
  },
  'a schema that refers to itself': { list: () => schemaTool('{"type":"object","$ref":"#"}') },
  'tool names of every kind': {
    list: () =>
      `{"tools":[${['__proto__', 'constructor', '\u001b[2J', '../../etc', 'a b', '', '\u202Eevil', 'x'.repeat(5000)].map((name) => tool(name)).join(',')}]}`,
  },
  'descriptions of 1 MB': {
    list: () =>
      `{"tools":[${[1, 2, 3].map((index) => tool(`t${index}`, `,"description":${longText(MB)}`)).join(',')}]}`,
  },
  'a storm of changed lists': {
    start: async (host) => {
      for (let count = 0; count < 100_000; count += 1)
        await host.notify('notifications/tools/list_changed', '{}');
    },
  },
  'an exit after each list': {
    list: () => {
      setTimeout(() => process.exit(1), 20);
      return `{"tools":[${tool('go')}]}`;
    },
  },
  'lines of garbage without end': { start: forever(block('!\n')) },
  'arrays of objects without end': { start: forever(`${objects(15 * MB)}\n`) },
  'small arrays of objects without end': { start: forever(`${objects(MB)}\n`) },
  'pings without end': {
    start: async (host) => {
      for (let id = 0; ; id += 1)
        await host.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
    },
  },
  'log messages without end': {
    start: forever(
      block(
        '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n',
      ),
    ),
  },
  '256 MB without a newline': { start: (host) => repeat(host, Buffer.alloc(MB, 'x'), 256 * MB) },
  'a flood on stderr': {
    start: async () => {
      const line = Buffer.alloc(MB, 'noise\n');
      for (let count = 0; count < 200; count += 1)
        if (!process.stderr.write(line))
          await new Promise<void>((resolve) => process.stderr.once('drain', resolve));
    },
  },
  'requests before the handshake': {
    start: async (host) => {
      for (let count = 0; count < 1000; count += 1)
        await host.ask('sampling/createMessage', '{"messages":[],"maxTokens":1}');
    },
  },
  'answers without a request': {
    start: forever(block('{"jsonrpc":"2.0","id":99999,"result":{}}\n')),
  },
  'messages of odd types': {
    start: forever(
      block('{"jsonrpc":2,"id":{},"method":[],"params":7}\nnull\n7\n[]\n"x"\n{"jsonrpc":"2.0"}\n'),
    ),
  },
};

export const ordinaryInitialize = ordinary('');
export const ordinaryList = `{"tools":[${tool('go')}]}`;
export { rawHost };
