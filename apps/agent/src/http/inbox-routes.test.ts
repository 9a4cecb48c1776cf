import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineError } from '../ports/run-engine.ts';
import type { AuditEntry } from '../ports/store/audit.ts';
import type { RememberedApproval } from '../ports/store/approval.ts';
import { queuedRun } from '../ports/testing/queued-run.ts';
import { createTestEdge, type TestEdge } from './testing.ts';

const headers = { host: '127.0.0.1:8020', 'content-type': 'application/json' };
const APPROVAL: RememberedApproval = {
  id: 'p1',
  runId: 'r1',
  threadId: undefined,
  itemId: 'i1',
  server: 'files',
  tool: 'write',
  serverDigest: 's',
  toolDigest: 't',
  createdAt: 0,
};
const ENTRY: AuditEntry = {
  who: 'person',
  runId: 'r1',
  callId: 'c1',
  itemId: undefined,
  kind: 'tool_call',
  server: 'files',
  tool: 'write',
  argumentsSha256: 'ab',
  decision: 'approved',
  outcome: undefined,
};

let edge: TestEdge;
const problems = [{ path: '/content/name', message: 'is required' }];
const APPROVAL_REQUEST = {
  server: 'files',
  tool: 'write',
  name: 'files__write',
  arguments: {},
  description: 'Writes.',
  annotations: {},
  trusted: false,
  remember: ['call'],
};

beforeEach(async () => {
  const respond = () =>
    Promise.reject(new EngineError('invalid_response', 'content.name: is required', problems));
  edge = await createTestEdge({}, { respond });
  await edge.store.write({}, async (sql) => {
    await sql.insertRun(queuedRun('r1'));
    await sql.insertInboxItem({
      id: 'i1',
      runId: 'r1',
      callId: undefined,
      kind: 'tool_approval',
      state: 'open',
      request: APPROVAL_REQUEST,
      response: undefined,
      owner: undefined,
      questionKey: undefined,
      binding: undefined,
      createdAt: 0,
      expiresAt: 1,
      answeredAt: undefined,
    });
    await sql.rememberApproval(APPROVAL);
    for (let count = 0; count < 3; count += 1) await sql.appendAudit([ENTRY]);
    await sql.appendAudit([{ ...ENTRY, runId: 'r2', decision: undefined, outcome: 'unknown' }]);
  });
});
afterEach(async () => edge.close());

const get = async (url: string): Promise<{ readonly status: number; readonly body: unknown }> => {
  const response = await edge.app.inject({ method: 'GET', url, headers });
  return { status: response.statusCode, body: response.json() };
};

describe('an inbox item', () => {
  test('is returned by its id', async () => {
    expect(await get('/v1/inbox/i1')).toMatchObject({
      status: 200,
      body: { id: 'i1', kind: 'tool_approval', state: 'open', request: APPROVAL_REQUEST },
    });
    expect(await get('/v1/inbox/i2')).toMatchObject({
      status: 404,
      body: { code: 'inbox_item_not_found' },
    });
  });

  test('rejects an invalid response with the name of the field', async () => {
    const response = await edge.app.inject({
      method: 'POST',
      url: '/v1/inbox/i1/respond',
      headers,
      payload: '{"action":"accept","content":{}}',
    });
    expect({ status: response.statusCode, body: response.json<unknown>() }).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_response',
        errors: [{ path: '/body/content/name', message: 'is required' }],
      },
    });
  });

  test.each([
    ['{"action":"approve","remember":"always"}', '/body/remember'],
    ['{"action":"approve","arguments":7}', '/body/arguments'],
    [`{"action":"deny","note":"${'x'.repeat(2001)}"}`, '/body/note'],
  ])('rejects the response %.50s before it reaches the engine', async (payload, path) => {
    const response = await edge.app.inject({
      method: 'POST',
      url: '/v1/inbox/i1/respond',
      headers,
      payload,
    });
    expect({ status: response.statusCode, body: response.json<unknown>() }).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ path }] },
    });
  });
});

