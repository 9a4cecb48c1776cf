import { describe, expect, test } from 'vitest';
import { LlmError } from '../../ports/llm-provider.ts';
import type { ToolCallOutcome } from '../../ports/tool-dispatcher.ts';
import { callsThenAnswer, type Script } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const TOOLS: { readonly [name: string]: FakeTool } = {
  a__b: {
    annotations: READ_ONLY,
    call: (): Promise<ToolCallOutcome> => Promise.resolve(ok('once')),
  },
};

/** Calls a tool, fails with a bad key at the turn after it, and answers from then on. */
function badKeyAfterCall(): Script {
  const answer = callsThenAnswer([[{ name: 'a__b' }]]);
  return (request, index) =>
    index === 1
      ? { text: 'half an ans', fail: new LlmError('auth', 'set the key') }
      : answer(request, index);
}

const settledRun = async (
  service: Service,
  limits?: Parameters<Service['engine']['createRun']>[0]['limits'],
): Promise<string> => {
  const { id } = await service.engine.createRun({
    prompt: 'go',
    ...(limits === undefined ? {} : { limits }),
  });
  await service.settled(id);
  return id;
};

describe('a run that failed', () => {
  test('is resumed from the point where it stopped, and no tool call is repeated', async () => {
    const service = await openService({ script: badKeyAfterCall(), tools: TOOLS });
    const id = await settledRun(service);
    expect(await service.read.run(id)).toMatchObject({
      status: 'failed',
      answer: 'half an ans',
      error: { code: 'llm_auth' },
    });

    const resumed = await service.engine.resumeRun(id);
    expect(resumed).toMatchObject({
      status: 'running',
      statusReason: undefined,
      error: undefined,
      answer: undefined,
      finishedAt: undefined,
    });

    expect(await service.settled(id)).toMatchObject({
      status: 'completed',
      answer: 'done',
      turns: 2,
      toolCalls: 1,
    });
    expect(service.registry.sent).toHaveLength(1);
    expect(service.llm.requests[2]?.messages).toEqual(service.llm.requests[1]?.messages);
    expect(
      (await service.events(id))
        .filter(({ type }) => type === 'run.resumed')
        .map(({ data }) => data),
    ).toEqual([{ reason: 'requested' }]);
  });

  test('has its whole wall clock again when it is resumed', async () => {
    const held = Promise.withResolvers<undefined>();
    const service = await openService({
      script: (_request, index) =>
        index === 0
          ? { fail: new LlmError('auth', 'set the key') }
          : { text: 'done', hold: held.promise },
    });
    const id = await settledRun(service, { wallClockMs: 60_000 });
    service.clock.advance(3_600_000);
    await service.engine.resumeRun(id);
    await service.event(id, 'run.resumed');
    await service.until(() => Promise.resolve(service.llm.requests[1]));
    service.clock.advance(59_999);
    expect(await service.read.run(id)).toMatchObject({ status: 'running' });
    service.clock.advance(1);
    expect(await service.settled(id)).toMatchObject({ status: 'expired' });
  });

  test('at a limit is resumed with a higher limit', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }]]),
      tools: TOOLS,
    });
    const id = await settledRun(service, { turns: 1 });
    expect(await service.read.run(id)).toMatchObject({
      status: 'failed',
      error: { code: 'limit_exceeded' },
    });
    await service.engine.resumeRun(id, { turns: 2 });
    expect(await service.settled(id)).toMatchObject({
      status: 'completed',
      answer: 'done',
      limits: { turns: 2, toolCalls: 200 },
    });
    expect(service.registry.sent).toHaveLength(1);
  });

  test('at the limit of tool calls shows the model the calls that were not made', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__b' }, { name: 'a__b' }]]),
      tools: TOOLS,
    });
    const id = await settledRun(service, { toolCalls: 1 });
    await service.engine.resumeRun(id, { toolCalls: 9 });
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect(service.registry.sent).toEqual([]);
    expect(JSON.stringify(service.llm.requests[1]?.messages.at(-1))).toContain(
      'This call was not made',
    );
  });

  test('is resumed after a restart like before it', async () => {
    const service = await openService({ script: badKeyAfterCall(), tools: TOOLS });
    const id = await settledRun(service);
    await service.kill();
    const again = await openService({
      script: () => ({ text: 'done' }),
      tools: TOOLS,
      dataDir: service.dataDir,
      clock: service.clock,
    });
    await again.engine.resumeRun(id);
    expect(await again.settled(id)).toMatchObject({ status: 'completed' });
    expect(again.registry.sent).toEqual([]);
  });
});

test('a run that expired during a call is resumed, and the model reads that the call was cancelled', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'a__b' }]]),
    tools: { a__b: { annotations: READ_ONLY, call: untilCancelled() } },
  });
  const { id } = await service.engine.createRun({ prompt: 'go', limits: { wallClockMs: 1000 } });
  await service.event(id, 'tool_call.dispatched');
  service.clock.advance(1000);
  expect(await service.settled(id)).toMatchObject({ status: 'expired' });
  await service.engine.resumeRun(id);
  expect(await service.settled(id)).toMatchObject({ status: 'completed', answer: 'done' });
  expect(service.registry.sent).toHaveLength(1);
});

describe('a run is not resumed', () => {
  const refusal = async (service: Service, id: string): Promise<string> => {
    const error: unknown = await service.engine.resumeRun(id).catch((reason: unknown) => reason);
    return error instanceof Error && 'code' in error
      ? `${String(error.code)}: ${error.message}`
      : 'was resumed';
  };

  test('that does not exist', async () => {
    const service = await openService({ script: () => ({ text: 'done' }) });
    expect(await refusal(service, 'none')).toBe('run_not_found: There is no run none.');
  });

  test('that completed, or was cancelled', async () => {
    const service = await openService({ script: () => ({ text: 'done' }) });
    const id = await settledRun(service);
    expect(await refusal(service, id)).toBe(
      `run_not_resumable: The run ${id} cannot be resumed: it is completed. Fork it to continue from there.`,
    );
  });

  test('that has not ended', async () => {
    const service = await openService({
      script: () => ({ text: 'x', hold: new Promise(() => undefined) }),
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.event(id, 'turn.started');
    expect(await refusal(service, id)).toContain('it has not ended, it is running.');
  });

  test('whose failure a new attempt cannot fix', async () => {
    const service = await openService({ script: () => ({ text: 'no', stop: 'refusal' }) });
    expect(await refusal(service, await settledRun(service))).toContain(
      'it failed with refusal, which another attempt does not change.',
    );
  });

  test('that is a single tool call', async () => {
    const service = await openService({ script: () => ({ text: 'done' }), tools: TOOLS });
    const { run } = await service.engine.startCall({ wireName: 'a__b', arguments: {} });
    await service.settled(run.id);
    expect(await refusal(service, run.id)).toContain('it is a single tool call.');
  });

  test('whose thread has a later run', async () => {
    const service = await openService({
      script: (_request, index) =>
        index === 0 ? { fail: new LlmError('auth', 'set the key') } : { text: 'done' },
    });
    await service.store.write({}, (sql) =>
      sql.insertThread({ id: 't', title: undefined, metadata: {}, createdAt: 1, updatedAt: 1 }),
    );
    const first = await service.engine.createRun({ prompt: 'go', threadId: 't' });
    await service.settled(first.id);
    const second = await service.engine.createRun({ prompt: 'go', threadId: 't' });
    await service.settled(second.id);
    expect(await refusal(service, first.id)).toContain('its thread has a later run');
  });
});
