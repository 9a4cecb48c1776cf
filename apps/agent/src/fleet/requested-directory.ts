import type {
  Completion,
  GetPromptResult,
  JsonObject,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
} from '@signalbox/mcp-core';
import { pinnedTools } from '../mcp/pinned-tools.ts';
import {
  NotConnectedHereError,
  ServerUnavailableError,
  UnknownToolError,
  type ServerControl,
  type ServerDirectory,
  type ServerFeatures,
  type ToolApproval,
} from '../ports/server-directory.ts';
import type { FleetCommand, FleetStore } from '../ports/store/fleet.ts';
import type { ToolPins } from '../ports/tool-pins.ts';
import type { FleetRequester } from './fleet-requester.ts';
import { noWorker, type StoredServer, type StoredServers } from './stored-servers.ts';

export interface RequestedDirectoryOptions {
  readonly fleet: FleetStore;
  readonly pins: ToolPins;
  readonly servers: StoredServers;
  readonly requester: FleetRequester;
  /** Names of the configured servers. */
  readonly names: readonly string[];
}

/**
 * Creates the server directory of an API process, which has no connections: features are requested
 * from one worker, and commands from every worker.
 */
export function requestedDirectory(options: RequestedDirectoryOptions): ServerDirectory {
  const isConfigured = (name: string): boolean => options.names.includes(name);
  return {
    server: (name) => (isConfigured(name) ? featuresOf(name, options) : undefined),
    control: (name) => (isConfigured(name) ? controlOf(name, options) : undefined),
  };
}

function controlOf(name: string, options: RequestedDirectoryOptions): ServerControl {
  const { fleet, pins, servers, requester } = options;
  /** Executes the command on every worker, and keeps the settings for workers that start later. */
  const everywhere = async (
    command: FleetCommand,
    settings: Parameters<FleetStore['changeSettings']>[1],
  ): Promise<void> => {
    if ((await fleet.workers()).length === 0) throw noWorker();
    await fleet.changeSettings(name, settings);
    await requester.every(name, command);
  };
  const approveTools = async (
    tools: 'all' | readonly ToolApproval[],
  ): Promise<readonly string[]> => {
    const { workerId } = await bestOf(name, options);
    const { approved } = await requester.one(workerId, name, { kind: 'approve_tools', tools });
    await requester.every(name, { kind: 'compare_with_pins' }, { except: workerId });
    return approved as string[];
  };
  return {
    reconnect: (mode) => everywhere({ kind: 'reconnect', mode }, { isDrained: false }),
    drain: (mode) => everywhere({ kind: 'drain', mode }, { isDrained: true }),
    setRoots: (paths) => everywhere({ kind: 'set_roots', paths }, { roots: paths }),
    log: () =>
      Promise.reject(
        new NotConnectedHereError(
          `the log of server ${name} is kept by the workers that are connected to it, not by this process; use a service with --role all, or read the logs of the workers`,
        ),
      ),
    approveTools,
    async approve(tool, digest) {
      try {
        await approveTools([{ tool, digest }]);
        return true;
      } catch (error) {
        if (error instanceof UnknownToolError) return false;
        throw error;
      }
    },
    compareWithPins: () => requester.every(name, { kind: 'compare_with_pins' }),
    async pins() {
      const server = await storedServer(name, servers);
      const tools = server === undefined ? [] : await servers.toolsOf(server);
      return pinnedTools(await pins.of(name), tools);
    },
  };
}

function featuresOf(name: string, options: RequestedDirectoryOptions): ServerFeatures {
  const { servers, requester } = options;
  // The worker returns the result of the feature as the server sent it.
  const requested = async <T>(command: FleetCommand): Promise<T> => {
    const { workerId } = await bestOf(name, options);
    const { value } = await requester.one(workerId, name, command);
    return value as T;
  };
  return {
    capabilities: async () => (await storedServer(name, servers))?.best?.capabilities,
    resources: () => requested<Resource[]>({ kind: 'resources' }),
    resourceTemplates: () => requested<ResourceTemplate[]>({ kind: 'resource_templates' }),
    readResource: (uri) => requested<ResourceContents[]>({ kind: 'read_resource', uri }),
    prompts: () => requested<Prompt[]>({ kind: 'prompts' }),
    getPrompt: (prompt, args) =>
      requested<GetPromptResult>({ kind: 'get_prompt', name: prompt, arguments: args }),
    complete: (reference, argument, chosen) =>
      requested<Completion>({ kind: 'complete', reference, argument, chosen }),
    changes: () => {
      throw new NotConnectedHereError(
        `the changes of server ${name} cannot be streamed by this process, because only workers are connected to it; use a service with --role all, or read the list or the resource periodically`,
      );
    },
  };
}

async function storedServer(
  name: string,
  servers: StoredServers,
): Promise<StoredServer | undefined> {
  return (await servers.read()).servers.find(({ status }) => status.name === name);
}

/** Returns the worker that receives the requests about a server. @throws ServerUnavailableError */
async function bestOf(
  name: string,
  { servers }: RequestedDirectoryOptions,
): Promise<{ readonly workerId: string; readonly capabilities: JsonObject | undefined }> {
  const { workers, servers: stored } = await servers.read();
  if (workers.length === 0) throw noWorker();
  const server = stored.find(({ status }) => status.name === name);
  if (server?.best !== undefined) return server.best;
  throw new ServerUnavailableError(
    `server ${name} is not known to a worker; check that the workers have the configuration of this process`,
  );
}
