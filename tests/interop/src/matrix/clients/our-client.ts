import type { Transport } from '@signalbox/mcp-core';
import { connectClient } from '@signalbox/mcp-core/client';
import { ANSWERS, CLIENT_INFO, type ClientFace, type Shape } from '../client-face.ts';

/** Timeout for a busy machine, on which a server starts more slowly than the default allows. */
const PATIENT_MS = 60_000;

/** Connects our client. */
export async function connectOurClient(
  open: () => Transport,
  era: 'auto' | 'legacy' | 'modern',
  probeTimeoutMs = PATIENT_MS,
): Promise<ClientFace> {
  const logs: Shape[] = [];
  const client = await connectClient(open, {
    info: CLIENT_INFO,
    era,
    limits: { probeTimeoutMs },
    handlers: {
      elicit: ({ mode }) => Promise.resolve(mode === 'url' ? ANSWERS.visit : ANSWERS.elicit),
      sample: () => Promise.resolve(ANSWERS.sample),
      listRoots: () => Promise.resolve(ANSWERS.roots),
    },
    capabilities: { elicitationUrl: true },
    events: { onLog: (entry) => logs.push({ ...entry }) },
  });
  const { server } = client;
  // The interfaces of the entries have no index signature, so their shapes are cast.
  const shapes = (list: readonly object[]): readonly Shape[] => list as readonly Shape[];
  return {
    server: {
      info: server.info && { ...server.info },
      capabilities: { ...server.capabilities },
      instructions: server.instructions,
      version: server.protocolVersion,
    },
    logs,
    listTools: async () => shapes(await client.listTools({ cache: 'none' })),
    callTool: (name, args = {}, { signal, onProgress } = {}) =>
      client.callTool(name, args, {
        signal,
        onProgress: onProgress && (({ progress }) => onProgress(progress)),
      }),
    listResources: async () => shapes(await client.listResources({ cache: 'none' })),
    listTemplates: async () => shapes(await client.listResourceTemplates({ cache: 'none' })),
    readResource: async (uri) => shapes(await client.readResource(uri, { cache: 'none' })),
    listPrompts: async () => shapes(await client.listPrompts({ cache: 'none' })),
    getPrompt: (name, args) => client.getPrompt(name, args),
    complete: (ref, argument, chosen) => client.complete(ref, argument, { chosen }),
    setLogLevel: (level) => client.setLogLevel(level),
    watch: async (uri, onUpdated) => {
      const watch = await client.watch({ resources: [uri], onResourceUpdated: onUpdated });
      return () => watch.close();
    },
    hearChanges: async (onChanged) => {
      const watch = await client.watch({
        onToolsChanged: () => onChanged('tools'),
        onPromptsChanged: () => onChanged('prompts'),
        onResourcesChanged: () => onChanged('resources'),
      });
      return () => watch.close();
    },
    ping: () => client.ping(),
    callAsTask: async (name, onTask) => {
      const statuses: string[] = [];
      const result = await client.callTool(
        name,
        {},
        {
          task: {
            request: {},
            onTask: ({ taskId, status }) => {
              statuses.push(status);
              onTask(taskId);
            },
          },
        },
      );
      return { result, statuses };
    },
    cancelTask: async (taskId) => {
      await client.tasks.cancel(taskId);
    },
    close: () => client.close(),
  };
}
