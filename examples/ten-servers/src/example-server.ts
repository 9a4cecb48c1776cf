import { once } from 'node:events';
import {
  createServer,
  defineTool,
  type Server,
  type ToolDefinition,
} from '@signalbox/mcp-core/server';

const nothing = { type: 'object', properties: {} } as const;

/** Creates one of the ten servers. Each has the same tools: a host needs the prefix. */
export function createExampleServer(name: string): Server {
  const describe = defineTool({
    name: 'describe',
    description: 'Returns the name of the server.',
    inputSchema: nothing,
    handler: () => `I am ${name}.`,
  });

  const plan = defineTool({
    name: 'plan',
    description: 'Plans a day, with questions to the user and to the model.',
    inputSchema: nothing,
    handler: async (_args, { elicit, sample }) => {
      const { content } = await elicit('where', {
        message: 'Where are you?',
        requestedSchema: {
          type: 'object',
          properties: { place: { type: 'string' } },
          required: ['place'],
        },
      });
      const text = `Plan a day in ${String(content?.['place'])}.`;
      const idea = await sample('idea', {
        messages: [{ role: 'user', content: { type: 'text', text } }],
        maxTokens: 100,
      });
      return JSON.stringify(idea.content);
    },
  });

  const wait = defineTool({
    name: 'wait',
    description: 'Reports progress, then works until it is cancelled.',
    inputSchema: nothing,
    handler: async (_args, { signal, progress }) => {
      const aborted = once(signal, 'abort');
      await progress({ progress: 1, message: 'waiting' });
      await aborted;
      return 'cancelled';
    },
  });

  const grow = defineTool({
    name: 'grow',
    description: 'Adds the tool "grown" to the server.',
    inputSchema: nothing,
    handler: () => {
      server.setTools([...tools, { ...describe, name: 'grown' }]);
      return 'I have grown.';
    },
  });

  const crash = defineTool({
    name: 'crash',
    description: 'Ends the process of the server.',
    inputSchema: nothing,
    handler: () => process.exit(1),
  });

  const tools: readonly ToolDefinition[] = [describe, plan, wait, grow, crash];
  const server = createServer({ info: { name, version: '1.0.0' }, tools });
  return server;
}
