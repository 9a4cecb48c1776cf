import type { Server } from '../../server/server.ts';

/** The server of the transport contract and a record of its handlers. */
export interface ContractServer {
  readonly server: Server;
  /** Texts of the calls of `echo`, in the order of their arrival. */
  readonly echoed: readonly string[];
  /** Returns the last progress of `count` for which the client has room. */
  readonly counted: () => number;
  /** Resolves when a call of `hold` runs, then when the signal of its handler aborts. */
  readonly held: Promise<void>;
  readonly aborted: Promise<void>;
}

/** A resource that clients subscribe to. */
export const WATCHED_URI = 'contract://watched';

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Creates a server with tools and a resource that use every way in which messages travel. */
export async function createContractServer(): Promise<ContractServer> {
  const { createServer, defineTool } = await import('../../server/index.ts');
  const echoed: string[] = [];
  let counted = 0;
  const held = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  const tools = [
    defineTool({
      name: 'echo',
      description: 'Returns the text.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations,
      handler: ({ text }) => {
        echoed.push(text);
        return { structuredContent: { text }, text: '' };
      },
    }),
    defineTool({
      name: 'count',
      description: 'Reports progress.',
      inputSchema: {
        type: 'object',
        properties: { to: { type: 'integer' }, characters: { type: 'integer' } },
        required: ['to'],
      },
      annotations,
      handler: async ({ to, characters = 0 }, context) => {
        const text = characters === 0 ? {} : { message: 'x'.repeat(characters) };
        for (let progress = 1; progress <= to; progress += 1) {
          await context.progress({ progress, ...text });
          counted = progress;
        }
        return { content: [] };
      },
    }),
    defineTool({
      name: 'hold',
      description: 'Runs until it is cancelled.',
      inputSchema: { type: 'object', properties: {} },
      annotations,
      handler: async (_args, { signal }) => {
        held.resolve();
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve, { once: true });
        });
        aborted.resolve();
        return { content: [] };
      },
    }),
    defineTool({
      name: 'ask',
      description: 'Asks the user.',
      inputSchema: { type: 'object', properties: {} },
      annotations,
      handler: async (_args, context) => {
        const requestedSchema = { type: 'object' as const, properties: {} };
        const { action } = await context.elicit('sure', { message: 'Sure?', requestedSchema });
        return { structuredContent: { action } };
      },
    }),
  ];
  const server = createServer({
    info: { name: 'transport-contract', version: '1' },
    tools,
    resources: {
      list: () => Promise.resolve({ resources: [{ uri: WATCHED_URI, name: 'Watched' }] }),
      read: (uri) => Promise.resolve({ contents: [{ uri, text: '' }] }),
      subscribe: () => Promise.resolve(() => undefined),
    },
    settings: { limits: { progressIntervalMs: 0 } },
    // A cancelled handler and a closed connection are expected.
    events: { onError: () => undefined },
  });
  return { server, echoed, counted: () => counted, held: held.promise, aborted: aborted.promise };
}
