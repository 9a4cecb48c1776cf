import type {
  InteractiveContext,
  ServerOptions,
  ToolDefinition,
  ToolOutput,
} from '@signalbox/mcp-core/server';
import { SERVER_INFO } from './message.ts';

type Handler = (
  args: { readonly [name: string]: unknown },
  context: InteractiveContext,
) => Promise<ToolOutput> | ToolOutput;

/** Returns a tool with this name and handler. */
export function tool(
  name: string,
  handler: Handler,
  rest: Partial<ToolDefinition> = {},
): ToolDefinition {
  return {
    name,
    description: 'For a test',
    inputSchema: { type: 'object' },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler,
    ...rest,
  };
}

/** Returns its argument `text`. */
export const echo: ToolDefinition = tool('echo', ({ text }) => ({
  content: [{ type: 'text', text: String(text) }],
}));

/** Returns a tool whose calls run until the test, or their signal, ends them. */
export function holdingTool(name = 'hold'): {
  readonly tool: ToolDefinition;
  readonly started: Promise<InteractiveContext>;
  finish(): void;
} {
  const started = Promise.withResolvers<InteractiveContext>();
  const finished = Promise.withResolvers<void>();
  const hold = tool(name, async (_args, context) => {
    started.resolve(context);
    await Promise.race([
      finished.promise,
      new Promise((_resolve, reject) => {
        context.signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      }),
    ]);
    return { content: [{ type: 'text', text: 'done' }] };
  });
  return { tool: hold, started: started.promise, finish: finished.resolve };
}

export function serverOptions(rest: Partial<ServerOptions> = {}): ServerOptions {
  return { info: SERVER_INFO, ...rest, events: { onError: () => undefined, ...rest.events } };
}
