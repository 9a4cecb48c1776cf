import {
  ClientV2,
  type ClientTransportV2,
  HttpClientTransportV2,
  LOG_LEVEL_META_KEY_V2,
} from '../../../../peers/src/sdk-v2-clients.ts';
import {
  ANSWERS,
  type ChangedList,
  CLIENT_INFO,
  type ClientFace,
  type Shape,
} from '../client-face.ts';

/**
 * Era negotiation of the SDK: `legacy` (its default), detected, pinned, or the legacy revisions
 * that it may use.
 */
export type V2Negotiation = 'legacy' | 'auto' | 'modern' | { readonly versions: readonly string[] };

/** Connects the client of the official SDK v2. */
export async function connectV2Client(
  transport: ClientTransportV2,
  negotiation: V2Negotiation,
): Promise<ClientFace> {
  const client = new ClientV2(CLIENT_INFO, {
    capabilities: {
      sampling: {},
      elicitation: { form: {}, url: {} },
      roots: { listChanged: true },
    },
    ...optionsOf(negotiation),
  });
  const heard = listen(client);
  await client.connect(transport);
  const isModern = client.getProtocolEra() === 'modern';
  let logLevel: 'debug' | 'warning' | undefined;
  return {
    server: {
      info: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
      version: client.getNegotiatedProtocolVersion(),
    },
    logs: heard.logs,
    listTools: async () => (await client.listTools(undefined, { cacheMode: 'bypass' })).tools,
    callTool: (name, args = {}, { signal, onProgress } = {}) => {
      const params = {
        name,
        arguments: args,
        ...(isModern && logLevel !== undefined
          ? { _meta: { [LOG_LEVEL_META_KEY_V2]: logLevel } }
          : {}),
      };
      return client.callTool(params, {
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined ? {} : { onprogress: ({ progress }) => onProgress(progress) }),
      });
    },
    listResources: async () =>
      (await client.listResources(undefined, { cacheMode: 'bypass' })).resources,
    listTemplates: async () =>
      (await client.listResourceTemplates(undefined, { cacheMode: 'bypass' })).resourceTemplates,
    readResource: async (uri) =>
      (await client.readResource({ uri }, { cacheMode: 'bypass' })).contents,
    listPrompts: async () => (await client.listPrompts(undefined, { cacheMode: 'bypass' })).prompts,
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
      logLevel = level;
      if (!isModern) await client.setLoggingLevel(level);
    },
    watch: async (uri, onUpdated) => {
      heard.onUpdated = onUpdated;
      if (!isModern) {
        await client.subscribeResource({ uri });
        return async () => {
          await client.unsubscribeResource({ uri });
        };
      }
      const subscription = await client.listen({ resourceSubscriptions: [uri] });
      return () => subscription.close();
    },
    hearChanges: async (onChanged) => {
      heard.onChanged = onChanged;
      if (!isModern) return () => Promise.resolve();
      const subscription = await client.listen({
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
      });
      return () => subscription.close();
    },
    ping: async () => {
      await (isModern ? client.discover() : client.ping());
    },
    close: async () => {
      if (transport instanceof HttpClientTransportV2) await transport.terminateSession();
      await client.close();
    },
  };
}

function optionsOf(negotiation: V2Negotiation): ConstructorParameters<typeof ClientV2>[1] {
  if (typeof negotiation === 'object')
    return { supportedProtocolVersions: [...negotiation.versions] };
  switch (negotiation) {
    case 'legacy':
      return {};
    case 'auto':
      return { versionNegotiation: { mode: 'auto' } };
    case 'modern':
      return { versionNegotiation: { mode: { pin: '2026-07-28' } } };
    default:
      return negotiation satisfies never;
  }
}

interface Heard {
  readonly logs: Shape[];
  onUpdated: (uri: string) => void;
  onChanged: (list: ChangedList) => void;
}

function listen(client: ClientV2): Heard {
  const heard: Heard = { logs: [], onUpdated: () => undefined, onChanged: () => undefined };
  client.setRequestHandler('elicitation/create', ({ params }) =>
    structuredClone(params.mode === 'url' ? ANSWERS.visit : ANSWERS.elicit),
  );
  client.setRequestHandler('sampling/createMessage', () => structuredClone(ANSWERS.sample));
  client.setRequestHandler('roots/list', () => ({ roots: [...ANSWERS.roots] }));
  client.setNotificationHandler(
    'notifications/message',
    ({ params }) => void heard.logs.push(params),
  );
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    heard.onUpdated(params.uri),
  );
  client.setNotificationHandler('notifications/tools/list_changed', () => heard.onChanged('tools'));
  client.setNotificationHandler('notifications/prompts/list_changed', () =>
    heard.onChanged('prompts'),
  );
  client.setNotificationHandler('notifications/resources/list_changed', () =>
    heard.onChanged('resources'),
  );
  return heard;
}
