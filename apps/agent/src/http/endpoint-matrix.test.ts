import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { artifactIdOf } from '../run/results/artifacts.ts';
import { ok, READ_ONLY, untilCancelled } from '../run/testing/fake-registry.ts';
import { openService } from '../run/testing/service.ts';
import type { ProblemCode } from './problem.ts';
import { createServiceEdge, type ServiceEdge } from './testing/service-edge.ts';
import { storedAgent } from '../ports/testing/stored-agent.ts';

/** A request that must be refused. Names in angle brackets stand for ids of existing resources. */
interface Refused {
  readonly path?: string;
  readonly body?: unknown;
  /** Replacements of the default headers; undefined omits a header. */
  readonly headers?: { readonly [name: string]: string | undefined };
  readonly status: number;
  readonly code: ProblemCode;
}

interface Row {
  /** Request with a missing value or an unknown id. */
  readonly missing: Refused;
  /** Request with an invalid value. */
  readonly invalid: Refused;
}

const bad = (body: unknown, path?: string): Refused => ({
  body,
  ...(path === undefined ? {} : { path }),
  status: 400,
  code: 'invalid_request',
});
const badPath = (path: string): Refused => ({ path, status: 400, code: 'invalid_request' });
const gone = (path: string, code: ProblemCode, body?: unknown): Refused => ({
  path,
  ...(body === undefined ? {} : { body }),
  status: 404,
  code,
});

const LONG = 'x'.repeat(101);
const NO_TOKEN: Refused = {
  headers: { authorization: undefined },
  status: 401,
  code: 'unauthorized',
};
const WRONG_TOKEN: Refused = {
  headers: { authorization: 'Bearer wrong' },
  status: 401,
  code: 'unauthorized',
};
/** Requests for endpoints without any input. */
const TOKEN_ONLY: Row = { missing: NO_TOKEN, invalid: WRONG_TOKEN };
const HOST_ONLY: Row = {
  missing: { headers: { host: ':8020' }, status: 403, code: 'forbidden_host' },
  invalid: { headers: { host: 'evil.example' }, status: 403, code: 'forbidden_host' },
};

