import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type {
  ClientEvents,
  ClientExtensions,
  ClientLimits,
  ClientOptions,
  HandlerCapabilities,
  InputHandlers,
  RequestOptions,
} from './client/index.ts';
import { createClientAuthorization } from './auth/index.ts';
import type {
  AuthorizationNetwork,
  ClientAuthorizationOptions,
  ClientRegistrationOptions,
} from './auth/index.ts';
import { connectClient } from './client/index.ts';
import type { HttpTransportOptions } from './http/client/index.ts';
import { httpTransport } from './http/client/index.ts';
import type {
  HttpAccessOptions,
  HttpListenerLimits,
  HttpSessionOptions,
  ServeHttpOptions,
} from './http/server/index.ts';
import { protectedResource } from './http/protected-resource/index.ts';
import type {
  DpopOptions,
  IntrospectionOptions,
  ProtectedResourceOptions,
} from './http/protected-resource/index.ts';
import { serveHttp } from './http/server/index.ts';
import type {
  ListOptions,
  RequestStateOptions,
  ServerEvents,
  ServerExtensions,
  ServerLimits,
  ServerOptions,
  ServerSettings,
  ServerTaskOptions,
} from './server/index.ts';
import { createServer, defineTool } from './server/index.ts';
import { TaskEngine } from './server/tasks/task-engine.ts';
import type { ServeStdioOptions } from './stdio/index.ts';
import { serveStdio } from './stdio/index.ts';
import type { TestContextOptions } from './testing/index.ts';
import { connectInMemory, createTestContext } from './testing/index.ts';

/** The optional members of options, each undefined. A new one must be added below, or the test does not compile. */
type Undefined<Options> = {
  readonly [K in keyof Options as undefined extends Options[K] ? K : never]-?: undefined;
};

const info = { name: 'test', version: '1' };
const greet = defineTool({
  name: 'greet',
  description: 'Greets',
  inputSchema: { type: 'object' },
  task: 'optional',
  handler: () => 'Hello',
});

const lists: Undefined<ListOptions> = { areFixed: undefined, pageSize: undefined };
const limits: Undefined<ServerLimits> = {
  progressIntervalMs: undefined,
  idempotencyEntries: undefined,
};
const tasks: Undefined<ServerTaskOptions> = {
  store: undefined,
  defaultTtlMs: undefined,
  maxTtlMs: undefined,
  pollIntervalMs: undefined,
  maxRunning: undefined,
  maxRunningPerPrincipal: undefined,
  clock: undefined,
};
const requestState: Undefined<RequestStateOptions> = {
  keys: undefined,
  ttlMs: undefined,
  used: undefined,
  now: undefined,
};
const extensions: Undefined<ServerExtensions> = {
  capabilities: undefined,
  middleware: undefined,
  methods: undefined,
  notifications: undefined,
};
const events: Undefined<ServerEvents> = { onLegacySession: undefined, onError: undefined };

const request: Undefined<RequestOptions> = {
  signal: undefined,
  timeoutMs: undefined,
  maxTotalMs: undefined,
  meta: undefined,
  task: undefined,
  inputRounds: undefined,
  onProgress: undefined,
  cache: undefined,
};
const clientLimits: Undefined<ClientLimits> = {
  connectTimeoutMs: undefined,
  probeTimeoutMs: undefined,
  requestTimeoutMs: undefined,
  maxInputRounds: undefined,
};
const clientEvents: Undefined<ClientEvents> = {
  onLog: undefined,
  onElicitationComplete: undefined,
  onProblem: undefined,
  onClosed: undefined,
};
const clientExtensions: Undefined<ClientExtensions> = {
  middleware: undefined,
  methods: undefined,
  notifications: undefined,
};
const handlers: Undefined<InputHandlers> = {
  elicit: undefined,
  sample: undefined,
  listRoots: undefined,
};
const capabilities: Undefined<HandlerCapabilities> = {
  samplingTools: undefined,
  samplingContext: undefined,
  elicitationForm: undefined,
  elicitationUrl: undefined,
  applyDefaults: undefined,
  extensions: undefined,
  experimental: undefined,
};

