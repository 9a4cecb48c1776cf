import { expect, test } from 'vitest';
import { LlmError } from '../ports/llm-provider.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge } from './testing/service-edge.ts';

test('a repeated resume request gets the same response and resumes nothing', async () => {
  const service = await openService({
    script: () => ({ fail: new LlmError('auth', 'set the key') }),
  });
  const edge = await createServiceEdge(service);
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  const resume = () =>
    edge.request('POST', `/v1/runs/${id}/resume`, {
      body: { limits: { turns: 3 } },
      headers: { 'idempotency-key': 'k' },
    });

  const first = await resume();
  await service.settled(id);
  const again = await resume();

  expect([first.statusCode, first.headers.location, first.json()]).toEqual([
    202,
    `/v1/runs/${id}`,
    expect.objectContaining({
      id,
      status: 'running',
      limits: expect.objectContaining({ turns: 3 }) as unknown,
    }),
  ]);
  expect([again.statusCode, again.headers['idempotent-replayed'], again.json()]).toEqual([
    202,
    'true',
    first.json(),
  ]);
  expect(service.llm.requests).toHaveLength(2);
});

test('a completed run is not resumed', async () => {
  const service = await openService({ script: () => ({ text: 'done' }) });
  const edge = await createServiceEdge(service);
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  const refused = await edge.request('POST', `/v1/runs/${id}/resume`, { body: {} });
  expect([refused.statusCode, refused.json()]).toEqual([
    409,
    expect.objectContaining({ code: 'run_not_resumable', retryable: false }),
  ]);
});

test('a run that waits for its model shows since when, after how many attempts, and when the next attempt is', async () => {
  const service = await openService({
    script: () => ({
      fail: new LlmError('overloaded', 'too much to do', { retryAfterMs: 90_000 }),
    }),
  });
  const edge = await createServiceEdge(service);
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.event(id, 'turn.failed');
  const { modelOutage } = (await service.read.run(id))!;
  expect((await edge.request('GET', `/v1/runs/${id}`)).json()).toMatchObject({
    status: 'running',
    status_reason: 'model_unavailable',
    model_outage: {
      since: new Date(service.clock.now()).toISOString(),
      attempts: 1,
      next_attempt_at: new Date(modelOutage!.nextAttemptAt).toISOString(),
      error: { code: 'llm_overloaded', message: 'too much to do' },
    },
  });
});

test('a request that waits for a run gets the answer when the model answers in time, and 202 otherwise', async () => {
  let isDown = true;
  const service = await openService({
    script: () =>
      isDown
        ? { fail: new LlmError('overloaded', 'too much to do', { retryAfterMs: 30_000 }) }
        : { text: 'done' },
  });
  const edge = await createServiceEdge(service);
  const waitingRun = () =>
    edge.request('POST', '/v1/runs', { body: { prompt: 'go' }, headers: { prefer: 'wait=60' } });
  const failures = async (count: number): Promise<void> => {
    await expect.poll(() => service.clock.waits.includes(60_000)).toBe(true);
    await service.until(() =>
      Promise.resolve(service.llm.requests.length === count ? true : undefined),
    );
    await service.until(async () => {
      const [run] = (await service.read.runs({ limit: 1 })).data;
      return run?.retryAt === undefined ? undefined : true;
    });
  };

  const late = waitingRun();
  await failures(1);
  isDown = false;
  service.clock.advance(40_000);
  expect(await late).toMatchObject({ statusCode: 200 });

  isDown = true;
  const never = waitingRun();
  await failures(3);
  service.clock.advance(20_000);
  service.clock.advance(40_000);
  const answered = await never;
  expect(answered.statusCode).toBe(202);
  isDown = false;
  service.clock.advance(60_000);
  const { id } = answered.json<{ id: string }>();
  expect(await service.settled(id)).toMatchObject({ status: 'completed', answer: 'done' });
});
