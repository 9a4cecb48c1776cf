import { describe, expect, test } from 'vitest';
import { LlmError, type LlmErrorKind } from '../../ports/llm-provider.ts';
import type { Run } from '../../ports/store/run.ts';
import { nextAttemptAt } from './model-outage.ts';
import { callsThenAnswer, type Reply, type Script } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const overloaded = (retryAfterMs?: number): LlmError =>
  new LlmError('overloaded', 'too much to do', { retryAfterMs });

/** Fails the given number of model calls first. */
function failing(
  count: number,
  then: Script = () => ({ text: 'done' }),
  fail: Reply = { fail: overloaded() },
): Script {
  let failed = 0;
  return (request, index) => {
    if (failed === count) return then(request, index);
    failed += 1;
    return fail;
  };
}

/** Resolves when so many attempts in a row have failed. */
const waiting = (service: Service, id: string, attempts: number): Promise<Run> =>
  service.until(async () => {
    const run = await service.read.run(id);
    return run?.modelOutage?.attempts === attempts ? run : undefined;
  }, id);

const passTo = ({ clock }: Service, time: number): void => clock.advance(time - clock.now());

describe('the time of the next attempt', () => {
  const at = (
    attempts: number,
    {
      retryAfterMs,
      random = 0.999_999,
      leftMs = 3_600_000,
    }: { readonly retryAfterMs?: number; readonly random?: number; readonly leftMs?: number } = {},
  ): number | undefined =>
    nextAttemptAt({
      attempts,
      error: overloaded(retryAfterMs),
      now: 0,
      deadline: leftMs,
      random: () => random,
    });

  test('is random within 2 s, 4 s, 8 s and so on up to 5 minutes, but at least a second away', () => {
    expect([1, 2, 3, 8, 9, 50].map((attempts) => Math.round(at(attempts) ?? 0))).toEqual([
      2000, 4000, 8000, 256_000, 300_000, 300_000,
    ]);
    expect(at(9, { random: 0.5 })).toBe(150_000);
    expect(at(9, { random: 0 })).toBe(1000);
  });

  test('is never later than half of the time that the run has left', () => {
    expect(at(9, { leftMs: 60_000 })).toBe(30_000);
  });

  test('honors the retry delay of the provider, also beyond a minute, with 5 s of jitter', () => {
    expect(at(1, { retryAfterMs: 600_000, random: 0 })).toBe(600_000);
    expect(Math.round(at(1, { retryAfterMs: 600_000 }) ?? 0)).toBe(605_000);
  });

  test('is never later than the deadline, however long the provider asks to wait', () => {
    expect(at(1, { retryAfterMs: 59_000, leftMs: 60_000 })).toBe(60_000);
    expect(at(20, { retryAfterMs: 1000, leftMs: 60_000 })).toBe(30_000);
    expect(at(1, { leftMs: 500 })).toBe(500);
  });

  test('does not exist when the retry delay of the provider exceeds the wall clock limit', () => {
    expect(at(1, { retryAfterMs: 60_000, leftMs: 60_000 })).toBeUndefined();
  });
});