describe('the inbox', () => {
  const FORM = {
    server: 'files',
    tool: 'write',
    name: 'files__write',
    message: 'Who?',
    requested_schema: {
      type: 'object',
      properties: {
        hero: {
          type: 'string',
          title: 'Hero',
          oneOf: [{ const: 'hero-1', title: 'Superman' }],
          default: 'hero-1',
        },
        age: { type: 'integer', minimum: 0 },
      },
      required: ['hero'],
    },
  };
  const item = {
    runId: 'r1',
    callId: undefined,
    kind: 'elicitation_form',
    state: 'open',
    response: undefined,
    owner: undefined,
    questionKey: undefined,
    binding: undefined,
    expiresAt: 1,
    answeredAt: undefined,
  } as const;

  test('shows a form as a list of its fields with titles, defaults and choices', async () => {
    await edge.store.write({}, (sql) =>
      sql.insertInboxItem({ ...item, id: 'i2', request: FORM, createdAt: 1 }),
    );
    const fields = [
      {
        name: 'hero',
        type: 'string',
        title: 'Hero',
        required: true,
        default: 'hero-1',
        choices: [{ value: 'hero-1', title: 'Superman' }],
      },
      { name: 'age', type: 'integer', required: false, minimum: 0 },
    ];
    expect(await get('/v1/inbox/i2')).toMatchObject({ status: 200, body: { fields } });
    expect(await get('/v1/inbox?limit=1')).toMatchObject({
      status: 200,
      body: { data: [{ id: 'i1' }] },
    });
    const { body } = (await get('/v1/inbox')) as { body: { data: object[] } };
    expect(body.data).toEqual([
      expect.not.objectContaining({ fields }),
      expect.objectContaining({ id: 'i2', fields }),
    ]);
  });

  test('is paged by a cursor', async () => {
    for (const id of ['i2', 'i3'])
      await edge.store.write({}, (sql) =>
        sql.insertInboxItem({ ...item, id, request: FORM, createdAt: 1 }),
      );
    const { body: first } = (await get('/v1/inbox?limit=2')) as {
      body: { data: { id: string }[]; next_cursor: string };
    };
    const { body: second } = (await get(`/v1/inbox?limit=2&cursor=${first.next_cursor}`)) as {
      body: { data: { id: string }[] };
    };
    expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(['i1', 'i2', 'i3']);
    expect(second).not.toHaveProperty('next_cursor');
    expect(await get('/v1/inbox?cursor=forged')).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    });
  });

  test('and a view of a run show a long form truncated and without its fields', async () => {
    const long = { ...FORM, message: 'm'.repeat(6000) };
    await edge.store.write({}, (sql) =>
      sql.insertInboxItem({ ...item, id: 'i2', request: long, createdAt: 1 }),
    );
    const cut = { id: 'i2', is_shortened: true, request: { message: `${'m'.repeat(500)}…` } };
    expect(await get('/v1/inbox')).toMatchObject({ body: { data: [{ id: 'i1' }, cut] } });
    expect(await get('/v1/runs/r1')).toMatchObject({ body: { inbox: [{ id: 'i1' }, cut] } });
    expect(await get('/v1/runs')).toMatchObject({
      body: { data: [{ inbox: [{ id: 'i1' }, cut] }] },
    });
    expect(await get('/v1/inbox/i2')).toMatchObject({
      body: { request: { message: long.message }, fields: [{ name: 'hero' }, { name: 'age' }] },
    });
  });
});

describe('remembered approvals', () => {
  test('are listed, of all runs or of one', async () => {
    const view = {
      id: 'p1',
      run_id: 'r1',
      inbox_item_id: 'i1',
      server: 'files',
      tool: 'write',
      created_at: '1970-01-01T00:00:00.000Z',
    };
    expect(await get('/v1/approvals')).toEqual({ status: 200, body: { data: [view] } });
    expect(await get('/v1/approvals?run_id=r2')).toEqual({ status: 200, body: { data: [] } });
    await edge.store.write({}, (sql) =>
      sql.rememberApproval({ ...APPROVAL, id: 'p2', createdAt: 1 }),
    );
    const { body } = (await get('/v1/approvals?limit=1')) as {
      body: { data: object[]; next_cursor: string };
    };
    expect(body.data).toEqual([view]);
    expect(await get(`/v1/approvals?limit=1&cursor=${body.next_cursor}`)).toMatchObject({
      body: { data: [{ id: 'p2' }] },
    });
    expect(await get('/v1/approvals?runs=r2')).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  test('that do not exist cannot be deleted', async () => {
    const response = await edge.app.inject({ method: 'DELETE', url: '/v1/approvals/p2', headers });
    expect({ status: response.statusCode, body: response.json<unknown>() }).toMatchObject({
      status: 404,
      body: { code: 'approval_not_found' },
    });
  });
});

describe('the audit', () => {
  test('is paged by a cursor, of all runs or of one, and absent fields are left out', async () => {
    const first = await get('/v1/audit?run_id=r1&limit=2');
    expect(first).toMatchObject({
      status: 200,
      body: {
        data: [{ seq: 1, who: 'person', decision: 'approved', arguments_sha256: 'ab' }, { seq: 2 }],
        next_cursor: '2',
      },
    });
    expect(await get('/v1/audit?run_id=r1&limit=2&cursor=2')).toMatchObject({
      body: { data: [{ seq: 3 }] },
    });
    const { body } = (await get('/v1/audit?cursor=3')) as { body: { data: object[] } };
    expect(body.data).toEqual([
      expect.objectContaining({ seq: 4, run_id: 'r2', outcome: 'unknown' }),
    ]);
    expect(body).not.toHaveProperty('next_cursor');
    expect(body.data[0]).not.toHaveProperty('decision');
    expect(body.data[0]).not.toHaveProperty('inbox_item_id');
  });

  test.each([
    ['?cursor=x', 'invalid_cursor'],
    ['?cursor=-1', 'invalid_cursor'],
    ['?limit=0', 'invalid_request'],
    ['?run=r1', 'invalid_request'],
  ])('refuses %s', async (query, code) => {
    expect(await get(`/v1/audit${query}`)).toMatchObject({ status: 400, body: { code } });
  });
});
