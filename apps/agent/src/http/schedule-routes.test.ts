import { expect, test } from 'vitest';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge } from './testing/service-edge.ts';

const NIGHTLY = {
  name: 'nightly',
  cron: '30 2 * * *',
  time_zone: 'Europe/Berlin',
  run: { prompt: 'Which orders are late?', limits: { turns: 3 }, metadata: { team: 'sales' } },
};

interface ScheduleView {
  readonly id: string;
  readonly next_at?: string;
}

async function open() {
  const service = await openService({ script: callsThenAnswer([], 'done') });
  const edge = await createServiceEdge(service);
  const create = (body: object = {}) =>
    edge.request('POST', '/v1/schedules', { body: { ...NIGHTLY, ...body } });
  return { service, edge, create };
}

test('a schedule is created, read, listed, changed and deleted', async () => {
  const { service, edge, create } = await open();
  const created = await create();
  const schedule = created.json<ScheduleView>();
  const path = `/v1/schedules/${schedule.id}`;
  expect([created.statusCode, created.headers.location]).toEqual([201, path]);
  const now = new Date(service.clock.now()).toISOString();
  expect(schedule).toEqual({
    ...NIGHTLY,
    id: schedule.id,
    api_key: 'anonymous',
    on_busy: 'skip',
    enabled: true,
    next_at: '2023-11-15T01:30:00.000Z',
    created_at: now,
    updated_at: now,
  });
  expect((await edge.request('GET', '/v1/schedules')).json()).toEqual({ data: [schedule] });
  const read = await edge.request('GET', path);
  expect(read.json()).toEqual(schedule);
  const tag = String(read.headers.etag);
  const known = await edge.request('GET', path, { headers: { 'if-none-match': tag } });
  expect(known.statusCode).toBe(304);

  const patch = (body: object, headers: { readonly [name: string]: string } = {}) =>
    edge.request('PATCH', path, { body, headers });
  const off = await patch({ enabled: false, name: null }, { 'if-match': tag });
  expect(off.json()).toMatchObject({ enabled: false });
  expect(off.json()).not.toHaveProperty('next_at');
  expect(off.json()).not.toHaveProperty('name');
  expect((await patch({ enabled: true }, { 'if-match': tag })).statusCode).toBe(412);
  const on = await patch({ enabled: true, time_zone: 'UTC' });
  expect(on.json()).toMatchObject({ next_at: '2023-11-15T02:30:00.000Z', time_zone: 'UTC' });
  service.clock.advance(86_400_000);
  const same = await patch({ run: { prompt: 'other' } });
  expect(same.json()).toMatchObject({
    next_at: '2023-11-15T02:30:00.000Z',
    run: { prompt: 'other' },
  });
  const stale = await edge.request('DELETE', path, { headers: { 'if-match': tag } });
  expect(stale.statusCode).toBe(412);
  expect((await edge.request('DELETE', path)).statusCode).toBe(204);
  expect((await edge.request('GET', path)).json()).toMatchObject({ code: 'schedule_not_found' });
});

test('times without meaning and runs that would be refused are refused with the field', async () => {
  const { create } = await open();
  for (const [body, code, path] of [
    [{ cron: 'every day' }, 'invalid_schedule', '/body/cron'],
    [{ cron: '0 0 30 2 *' }, 'invalid_schedule', '/body/cron'],
    [{ time_zone: 'Mars/Base' }, 'invalid_schedule', '/body/time_zone'],
    [
      { run: { prompt: 'go', limits: { cost_usd: 1 } } },
      'unknown_price',
      '/body/run/limits/cost_usd',
    ],
    [{ run: { prompt: 'go', agent_id: 'none' } }, 'unknown_agent', undefined],
    [{ run: { prompt: 'go', thread_id: 'none' } }, 'unknown_thread', undefined],
    [{ run: { prompt: 'go', servers: ['none'] } }, 'unknown_server', undefined],
    [{ run: { prompt: 'go', artifacts: ['a'] } }, 'invalid_request', '/body/run'],
  ] as const) {
    const refused = (await create(body)).json<{
      readonly code: string;
      readonly errors?: readonly { readonly path: string }[];
    }>();
    expect([refused.code, refused.errors?.[0]?.path]).toEqual([code, path]);
  }
});

test('a schedule shows its last time, and why a run was not started', async () => {
  const { service, edge, create } = await open();
  const { id, next_at: nextAt } = (await create()).json<ScheduleView>();
  const at = Date.parse(nextAt ?? '');
  await service.store.write({}, (sql) =>
    sql.decideTime(
      { id, at },
      { nextAt: at + 86_400_000, lastOutcome: 'failed', lastError: 'unknown_agent: gone' },
    ),
  );
  expect((await edge.request('GET', `/v1/schedules/${id}`)).json()).toMatchObject({
    next_at: '2023-11-16T01:30:00.000Z',
    last_run: {
      scheduled_at: '2023-11-15T01:30:00.000Z',
      outcome: 'failed',
      error: 'unknown_agent: gone',
    },
  });
});
