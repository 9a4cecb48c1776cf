import {
  type CallToolResultV2,
  completableV2,
  type InputRequiredResultV2,
  inputRequiredV2,
  McpServerV2,
  ResourceTemplateV2,
  type ServerContextV2,
} from '../../../../peers/src/sdk-v2-serving.ts';
import { z } from '../../../../peers/src/zod.ts';
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

export interface V2ServerOptions {
  /** The accepted legacy revisions. Default: all. */
  readonly versions?: readonly string[];
  /** Publishes changes where each request has its own server. */
  readonly notifier?: () => {
    toolsChanged(): void;
    promptsChanged(): void;
    resourcesChanged(): void;
    resourceUpdated(uri: string): void;
  };
}

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/**
 * Creates the world's server on the official SDK v2, one per connection or request. Resource
 * templates have pages of one entry.
 */
export function createV2Server(
  world: World,
  { versions, notifier }: V2ServerOptions = {},
): McpServerV2 {
  const server = new McpServerV2(
    { name: 'v2', version: '1.2.3', title: 'Server on SDK v2' },
    {
      instructions: INSTRUCTIONS,
      capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } },
      ...(versions === undefined ? {} : { supportedProtocolVersions: [...versions] }),
    },
  );
  addTools(server, world);
  addInputTools(server);
  addChanges(server, notifier);
  addResources(server, world);
  addPrompts(server);
  return server;
}

function addTools(server: McpServerV2, world: World): void {
  server.registerTool(
    'echo',
    { description: 'For tests: echo', inputSchema: z.object({ text: z.string() }), annotations },
    ({ text: said }) => text(said),
  );
  server.registerTool(
    'add',
    {
      title: 'Addition',
      icons: [ICON],
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
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
  server.registerTool('hold', {}, ({ mcpReq }) => world.hold(mcpReq.signal));
  server.registerTool(
    'count',
    { inputSchema: z.object({ to: z.number() }) },
    async ({ to }, context) => {
      const released = world.released();
      await sendProgress(to, context);
      await released;
      return text('counted');
    },
  );
  server.registerTool(
    'burst',
    { inputSchema: z.object({ to: z.number() }) },
    async ({ to }, context) => {
      await sendProgress(to, context);
      return text('burst');
    },
  );
  server.registerTool('shout', {}, async ({ mcpReq }) => {
    await mcpReq.log('debug', 'quiet', 'world');
    await mcpReq.log('warning', { loud: true }, 'world');
    return text('shouted');
  });
  server.registerTool('step_away', {}, ({ http }) => {
    http?.closeSSE?.();
    return text('back again');
  });
  server.registerTool('lose_connection', {}, async (context) => {
    const released = world.released();
    await sendProgress(1, context);
    await released;
    world.dropStream();
    return text('survived');
  });
}

async function sendProgress(to: number, { mcpReq }: ServerContextV2): Promise<void> {
  const { _meta: meta } = mcpReq;
  const { progressToken } = meta ?? {};
  if (progressToken === undefined) return;
  for (let step = 1; step <= to; step += 1) {
    await mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken, progress: step, total: to, message: `step ${String(step)}` },
    });
  }
}

/** A client's input responses. */
interface Answers {
  readonly who?: { readonly action: string; readonly content?: { readonly name: string } };
  readonly page?: { readonly action: string };
  readonly answer?: { readonly model: string; readonly content: unknown };
  readonly roots?: { readonly roots: readonly unknown[] };
}

/**
 * Adds tools that return `input_required`, which the SDK converts to requests for a legacy client.
 */
function addInputTools(server: McpServerV2): void {
  const questions = {
    who: inputRequiredV2.elicit(structuredClone(NAME_FORM) as never),
    page: inputRequiredV2.elicitUrl(PAGE),
    answer: inputRequiredV2.createMessage(structuredClone(THOUGHT) as never),
    roots: inputRequiredV2.listRoots(),
  };
  const asking = (
    name: string,
    keys: readonly (keyof Answers)[],
    show: (answers: Answers) => string,
  ): void => {
    server.registerTool(name, {}, ({ mcpReq }): CallToolResultV2 | InputRequiredResultV2 => {
      const { inputResponses } = mcpReq;
      if (inputResponses === undefined)
        return inputRequiredV2({
          inputRequests: Object.fromEntries(keys.map((key) => [key, questions[key]])),
        });
      // The SDK has checked the responses.
      return text(show(inputResponses));
    });
  };
  asking('ask', ['who'], ({ who }) => `${String(who?.action)} ${String(who?.content?.name)}`);
  asking('visit', ['page'], ({ page }) => String(page?.action));
  asking(
    'think',
    ['answer'],
    ({ answer }) => `${String(answer?.model)} ${JSON.stringify(answer?.content)}`,
  );
  asking('where', ['roots'], ({ roots }) => JSON.stringify(roots?.roots));
  asking('ask_all', ['who', 'answer', 'roots'], ({ who, answer, roots }) =>
    JSON.stringify({ who, answer, roots: roots?.roots }),
  );
}

function addChanges(server: McpServerV2, notifier: V2ServerOptions['notifier']): void {
  const subscribed = new Set<string>();
  server.server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.registerTool('touch', {}, async ({ mcpReq }) => {
    // The SDK itself handles modern subscriptions.
    if (notifier !== undefined) notifier().resourceUpdated(CLOCK_URI);
    else if (subscribed.has(CLOCK_URI) || mcpReq.envelope !== undefined)
      await server.server.sendResourceUpdated({ uri: CLOCK_URI });
    return text('touched');
  });
  server.registerTool('change', {}, () => {
    const changes = notifier?.();
    if (changes === undefined) {
      server.sendToolListChanged();
      server.sendPromptListChanged();
      server.sendResourceListChanged();
    } else {
      changes.toolsChanged();
      changes.promptsChanged();
      changes.resourcesChanged();
    }
    return text('changed');
  });
}

function addResources(server: McpServerV2, world: World): void {
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
    new ResourceTemplateV2(CITY_TEMPLATE, { list: undefined, complete: { name: citiesLike } }),
    { mimeType: 'text/plain' },
    ({ href }, { name }) => ({
      contents: [{ uri: href, mimeType: 'text/plain', text: `Welcome to ${String(name)}` }],
    }),
  );
  server.server.setRequestHandler('resources/templates/list', ({ params }) => {
    if (params?.cursor === undefined)
      return {
        resourceTemplates: [{ uriTemplate: CITY_TEMPLATE, name: 'city', mimeType: 'text/plain' }],
        nextCursor: 'more',
      };
    world.pageAsked();
    return { resourceTemplates: [{ uriTemplate: RIVER_TEMPLATE, name: 'river' }] };
  });
}

function addPrompts(server: McpServerV2): void {
  const argsSchema = z.object({
    name: completableV2(z.string().describe('Who'), citiesLike),
    language: completableV2(z.string(), (value, context) => [
      `${context?.arguments?.name ?? 'nobody'} ${value}`,
    ]).optional(),
  });
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
