import { PROTOCOL_VERSIONS } from '../era/versions.ts';
import type { JsonObject } from '../jsonrpc/messages.ts';
import type { ServerCapabilities } from '../protocol/capabilities.ts';
import { complete } from './completion/complete.ts';
import type { Catalog } from './lists/catalog.ts';
import { STATIC_CACHE_HINTS } from './lists/published-list.ts';
import { getPrompt } from './prompts/get-prompt.ts';
import { setLevel } from './requests/logging.ts';
import type { Method } from './requests/method.ts';
import { readCursor } from './requests/read-params.ts';
import { resourceMethods } from './resources/resource-methods.ts';
import type { ResourceProvider } from './resources/resource-provider.ts';
import type { ServerOptions } from './server.ts';
import type { Changes } from './subscriptions/change-hub.ts';
import { listen } from './subscriptions/listen.ts';
import type { ServerTasks } from './tasks/server-tasks.ts';
import { callTool } from './tools/call-tool.ts';
import { IdempotentCalls } from './tools/idempotent-calls.ts';

export interface MethodsContext {
  readonly catalog: Catalog;
  readonly capabilities: ServerCapabilities;
  readonly changes: Changes;
  readonly tasks: ServerTasks | undefined;
  readonly onError: (error: unknown) => void;
}

/** Returns the methods of all revisions that the server has. A feature that is not declared has no methods. */
export function createMethods(
  options: ServerOptions,
  context: MethodsContext,
): ReadonlyMap<string, Method> {
  const { catalog } = context;
  const { resources } = catalog;
  return new Map<string, Method>([
    ['ping', () => ({})],
    ['server/discover', () => discover(options, context)],
    ['logging/setLevel', ({ params }, { session }) => setLevel(params, session)],
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
    ...(context.tasks?.methods() ?? []),
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

function toolMethods(
  { settings: { limits: { idempotencyEntries = 1000 } = {} } = {} }: ServerOptions,
  { catalog, onError }: MethodsContext,
): [string, Method][] {
  const caller = { calls: new IdempotentCalls(idempotencyEntries), onError };
  return [
    ['tools/list', ({ params, port }) => catalog.tools?.page(readCursor(params), port.codec) ?? {}],
    ['tools/call', (request) => callTool(caller, request)],
  ];
}

function promptMethods(catalog: Catalog): [string, Method][] {
  return [
    [
      'prompts/list',
      ({ params, port }) => catalog.prompts?.page(readCursor(params), port.codec) ?? {},
    ],
    ['prompts/get', (request) => getPrompt(catalog.prompts, request)],
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