test('undefined groups and members of a server and a client mean their defaults', async () => {
  const groups: Undefined<ServerSettings> = {
    lists: undefined,
    limits: undefined,
    resourceSubscriptions: undefined,
    tasks: undefined,
    requestState: undefined,
  };
  const none: Undefined<ServerOptions> = {
    instructions: undefined,
    tools: undefined,
    prompts: undefined,
    resources: undefined,
    templates: undefined,
    extensions: undefined,
    events: undefined,
    settings: undefined,
  };
  const bare = await connectInMemory(createServer({ info, ...none }));
  expect(bare.server.capabilities).toEqual({ logging: {} });
  await bare.close();
  for (const settings of [groups, { ...groups, lists, limits, tasks, requestState }]) {
    const noClientOptions: Undefined<ClientOptions> = {
      handlers: undefined,
      capabilities: undefined,
      era: undefined,
      limits: undefined,
      output: undefined,
      cache: undefined,
      events: undefined,
      extensions: undefined,
    };
    const server = createServer({ info, tools: [greet], extensions, events, settings });
    for (const options of [
      noClientOptions,
      {
        ...noClientOptions,
        handlers,
        capabilities,
        limits: clientLimits,
        events: clientEvents,
        extensions: clientExtensions,
        output: { validation: undefined, evaluator: undefined },
      },
    ]) {
      const client = await connectInMemory(server, { info, ...options });
      expect(await client.listTools(request)).toMatchObject([{ name: 'greet' }]);
      expect(await client.callTool('greet', {}, request)).toMatchObject({
        content: [{ type: 'text', text: 'Hello' }],
      });
      await client.close();
    }
  }
});

test('undefined members of an authorization mean their defaults', async () => {
  const registration: Undefined<ClientRegistrationOptions> = {
    name: undefined,
    clients: undefined,
    metadataUrl: undefined,
    ask: undefined,
  };
  const network: Undefined<AuthorizationNetwork> = {
    allowedNetworks: undefined,
    timeoutMs: undefined,
  };
  const none: Undefined<ClientAuthorizationOptions> = {
    user: undefined,
    grant: undefined,
    registration: undefined,
    store: undefined,
    principal: undefined,
    scopes: undefined,
    network: undefined,
  };
  for (const options of [none, { ...none, registration, network }]) {
    const listener = await serveHttp(createServer({ info, tools: [greet] }));
    onTestFinished(() => listener.close());
    const authorization = createClientAuthorization(options);
    const client = await connectClient(() => httpTransport({ url: listener.url, authorization }), {
      info,
    });
    expect(await client.listTools()).toHaveLength(1);
    await client.close();
  }
});

test('undefined members of a protected resource mean their defaults', async () => {
  const dpop: Undefined<DpopOptions> = { isRequired: undefined, needsNonce: undefined };
  const network: Undefined<AuthorizationNetwork> = {
    allowedNetworks: undefined,
    timeoutMs: undefined,
  };
  const introspection = { clientId: 'a', clientSecret: 'b' };
  const noEndpoint: Undefined<IntrospectionOptions> = { endpoint: undefined };
  const none: Undefined<ProtectedResourceOptions> = {
    audience: undefined,
    scopes: undefined,
    impliedScopes: undefined,
    algorithms: undefined,
    introspection: undefined,
    dpop: undefined,
    network: undefined,
  };
  const required = { issuer: 'https://login.example', resource: 'https://mcp.example/mcp' };
  const parts = { dpop, network, introspection: { ...introspection, ...noEndpoint } };
  for (const options of [none, { ...none, ...parts }]) {
    const { authenticate, documents } = protectedResource({ ...required, ...options });
    const decision = await authenticate({}, { method: 'POST', path: '/mcp' });
    expect(decision).toMatchObject({ refused: 401 });
    expect(Object.values(documents ?? {}).join('')).not.toContain('scopes_supported');
  }
});

