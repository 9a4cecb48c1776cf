import type { ToolCallRequest, ToolDispatcher } from '../ports/tool-dispatcher.ts';
import type { Traces } from '../ports/traces.ts';

/** Makes every call carry its trace context to the server. Without traces it returns the registry itself. */
export function withTraces(registry: ToolDispatcher, traces: Traces | undefined): ToolDispatcher {
  if (traces === undefined) return registry;
  return {
    ...registry,
    reserve: async (request) => {
      const reservation = await registry.reserve(request);
      return {
        call: (sent) => reservation.call(traced(registry, traces, sent)),
        release: () => reservation.release(),
      };
    },
  };
}

function traced(
  registry: ToolDispatcher,
  traces: Traces,
  request: ToolCallRequest,
): ToolCallRequest {
  const { runId, callId, wireName } = request;
  const tool = registry.find(wireName);
  if (callId === undefined || tool === undefined) return request;
  return {
    ...request,
    metaOf: (sent) => traces.callSent({ ...sent, runId, callId, tool }),
  };
}
