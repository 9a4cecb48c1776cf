import { createServer, defineTool } from '@signalbox/mcp-core/server';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const echo = defineTool({
  name: 'echo',
  description: 'echo',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations,
  handler: ({ text }) => ({ content: [{ type: 'text', text }] }),
});

const flood = defineTool({
  name: 'flood',
  description: 'flood',
  inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  annotations,
  handler: async ({ n }, context) => {
    // Awaiting keeps the pace of the reader, so that no step is replaced.
    for (let progress = 1; progress <= n; progress += 1)
      await context.progress({ progress, total: n });
    return { content: [{ type: 'text', text: 'done' }] };
  },
});

/** @param {number} index */
const filler = (index) =>
  defineTool({
    name: `filler_${String(index)}`,
    description: `Filler tool number ${String(index)}`,
    inputSchema: {
      type: 'object',
      properties: {
        a: { type: 'string', description: 'a' },
        b: { type: 'number' },
        c: { type: 'array', items: { type: 'string' } },
        d: { enum: ['x', 'y', 'z'] },
      },
      required: ['a'],
    },
    annotations,
    handler: () => ({ content: [] }),
  });

/** Tools of every benchmarked server, and BENCH_TOOLS more. Sends every step of progress, because the benchmark counts them. */
export function makeServer() {
  const fillers = Array.from({ length: Number(process.env['BENCH_TOOLS'] ?? 0) }, (_, index) =>
    filler(index),
  );
  return createServer({
    info: { name: 'signalbox', version: '1.0.0' },
    tools: [echo, flood, ...fillers],
    settings: { limits: { progressIntervalMs: 0 } },
  });
}
