import type { ServerCapabilities } from '../protocol/capabilities.ts';
import { TASKS_EXTENSION } from '../protocol/tasks.ts';
import type { ServerOptions } from './server.ts';

/** Returns the capabilities that the options declare. `listChanged` is declared unless the lists are fixed, because `Server.changes` can publish changes. */
export function capabilitiesOf(
  { tools, prompts, resources, lists: { areFixed = false } = {} }: ServerOptions,
  { hasCompletions, hasTasks }: { readonly hasCompletions: boolean; readonly hasTasks: boolean },
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
