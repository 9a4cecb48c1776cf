import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import { TASKS_EXTENSION } from '../../protocol/tasks.ts';
import type { ClientOptions } from '../client-options.ts';

/** Returns the capabilities that match the host's input handlers, and those that it declares. */
export function declaredCapabilities({
  handlers = {},
  capabilities = {},
}: ClientOptions): ClientCapabilities {
  const {
    samplingTools = false,
    samplingContext = false,
    elicitationForm = true,
    elicitationUrl = false,
    applyDefaults = false,
    extensions,
    experimental,
  } = capabilities;
  return {
    ...(handlers.sample === undefined
      ? {}
      : {
          sampling: {
            ...(samplingTools ? { tools: {} } : {}),
            ...(samplingContext ? { context: {} } : {}),
          },
        }),
    ...(handlers.elicit === undefined || !(elicitationForm || elicitationUrl)
      ? {}
      : {
          elicitation: {
            ...(elicitationForm ? { form: applyDefaults ? { applyDefaults } : {} } : {}),
            ...(elicitationUrl ? { url: {} } : {}),
          },
        }),
    ...(handlers.listRoots === undefined ? {} : { roots: { listChanged: true } }),
    ...(extensions === undefined ? {} : { extensions }),
    ...(experimental === undefined ? {} : { experimental }),
  };
}

/**
 * Returns the capabilities for the `_meta` of each modern request. They include tasks, since
 * `callTool` waits for the result of a task.
 */
export function declaredInRequests(options: ClientOptions): ClientCapabilities {
  const { extensions, ...capabilities } = declaredCapabilities(options);
  return { ...capabilities, extensions: { ...extensions, [TASKS_EXTENSION]: {} } };
}