const ROWS: { readonly [endpoint: string]: Row } = {
  'GET /v1/stats': {
    missing: badPath('/v1/stats?from='),
    invalid: badPath('/v1/stats?interval=1'),
  },
  'GET /v1/queue': TOKEN_ONLY,
  'GET /v1/workers': {
    missing: badPath('/v1/workers?cursor='),
    invalid: { path: '/v1/workers?cursor=forged', status: 400, code: 'invalid_cursor' },
  },
  'GET /v1/models': {
    missing: badPath('/v1/models?limit='),
    invalid: { path: '/v1/models?cursor=!', status: 400, code: 'invalid_cursor' },
  },
  'GET /v1/models/{name}': {
    missing: gone('/v1/models/scripted%2Fnone', 'model_not_found'),
    invalid: badPath(`/v1/models/${'x'.repeat(301)}`),
  },
  'POST /v1/runs': { missing: bad({}), invalid: bad({ prompt: 'go', limits: { turns: 0 } }) },
  'GET /v1/runs': {
    missing: badPath('/v1/runs?cursor='),
    invalid: { path: '/v1/runs?cursor=forged', status: 400, code: 'invalid_cursor' },
  },
  'GET /v1/runs/{id}': {
    missing: gone('/v1/runs/none', 'run_not_found'),
    invalid: badPath(`/v1/runs/${LONG}`),
  },
  'PATCH /v1/runs/{id}': {
    missing: gone('/v1/runs/none', 'run_not_found', { metadata: {} }),
    invalid: bad({ metadata: { a: 1 } }, '/v1/runs/<run>'),
  },
  'DELETE /v1/runs/{id}': {
    missing: gone('/v1/runs/none', 'run_not_found'),
    invalid: { path: '/v1/runs/<busy>', status: 409, code: 'run_not_settled' },
  },
  'POST /v1/runs/{id}/fork': {
    missing: gone('/v1/runs/none/fork', 'run_not_found'),
    invalid: bad({ at_turn: -1 }, '/v1/runs/<run>/fork'),
  },
  'POST /v1/runs/{id}/cancel': {
    missing: gone('/v1/runs/none/cancel', 'run_not_found'),
    invalid: bad({ reason: 7 }, '/v1/runs/<run>/cancel'),
  },
  'POST /v1/runs/{id}/resume': {
    missing: gone('/v1/runs/none/resume', 'run_not_found'),
    invalid: bad({ limits: { turns: 0 } }, '/v1/runs/<run>/resume'),
  },
  'GET /v1/runs/{id}/events': {
    missing: gone('/v1/runs/none/events', 'run_not_found'),
    invalid: badPath('/v1/runs/<run>/events?after=-1'),
  },
  'GET /v1/runs/{id}/messages': {
    missing: gone('/v1/runs/none/messages', 'run_not_found'),
    invalid: { path: '/v1/runs/<run>/messages?cursor=1.2', status: 400, code: 'invalid_cursor' },
  },
  'POST /v1/artifacts': {
    missing: { headers: { 'content-type': undefined }, status: 400, code: 'invalid_request' },
    invalid: {
      headers: { 'content-type': 'multipart/form-data' },
      body: {},
      status: 415,
      code: 'unsupported_media_type',
    },
  },
  'GET /v1/uploads': {
    missing: badPath('/v1/uploads?cursor='),
    invalid: { path: '/v1/uploads?cursor=forged', status: 400, code: 'invalid_cursor' },
  },
  'GET /v1/runs/{id}/artifacts': {
    missing: gone('/v1/runs/none/artifacts', 'run_not_found'),
    invalid: badPath(`/v1/runs/${LONG}/artifacts`),
  },
  'GET /v1/runs/{id}/tool-calls': {
    missing: gone('/v1/runs/none/tool-calls', 'run_not_found'),
    invalid: badPath(`/v1/runs/${LONG}/tool-calls`),
  },
  'GET /v1/runs/{id}/tool-calls/{call_id}': {
    missing: gone('/v1/runs/<run>/tool-calls/none', 'tool_call_not_found'),
    invalid: badPath(`/v1/runs/<run>/tool-calls/${LONG}`),
  },
  'POST /v1/runs/{id}/tool-calls/{call_id}/cancel': {
    missing: gone('/v1/runs/<run>/tool-calls/none/cancel', 'tool_call_not_found'),
    invalid: bad({ now: true }, '/v1/runs/<run>/tool-calls/<call>/cancel'),
  },
  'GET /v1/artifacts/{id}': {
    missing: gone('/v1/artifacts/none', 'artifact_not_found'),
    invalid: {
      path: '/v1/artifacts/<artifact>',
      headers: { range: 'bytes=9999999-' },
      status: 416,
      code: 'range_not_satisfiable',
    },
  },
  'POST /v1/threads': { missing: bad(null), invalid: bad({ metadata: { a: 1 } }) },
  'GET /v1/threads': {
    missing: badPath('/v1/threads?cursor='),
    invalid: { path: '/v1/threads?cursor=forged', status: 400, code: 'invalid_cursor' },
  },
  'GET /v1/threads/{id}': {
    missing: gone('/v1/threads/none', 'thread_not_found'),
    invalid: badPath(`/v1/threads/${LONG}`),
  },
  'PUT /v1/threads/{id}': {
    missing: gone('/v1/threads/none', 'thread_not_found', {}),
    invalid: bad({ title: '' }, '/v1/threads/<thread>'),
  },
  'PATCH /v1/threads/{id}': {
    missing: gone('/v1/threads/none', 'thread_not_found', {}),
    invalid: bad({ title: '' }, '/v1/threads/<thread>'),
  },
  'DELETE /v1/threads/{id}': {
    missing: gone('/v1/threads/none', 'thread_not_found'),
    invalid: { path: '/v1/threads/<thread>', status: 409, code: 'thread_busy' },
  },
  'GET /v1/threads/{id}/messages': {
    missing: gone('/v1/threads/none/messages', 'thread_not_found'),
    invalid: {
      path: '/v1/threads/<thread>/messages?cursor=forged',
      status: 400,
      code: 'invalid_cursor',
    },
  },
  'POST /v1/agents': {
    missing: bad({ instructions: 'Be brief.' }),
    invalid: bad({ name: 'a', servers: [] }),
  },
  'GET /v1/agents': {
    missing: badPath('/v1/agents?limit='),
    invalid: badPath('/v1/agents?limit=201'),
  },
  'GET /v1/agents/{id}': {
    missing: gone('/v1/agents/none', 'agent_not_found'),
    invalid: badPath(`/v1/agents/${LONG}`),
  },
  'PUT /v1/agents/{id}': {
    missing: gone('/v1/agents/none', 'agent_not_found', { name: 'a' }),
    invalid: bad({ name: 'a', limits: { turns: 'many' } }, '/v1/agents/<agent>'),
  },
  'DELETE /v1/agents/{id}': {
    missing: gone('/v1/agents/none', 'agent_not_found'),
    invalid: badPath(`/v1/agents/${LONG}`),
  },
  'GET /v1/agents/{id}/versions': {
    missing: gone('/v1/agents/none/versions', 'agent_not_found'),
    invalid: { path: '/v1/agents/<agent>/versions?cursor=!', status: 400, code: 'invalid_cursor' },
  },
  'GET /v1/agents/{id}/versions/{version}': {
    missing: gone('/v1/agents/<agent>/versions/2', 'agent_version_not_found'),
    invalid: badPath('/v1/agents/<agent>/versions/0'),
  },
  'GET /v1/inbox': {
    missing: badPath('/v1/inbox?run_id='),
    invalid: badPath('/v1/inbox?state=asleep'),
  },
  'GET /v1/inbox/{id}': {
    missing: gone('/v1/inbox/none', 'inbox_item_not_found'),
    invalid: badPath(`/v1/inbox/${LONG}`),
  },
  'POST /v1/inbox/{id}/respond': {
    missing: bad({}, '/v1/inbox/<item>/respond'),
    invalid: {
      path: '/v1/inbox/<item>/respond',
      body: { action: 'retry' },
      status: 400,
      code: 'invalid_response',
    },
  },
  'GET /v1/approvals': {
    missing: badPath('/v1/approvals?run_id='),
    invalid: badPath('/v1/approvals?state=open'),
  },
  'DELETE /v1/approvals/{id}': {
    missing: gone('/v1/approvals/none', 'approval_not_found'),
    invalid: badPath(`/v1/approvals/${LONG}`),
  },
  'GET /v1/audit': {
    missing: badPath('/v1/audit?run_id='),
    invalid: { path: '/v1/audit?cursor=forged', status: 400, code: 'invalid_cursor' },
  },
  'POST /v1/schedules': {
    missing: bad({ run: { prompt: 'go' } }),
    invalid: {
      body: { cron: 'daily', run: { prompt: 'go' } },
      status: 400,
      code: 'invalid_schedule',
    },
  },
  'GET /v1/schedules': {
    missing: badPath('/v1/schedules?cursor='),
    invalid: { path: '/v1/schedules?cursor=forged', status: 400, code: 'invalid_cursor' },
  },
  'GET /v1/schedules/{id}': {
    missing: gone('/v1/schedules/none', 'schedule_not_found'),
    invalid: badPath(`/v1/schedules/${LONG}`),
  },
  'PATCH /v1/schedules/{id}': {
    missing: gone('/v1/schedules/none', 'schedule_not_found', {}),
    invalid: bad({ on_busy: 'wait' }, '/v1/schedules/none'),
  },
  'DELETE /v1/schedules/{id}': {
    missing: gone('/v1/schedules/none', 'schedule_not_found'),
    invalid: badPath(`/v1/schedules/${LONG}`),
  },
  'POST /v1/webhooks': {
    missing: bad({ event_types: ['run.completed'] }),
    invalid: {
      body: { url: 'https://127.0.0.1/hook' },
      status: 400,
      code: 'webhook_url_refused',
    },
  },
  'GET /v1/webhooks': {
    missing: badPath('/v1/webhooks?cursor='),
    invalid: { path: '/v1/webhooks?cursor=forged', status: 400, code: 'invalid_cursor' },
  },
  'GET /v1/webhooks/{id}': {
    missing: gone('/v1/webhooks/none', 'webhook_not_found'),
    invalid: badPath(`/v1/webhooks/${LONG}`),
  },
  'PATCH /v1/webhooks/{id}': {
    missing: gone('/v1/webhooks/none', 'webhook_not_found', {}),
    invalid: bad({ event_types: [] }, '/v1/webhooks/none'),
  },
  'POST /v1/webhooks/{id}/rotate-secret': {
    missing: gone('/v1/webhooks/none/rotate-secret', 'webhook_not_found', {}),
    invalid: bad({ overlap_seconds: -1 }, '/v1/webhooks/none/rotate-secret'),
  },
  'DELETE /v1/webhooks/{id}': {
    missing: gone('/v1/webhooks/none', 'webhook_not_found'),
    invalid: badPath(`/v1/webhooks/${LONG}`),
  },
  'GET /v1/webhooks/{id}/deliveries': {
    missing: gone('/v1/webhooks/none/deliveries', 'webhook_not_found'),
    invalid: badPath('/v1/webhooks/<webhook>/deliveries?state=lost'),
  },
  'POST /v1/webhooks/{id}/deliveries/{delivery_id}/resend': {
    missing: gone('/v1/webhooks/<webhook>/deliveries/none/resend', 'delivery_not_found'),
    invalid: badPath(`/v1/webhooks/<webhook>/deliveries/${LONG}/resend`),
  },
  'POST /v1/servers/{name}/tools/approve': {
    missing: bad({}, '/v1/servers/r/tools/approve'),
    invalid: bad({ tools: [] }, '/v1/servers/r/tools/approve'),
  },
  'GET /v1/tools': {
    missing: badPath('/v1/tools?limit='),
    invalid: { path: '/v1/tools?cursor=%21', status: 400, code: 'invalid_cursor' },
  },
  'POST /v1/tools/{name}/call': {
    missing: gone('/v1/tools/r__none/call', 'tool_not_found'),
    invalid: {
      path: '/v1/tools/r__read/call',
      body: { arguments: { path: 7 } },
      status: 400,
      code: 'invalid_arguments',
    },
  },
  'GET /v1/servers': TOKEN_ONLY,
  'GET /v1/servers/{name}': {
    missing: gone('/v1/servers/none', 'server_not_found'),
    invalid: badPath(`/v1/servers/${LONG}`),
  },
  'DELETE /v1/servers/{name}': {
    missing: { path: '/v1/servers/none', status: 403, code: 'server_editing_off' },
    invalid: badPath(`/v1/servers/${LONG}`),
  },
  'GET /v1/servers/{name}/config': {
    missing: { path: '/v1/servers/none/config', status: 403, code: 'server_editing_off' },
    invalid: badPath(`/v1/servers/${LONG}/config`),
  },
  'PUT /v1/servers/{name}/config': {
    missing: {
      path: '/v1/servers/none/config',
      body: {},
      status: 403,
      code: 'server_editing_off',
    },
    invalid: bad([], `/v1/servers/${LONG}/config`),
  },
  'GET /v1/servers/{name}/log': {
    missing: gone('/v1/servers/none/log', 'server_not_found'),
    invalid: badPath(`/v1/servers/${LONG}/log`),
  },
  'GET /v1/servers/{name}/tools': {
    missing: gone('/v1/servers/none/tools', 'server_not_found'),
    invalid: badPath(`/v1/servers/${LONG}/tools`),
  },
  'GET /v1/servers/{name}/resources': {
    missing: gone('/v1/servers/none/resources', 'server_not_found'),
    invalid: badPath('/v1/servers/r/resources?limit=0'),
  },
  'GET /v1/servers/{name}/resource-templates': {
    missing: gone('/v1/servers/none/resource-templates', 'server_not_found'),
    invalid: badPath('/v1/servers/r/resource-templates?limit=0'),
  },
  'GET /v1/servers/{name}/prompts': {
    missing: gone('/v1/servers/none/prompts', 'server_not_found'),
    invalid: badPath('/v1/servers/r/prompts?limit=0'),
  },
  'GET /v1/servers/{name}/resources/read': {
    missing: badPath('/v1/servers/r/resources/read'),
    invalid: badPath(`/v1/servers/r/resources/read?uri=${'x'.repeat(8193)}`),
  },
  'POST /v1/servers/{name}/prompts/{prompt}': {
    missing: gone('/v1/servers/none/prompts/p', 'server_not_found', {}),
    invalid: bad({ arguments: { a: 1 } }, '/v1/servers/r/prompts/p'),
  },
  'POST /v1/servers/{name}/completions': {
    missing: bad({ of: { prompt: 'p' } }, '/v1/servers/r/completions'),
    invalid: bad(
      { of: { prompt: 7 }, argument: { name: 'a', value: '' } },
      '/v1/servers/r/completions',
    ),
  },
  'GET /v1/servers/{name}/changes': {
    missing: gone('/v1/servers/none/changes', 'server_not_found'),
    invalid: badPath('/v1/servers/r/changes?uri='),
  },
  'POST /v1/servers/{name}/reconnect': {
    missing: gone('/v1/servers/none/reconnect', 'server_not_found'),
    invalid: bad({ mode: 'soon' }, '/v1/servers/r/reconnect'),
  },
  'POST /v1/servers/{name}/drain': {
    missing: gone('/v1/servers/none/drain', 'server_not_found'),
    invalid: bad({ mode: 'soon' }, '/v1/servers/r/drain'),
  },
  'POST /v1/servers/{name}/tools/{tool}/approve': {
    missing: gone('/v1/servers/none/tools/read/approve', 'server_not_found', {}),
    invalid: bad({ digest: 7 }, '/v1/servers/r/tools/read/approve'),
  },
  'POST /v1/servers/{name}/login': {
    missing: gone('/v1/servers/none/login', 'server_not_found', {}),
    invalid: bad({ method: 'fax' }, '/v1/servers/broken/login'),
  },
  'DELETE /v1/servers/{name}/login': {
    missing: gone('/v1/servers/none/login', 'server_not_found'),
    invalid: badPath(`/v1/servers/${LONG}/login`),
  },
  'GET /v1/oauth/callback': {
    missing: badPath('/v1/oauth/callback'),
    invalid: badPath(`/v1/oauth/callback?state=${'x'.repeat(501)}`),
  },
  'PUT /v1/servers/{name}/roots': {
    missing: bad({}, '/v1/servers/r/roots'),
    invalid: bad({ roots: 'here' }, '/v1/servers/r/roots'),
  },
  'GET /healthz': HOST_ONLY,
  'GET /readyz': HOST_ONLY,
  'GET /metrics': TOKEN_ONLY,
};

