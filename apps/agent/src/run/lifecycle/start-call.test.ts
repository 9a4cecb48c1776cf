import { describe, expect, test } from 'vitest';
import { EngineError, type NewCall } from '../../ports/run-engine.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';

const open = (options: Partial<ServiceOptions> = {}): Promise<Service> =>
  openService({
    script: () => ({ text: 'no model is asked' }),
    tools: {
      r__read: {
        annotations: READ_ONLY,
        call: () => Promise.resolve(ok('42')),
        check: ({ path }) => (path === undefined ? 'path is required' : undefined),
      },
      r__slow: { annotations: READ_ONLY, call: untilCancelled() },
      r__broken: {
        annotations: READ_ONLY,
        call: () => Promise.resolve({ type: 'error', message: 'it broke' }),
      },
      w__write: { call: () => Promise.resolve(ok('written')) },
    },
    ...options,
  });

const call = (wireName: string, args: NewCall['arguments'] = {}): NewCall => ({
  wireName,
  arguments: args,
});

describe('a call without a model', () => {
  test('is a run with one row in the ledger, and its answer is the text of the result', async () => {
    const service = await open();
    const { run, call: planned } = await service.engine.startCall({
      ...call('r__read', { path: 'a' }),
      metadata: { by: 'me' },
    });
    expect([run.kind, run.status, planned.state, planned.turn]).toEqual([
      'call',
      'running',
      'planned',
      0,
    ]);
    expect(await service.settled(run.id)).toMatchObject({
      status: 'completed',
      answer: '42',
      turns: 0,
      toolCalls: 1,
      metadata: { by: 'me' },
    });
    expect(await service.types(run.id)).toEqual([
      'run.queued',
      'run.started',
      'tool_call.planned',
      'tool_call.dispatched',
      'tool_call.completed',
      'run.completed',
    ]);
    expect(service.llm.requests).toEqual([]);
    expect(await service.read.messages(run.id)).toEqual([]);
  });

  test('needs the approval that any call of the tool needs', async () => {
    const service = await open();
    const { run } = await service.engine.startCall(call('w__write'));
    expect(run.status).toBe('input_required');
    const item = await service.item(run.id);
    expect(service.registry.sent).toEqual([]);
    await service.engine.respond(item.id, { action: 'approve' });
    expect(await service.settled(run.id)).toMatchObject({ status: 'completed', answer: 'written' });
  });

  test('ends with the outcome of the call', async () => {
    const service = await open({ policies: { w: { approval: 'deny', sampling: 'ask' } } });
    const broken = await service.engine.startCall(call('r__broken'));
    const denied = await service.engine.startCall(call('w__write'));
    expect(await service.settled(broken.run.id)).toMatchObject({
      status: 'failed',
      error: { code: 'tool_failed', message: 'it broke' },
    });
    expect(await service.settled(denied.run.id)).toMatchObject({
      status: 'failed',
      error: { code: 'tool_failed' },
    });
    expect(service.registry.sent.map(({ wireName }) => wireName)).toEqual(['r__broken']);
  });

  test('whose answer was lost opens an inbox item, and fails with the unknown outcome when the item expires', async () => {
    const service = await open({
      tools: { w__write: { call: () => Promise.resolve({ type: 'lost', message: 'gone' }) } },
      policies: { w: { approval: 'auto', sampling: 'ask' } },
    });
    const { run } = await service.engine.startCall({
      ...call('w__write'),
      limits: { inboxExpiryMs: 1000 },
    });
    expect(await service.item(run.id)).toMatchObject({ kind: 'outcome_unknown' });
    service.clock.advance(1000);
    expect(await service.settled(run.id)).toMatchObject({
      status: 'failed',
      error: { code: 'outcome_unknown', message: 'gone' },
    });
  });

  test.each([
    ['before-create-run-commit', []],
    ['after-create-run-commit', ['completed']],
    ['before-tool-send', ['completed']],
    ['after-settle-call-commit', ['completed']],
  ] as const)(
    'is neither lost nor repeated when the service crashes %s',
    async (crashAt, statuses) => {
      const service = await open({ crashAt });
      service.engine.startCall(call('r__read', { path: 'a' })).catch(() => undefined);
      await service.crashed;
      await service.kill();
      const next = await open({ dataDir: service.dataDir, clock: service.clock });
      const { data } = await next.read.runs({ limit: 9 });
      expect(
        await Promise.all(data.map(async ({ id }) => (await next.settled(id)).status)),
      ).toEqual(statuses);
      expect(service.registry.sent.length + next.registry.sent.length).toBe(statuses.length);
    },
  );

  test.each<[string, NewCall, string]>([
    ['of no tool', call('r__nothing'), 'tool_not_found'],
    ['with arguments that do not fit', call('r__read'), 'invalid_arguments'],
  ])('%s is refused, and stores nothing', async (_name, input, code) => {
    const service = await open();
    const error = await service.engine.startCall(input).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({ code });
    expect((await service.read.runs({ limit: 9 })).data).toEqual([]);
  });

  test('of a quarantined tool is refused with the reason', async () => {
    const service = await open();
    service.registry.quarantined = 'r__read';
    await expect(service.engine.startCall(call('r__read', { path: 'a' }))).rejects.toMatchObject({
      code: 'tool_quarantined',
      message: 'r__read is not called: it is quarantined',
    });
  });

  test('cannot be forked', async () => {
    const service = await open();
    const { run } = await service.engine.startCall(call('r__read', { path: 'a' }));
    await service.settled(run.id);
    await expect(service.engine.forkRun(run.id, {})).rejects.toMatchObject({
      code: 'invalid_fork',
    });
  });
});

