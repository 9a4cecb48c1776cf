import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const folder = fileURLToPath(new URL('..', import.meta.url));

export interface StartServerOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Source of a module that the process loads first. */
  readonly preload?: string;
}

/**
 * Starts a process that calls runServer with a definition and these members; `server` and `tool`
 * are in scope.
 */
export function startServer(
  members: string,
  { args = [], env = {}, preload = '' }: StartServerOptions = {},
): ChildProcessWithoutNullStreams {
  const code = `
    import { createServer } from '@signalbox/mcp-core/server';
    import { integerOption, limitResults, runServer, UsageError } from '@signalbox/server-kit';
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    const tool = (name, handler) => ({ name, description: name, inputSchema: { type: 'object' }, annotations, handler });
    const server = (...tools) => createServer({ info: { name: 'kit', version: '1' }, tools, extensions: { middleware: [limitResults()] } });
    await runServer({
      name: 'kit', version: '1.2.3', usage: 'Usage: kit', envPrefix: 'MCP_KIT', options: { count: { type: 'string' } },
      start: async () => ({ server: server() }),
      ${members}
    });`;
  // With --eval process.argv has no name of a script; "kit" takes its place.
  const child = spawn(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${preload}`,
      '--conditions=@signalbox/source',
      '--input-type=module',
      '--eval',
      code,
      '--',
      'kit',
      ...args,
    ],
    {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        // Compiled once for all processes of the tests.
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...env,
      },
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

export async function outcome(child: ChildProcessWithoutNullStreams) {
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { stdout, stderr, code: child.exitCode };
}

export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

/** Writes `messages` and resolves with the response to the last. */
export async function answered(
  child: ChildProcessWithoutNullStreams,
  ...messages: readonly { readonly id?: number; readonly [member: string]: unknown }[]
): Promise<string> {
  const lines = await linesUntilAnswer(child, ...messages);
  return lines.at(-1) ?? '';
}

/**
 * Writes `messages`, the last one after the responses to all others, and resolves with every line
 * up to the last response.
 */
export async function linesUntilAnswer(
  child: ChildProcessWithoutNullStreams,
  ...messages: readonly { readonly id?: number; readonly [member: string]: unknown }[]
): Promise<string[]> {
  const last = messages.at(-1);
  const others = new Set(messages.slice(0, -1).flatMap(({ id }) => (id === undefined ? [] : [id])));
  const lines: string[] = [];
  const write = (message: object | undefined) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const reader = createInterface({ input: child.stdout });
  for (const message of messages.slice(0, -1)) write(message);
  if (others.size === 0) write(last);
  for await (const line of reader) {
    lines.push(line);
    const { id } = JSON.parse(line) as { id?: number };
    if (id !== undefined && id === last?.id) return lines;
    if (id !== undefined && others.delete(id) && others.size === 0) write(last);
  }
  throw new Error('the server ended without an answer');
}
