import { ToolError } from '@signalbox/mcp-core';
import {
  createServer,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  type InteractiveContext,
  type Server,
  type ToolDefinition,
  type ToolOutput,
} from '@signalbox/mcp-core/server';
import {
  BYTES,
  BYTES_URI,
  citiesLike,
  CITY_TEMPLATE,
  CLOCK_URI,
  ICON,
  INSTRUCTIONS,
  MEDIA,
  NAME_FORM,
  PAGE,
  RIVER_TEMPLATE,
  text,
  THOUGHT,
  type World,
} from '../world.ts';

/** Arguments of all tools; each tool has the ones that its schema requires. */
interface Arguments {
  readonly text: string;
  readonly a: number;
  readonly b: number;
  readonly to: number;
}
type Handler = (args: Arguments, context: InteractiveContext) => Promise<ToolOutput> | ToolOutput;

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Creates our server of the world. Lists have small pages. */
export function createOurServer(world: World): Server {
  const server = createServer({
    info: { name: 'ours', version: '1.2.3', title: 'Our server' },
    instructions: INSTRUCTIONS,
    tools: toolsOf(world, () => server),
    prompts: [greet, bare],
    resources: [clock, bytes],
    templates: [city, river],
    settings: {
      resourceSubscriptions: true,
      lists: { pageSize: 1 },
      tasks: { pollIntervalMs: 20 },
      limits: { progressIntervalMs: 0 },
      requestState: { keys: ['a key of the tests that is long enough'] },
    },
    events: { onError: () => undefined },
  });
  return server;
}

const clock = defineResource({
  uri: CLOCK_URI,
  name: 'clock',
  title: 'The clock',
  mimeType: 'text/plain',
  read: () => 'noon',
});
const bytes = defineResource({
  uri: BYTES_URI,
  name: 'bytes',
  mimeType: 'application/octet-stream',
  read: () => Buffer.from(BYTES, 'base64'),
});
const city = defineResourceTemplate({
  uriTemplate: CITY_TEMPLATE,
  name: 'city',
  mimeType: 'text/plain',
  read: ({ name }) => `Welcome to ${name}`,
  complete: { name: citiesLike },
});
const river = defineResourceTemplate({
  uriTemplate: RIVER_TEMPLATE,
  name: 'river',
  read: ({ name }) => `The ${name} flows`,
});
const greet = definePrompt({
  name: 'greet',
  title: 'Greeting',
  description: 'Greets someone',
  arguments: [
    { name: 'name', description: 'Who', required: true, complete: citiesLike },
    {
      name: 'language',
      complete: (value, { arguments: chosen }) => [`${chosen.name ?? 'nobody'} ${value}`],
    },
  ],
  handler: ({ name }) => ({
    description: 'A greeting',
    messages: [{ role: 'user', content: { type: 'text', text: `Hello ${name}` } }],
  }),
});
const bare = definePrompt({
  name: 'bare',
  handler: () => ({ messages: [{ role: 'assistant', content: { type: 'text', text: 'Bare' } }] }),
});

function toolsOf(world: World, server: () => Server): ToolDefinition[] {
  return [
    tool('echo', ({ text: said }) => text(said), {
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    }),
    tool('add', ({ a, b }) => ({ structuredContent: { sum: a + b } }), {
      title: 'Addition',
      icons: [ICON],
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    }),
    tool('media', () => ({ content: [...MEDIA] })),
    tool('fail', () => {
      throw new ToolError('no luck');
    }),
    tool('state', () => text(JSON.stringify(world.state))),
    tool('release', () => {
      world.release();
      return text('released');
    }),
    tool('hold', (_args, { signal }) => world.hold(signal)),
    tool('count', async ({ to }, context) => {
      const released = world.released();
      for (let step = 1; step <= to; step += 1)
        context.progress({ progress: step, total: to, message: `step ${String(step)}` });
      await released;
      return text('counted');
    }),
    tool('burst', ({ to }, context) => {
      for (let step = 1; step <= to; step += 1) context.progress({ progress: step, total: to });
      return text('burst');
    }),
    tool('shout', (_args, context) => {
      context.log('debug', 'quiet', 'world');
      context.log('warning', { loud: true }, 'world');
      return text('shouted');
    }),
    tool('touch', () => {
      server().changes.resourceUpdated(CLOCK_URI);
      return text('touched');
    }),
    tool('change', () => {
      const { changes } = server();
      changes.toolsChanged();
      changes.promptsChanged();
      changes.resourcesChanged();
      return text('changed');
    }),
    ...inputTools(),
    tool('step_away', (_args, context) => {
      context.closeStream();
      return text('back again');
    }),
    tool('lose_connection', async (_args, context) => {
      const released = world.released();
      context.progress({ progress: 1 });
      await released;
      world.dropStream();
      return text('survived');
    }),
    tool(
      'toil',
      async (_args, context) => {
        await context.startTask();
        await Promise.race([world.released(), world.hold(context.signal)]);
        return text('toiled');
      },
      { task: 'optional' },
    ),
  ];
}

function inputTools(): ToolDefinition[] {
  return [
    tool('ask', async (_args, context) => {
      const { action, content } = await context.elicit('who', NAME_FORM);
      return text(`${action} ${String(content?.name)}`);
    }),
    tool('visit', async (_args, context) =>
      text((await context.elicit('page', { ...PAGE, elicitationId: 'page-1' })).action),
    ),
    tool('think', async (_args, context) => {
      const { model, content } = await context.sample('answer', THOUGHT);
      return text(`${model} ${JSON.stringify(content)}`);
    }),
    tool('where', async (_args, context) => text(JSON.stringify(await context.listRoots()))),
    tool('ask_all', async (_args, context) => {
      const answers = await context.gather({
        who: { elicit: NAME_FORM },
        answer: { sample: THOUGHT },
        roots: { listRoots: true },
      });
      return text(JSON.stringify(answers));
    }),
  ];
}

function tool(name: string, handler: Handler, rest: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description: `For tests: ${name}`,
    inputSchema: { type: 'object' },
    annotations,
    handler,
    ...rest,
  };
}
