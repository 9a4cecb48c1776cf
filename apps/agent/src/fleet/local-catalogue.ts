import type { ToolCatalogue } from '../ports/tool-catalogue.ts';
import type { ToolDispatcher } from '../ports/tool-dispatcher.ts';

/** Returns a catalogue of the servers that this process is connected to. */
export function localCatalogue(
  dispatcher: Omit<ToolDispatcher, 'start' | 'reserve' | 'call' | 'onServerChange' | 'close'>,
): ToolCatalogue {
  return {
    settled: (timeoutMs, servers) => dispatcher.settled(timeoutMs, servers),
    servers: async () => dispatcher.servers(),
    tools: async (servers) => dispatcher.tools(servers),
    find: async (wireName) => dispatcher.find(wireName),
    whyNotOffered: async (wireName) => dispatcher.whyNotOffered(wireName),
    isQuarantined: async (wireName) => dispatcher.isQuarantined(wireName),
    checkArguments: (wireName, args) => dispatcher.checkArguments(wireName, args),
  };
}
