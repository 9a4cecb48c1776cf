import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * Legacy MCP server that resists its end, run as a process by the leak test. Its arguments, in any
 * number: `stubborn` (ignores SIGTERM and the end of its input), `family` (two children, one of
 * which ignores SIGTERM), `runaways` (the same, each in its own session), `silent` (never answers),
 * `leaving` (ends before answering). Its tool `die` ends it.
 */
const traits = new Set(process.argv.slice(2));

interface Message {
  readonly id?: number;
  readonly method?: string;
}

if (traits.has('stubborn')) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}
if (traits.has('family')) await haveChildren(false);
if (traits.has('runaways')) await haveChildren(true);
if (traits.has('leaving')) process.exit(1);
if (traits.has('silent')) process.stdin.resume();
else
  createInterface({ input: process.stdin }).on('line', (line) =>
    onMessage(JSON.parse(line) as Message),
  );

async function haveChildren(detached: boolean): Promise<void> {
  // An ignored signal stays ignored in the program that replaces the shell.
  const children = ['exec sleep 600', 'trap "" TERM; exec sleep 600'].map((script) =>
    spawn('sh', ['-c', script], { detached, stdio: 'ignore' }),
  );
  await Promise.all(
    children.map((child) => new Promise((resolve) => child.once('spawn', resolve))),
  );
}

function onMessage({ id, method }: Message): void {
  if (method === 'tools/call') process.exit(1);
  if (id === undefined) return;
  const answer = answerTo(method);
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: '2.0', id, ...(answer === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result: answer }) })}\n`,
  );
}

function answerTo(method: string | undefined): object | undefined {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'leaky', version: '1' },
    };
  return method === 'tools/list'
    ? { tools: [{ name: 'die', inputSchema: { type: 'object' } }] }
    : undefined;
}
