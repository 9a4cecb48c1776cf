import {
  CallToolResultSchemaV1,
  ClientV1,
  CreateMessageRequestSchemaV1,
  ElicitRequestSchemaV1,
  HttpClientTransportV1,
  ListRootsRequestSchemaV1,
  LoggingMessageNotificationSchemaV1,
  PromptListChangedNotificationSchemaV1,
  ResourceListChangedNotificationSchemaV1,
  ResourceUpdatedNotificationSchemaV1,
  type SseClientTransportV1,
  type StdioClientTransportV1,
  ToolListChangedNotificationSchemaV1,
} from '../../../../peers/src/sdk-v1-clients.ts';
import { collectPages } from './collect-pages.ts';
import {
  ANSWERS,
  type ChangedList,
  CLIENT_INFO,
  type ClientFace,
  type Shape,
} from '../client-face.ts';

/** Connects the client of the official SDK v1. */
export async function connectV1Client(
  transport: HttpClientTransportV1 | SseClientTransportV1 | StdioClientTransportV1,
): Promise<ClientFace> {
  const client = new ClientV1(CLIENT_INFO, {
    capabilities: {
      sampling: {},
      elicitation: { form: {}, url: {} },
      roots: { listChanged: true },
    },
  });
  const heard = listen(client);
  await client.connect(transport);
  return {
    server: {
      info: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
      version: versionOf(transport),
    },
    logs: heard.logs,
    listTools: () => collectPages((page) => client.listTools(page), 'tools'),
    callTool: (name, args = {}, { signal, onProgress } = {}) =>
      client.callTool({ name, arguments: args }, undefined, {
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined ? {} : { onprogress: ({ progress }) => onProgress(progress) }),
      }),
    listResources: () => collectPages((page) => client.listResources(page), 'resources'),
    listTemplates: () =>
      collectPages((page) => client.listResourceTemplates(page), 'resourceTemplates'),
    readResource: async (uri) => (await client.readResource({ uri })).contents,
    listPrompts: () => collectPages((page) => client.listPrompts(page), 'prompts'),
    getPrompt: (name, args) =>
      client.getPrompt({ name, ...(args === undefined ? {} : { arguments: args }) }),
    complete: async (ref, argument, chosen) =>
      (
        await client.complete({
          ref,
          argument,
          ...(chosen === undefined ? {} : { context: { arguments: chosen } }),
        })
      ).completion,
    setLogLevel: async (level) => {
      await client.setLoggingLevel(level);
    },
    watch: async (uri, onUpdated) => {
      heard.onUpdated = onUpdated;
      await client.subscribeResource({ uri });
      return async () => {
        await client.unsubscribeResource({ uri });
      };
    },
    hearChanges: (onChanged) => {
      heard.onChanged = onChanged;
      return Promise.resolve(() => Promise.resolve());
    },
    ping: async () => {
      await client.ping();
    },
    callAsTask: async (name, onTask) => {
      const statuses: string[] = [];
      for await (const message of client.experimental.tasks.callToolStream(
        { name, arguments: {} },
        CallToolResultSchemaV1,
        { task: {} },
      )) {
        if (message.type === 'error') throw message.error;
        if (message.type === 'result') return { result: message.result, statuses };
        statuses.push(message.task.status);
        onTask(message.task.taskId);
      }
      throw new Error('The stream of the task ended without a result');
    },
    cancelTask: async (taskId) => {
      await client.experimental.tasks.cancelTask(taskId);
    },
    close: async () => {
      if (transport instanceof HttpClientTransportV1) await transport.terminateSession();
      await client.close();
    },
  };
}

interface Heard {
  readonly logs: Shape[];
  onUpdated: (uri: string) => void;
  onChanged: (list: ChangedList) => void;
}

function listen(client: ClientV1): Heard {
  const heard: Heard = { logs: [], onUpdated: () => undefined, onChanged: () => undefined };
  client.setRequestHandler(ElicitRequestSchemaV1, ({ params }) =>
    structuredClone(params.mode === 'url' ? ANSWERS.visit : ANSWERS.elicit),
  );
  client.setRequestHandler(CreateMessageRequestSchemaV1, () => structuredClone(ANSWERS.sample));
  client.setRequestHandler(ListRootsRequestSchemaV1, () => ({ roots: [...ANSWERS.roots] }));
  client.setNotificationHandler(
    LoggingMessageNotificationSchemaV1,
    ({ params }) => void heard.logs.push(params),
  );
  client.setNotificationHandler(ResourceUpdatedNotificationSchemaV1, ({ params }) =>
    heard.onUpdated(params.uri),
  );
  client.setNotificationHandler(ToolListChangedNotificationSchemaV1, () =>
    heard.onChanged('tools'),
  );
  client.setNotificationHandler(PromptListChangedNotificationSchemaV1, () =>
    heard.onChanged('prompts'),
  );
  client.setNotificationHandler(ResourceListChangedNotificationSchemaV1, () =>
    heard.onChanged('resources'),
  );
  return heard;
}

/** Returns the negotiated version from the transport; the client does not expose it. */
function versionOf(transport: object): string | undefined {
  return transport instanceof HttpClientTransportV1 ? transport.protocolVersion : undefined;
}
