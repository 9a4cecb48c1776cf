import type { ServerCapabilities } from '../protocol/capabilities.ts';
import { TASKS_EXTENSION } from '../protocol/tasks.ts';
import type { ResourceProvider } from './resources/resource-provider.ts';
import type { ServerOptions } from './server.ts';

export interface DeclaredFeatures {
  readonly resources: ResourceProvider | undefined;
  readonly hasCompletions: boolean;
  readonly hasTasks: boolean;
}

/** Returns the capabilities that the options declare. `listChanged` is declared unless the lists are fixed, because `Server.changes` can publish changes. */
export function capabilitiesOf(
  { tools, prompts, lists: { areFixed = false } = {} }: ServerOptions,
  { resources, hasCompletions, hasTasks }: DeclaredFeatures,
): ServerCapabilities {
  const lists = areFixed ? {} : { listChanged: true };
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
