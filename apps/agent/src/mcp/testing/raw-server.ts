import { createInterface } from 'node:readline';

/**
 * Legacy MCP server written against the wire, run as a process by tests. Its first argument selects
 * the behavior: `fine`, `exit` (at once), `silent` (never answers), `garbage` (writes invalid
 * lines), `stubborn` (ends only when killed), `unprobed` (exits when probed for its era), `deaf`
 * (never answers the probe).
 */
const [behaviour] = process.argv.slice(2);
const TOOLS = ['echo', 'progress', 'hang', 'spin', 'die', 'ask', 'grow', 'environment'];

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: unknown;
    readonly _meta?: { readonly progressToken?: unknown };
  };
  readonly result?: unknown;
}

const tools = [...TOOLS];
let asking: number | undefined;

process.stderr.write(`started with ${process.env['KEY'] ?? 'no key'}\n`);
if (behaviour === 'exit') process.exit(3);
if (behaviour === 'stubborn') {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
if (behaviour !== 'silent')
  createInterface({ input: process.stdin }).on('line', (line) =>
    onMessage(JSON.parse(line) as Message),
  );
else process.stdin.resume();

function onMessage({ id, method, params, result }: Message): void {
  if (behaviour === 'garbage') process.stdout.write('Listening…\n{"jsonrpc": "2.0", \n[]\n');
  switch (method) {
    case undefined:
      return send({
        id: asking,
        result: { content: [{ type: 'text', text: JSON.stringify(result) }] },
      });
    case 'server/discover':
      if (behaviour === 'unprobed') process.exit(1);
      if (behaviour === 'deaf') return;
      return send({ id, error: { code: -32601, message: 'Method not found' } });
    case 'initialize':
      return send({
        id,
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'raw', version: '1' },
        },
      });
    case 'tools/list':
      return send({
        id,
        result: { tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) },
      });
    case 'ping':
      return send({ id, result: {} });
    case 'tools/call':
      return callTool(id, params ?? {});
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
  }
}

function callTool(id: number | undefined, params: NonNullable<Message['params']>): void {
  const { name = '', _meta: meta } = params;
  const progressToken = meta?.progressToken;
  switch (name) {
    case 'progress':
      for (const progress of [1, 2, 3])
        send({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 3, message: `step ${progress}` },
        });
      return send({ id, result: { content: [] } });
    case 'hang':
      return send({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
    case 'spin':
      send({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
      return block();
    case 'die':
      process.exit(7);
    case 'ask':
      asking = id;
      return send({
        id: 1000,
        method: 'elicitation/create',
        params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
      });
    case 'grow':
      tools.push(`grown-${tools.length}`);
      send({ method: 'notifications/tools/list_changed' });
      return send({ id, result: { content: [] } });
    case 'environment':
      return send({
        id,
        result: {
          content: [
            {
              type: 'text',
              text: JSON.stringify({ env: process.env, pid: process.pid, cwd: process.cwd() }),
            },
          ],
        },
      });
    default:
      return send({ id, result: { content: [{ type: 'text', text: JSON.stringify(params) }] } });
  }
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** Never returns, and takes no processor time. */
function block(): never {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
