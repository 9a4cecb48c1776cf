import {
  completableV1,
  CreateMessageResultSchemaV1,
  ElicitResultSchemaV1,
  InMemoryTaskStoreV1,
  ListResourceTemplatesRequestSchemaV1,
  ListRootsResultSchemaV1,
  McpServerV1,
  type RequestExtraV1,
  ResourceTemplateV1,
  type ServerNotificationV1,
  type ServerRequestV1,
  SubscribeRequestSchemaV1,
  UnsubscribeRequestSchemaV1,
} from '../../../../peers/src/sdk-v1-serving.ts';
import { z } from '../../../../peers/src/zod.ts';
import {
  BYTES,
  BYTES_URI,
  citiesLike,
  CITY_TEMPLATE,
  CLOCK_URI,
  INSTRUCTIONS,
  MEDIA,
  NAME_FORM,
  PAGE,
  RIVER_TEMPLATE,
  text,
  THOUGHT,
  type World,
} from '../world.ts';

type Extra = RequestExtraV1<ServerRequestV1, ServerNotificationV1>;

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/**
 * Creates the world's server on the official SDK v1, one per connection. Resource templates have
 * pages of one entry.
 */
export function createV1Server(world: World): McpServerV1 {
  const server = new McpServerV1(
    { name: 'v1', version: '1.2.3', title: 'Server on SDK v1' },
    {
      instructions: INSTRUCTIONS,
      capabilities: {
        logging: {},
        resources: { subscribe: true, listChanged: true },
        tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      },
      taskStore: new InMemoryTaskStoreV1(),
    },
  );
  addTools(server, world);
  addInputTools(server);
  addChanges(server);
  addResources(server, world);
  addPrompts(server);
  addTask(server, world);
  return server;
}

function addTools(server: McpServerV1, world: World): void {
  server.registerTool(
    'echo',
    { description: 'For tests: echo', inputSchema: { text: z.string() }, annotations },
    ({ text: said }) => text(said),
  );
  server.registerTool(
    'add',
    {
      title: 'Addition',
      inputSchema: { a: z.number(), b: z.number() },
      outputSchema: { sum: z.number() },
      annotations,
    },
    ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
  );
  server.registerTool('media', {}, () => ({ content: [...MEDIA] }));
  server.registerTool('fail', {}, () => {
    throw new Error('no luck');
  });
  server.registerTool('state', {}, () => text(JSON.stringify(world.state)));
  server.registerTool('release', {}, () => {
    world.release();
    return text('released');
  });
  server.registerTool('hold', {}, ({ signal }) => world.hold(signal));
  server.registerTool('count', { inputSchema: { to: z.number() } }, async ({ to }, extra) => {
    const released = world.released();
    await sendProgress(to, extra);
    await released;
    return text('counted');
  });
  server.registerTool('burst', { inputSchema: { to: z.number() } }, async ({ to }, extra) => {
    await sendProgress(to, extra);
    return text('burst');
  });
  server.registerTool('shout', {}, async ({ sessionId }) => {
    await server.sendLoggingMessage({ level: 'debug', data: 'quiet', logger: 'world' }, sessionId);
    await server.sendLoggingMessage(
      { level: 'warning', data: { loud: true }, logger: 'world' },
      sessionId,
    );
    return text('shouted');
  });
  server.registerTool('step_away', {}, ({ closeSSEStream }) => {
    closeSSEStream?.();
    return text('back again');
  });
  server.registerTool('lose_connection', {}, async (extra) => {
    const released = world.released();
    await sendProgress(1, extra);
    await released;
    world.dropStream();
    return text('survived');
  });
}

async function sendProgress(to: number, { _meta, sendNotification }: Extra): Promise<void> {
  const { progressToken } = _meta ?? {};
  if (progressToken === undefined) return;
  for (let step = 1; step <= to; step += 1) {
    await sendNotification({
      method: 'notifications/progress',
      params: { progressToken, progress: step, total: to, message: `step ${String(step)}` },
    });
  }
}

