import type { ClientCapabilities } from '../protocol/capabilities.ts';
import type { ClientOptions } from './client-options.ts';

/** What a server is told that it may ask: exactly what the handlers can answer. */
export function declaredCapabilities({ handlers = {}, capabilities = {} }: ClientOptions): ClientCapabilities {
  const { samplingTools = false, samplingContext = false, elicitationForm = true, elicitationUrl = false, applyDefaults = false, extensions } = capabilities;
  return {
    ...(handlers.sample === undefined ? {} : { sampling: { ...(samplingTools ? { tools: {} } : {}), ...(samplingContext ? { context: {} } : {}) } }),
    ...(handlers.elicit === undefined || !(elicitationForm || elicitationUrl)
      ? {}
      : { elicitation: { ...(elicitationForm ? { form: applyDefaults ? { applyDefaults } : {} } : {}), ...(elicitationUrl ? { url: {} } : {}) } }),
    ...(handlers.listRoots === undefined ? {} : { roots: { listChanged: true } }),
    ...(extensions === undefined ? {} : { extensions }),
  };
}
