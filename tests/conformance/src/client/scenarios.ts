import type { JsonObject } from '@signalbox/mcp-core';
import type { Client, ClientOptions } from '@signalbox/mcp-core/client';

/** The client's part of a scenario, and the capabilities it needs. */
export interface Scenario {
  readonly options?: Pick<ClientOptions, 'handlers' | 'capabilities'>;
  run(client: Client, details: ScenarioDetails): Promise<void>;
}

/** The referee's data beside the scenario's name. */
export interface ScenarioDetails {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly issuer?: string;
  readonly private_key_pem?: string;
  readonly valid_jwt?: string;
  readonly idp_issuer?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  /** Calls that the referee expects. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: JsonObject }[];
}

const listTools: Scenario = {
  run: async (client) => {
    await client.listTools();
  },
};

/** Returns the client's part of a scenario by the referee's name. */
export function scenarioOf(name: string): Scenario | undefined {
  return SCENARIOS.get(name) ?? (name.startsWith('auth/') ? listAndCall : undefined);
}

/** Reaches the protected server; its listing and its call need different scopes in some scenarios. */
const listAndCall: Scenario = {
  run: async (client) => {
    await client.listTools();
    await client.callTool('test-tool', {});
  },
};

const SCENARIOS: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  ['initialize', listTools],
  ['json-schema-ref-no-deref', listTools],
  [
    'tools_call',
    {
      run: async (client) => {
        await client.listTools();
        await client.callTool('add_numbers', { a: 5, b: 3 });
      },
    },
  ],
  [
    'elicitation-sep1034-client-defaults',
    {
      options: {
        handlers: { elicit: () => Promise.resolve({ action: 'accept', content: {} }) },
        capabilities: { applyDefaults: true },
      },
      run: async (client) => {
        await client.callTool('test_client_elicitation_defaults', {});
      },
    },
  ],
  [
    'sse-retry',
    {
      run: async (client) => {
        await client.callTool('test_reconnection', {});
      },
    },
  ],
  [
    'request-metadata',
    {
      options: {
        handlers: {
          elicit: () => Promise.resolve({ action: 'decline' }),
          sample: () =>
            Promise.resolve({
              role: 'assistant',
              content: { type: 'text', text: 'Hello' },
              model: 'none',
            }),
          listRoots: () => Promise.resolve([]),
        },
      },
      run: async (client) => {
        await client.listTools();
      },
    },
  ],
  [
    'http-standard-headers',
    {
      run: async (client) => {
        const [tool] = await client.listTools();
        const [resource] = await client.listResources();
        const [prompt] = await client.listPrompts();
        if (tool) await client.callTool(tool.name, {});
        if (resource) await client.readResource(resource.uri);
        if (prompt) await client.getPrompt(prompt.name, {});
      },
    },
  ],
  [
    'http-custom-headers',
    {
      run: async (client, { toolCalls = [] }) => {
        await client.listTools();
        for (const call of toolCalls) await client.callTool(call.name, call.arguments);
      },
    },
  ],
  [
    'http-invalid-tool-headers',
    {
      run: async (client) => {
        for (const { name } of await client.listTools())
          await client.callTool(name, { region: 'us-west1' });
      },
    },
  ],
  [
    'sep-2322-client-request-state',
    {
      options: {
        handlers: {
          elicit: () => Promise.resolve({ action: 'accept', content: { confirmed: true } }),
        },
      },
      run: async (client) => {
        await client.callTool('test_mrtr_echo_state', {});
        await client.callTool('test_mrtr_unrelated', {});
        await client.callTool('test_mrtr_no_state', {});
        await client.callTool('test_mrtr_no_result_type', {});
      },
    },
  ],
  [
    'json-schema-2020-12-preservation',
    {
      run: async (client) => {
        const tools = await client.listTools();
        const tool = tools.find(({ name }) => name === 'json_schema_2020_12_tool');
        if (tool === undefined)
          throw new Error('The server does not list json_schema_2020_12_tool');
        await client.callTool('json_schema_echo', { schema: tool.inputSchema });
      },
    },
  ],
]);
