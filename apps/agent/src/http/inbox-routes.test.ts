import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineError } from '../ports/run-engine.ts';
import type { AuditEntry, RememberedApproval } from '../ports/run-store.ts';
import { queuedRun } from '../ports/testing/queued-run.ts';
import { createTestEdge, type TestEdge } from './testing.ts';

const headers = { host: '127.0.0.1:8020', 'content-type': 'application/json' };
const APPROVAL: RememberedApproval = { id: 'p1', runId: 'r1', threadId: undefined, itemId: 'i1', server: 'files', tool: 'write', serverDigest: 's', toolDigest: 't', createdAt: 0 };
const ENTRY: AuditEntry = { who: 'person', runId: 'r1', callId: 'c1', itemId: undefined, kind: 'tool_call', server: 'files', tool: 'write', argumentsSha256: 'ab', decision: 'approved', outcome: undefined };

let edge: TestEdge;
const problems = [{ path: '/content/name', message: 'is required' }];
const APPROVAL_REQUEST = { server: 'files', tool: 'write', name: 'files__write', arguments: {}, description: 'Writes.', annotations: {}, trusted: false, remember: ['call'] };

beforeEach(async () => {
  const respond = () => Promise.reject(new EngineError('invalid_response', 'content.name: is required', problems));
  edge = await createTestEdge({}, { respond });
  await edge.store.write(async (sql) => {
    await sql.insertRun(queuedRun('r1'));
    await sql.insertInboxItem({ id: 'i1', runId: 'r1', callId: undefined, kind: 'tool_approval', state: 'open', request: APPROVAL_REQUEST, response: undefined, owner: undefined, questionKey: undefined, binding: undefined, createdAt: 0, expiresAt: 1, answeredAt: undefined });
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
  test('is read by its id', async () => {
    expect(await get('/v1/inbox/i1')).toMatchObject({ status: 200, body: { id: 'i1', kind: 'tool_approval', state: 'open', request: APPROVAL_REQUEST } });
    expect(await get('/v1/inbox/i2')).toMatchObject({ status: 404, body: { code: 'inbox_item_not_found' } });
  });

  test('answered with what does not fit says which field', async () => {
    const response = await edge.app.inject({ method: 'POST', url: '/v1/inbox/i1/respond', headers, payload: '{"action":"accept","content":{}}' });
    expect({ status: response.statusCode, body: response.json<unknown>() }).toMatchObject({ status: 400, body: { code: 'invalid_response', errors: [{ path: '/body/content/name', message: 'is required' }] } });
  });

  test.each([
    ['{"action":"approve","remember":"always"}', '/body/remember'],
    ['{"action":"approve","arguments":7}', '/body/arguments'],
    [`{"action":"deny","note":"${'x'.repeat(2001)}"}`, '/body/note'],
  ])('answered with %.50s is refused before the engine is asked', async (payload, path) => {
    const response = await edge.app.inject({ method: 'POST', url: '/v1/inbox/i1/respond', headers, payload });
    expect({ status: response.statusCode, body: response.json<unknown>() }).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ path }] } });
  });
});

describe('remembered approvals', () => {
  test('are listed, of all runs or of one', async () => {
    const view = { id: 'p1', run_id: 'r1', inbox_item_id: 'i1', server: 'files', tool: 'write', created_at: '1970-01-01T00:00:00.000Z' };
    expect(await get('/v1/approvals')).toEqual({ status: 200, body: { data: [view] } });
    expect(await get('/v1/approvals?run_id=r2')).toEqual({ status: 200, body: { data: [] } });
    expect(await get('/v1/approvals?runs=r2')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  test('that do not exist cannot be forgotten', async () => {
    const response = await edge.app.inject({ method: 'DELETE', url: '/v1/approvals/p2', headers });
    expect({ status: response.statusCode, body: response.json<unknown>() }).toMatchObject({ status: 404, body: { code: 'approval_not_found' } });
  });
});

describe('S-241: the audit', () => {
  test('is paged by a cursor, of all runs or of one, and absent fields are left out', async () => {
    const first = await get('/v1/audit?run_id=r1&limit=2');
    expect(first).toMatchObject({ status: 200, body: { data: [{ seq: 1, who: 'person', decision: 'approved', arguments_sha256: 'ab' }, { seq: 2 }], next_cursor: '2' } });
    expect(await get('/v1/audit?run_id=r1&limit=2&cursor=2')).toMatchObject({ body: { data: [{ seq: 3 }] } });
    const { body } = (await get('/v1/audit?cursor=3')) as { body: { data: object[] } };
    expect(body.data).toEqual([expect.objectContaining({ seq: 4, run_id: 'r2', outcome: 'unknown' })]);
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