/** Adds tools with input requests, sent with the request that they belong to, as HTTP requires. */
function addInputTools(server: McpServerV1): void {
  const elicit = ({ sendRequest }: Extra) =>
    sendRequest({ method: 'elicitation/create', params: form() }, ElicitResultSchemaV1);
  const sample = ({ sendRequest }: Extra) =>
    sendRequest(
      { method: 'sampling/createMessage', params: thought() },
      CreateMessageResultSchemaV1,
    );
  const listRoots = ({ sendRequest }: Extra) =>
    sendRequest({ method: 'roots/list' }, ListRootsResultSchemaV1);
  server.registerTool('ask', {}, async (extra) => {
    const { action, content } = await elicit(extra);
    return text(`${action} ${String(content?.name)}`);
  });
  server.registerTool('visit', {}, async ({ sendRequest }) => {
    const { action } = await sendRequest(
      { method: 'elicitation/create', params: { ...PAGE, elicitationId: 'page-1' } },
      ElicitResultSchemaV1,
    );
    return text(action);
  });
  server.registerTool('think', {}, async (extra) => {
    const { model, content } = await sample(extra);
    return text(`${model} ${JSON.stringify(content)}`);
  });
  server.registerTool('where', {}, async (extra) =>
    text(JSON.stringify((await listRoots(extra)).roots)),
  );
  server.registerTool('ask_all', {}, async (extra) => {
    const [who, answer, { roots }] = await Promise.all([
      elicit(extra),
      sample(extra),
      listRoots(extra),
    ]);
    return text(JSON.stringify({ who, answer, roots }));
  });
}

function addChanges(server: McpServerV1): void {
  const subscribed = new Set<string>();
  server.server.setRequestHandler(SubscribeRequestSchemaV1, ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.server.setRequestHandler(UnsubscribeRequestSchemaV1, ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.registerTool('touch', {}, async () => {
    if (subscribed.has(CLOCK_URI)) await server.server.sendResourceUpdated({ uri: CLOCK_URI });
    return text('touched');
  });
  server.registerTool('change', {}, () => {
    server.sendToolListChanged();
    server.sendPromptListChanged();
    server.sendResourceListChanged();
    return text('changed');
  });
}

function addResources(server: McpServerV1, world: World): void {
  server.registerResource(
    'clock',
    CLOCK_URI,
    { title: 'The clock', mimeType: 'text/plain' },
    () => ({
      contents: [{ uri: CLOCK_URI, mimeType: 'text/plain', text: 'noon' }],
    }),
  );
  server.registerResource('bytes', BYTES_URI, { mimeType: 'application/octet-stream' }, () => ({
    contents: [{ uri: BYTES_URI, mimeType: 'application/octet-stream', blob: BYTES }],
  }));
  server.registerResource(
    'city',
    new ResourceTemplateV1(CITY_TEMPLATE, { list: undefined, complete: { name: citiesLike } }),
    { mimeType: 'text/plain' },
    ({ href }, { name }) => ({
      contents: [{ uri: href, mimeType: 'text/plain', text: `Welcome to ${String(name)}` }],
    }),
  );
  server.server.setRequestHandler(ListResourceTemplatesRequestSchemaV1, ({ params }) => {
    if (params?.cursor === undefined)
      return {
        resourceTemplates: [{ uriTemplate: CITY_TEMPLATE, name: 'city', mimeType: 'text/plain' }],
        nextCursor: 'more',
      };
    world.pageAsked();
    return { resourceTemplates: [{ uriTemplate: RIVER_TEMPLATE, name: 'river' }] };
  });
}

function addPrompts(server: McpServerV1): void {
  const argsSchema = {
    name: completableV1(z.string().describe('Who'), citiesLike),
    language: completableV1(z.string().optional(), (value, context) => [
      `${context?.arguments?.name ?? 'nobody'} ${value ?? ''}`,
    ]),
  };
  server.registerPrompt(
    'greet',
    { title: 'Greeting', description: 'Greets someone', argsSchema },
    ({ name }) => ({
      description: 'A greeting',
      messages: [{ role: 'user', content: { type: 'text', text: `Hello ${name}` } }],
    }),
  );
  server.registerPrompt('bare', {}, () => ({
    messages: [{ role: 'assistant', content: { type: 'text', text: 'Bare' } }],
  }));
}

function addTask(server: McpServerV1, world: World): void {
  server.experimental.tasks.registerToolTask(
    'toil',
    { execution: { taskSupport: 'optional' } },
    {
      createTask: async ({ taskStore, taskRequestedTtl }) => {
        const task = await taskStore.createTask({
          ttl: taskRequestedTtl ?? 60_000,
          pollInterval: 20,
        });
        void world
          .released()
          .then(() => taskStore.storeTaskResult(task.taskId, 'completed', text('toiled')))
          .catch(() => undefined);
        return { task };
      },
      getTask: ({ taskId, taskStore }) => taskStore.getTask(taskId),
      getTaskResult: async ({ taskId, taskStore }) =>
        (await taskStore.getTaskResult(taskId)) as ReturnType<typeof text>,
    },
  );
}

/** Returns the form as mutable objects, which the SDK's types require. */
function form() {
  return structuredClone(NAME_FORM) as unknown as {
    message: string;
    requestedSchema: { type: 'object'; properties: { name: { type: 'string' } } };
  };
}

function thought() {
  return { ...THOUGHT, messages: THOUGHT.messages.map((message) => ({ ...message })) };
}
