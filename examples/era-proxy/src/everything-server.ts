import { once as onceEmitted } from 'node:events';
import {
  createServer,
  defineMethod,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
  type Server,
} from '@signalbox/mcp-core/server';

const nothing = { type: 'object', properties: {} } as const;

/** A server with every feature, which notes in `effects` what its tools did. */
export function createEverythingServer(effects: string[] = []): Server {
  const book = defineTool({
    name: 'book',
    description: 'Books a trip after questions to the user, the model and the roots.',
    inputSchema: nothing,
    handler: async (_args, { elicit, sample, listRoots, once, progress, log }) => {
      await once('start', () => void effects.push('start'));
      await progress({ progress: 1, message: 'asking' });
      log('info', 'asking');
      const { content } = await elicit('where', {
        message: 'Where to?',
        requestedSchema: { type: 'object', properties: { city: { type: 'string' } } },
      });
      const text = `Is ${String(content?.['city'])} nice?`;
      const answer = await sample('nice', {
        messages: [{ role: 'user', content: { type: 'text', text } }],
        maxTokens: 9,
      });
      const roots = await listRoots();
      effects.push('booked');
      log('info', 'booked');
      await progress({ progress: 2 });
      return JSON.stringify([content, answer.content, roots.map(({ uri }) => uri)]);
    },
  });
  const wait = defineTool({
    name: 'wait',
    description: 'Waits until it is cancelled.',
    inputSchema: nothing,
    handler: async (_args, { signal, progress }) => {
      const aborted = onceEmitted(signal, 'abort');
      await progress({ progress: 1 });
      await aborted;
      effects.push('cancelled');
      return 'cancelled';
    },
  });
  const cook = defineTool({
    name: 'cook',
    description: 'Cooks, as a task.',
    inputSchema: nothing,
    task: 'optional',
    handler: async (_args, { startTask, elicit }) => {
      await startTask();
      const { action } = await elicit('spicy', { message: 'Spicy?', requestedSchema: nothing });
      return `Cooked, ${action}.`;
    },
  });
  const change = defineTool({
    name: 'change',
    description: 'Changes the lists and the resource.',
    inputSchema: nothing,
    handler: () => {
      server.setTools([...tools, { ...wait, name: 'new' }]);
      server.changes.promptsChanged();
      server.changes.resourcesChanged();
      server.changes.resourceUpdated('note://1');
      return 'changed';
    },
  });
  const tools = [book, wait, cook, change];
  const server = createServer({
    info: { name: 'everything', version: '1.0.0' },
    instructions: 'Be kind.',
    tools,
    prompts: [
      definePrompt({
        name: 'greet',
        arguments: [{ name: 'who', complete: (typed) => [`${typed}da`, `${typed}nn`] }],
        handler: ({ who = '' }) => `Greet ${who}.`,
      }),
    ],
    resources: [
      defineResource({
        uri: 'note://1',
        name: 'Note',
        read: async ({ elicit }) => {
          const { action } = await elicit('secret', {
            message: 'Secret?',
            requestedSchema: nothing,
          });
          const text = `Secret, ${action}`;
          return { contents: [{ uri: 'note://1', text }], ttlMs: 5000 };
        },
      }),
    ],
    templates: [
      defineResourceTemplate({ uriTemplate: 'log://{day}', name: 'Log', read: ({ day }) => day }),
    ],
    settings: {
      resourceSubscriptions: true,
      lists: { pageSize: 2 },
      tasks: { pollIntervalMs: 10 },
    },
    extensions: {
      capabilities: { extensions: { 'com.acme/echo': { loud: true } } },
      methods: {
        'acme/echo': defineMethod({
          handler: (params, { notify }) => {
            void notify('acme/echoed', { by: 'everything' });
            return { params };
          },
        }),
        'acme/relay': defineMethod({
          handler: (params, { request }) => request('acme/ask', params),
        }),
      },
    },
  });
  return server;
}