test('undefined members of task options mean their defaults', async () => {
  const engine = new TaskEngine(tasks, () => undefined);
  const task = await engine.start({ principal: undefined, toolName: 'greet', ttlMs: undefined });
  expect(task.record).toMatchObject({ ttlMs: 3_600_000, pollIntervalMs: 1000 });
  await engine.stop();
});

test('undefined members of HTTP options mean their defaults, also beyond loopback', async () => {
  const access: Undefined<HttpAccessOptions> = {
    allowedHosts: undefined,
    allowedOrigins: undefined,
    authenticate: undefined,
    bearerToken: undefined,
  };
  const httpLimits: Undefined<HttpListenerLimits> = {
    maxBodyBytes: undefined,
    maxConcurrentRequests: undefined,
    maxRequestBytes: undefined,
    maxUnsentBytes: undefined,
    drainMs: undefined,
    requestTimeoutMs: undefined,
    maxConnections: undefined,
  };
  const sessions: Undefined<HttpSessionOptions> = {
    maxSessions: undefined,
    sessionIdleMs: undefined,
    eventStore: undefined,
    retryMs: undefined,
  };
  const options: Undefined<ServeHttpOptions> = {
    port: undefined,
    host: undefined,
    path: undefined,
    access: undefined,
    limits: undefined,
    sessions: undefined,
    keepAliveMs: undefined,
    legacySse: undefined,
    onError: undefined,
  };
  const transport: Undefined<HttpTransportOptions> = {
    headers: undefined,
    onUnauthorized: undefined,
    authorization: undefined,
    lookup: undefined,
    maxMessageBytes: undefined,
    messageBudget: undefined,
    acceptTimeoutMs: undefined,
    legacySse: undefined,
  };
  for (const given of [options, { ...options, access, limits: httpLimits, sessions }])
    for (const era of ['legacy', 'modern'] as const) {
      const listener = await serveHttp(createServer({ info, tools: [greet] }), given);
      onTestFinished(() => listener.close());
      const client = await connectClient(() => httpTransport({ url: listener.url, ...transport }), {
        info,
        era,
      });
      expect(await client.listTools()).toHaveLength(1);
      await client.close();
    }
  // 127.0.0.1 in a notation that counts as reachable from other machines.
  const open = await serveHttp(createServer({ info }), { ...options, host: '0x7f.1', access });
  onTestFinished(() => open.close());
  const headers = { host: 'tools.example', 'content-type': 'application/json' };
  // The default of loopback would refuse the host with 403.
  expect(await statusOf(open.port, headers)).toBe(400);
});

function statusOf(
  port: number,
  headers: { readonly [name: string]: string },
): Promise<number | undefined> {
  const http = process.getBuiltinModule('node:http');
  return new Promise((resolve, reject) => {
    http
      .request({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
      .on('error', reject)
      .end('{}');
  });
}

test('undefined members of stdio options and of a test context mean their defaults', async () => {
  const stdio: Undefined<ServeStdioOptions> = {
    input: undefined,
    output: undefined,
    maxLineBytes: undefined,
  };
  const streams = { input: new PassThrough(), output: new PassThrough() };
  const listener = await serveStdio(createServer({ info }), { ...stdio, ...streams });
  await listener.close();
  const options: Undefined<TestContextOptions> = {
    signal: undefined,
    era: undefined,
    clientInfo: undefined,
    meta: undefined,
    auth: undefined,
    elicit: undefined,
    sample: undefined,
    roots: undefined,
    capabilities: undefined,
  };
  const context = createTestContext(options);
  expect(context.client.can('elicitation')).toBe(false);
  expect(context.meta).toEqual({});
});
