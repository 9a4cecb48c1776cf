import type { ServerCapabilities } from '../protocol/capabilities.ts';
import { TASKS_EXTENSION } from '../protocol/tasks.ts';
import type { ResourceProvider } from './resources/resource-provider.ts';
import type { ServerOptions } from './server.ts';

export interface DeclaredFeatures {
  readonly resources: ResourceProvider | undefined;
  readonly hasCompletions: boolean;
  readonly hasTasks: boolean;
}

/** Returns the capabilities that the options declare. @throws Error for the extension of tasks. `listChanged` is declared unless the lists are fixed, because `Server.changes` can publish changes. */
export function capabilitiesOf(
  {
    tools,
    prompts,
    extensions: { capabilities = {} } = {},
    settings: { lists: { areFixed = false } = {} } = {},
  }: ServerOptions,
  { resources, hasCompletions, hasTasks }: DeclaredFeatures,
): ServerCapabilities {
  const { extensions = {}, experimental } = capabilities;
  if (Object.hasOwn(extensions, TASKS_EXTENSION))
    throw new Error(
      `The server declares ${TASKS_EXTENSION} itself: give a tool \`task\`, or set \`settings.tasks\`, instead of an extension`,
    );
  const allExtensions = hasTasks ? { ...extensions, [TASKS_EXTENSION]: {} } : extensions;
  const lists = areFixed ? {} : { listChanged: true };
  return {
    logging: {},
    ...(hasCompletions ? { completions: {} } : {}),
    ...(prompts === undefined ? {} : { prompts: lists }),
    ...(tools === undefined ? {} : { tools: lists }),
    ...(Object.keys(allExtensions).length === 0 ? {} : { extensions: allExtensions }),
    ...(experimental === undefined ? {} : { experimental }),
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
