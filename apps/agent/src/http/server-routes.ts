import type { FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import type { CompletionReference } from '@signalbox/mcp-core';
import type { FollowedChange, ServerControl, ServerFeatures } from '../ports/server-directory.ts';
import type { ServerStatus } from '../ports/tool-catalogue.ts';
import { described } from './described.ts';
import type { HttpApp, RouteDependencies } from './route.ts';
import { Problem } from './problem.ts';
import { failedRequest } from './request-id.ts';
import { PageQuery } from './schemas.ts';
import { ProblemDetails } from './response-schemas.ts';
import {
  ChangesQuery,
  CompletionRequest,
  PromptArguments,
  PromptParameters,
  ResourceQuery,
  ServerParameters,
} from './server-schemas.ts';
import {
  CompletionValues,
  McpList,
  PromptResult,
  ResourceContentList,
  type Server,
  ServerDetail,
  ServerList,
  ToolList,
} from './server-response-schemas.ts';
import { ServerChangeFrame } from './stream-response-schemas.ts';
import { SseWriter } from './sse-writer.ts';
import { loginRoutes } from './login-routes.ts';
import { serverControlRoutes } from './server-control-routes.ts';
import { pageInOrder } from './page-in-order.ts';
import { pageOf, pinView, serverView, toolView } from './views.ts';

const problem = {
  400: ProblemDetails,
  404: ProblemDetails,
  502: ProblemDetails,
  503: ProblemDetails,
};

/** Adds the endpoints that read MCP servers and their tools, resources, prompts, completions and changes. */
export function serverRoutes(app: HttpApp, dependencies: RouteDependencies): void {
  const { catalogue, directory, logins, read, definitions } = dependencies;

  const statusOf = async (name: string): Promise<ServerStatus> => {
    const status = (await catalogue.servers()).find((each) => each.name === name);
    if (status === undefined)
      throw new Problem(
        'server_not_found',
        `no MCP server is called "${name}"; GET /v1/servers lists the configured servers`,
      );
    return status;
  };
  const unusable = async (name: string): Promise<Problem> =>
    new Problem(
      'server_unavailable',
      (await catalogue.whyNotOffered(`${name}__`)) ?? `the MCP server "${name}" is not available`,
    );
  const featuresOf = async (name: string): Promise<ServerFeatures> => {
    const features = directory.server((await statusOf(name)).name);
    if (features === undefined) throw await unusable(name);
    return features;
  };

  const controlOf = async (name: string): Promise<ServerControl> => {
    const control = directory.control((await statusOf(name)).name);
    if (control === undefined) throw await unusable(name);
    return control;
  };
  const viewOf = async (status: ServerStatus): Promise<z.output<typeof Server>> => {
    const lines = await read.rateLines();
    return serverView(status, {
      line: lines.find(({ server }) => server === status.name),
      definition: definitions.describe(status.name),
    });
  };
  serverControlRoutes(app, { statusOf, controlOf, viewOf });
  loginRoutes(app, dependencies, statusOf);

  app.get(
    '/v1/servers',
    {
      schema: {
        summary: 'List the configured MCP servers',
        querystring: PageQuery,
        response: described(() => ({ 200: ServerList, 400: ProblemDetails })),
      },
    },
    async (request) => {
      const servers = await catalogue.servers();
      const lines = new Map((await read.rateLines()).map((line) => [line.server, line]));
      const page = pageOf(
        pageInOrder(servers, ({ name }) => name, request.query),
        (status) =>
          serverView(status, {
            line: lines.get(status.name),
            definition: definitions.describe(status.name),
          }),
      );
      return { ...page, editing: definitions.mode };
    },
  );

  app.get(
    '/v1/servers/:name',
    {
      schema: {
        summary: 'Get an MCP server',
        params: ServerParameters,
        response: described(() => ({ 200: ServerDetail, ...problem })),
      },
    },
    async (request) => {
      const status = await statusOf(request.params.name);
      const capabilities = await directory.server(status.name)?.capabilities();
      const loggedIn = await logins.loginOf(status.name);
      const pins = (await directory.control(status.name)?.pins()) ?? [];
      return {
        ...(await viewOf(status)),
        pins: pins.map(pinView),
        ...(status.instructions === undefined ? {} : { instructions: status.instructions }),
        ...(capabilities === undefined ? {} : { capabilities }),
        ...(loggedIn === undefined
          ? {}
          : {
              logged_in: {
                issuer: loggedIn.issuer,
                at: new Date(loggedIn.loggedInAt).toISOString(),
              },
            }),
      };
    },
  );

  app.get(
    '/v1/servers/:name/tools',
    {
      schema: {
        summary: "List a server's tools",
        params: ServerParameters,
        querystring: PageQuery,
        response: described(() => ({ 200: ToolList, ...problem })),
      },
    },
    async (request) =>
      pageOf(
        pageInOrder(
          await catalogue.tools([(await statusOf(request.params.name)).name]),
          ({ wireName }) => wireName,
          request.query,
        ),
        toolView,
      ),
  );

  const lists = {
    resources: 'resources',
    'resource-templates': 'resourceTemplates',
    prompts: 'prompts',
  } as const;
  for (const [path, list] of Object.entries(lists) as [
    keyof typeof lists,
    (typeof lists)[keyof typeof lists],
  ][]) {
    app.get(
      `/v1/servers/:name/${path}`,
      {
        schema: {
          summary: `List a server's ${path.replace('-', ' ')}`,
          params: ServerParameters,
          querystring: PageQuery,
          response: described(() => ({ 200: McpList, ...problem })),
        },
      },
      async (request) => {
        const listed: readonly object[] = await (await featuresOf(request.params.name))[list]();
        return pageOf(pageInOrder(listed, keyOf, request.query), (each) => ({ ...each }));
      },
    );
  }

  app.get(
    '/v1/servers/:name/resources/read',
    {
      schema: {
        summary: 'Read a resource',
        params: ServerParameters,
        querystring: ResourceQuery,
        response: described(() => ({ 200: ResourceContentList, ...problem })),
      },
    },
    async (request) => ({
      data: (await (await featuresOf(request.params.name)).readResource(request.query.uri)).map(
        (contents) => ({ ...contents }),
      ),
    }),
  );

  app.post(
    '/v1/servers/:name/prompts/:prompt',
    {
      schema: {
        summary: 'Get a prompt',
        params: PromptParameters,
        body: PromptArguments,
        response: described(() => ({ 200: PromptResult, ...problem })),
      },
    },
    async (request) => {
      const { description, messages } = await (
        await featuresOf(request.params.name)
      ).getPrompt(request.params.prompt, request.body.arguments ?? {});
      return {
        messages: messages.map((message) => ({ ...message })),
        ...(description === undefined ? {} : { description }),
      };
    },
  );

  app.post(
    '/v1/servers/:name/completions',
    {
      schema: {
        summary: 'Complete an argument of a prompt or of a resource template',
        params: ServerParameters,
        body: CompletionRequest,
        response: described(() => ({ 200: CompletionValues, ...problem })),
      },
    },
    async (request) => {
      const { of, argument, chosen = {} } = request.body;
      const reference: CompletionReference =
        'prompt' in of
          ? { type: 'ref/prompt', name: of.prompt }
          : { type: 'ref/resource', uri: of.uri_template };
      const { values, total, hasMore } = await (
        await featuresOf(request.params.name)
      ).complete(reference, argument, chosen);
      return {
        values: [...values],
        ...(total === undefined ? {} : { total }),
        ...(hasMore === undefined ? {} : { has_more: hasMore }),
      };
    },
  );

  app.get(
    '/v1/servers/:name/changes',
    {
      schema: {
        summary: "Follow a server's changes, as a stream",
        description:
          'Server-sent events: `subscribed`, then `resource.updated` with the `uri` of a followed resource, `tools.changed`, `prompts.changed`, `resources.changed`, and `missed` after a restart of ' +
          'the server, when anything may have changed. The stream is open until the client disconnects.',
        params: ServerParameters,
        querystring: ChangesQuery,
        response: described(() => ({
          200: {
            description: 'The changes, until the client disconnects',
            content: { 'text/event-stream': { schema: ServerChangeFrame } },
          },
          ...problem,
          501: ProblemDetails,
        })),
      },
    },
    async (request, reply) =>
      followChanges(dependencies, {
        request,
        reply,
        features: await featuresOf(request.params.name),
        uris: [request.query.uri ?? []].flat(),
      }),
  );
}

/** Returns the URI, the URI template or the name of an object from a server. */
function keyOf(listed: object): string {
  const { uri, uriTemplate, name } = listed as { readonly [member: string]: unknown };
  return String(uri ?? uriTemplate ?? name);
}

interface Follower {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly features: ServerFeatures;
  readonly uris: readonly string[];
}

/**
 * Streams changes of resources and lists. Responds after the subscription, so that a refusal is a
 * problem response.
 */
async function followChanges(
  { clock, metrics, streams, heartbeats, onError }: RouteDependencies,
  { request, reply, features, uris }: Follower,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const changes = features.changes(uris, gone.signal)[Symbol.asyncIterator]();
  const freeSlot = streams.take();
  let next = Promise.resolve(
    await changes.next().catch((error: unknown) => {
      freeSlot();
      throw error;
    }),
  );
  reply.hijack();
  const writer = new SseWriter(reply.raw, { clock });
  const streamClosed = metrics.streamOpened();
  heartbeats.add(writer);
  try {
    for (let change = await next; change.done !== true; change = await next) {
      await writer.write(frameOf(change.value));
      next = changes.next();
    }
    writer.end();
  } catch (error) {
    onError(error, failedRequest(request));
    reply.raw.destroy();
  } finally {
    heartbeats.remove(writer);
    streamClosed();
    freeSlot();
    gone.abort();
  }
  return reply;
}

function frameOf(change: FollowedChange): {
  readonly event: string;
  readonly data: z.output<typeof ServerChangeFrame>;
} {
  const data = frameData(change);
  return { event: data.type, data };
}

function frameData(change: FollowedChange): z.output<typeof ServerChangeFrame> {
  switch (change.kind) {
    case 'resource':
      return { type: 'resource.updated', uri: change.uri };
    case 'missed':
    case 'subscribed':
      return { type: change.kind };
    default:
      return { type: `${change.kind}.changed` };
  }
}
