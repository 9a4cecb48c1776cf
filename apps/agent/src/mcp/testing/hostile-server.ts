import { createInterface } from 'node:readline';

/**
 * Hostile legacy MCP server, run as a process by tests. Its first argument selects the behavior:
 * `endless-list` (endless pages), `bombs` (excessive schemas), `stuffed` and `bursting` (countless
 * objects in the first response), `stubborn` (ends only when killed), `mean` (only its tools). Its
 * tools: `flood` (endless progress), `huge` (a result of the given MiB), `objects` and `abyss`
 * (results with a million objects or a hundred thousand levels), `noise` (endless stderr), `spin`
 * (never reads its input again), `fine`.
 */
const [behaviour] = process.argv.slice(2);

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly cursor?: string;
    readonly arguments?: { readonly mebibytes?: number };
    readonly _meta?: { readonly progressToken?: unknown };
  };
}

const named = (name: string, inputSchema: object = { type: 'object' }): object => ({
  name,
  inputSchema,
});
/** Placeholder for a schema that is too deep for a schema, but not for a message. */
const DEEP = 'too deep';
const TOOLS = ['flood', 'huge', 'objects', 'abyss', 'garbage', 'noise', 'spin', 'fine'].map(
  (name) => named(name),
);

if (behaviour === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
createInterface({ input: process.stdin }).on('line', (text) =>
  onMessage(JSON.parse(text) as Message),
);

function onMessage({ id, method, params = {} }: Message): void {
  switch (method) {
    case 'initialize':
      return behaviour === 'stuffed' || behaviour === 'bursting'
        ? initializeWith(id, behaviour === 'stuffed' ? 100_000 : 20_000_000)
        : answer(id, {
            protocolVersion: '2025-06-18',
            capabilities: { tools: {} },
            serverInfo: { name: 'hostile', version: '1' },
          });
    case 'tools/list':
      return answer(
        id,
        behaviour === 'endless-list'
          ? page(Number(params.cursor ?? 0))
          : { tools: behaviour === 'bombs' ? [...TOOLS, ...bombs()] : TOOLS },
      );
    case 'tools/call':
      return callTool(id, params);
    case 'ping':
      return answer(id, {});
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  }
}

/** Returns a response with countless objects in a capability and a name of a megabyte. */
function initializeWith(id: number | undefined, objects: number): void {
  const info = `"serverInfo":{"name":"${'n'.repeat(1_000_000)}","version":"1"}`;
  process.stdout.write(
    `{"jsonrpc":"2.0","id":${String(id)},"result":{"protocolVersion":"2025-06-18",${info},"capabilities":{"tools":{},"experimental":{"a":[{}${',{}'.repeat(objects)}]}}}}\n`,
  );
}

function page(number: number): object {
  return {
    tools: Array.from({ length: 1000 }, (_, index) => named(`t${number}-${index}`)),
    nextCursor: String(number + 1),
  };
}

function bombs(): readonly object[] {
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => [
      `l${level}`,
      { allOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
    ]),
  );
  return [
    named('deep', { type: 'object', not: DEEP }),
    named('wide', {
      type: 'object',
      enum: Array.from({ length: 100_000 }, (_, index) => `value ${index}`),
    }),
    named('doubling', { type: 'object', $defs: { ...doubling, l40: {} }, $ref: '#/$defs/l0' }),
    named('remote', { type: 'object', $ref: 'https://example.org/schema.json' }),
    named('backtracking', {
      type: 'object',
      properties: { text: { type: 'string', pattern: '^(a+)+$' } },
    }),
  ];
}

function callTool(
  id: number | undefined,
  { name, arguments: args = {}, _meta: meta = {} }: NonNullable<Message['params']>,
): void {
  const { progressToken } = meta;
  switch (name) {
    case 'flood':
      return flood(
        (count) =>
          line({ method: 'notifications/progress', params: { progressToken, progress: count } }),
        process.stdout,
      );
    case 'noise':
      answer(id, { content: [] });
      return flood((count) => `noise ${count}\n`, process.stderr);
    case 'huge':
      return answer(id, {
        content: [{ type: 'text', text: 'x'.repeat((args.mebibytes ?? 1) * 1024 * 1024) }],
      });
    case 'objects':
      return answerText(id, `[${'{},'.repeat(1_000_000)}{}]`);
    case 'abyss':
      return answerText(id, `${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    case 'garbage':
      return flood(() => '!\n'.repeat(1000), process.stdout);
    case 'spin':
      process.stdout.write(
        line({ method: 'notifications/progress', params: { progressToken, progress: 1 } }),
        () => {
          block();
        },
      );
      return;
    default:
      return answer(id, { content: [{ type: 'text', text: 'fine' }] });
  }
}

/** Writes as fast as the reader reads. */
function flood(next: (count: number) => string, stream: NodeJS.WriteStream, count = 0): void {
  let written = count;
  while (stream.write(next(++written)) && written - count < 1000);
  if (stream.writableNeedDrain) stream.once('drain', () => flood(next, stream, written));
  else setImmediate(() => flood(next, stream, written));
}

function answer(id: number | undefined, result: object): void {
  send({ id, result });
}

/** Returns structured content as text, since `JSON.stringify` cannot handle its depth. */
function answerText(id: number | undefined, list: string): void {
  process.stdout.write(
    `{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[],"structuredContent":{"list":${list}}}}\n`,
  );
}

function send(message: object): void {
  process.stdout.write(line(message));
}

function line(message: object): string {
  const text = JSON.stringify({ jsonrpc: '2.0', ...message });
  return `${text.replace(`"${DEEP}"`, () => `${'{"not":'.repeat(80)}{}${'}'.repeat(80)}`)}\n`;
}

/** Never returns, and takes no processor time. */
function block(): never {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