describe('a model call that fails for a temporary reason', () => {
  test.each<LlmErrorKind>(['rate', 'overloaded', 'timeout', 'network', 'protocol'])(
    'of kind %s is retried by the run, which shows the reason of the wait',
    async (kind) => {
      const service = await openService({
        script: failing(2, undefined, { fail: new LlmError(kind, 'try later') }),
      });
      const { id } = await service.engine.createRun({ prompt: 'go' });

      const first = await waiting(service, id, 1);
      expect(first).toMatchObject({
        status: 'running',
        statusReason: 'model_unavailable',
        modelOutage: {
          since: service.clock.now(),
          error: { code: `llm_${kind}`, message: 'try later' },
        },
      });
      const next = first.modelOutage?.nextAttemptAt ?? 0;
      passTo(service, next - 1);
      expect(service.llm.requests).toHaveLength(1);
      passTo(service, next);
      const second = await waiting(service, id, 2);
      passTo(service, second.modelOutage?.nextAttemptAt ?? 0);

      expect(await service.settled(id)).toMatchObject({
        status: 'completed',
        statusReason: undefined,
        modelOutage: undefined,
        answer: 'done',
        turns: 1,
      });
      const events = await service.events(id);
      expect(
        events
          .filter(({ type }) => type === 'turn.failed')
          .map(({ data }) => [data['retryable'], data['attempt'], data['next_attempt_at']]),
      ).toEqual([
        [true, 1, new Date(next).toISOString()],
        [true, 2, new Date(second.modelOutage?.nextAttemptAt ?? 0).toISOString()],
      ]);
      expect(
        events
          .filter(({ type }) => type === 'turn.started')
          .map(({ data }) => [data['turn'], data['attempt']]),
      ).toEqual([
        [1, 1],
        [1, 2],
        [1, 3],
      ]);
    },
  );

  test('is retried even after the first token, and the text of the failed attempt is void', async () => {
    const service = await openService({
      script: failing(1, undefined, { text: 'half an ans', fail: new LlmError('network', 'cut') }),
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });

    const run = await waiting(service, id, 1);
    expect(await service.read.partial(id)).toBeUndefined();
    passTo(service, run.modelOutage?.nextAttemptAt ?? 0);

    expect(await service.settled(id)).toMatchObject({ status: 'completed', answer: 'done' });
    expect((await service.read.messages(id)).map(({ role, content }) => [role, content])).toEqual([
      ['user', [{ type: 'text', text: 'go' }]],
      ['assistant', [{ type: 'text', text: 'done' }]],
    ]);
    const ids = (await service.events(id))
      .filter(({ type }) => type === 'message.started')
      .map(({ data }) => data['message_id']);
    expect(new Set(ids).size).toBe(2);
    expect((await service.event(id, 'message.completed')).data).toMatchObject({
      message_id: ids[1],
      text: 'done',
      is_partial: false,
    });
  });

  test('repeats no tool call, however often it fails', async () => {
    const answer = callsThenAnswer([[{ name: 'a__b' }]]);
    const script: Script = (request, index) =>
      index === 1 || index === 2 ? { fail: overloaded() } : answer(request, index);
    const service = await openService({
      script,
      tools: { a__b: { annotations: READ_ONLY, call: () => Promise.resolve(ok('once')) } },
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    for (const attempts of [1, 2])
      passTo(service, (await waiting(service, id, attempts)).modelOutage?.nextAttemptAt ?? 0);
    expect(await service.settled(id)).toMatchObject({
      status: 'completed',
      turns: 2,
      toolCalls: 1,
    });
    expect(service.registry.sent).toHaveLength(1);
  });

  test('waits for the retry delay of the provider', async () => {
    const service = await openService({
      script: failing(1, undefined, { fail: overloaded(600_000) }),
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const { modelOutage } = await waiting(service, id, 1);
    expect(modelOutage?.nextAttemptAt).toBeGreaterThanOrEqual(service.clock.now() + 600_000);
  });

  test('is not retried within the model call, and holds no job while the run waits', async () => {
    const service = await openService({
      script: ({ messages }) =>
        JSON.stringify(messages).includes('waits') ? { fail: overloaded() } : { text: 'done' },
      concurrency: { modelCalls: 1, toolCalls: 1 },
    });
    const waits = await service.engine.createRun({ prompt: 'waits' });
    await waiting(service, waits.id, 1);
    const { id } = await service.engine.createRun({ prompt: 'go' });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(service.llm.patienceMs).toEqual([0, 0]);
    expect(await service.read.run(waits.id)).toMatchObject({ modelOutage: { attempts: 1 } });
  });

  test('ends the run at once when the retry delay exceeds its wall clock limit', async () => {
    const service = await openService({ script: () => ({ fail: overloaded(600_000) }) });
    const { id } = await service.engine.createRun({
      prompt: 'go',
      limits: { wallClockMs: 60_000 },
    });
    expect(await service.settled(id)).toMatchObject({
      status: 'failed',
      error: {
        code: 'llm_overloaded',
        message:
          'too much to do The wall clock of the run ends before another attempt. Resume the run later.',
      },
    });
  });

  test('ends with the wall clock limit of the run, and the error has the last reason', async () => {
    const service = await openService({ script: () => ({ fail: overloaded() }) });
    const { id } = await service.engine.createRun({
      prompt: 'go',
      limits: { wallClockMs: 60_000 },
    });
    const { modelOutage } = await waiting(service, id, 1);
    service.clock.advance(60_000);
    const run = await service.settled(id);
    expect(run).toMatchObject({
      status: 'expired',
      statusReason: 'wall_clock_limit',
      modelOutage: undefined,
      error: { code: 'wall_clock_limit' },
    });
    expect(run.error?.message).toContain(
      `failed 1 times since ${new Date(modelOutage?.since ?? 0).toISOString()}, the last time with: too much to do`,
    );
  });

  test('ends with the limit of an outage, and the run can be resumed', async () => {
    let isDown = true;
    const service = await openService({
      script: () => (isDown ? { fail: overloaded() } : { text: 'done' }),
    });
    const { id } = await service.engine.createRun({
      prompt: 'go',
      limits: { modelOutageMs: 600_000 },
    });
    const { modelOutage } = await waiting(service, id, 1);
    const since = modelOutage?.since ?? 0;
    for (let run = await service.read.run(id); run?.status === 'running';) {
      const next = run.retryAt ?? 0;
      expect(next).toBeLessThanOrEqual(since + 601_000);
      passTo(service, next);
      run = await service.until(async () => {
        const later = await service.read.run(id);
        const isStored = later?.retryAt !== undefined && later.retryAt > next;
        return isStored || later?.status === 'failed' ? later : undefined;
      }, id);
    }
    expect(service.clock.now()).toBeGreaterThanOrEqual(since + 600_000);
    expect(await service.read.run(id)).toMatchObject({
      status: 'failed',
      statusReason: 'llm_overloaded',
      error: {
        code: 'llm_overloaded',
        message:
          'too much to do The limit of 600000 ms for an outage of the model ends before another attempt. Resume the run later.',
      },
    });
    isDown = false;
    await service.engine.resumeRun(id);
    expect(await service.settled(id)).toMatchObject({ status: 'completed', answer: 'done' });
  });

  test('with an invalid response ends the run after three attempts', async () => {
    const service = await openService({
      script: () => ({ fail: new LlmError('protocol', 'an HTML page') }),
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    for (const attempts of [1, 2])
      passTo(service, (await waiting(service, id, attempts)).modelOutage?.nextAttemptAt ?? 0);
    expect(await service.settled(id)).toMatchObject({
      status: 'failed',
      error: { code: 'llm_protocol' },
    });
    expect(service.llm.requests).toHaveLength(3);
  });

  test('charges the usage of the failed attempts', async () => {
    const usage = {
      input: 3,
      cacheRead: 0,
      cacheWrite: 0,
      output: 1,
      reasoning: 0,
      source: 'estimated',
    } as const;
    const service = await openService({
      script: failing(1, undefined, { fail: new LlmError('network', 'cut', { usage }) }),
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    passTo(service, (await waiting(service, id, 1)).modelOutage?.nextAttemptAt ?? 0);
    expect(await service.settled(id)).toMatchObject({
      usage: { input: 13, output: 6, source: 'estimated' },
    });
  });
});

describe('the stored reason of a failed attempt', () => {
  test('is truncated at 2,000 characters', async () => {
    const service = await openService({
      script: () => ({ fail: new LlmError('overloaded', 'x'.repeat(100_000)) }),
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const { modelOutage } = await waiting(service, id, 1);
    expect(modelOutage?.error.message).toBe(`${'x'.repeat(2000)}…`);
    expect((await service.event(id, 'turn.failed')).data['error']).toEqual(modelOutage?.error);
  });
});

describe('a run that waits for its model', () => {
  test('does not wait when its failed attempts have used up its budget', async () => {
    const usage = {
      input: 60,
      cacheRead: 0,
      cacheWrite: 0,
      output: 0,
      reasoning: 0,
      source: 'partial',
    } as const;
    const service = await openService({
      script: () => ({ fail: new LlmError('network', 'the stream broke', { usage }) }),
    });
    const { id } = await service.engine.createRun({ prompt: 'go', limits: { tokens: 100 } });
    passTo(service, (await waiting(service, id, 1)).modelOutage?.nextAttemptAt ?? 0);
    expect(await service.settled(id)).toMatchObject({
      status: 'failed',
      statusReason: 'token_limit',
      error: { code: 'limit_exceeded' },
      usage: { input: 120 },
    });
    expect(service.llm.requests).toHaveLength(2);
    const failed = (await service.events(id)).findLast(({ type }) => type === 'turn.failed');
    expect(failed?.data).toMatchObject({ retryable: false, error: { code: 'llm_network' } });
  });

  test('is cancelled at once', async () => {
    const service = await openService({ script: () => ({ fail: overloaded() }) });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await waiting(service, id, 1);
    expect(await service.engine.cancelRun(id)).toMatchObject({
      status: 'cancelled',
      modelOutage: undefined,
    });
    service.clock.advance(3_600_000);
    expect(service.llm.requests).toHaveLength(1);
  });

  test('survives the end of its process, and retries at the stored time', async () => {
    const { service, id, next } = await outageAndKill();
    const again = await openService({
      script: () => ({ text: 'done' }),
      dataDir: service.dataDir,
      clock: service.clock,
    });
    passTo(again, next - 1);
    await expect(waiting(again, id, 1)).resolves.toMatchObject({
      status: 'running',
      statusReason: 'model_unavailable',
    });
    expect(again.llm.requests).toHaveLength(0);
    passTo(again, next);
    expect(await again.settled(id)).toMatchObject({ status: 'completed', answer: 'done' });
    expect(await again.types(id)).not.toContain('run.resumed');
  });

  test('control: without the stored time the model call is retried at once after a restart', async () => {
    const { service, id } = await outageAndKill((killed, runId) =>
      killed.store.write({}, (sql) =>
        sql.updateRun(runId, { modelOutage: undefined, retryAt: undefined }),
      ),
    );
    const again = await openService({
      script: () => ({ text: 'done' }),
      dataDir: service.dataDir,
      clock: service.clock,
    });
    expect(await again.settled(id)).toMatchObject({ status: 'completed' });
  });

  test('expires when its wall clock limit passed while the service was down', async () => {
    const { service, id } = await outageAndKill();
    service.clock.advance(14_400_000);
    const again = await openService({
      script: () => ({ text: 'done' }),
      dataDir: service.dataDir,
      clock: service.clock,
    });
    expect(await again.settled(id)).toMatchObject({
      status: 'expired',
      error: { message: expect.stringContaining('too much to do') as string },
    });
  });

  async function outageAndKill(
    beforeKill: (service: Service, runId: string) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<{ readonly service: Service; readonly id: string; readonly next: number }> {
    const service = await openService({ script: () => ({ fail: overloaded(120_000) }) });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    const { modelOutage } = await waiting(service, id, 1);
    await beforeKill(service, id);
    await service.kill();
    return { service, id, next: modelOutage?.nextAttemptAt ?? 0 };
  }
});
