import type { JsonObject, RequestId } from '../jsonrpc/messages.ts';
import { PROTOCOL_VERSIONS } from '../era/versions.ts';
import type { ServerCapabilities } from '../protocol/capabilities.ts';
import { ErrorCode, ProtocolError } from '../protocol/errors.ts';
import { isLoggingLevel, LOGGING_LEVELS } from '../protocol/logging-levels.ts';
import { TASKS_EXTENSION } from '../protocol/tasks.ts';
import { callTool } from './tools/call-tool.ts';
import type { Catalog } from './lists/catalog.ts';
import type { Changes } from './subscriptions/change-hub.ts';
import { complete } from './completion.ts';
import { getPrompt } from './prompts/get-prompt.ts';
import { IdempotentCalls } from './tools/idempotent-calls.ts';
import type { InitializedSession } from './connection/initialized-session.ts';
import { listen } from './subscriptions/listen.ts';
import { STATIC_CACHE_HINTS } from './lists/published-list.ts';
import { readCursor, readString } from './requests/read-params.ts';
import type { ResourceWatches } from './subscriptions/resource-subscriptions.ts';
import type { ActiveRequest } from './requests/active-request.ts';
import type { ResourceProvider, ServerOptions } from './server.ts';
import type { TaskEngine } from './tasks/task-engine.ts';
import { taskMethods } from './tasks/task-methods.ts';

/** What some methods need of the connection they came over. */
export interface ConnectionScope {
  readonly session: InitializedSession | undefined;
  /** Of the legacy session. */
  readonly watches: ResourceWatches | undefined;
  /** Whether the request has a stream to itself, whose end the client notices. */
  readonly hasOwnStream: boolean;
  /** Runs a listen stream with the signal that ends it in good order. */
  holdOpen(id: RequestId, run: (ended: AbortSignal) => Promise<JsonObject>): Promise<JsonObject>;
}

/** Serves one method; the result is neutral, or has its JSON text because it was encoded before. Errors that are no ProtocolError become -32603. */
export type Method = (
  request: ActiveRequest,
  scope: ConnectionScope,
) => Promise<JsonObject> | JsonObject;

export interface MethodsContext {
  readonly catalog: Catalog;
  readonly capabilities: ServerCapabilities;
  readonly changes: Changes;
  readonly tasks: TaskEngine | undefined;
  readonly onError: (error: unknown) => void;
}

/** The capabilities that the options declare. Changes of lists are among them unless the lists are fixed, because `Server.changes` can publish them. */
export function capabilitiesOf(
  { tools, prompts, resources, hasFixedLists = false }: ServerOptions,
  { hasCompletions, hasTasks }: { readonly hasCompletions: boolean; readonly hasTasks: boolean },
): ServerCapabilities {
  const lists = hasFixedLists ? {} : { listChanged: true };
  return {
    logging: {},
    ...(hasCompletions ? { completions: {} } : {}),
    ...(prompts === undefined ? {} : { prompts: lists }),
    ...(tools === undefined ? {} : { tools: lists }),
    ...(hasTasks ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
    ...(resources === undefined
      ? {}
      : {
          resources: {
            ...lists,
            ...(resources.subscribe === undefined ? {} : { subscribe: true }),
          },
        }),
  };
}

/** Every method the server has, of all revisions. A feature that is not declared has none. */
export function createMethods(
  options: ServerOptions,
  context: MethodsContext,
): ReadonlyMap<string, Method> {
  const { resources } = options;
  const { catalog } = context;
  return new Map<string, Method>([
    ['ping', () => ({})],
    ['server/discover', () => discover(options, context)],
    ['logging/setLevel', setLevel],
    [
      'subscriptions/listen',
      (request, scope) =>
        scope.holdOpen(request.request.id, (ended) =>
          listen({ ...context, resources, hasOwnStream: scope.hasOwnStream }, request, ended),
        ),
    ],
    ...(options.tools === undefined ? [] : toolMethods(options, context)),
    ...(options.prompts === undefined ? [] : promptMethods(catalog)),
    ...(resources === undefined ? [] : resourceMethods(resources)),
    ...(resources?.subscribe === undefined ? [] : subscribeMethods()),
    ...(context.tasks === undefined
      ? []
      : taskMethods({
          engine: context.tasks,
          info: options.info,
          outputSchemaOf: (name) => catalog.tools?.get(name)?.outputSchema,
        })),
    ...(catalog.hasCompletions ? [completionMethod(catalog, resources)] : []),
  ]);
}

function discover({ instructions }: ServerOptions, { capabilities }: MethodsContext): JsonObject {
  return {
    supportedVersions: PROTOCOL_VERSIONS,
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    ...STATIC_CACHE_HINTS,
  };
}

function setLevel({ params }: ActiveRequest, { session }: ConnectionScope): JsonObject {
  if (!isLoggingLevel(params.level))
    throw new ProtocolError(
      ErrorCode.invalidParams,
      `Invalid params: level must be one of ${LOGGING_LEVELS.join(', ')}`,
    );
  if (session !== undefined) session.logLevel = params.level;
  return {};
}

function toolMethods(
  { idempotencyEntries = 1000 }: ServerOptions,
  { catalog, onError }: MethodsContext,
): [string, Method][] {
  const caller = { catalog, calls: new IdempotentCalls(idempotencyEntries), onError };
  return [
    ['tools/list', ({ params, port }) => catalog.tools?.page(readCursor(params), port.codec) ?? {}],
    // An interface has no index signature; results are JSON objects all the same.
    ['tools/call', (request) => callTool(caller, request) as Promise<JsonObject>],
  ];
}

function promptMethods(catalog: Catalog): [string, Method][] {
  return [
    [
      'prompts/list',
      ({ params, port }) => catalog.prompts?.page(readCursor(params), port.codec) ?? {},
    ],
    ['prompts/get', async (request) => ({ ...(await getPrompt(catalog.prompts, request)) })],
  ];
}

function completionMethod(
  catalog: Catalog,
  resources: ResourceProvider | undefined,
): [string, Method] {
  return [
    'completion/complete',
    (request) => complete({ prompts: catalog.prompts, resources }, request),
  ];
}

function resourceMethods(resources: ResourceProvider): [string, Method][] {
  return [
    [
      'resources/list',
      async (request) => ({ ...(await resources.list(readCursor(request.params), request)) }),
    ],
    [
      'resources/templates/list',
      async (request) => ({
        ...((await resources.listTemplates?.(readCursor(request.params), request)) ?? {
          resourceTemplates: [],
        }),
      }),
    ],
    [
      'resources/read',
      async (request) => ({
        ...(await resources.read(readString(request.params, 'uri'), request)),
      }),
    ],
  ];
}

function subscribeMethods(): [string, Method][] {
  return [
    [
      'resources/subscribe',
      async (request, { watches }) => {
        const uri = readString(request.params, 'uri');
        if (watches === undefined)
          throw new ProtocolError(
            ErrorCode.invalidRequest,
            'Invalid request: a subscription needs a session, and this request has none',
          );
        await watches.add(uri, request);
        return {};
      },
    ],
    [
      'resources/unsubscribe',
      async (request, { watches }) => {
        await watches?.remove(readString(request.params, 'uri'));
        return {};
      },
    ],
  ];
}
