// A server with countable effects: each effect is a line in the file EFFECTS, with the id of the worker's process, and each process of the server a line with its id in the file SERVERS.
import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { createServer, defineTool, type ToolDefinition } from '@signalbox/mcp-core/server';
import { serveStdio } from '@signalbox/mcp-core/stdio';

const { EFFECTS: effects = '', SERVERS: servers = '' } = process.env;
const inputSchema = {
  type: 'object',
  properties: { run: { type: 'string' }, turn: { type: 'integer' }, ms: { type: 'integer' } },
  required: ['run', 'turn', 'ms'],
  additionalProperties: false,
} as const;

function countable(
  name: string,
  hints: { readonly readOnlyHint: boolean; readonly idempotentHint: boolean },
): ToolDefinition {
  return defineTool({
    name,
    description: 'Appends a line to the file of effects.',
    inputSchema,
    annotations: { ...hints, destructiveHint: !hints.idempotentHint, openWorldHint: false },
    async handler({ run, turn, ms }, { signal }) {
      await wait(ms, undefined, { signal });
      // One write, so that lines of several processes do not mix.
      appendFileSync(effects, `${run} ${turn} ${name} ${process.ppid}\n`);
      await wait(ms);
      return { content: [{ type: 'text' as const, text: `${run} ${turn}` }] };
    },
  });
}

appendFileSync(servers, `${process.pid}\n`);
await serveStdio(
  createServer({
    info: { name: 'effects', version: '1.0.0' },
    tools: [
      countable('append', { readOnlyHint: false, idempotentHint: false }),
      countable('set', { readOnlyHint: false, idempotentHint: true }),
      countable('look', { readOnlyHint: true, idempotentHint: true }),
    ],
  }),
);