describe('cancelling one call', () => {
  test('stops that call and no other, and the run continues', async () => {
    const held = Promise.withResolvers<void>();
    const service = await open({
      script: callsThenAnswer([[{ name: 'r__slow' }, { name: 'r__held' }]]),
      tools: {
        r__slow: { annotations: READ_ONLY, call: untilCancelled('confirmed') },
        r__held: { annotations: READ_ONLY, call: async () => (await held.promise, ok('kept')) },
      },
    });
    const { id: runId } = await service.engine.createRun({ prompt: 'go' });
    await service.until(async () => (service.registry.sent.length === 2 ? true : undefined));
    const { id } = await service.call(runId, 0);
    expect((await service.engine.cancelCall({ runId, id })).state).toBe('dispatched');
    expect((await service.event(runId, 'tool_call.cancelled')).data).toMatchObject({
      call_id: id,
      cancel: 'confirmed',
      outcome: 'stopped',
    });
    expect((await service.read.run(runId))?.status).toBe('running');
    held.resolve();
    expect(await service.settled(runId)).toMatchObject({ status: 'completed', answer: 'done' });
    expect((await service.engine.cancelCall({ runId, id })).state).toBe('cancelled');
    expect((await service.call(runId, 1)).state).toBe('succeeded');
  });

  test('that waits for approval closes the inbox item, and nothing is sent', async () => {
    const service = await open();
    const { run, call: planned } = await service.engine.startCall(call('w__write'));
    const item = await service.item(run.id);
    expect((await service.engine.cancelCall({ runId: run.id, id: planned.id })).state).toBe(
      'cancelled',
    );
    expect(await service.settled(run.id)).toMatchObject({
      status: 'cancelled',
      statusReason: 'call_cancelled',
    });
    expect((await service.read.inboxItem(item.id))?.state).toBe('void');
    expect(service.registry.sent).toEqual([]);
  });

  test('that waits for a person withdraws its input request, and the run continues', async () => {
    const form = { message: 'size?', requestedSchema: { type: 'object', properties: {} } } as const;
    const asking: FakeTool['call'] = async ({ inputHandlers, signal }) => {
      const answer = await inputHandlers.elicit!(form, { signal, meta: {} }).catch(() => undefined);
      return answer === undefined && signal.aborted
        ? { type: 'cancelled', level: 'delivered' }
        : ok('answered');
    };
    const service = await open({
      script: callsThenAnswer([[{ name: 'r__ask' }]]),
      tools: { r__ask: { annotations: READ_ONLY, call: asking } },
    });
    const { id: runId } = await service.engine.createRun({ prompt: 'go' });
    const item = await service.item(runId);
    const { id } = await service.call(runId);
    await service.status(runId, 'input_required');
    await service.engine.cancelCall({ runId, id });
    expect(await service.settled(runId)).toMatchObject({ status: 'completed', answer: 'done' });
    expect([
      (await service.read.inboxItem(item.id))?.state,
      (await service.read.toolCall(id))?.state,
    ]).toEqual(['void', 'cancelled']);
  });

  test('of a different or unknown run is refused', async () => {
    const service = await open();
    const { run } = await service.engine.startCall(call('w__write'));
    const other = await service.engine.startCall(call('w__write'));
    await expect(
      service.engine.cancelCall({ runId: run.id, id: other.call.id }),
    ).rejects.toMatchObject({ code: 'tool_call_not_found' });
    await expect(
      service.engine.cancelCall({ runId: 'nobody', id: other.call.id }),
    ).rejects.toMatchObject({ code: 'run_not_found' });
    expect((await service.read.toolCall(other.call.id))?.state).toBe('awaiting_approval');
  });
});

test('the catalogue is not read inside a transaction', async () => {
  let writes = 0;
  const reads: string[] = [];
  const service = await open({
    changeStore: (store) => ({
      ...store,
      write: (locks, work, options) =>
        store.write(
          locks,
          async (transaction) => {
            writes += 1;
            return work(transaction).finally(() => {
              writes -= 1;
            });
          },
          options,
        ),
    }),
  });
  const { catalogue } = service.registry;
  for (const name of ['servers', 'tools', 'find', 'whyNotOffered'] as const) {
    const read = catalogue[name] as (wanted?: unknown) => Promise<unknown>;
    Object.assign(catalogue, {
      [name]: (wanted?: unknown) => {
        reads.push(writes === 0 ? 'outside' : `${name} inside`);
        return read(wanted);
      },
    });
  }
  const { run } = await service.engine.startCall(call('r__read', { path: 'a' }));
  expect(new Set(reads)).toEqual(new Set(['outside']));
  await service.settled(run.id);
});
