// A server with countable effects: each effect appends a line to the ledger, a file that the call names. `node counting-server.ts` serves over stdio; with --http it serves over
// HTTP and prints its URL. DIE_AT kills the process at a point, once, and creates the file LEDGER.died. A cancelled call creates LEDGER.stopped.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { serveHttp } from '@signalbox/mcp-core/http/server';
import {
  createServer,
  defineTool,
  type InteractiveContext,
  type ToolDefinition,
} from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

type Place = 'before-effect' | 'after-effect' | 'while-asked' | 'while-working';

const dieAt = process.env['DIE_AT'];
const hints = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};
const inputSchema = {
  type: 'object',
  properties: {
    ledger: { type: 'string' },
    hold: { type: 'boolean', description: 'The first time, wait to be cancelled.' },
  },
  required: ['ledger'],
  additionalProperties: false,
} as const;

function pass(place: Place, ledger: string): void {
  if (place !== dieAt || existsSync(`${ledger}.died`)) return;
  writeFileSync(`${ledger}.died`, '');
  process.kill(process.pid, 'SIGKILL');
}

/** Resolves when the call is cancelled, and then creates the file `evidence`. */
async function stopped(signal: AbortSignal, evidence: string): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  writeFileSync(evidence, '');
}

function countable(
  name: string,
  more: Partial<Pick<ToolDefinition, 'annotations' | 'task'>>,
  before: (context: InteractiveContext, ledger: string) => Promise<void> = () => Promise.resolve(),
): ToolDefinition {
  return defineTool({
    name,
    description: 'Appends a line to the ledger.',
    inputSchema,
    annotations: hints,
    ...more,
    async handler({ ledger, hold = false }, context) {
      await before(context, ledger);
      pass('before-effect', ledger);
      appendFileSync(ledger, `${name}\n`);
      pass('after-effect', ledger);
      context.progress({ progress: 1, total: 2 });
      const isFirst = readFileSync(ledger, 'utf8').split('\n').length === 2;
      if (hold && isFirst) await stopped(context.signal, `${ledger}.stopped`);
      // The client receives the progress before the result.
      await wait(20);
      return { content: [{ type: 'text' as const, text: 'done' }] };
    },
  });
}

const { MCP_STATE_KEY: stateKey } = process.env;
const server = createServer({
  info: { name: 'counting', version: '1.0.0' },
  ...(stateKey === undefined ? {} : { settings: { requestState: { keys: [stateKey] } } }),
  tools: [
    countable('look', { annotations: { ...hints, readOnlyHint: true, destructiveHint: false } }),
    countable('set', { annotations: { ...hints, destructiveHint: false, idempotentHint: true } }),
    countable('append', {}),
    countable('ask', {}, async (context, ledger) => {
      setTimeout(() => pass('while-asked', ledger), 50).unref();
      const { action } = await context.elicit('sure', {
        message: 'Sure?',
        requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
      });
      if (action !== 'accept') throw new Error(`the answer was ${action}`);
    }),
    countable('work', { task: 'optional' }, async (context, ledger) => {
      await context.startTask({ ttlMs: 60_000 });
      await wait(50);
      pass('while-working', ledger);
    }),
  ],
});

if (process.argv.includes('--http')) {
  const { url } = await serveHttp(server, { port: 0 });
  process.stdout.write(`listening on ${url}\n`);
} else await serveStdio(server);
