import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import { TASKS_EXTENSION } from '../../protocol/tasks.ts';
import type { ClientOptions } from '../client-options.ts';

/** What a server is told that it may ask: exactly what the handlers can answer. */
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
  };
}

/** What a modern server is told with each request: it may answer with a task, which this client waits for by itself. */
export function declaredInRequests(options: ClientOptions): ClientCapabilities {
  const { extensions, ...capabilities } = declaredCapabilities(options);
  return { ...capabilities, extensions: { ...extensions, [TASKS_EXTENSION]: {} } };
}