const document = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
) as { readonly paths: { readonly [path: string]: object } };
const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
);

test('every endpoint of the OpenAPI document has a row, and every row an endpoint', () => {
  expect(Object.keys(ROWS).toSorted()).toEqual(endpoints.toSorted());
});

test.each(endpoints)('%s refuses a missing and an invalid value', async (endpoint) => {
  const { edge, ids } = await open();
  const [method, pattern] = endpoint.split(' ') as ['GET' | 'POST' | 'PUT' | 'DELETE', string];
  const { missing, invalid } = ROWS[endpoint]!;
  for (const { path = pattern, body, headers = {}, status, code } of [missing, invalid]) {
    const url = path.replaceAll(/<(\w+)>/g, (_name, name: string) => ids[name]!);
    const sent: { readonly [name: string]: string | undefined } = {
      host: 'localhost',
      authorization: 'Bearer right',
      ...(body === undefined && method !== 'POST' ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const response = await edge.app.inject({
      method,
      url,
      headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    expect([response.statusCode, response.json()]).toEqual([
      status,
      expect.objectContaining({
        code,
        status,
        type: `urn:signalbox:problem:${code}`,
        instance: url,
      }),
    ]);
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
  }
});

/** Opens a service with one resource of each kind. */
async function open(): Promise<{
  readonly edge: ServiceEdge;
  readonly ids: { readonly [name: string]: string };
}> {
  const service = await openService({
    script: ({ messages }) =>
      messages.length === 1 ? { calls: [{ name: 'r__slow' }] } : { text: 'done' },
    tools: {
      r__read: {
        annotations: READ_ONLY,
        call: () => Promise.resolve(ok('x'.repeat(70_000))),
        check: ({ path }) =>
          path === undefined || typeof path === 'string' ? undefined : 'path must be a string',
      },
      r__slow: { annotations: READ_ONLY, call: untilCancelled() },
      w__write: { call: () => Promise.resolve(ok('written')) },
    },
  });
  await service.store.write({}, async (sql) => {
    await sql.insertThread({
      id: 't1',
      title: undefined,
      metadata: {},
      createdAt: 1,
      updatedAt: 1,
    });
    await sql.insertWebhook({
      id: 'w1',
      url: 'https://example.com',
      eventTypes: ['run.completed'],
      description: undefined,
      disabledAt: undefined,
      createdAt: 1,
      secret: 'whsec_MDAw',
    });
    await sql.insertAgent(storedAgent('a1'), 'anonymous');
  });
  const { run, call } = await service.engine.startCall({ wireName: 'r__read', arguments: {} });
  await service.settled(run.id);
  const busy = await service.engine.createRun({ prompt: 'wait', threadId: 't1' });
  const asking = await service.engine.startCall({ wireName: 'w__write', arguments: {} });
  const item = await service.item(asking.run.id);
  const artifact = artifactIdOf((await service.call(run.id)).result!)!;
  return {
    edge: await createServiceEdge(service, { token: 'right' }),
    ids: {
      run: run.id,
      call: call.id,
      busy: busy.id,
      thread: 't1',
      agent: 'a1',
      webhook: 'w1',
      item: item.id,
      artifact,
    },
  };
}
