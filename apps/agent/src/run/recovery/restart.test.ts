import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { ElicitParams } from '@signalbox/mcp-core';
import { describe, expect, test } from 'vitest';
import { EngineError } from '../../ports/run-engine.ts';
import type { CrashPoint } from '../../ports/test-hooks.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled, type FakeTool } from '../testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../testing/service.ts';
import { IN_SQLITE } from '../../store/testing/open-test-store.ts';

const never = new Promise<never>(() => undefined);
const AUTO = { w: { approval: 'auto', sampling: 'ask' } } as const;
const FORM: ElicitParams = {
  message: 'name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
};

/** A write and a read whose effects outlive any service. */
function world(): {
  readonly effects: string[];
  readonly tools: { readonly [name: string]: FakeTool };
} {
  const effects: string[] = [];
  const acting =
    (name: string): FakeTool['call'] =>
    ({ onProgress }) => {
      effects.push(name);
      onProgress({ progress: 1 });
      return Promise.resolve(ok(`${name} done`));
    };
  return {
    effects,
    tools: {
      w__write: { call: acting('write') },
      r__read: { annotations: READ_ONLY, call: acting('read') },
    },
  };
}

/** Opens a service, starts a run, lets the service die and opens the next one on the same directory. */
async function acrossDeath(
  options: ServiceOptions,
): Promise<{ readonly id: string; readonly next: Service }> {
  const service = await openService({ policies: AUTO, ...options });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.crashed;
  await service.kill();
  const { crashAt: _crashAt, dieAfterCommits: _dieAfterCommits, ...rest } = options;
  return {
    id,
    next: await openService({
      policies: AUTO,
      ...rest,
      dataDir: service.dataDir,
      clock: service.clock,
    }),
  };
}

describe('a service killed', () => {
  test.each<CrashPoint>(['before-model-call', 'after-model-call'])(
    '%s repeats the model call, once',
    async (crashAt) => {
      const { id, next } = await acrossDeath({ script: () => ({ text: 'the answer' }), crashAt });
      expect(await next.settled(id)).toMatchObject({
        status: 'completed',
        answer: 'the answer',
        turns: 1,
      });
      expect(next.llm.requests).toHaveLength(1);
      expect((await next.types(id)).slice(2)).toEqual([
        'turn.started',
        'message.started',
        'turn.interrupted',
        'run.resumed',
        'turn.started',
        'message.started',
        'message.completed',
        'usage.updated',
        'turn.completed',
        'run.completed',
      ]);
      expect((await next.event(id, 'run.resumed')).data).toEqual({ reason: 'process_restarted' });
    },
  );

  test.each<[CrashPoint, number]>([
    ['before-tool-send', 1],
    ['during-tool-call', 2],
    ['after-tool-result', 2],
    ['after-settle-call-commit', 1],
  ])(
    '%s of a read-only call continues without a person: sent %d times in total',
    async (crashAt, sent) => {
      const { effects, tools } = world();
      const { id, next } = await acrossDeath({
        script: callsThenAnswer([[{ name: 'r__read' }]]),
        tools,
        crashAt,
      });
      expect(await next.settled(id)).toMatchObject({ status: 'completed' });
      expect(effects).toHaveLength(sent);
      expect(await next.call(id)).toMatchObject({
        state: 'succeeded',
        attempt: crashAt === 'after-settle-call-commit' ? 1 : 2,
      });
    },
  );

  test.each<[CrashPoint, number]>([
    ['before-tool-send', 0],
    ['during-tool-call', 1],
    ['after-tool-result', 1],
  ])(
    '%s of a write opens an inbox item and repeats nothing: done %d times',
    async (crashAt, done) => {
      const { effects, tools } = world();
      const { id, next } = await acrossDeath({
        script: callsThenAnswer([[{ name: 'w__write' }]]),
        tools,
        crashAt,
      });
      const item = await next.item(id);
      expect(item).toMatchObject({
        kind: 'outcome_unknown',
        request: { message: 'The service ended while the call was under way.' },
      });
      expect(await next.status(id, 'input_required')).toBeDefined();
      expect(effects).toHaveLength(done);
      await next.engine.respond(item.id, { action: 'mark_done' });
      expect(await next.settled(id)).toMatchObject({ status: 'completed' });
      expect(effects).toHaveLength(done);
    },
  );

  test('after-settle-call-commit of a write knows that it is done', async () => {
    const { effects, tools } = world();
    const { id, next } = await acrossDeath({
      script: callsThenAnswer([[{ name: 'w__write' }]]),
      tools,
      crashAt: 'after-settle-call-commit',
    });
    expect(await next.settled(id)).toMatchObject({ status: 'completed' });
    expect(effects).toEqual(['write']);
    expect(await next.read.inboxItems({ runId: id })).toEqual([]);
  });

  test('control: without the guard a write is repeated', async () => {
    const { effects, tools } = world();
    const { id, next } = await acrossDeath({
      script: callsThenAnswer([[{ name: 'w__write' }]]),
      tools,
      crashAt: 'after-tool-result',
      recovery: () => 'retry',
    });
    expect(await next.settled(id)).toMatchObject({ status: 'completed' });
    expect(effects).toEqual(['write', 'write']);
  });
});

test('a service killed after any of its commits ends every run, and a write is done once or reported as unknown', async () => {
  const script = callsThenAnswer(
    [[{ name: 'r__read' }, { name: 'w__write' }], [{ name: 'r__read' }]],
    'all done',
  );
  const reference = await openService({ script, policies: AUTO, tools: world().tools });
  await reference.settled((await reference.engine.createRun({ prompt: 'go' })).id);
  const commits = reference.signals.filter((signal) => signal.type === 'events').length;
  expect(commits).toBeGreaterThan(8);
  for (let dieAfterCommits = 1; dieAfterCommits < commits; dieAfterCommits += 1) {
    const { effects, tools } = world();
    const first = await openService({ script, policies: AUTO, tools, dieAfterCommits });
    const creating = first.engine.createRun({ prompt: 'go' });
    creating.catch(() => undefined);
    await first.crashed;
    await first.kill();
    const next = await openService({
      script,
      policies: AUTO,
      tools,
      dataDir: first.dataDir,
      clock: first.clock,
    });
    const [found] = (await next.read.runs({ limit: 1 })).data;
    const id = found!.id;
    const asked = await next.until(
      async () =>
        (await next.read.inboxItems({ runId: id, state: 'open' }))[0] ??
        ((await next.read.run(id))?.finishedAt === undefined ? undefined : 'nobody'),
      id,
    );
    if (asked !== 'nobody') await next.engine.respond(asked.id, { action: 'mark_done' });
    expect(await next.settled(id)).toMatchObject({ status: 'completed', answer: 'all done' });
    const writes = effects.filter((effect) => effect === 'write').length;
    expect(writes).toBeLessThanOrEqual(1);
    expect(writes === 1 || asked !== 'nobody').toBe(true);
    await next.engine.close();
  }
});

describe('recovery of a run in each state after a crash', () => {
  test('queued: it starts after the restart', async () => {
    const service = await openService({ script: () => ({ text: 'hi' }), isStarted: false });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.kill();
    const next = await openService({ script: () => ({ text: 'hi' }), dataDir: service.dataDir });
    expect(await next.settled(id)).toMatchObject({ status: 'completed' });
    expect(await next.types(id)).not.toContain('run.resumed');
  });

  test('with an unfinished turn: the turn is interrupted before the next turn starts', async () => {
    const service = await openService({ script: () => ({ text: 'hi' }), isStarted: false });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.store.write({}, async (sql) => {
      await sql.updateRun(id, { status: 'running', startedAt: service.clock.now() });
      await sql.addWorker({ id: 'dead', role: 'all', pid: 1 });
      await sql.endWorker('dead');
      await sql.startTurn({ runId: id, turn: 1, owner: 'dead', messageId: 'm' });
    });
    await service.engine.start();
    expect(await service.settled(id)).toMatchObject({ status: 'completed' });
    expect((await service.event(id, 'turn.interrupted')).data).toEqual({
      turn: 1,
      message_id: 'm',
      reason: 'process_ended',
    });
  });

  test('waiting for an approval: the item is still open, can be answered and still expires', async () => {
    const { effects, tools } = world();
    const service = await openService({ script: callsThenAnswer([[{ name: 'w__write' }]]), tools });
    const approved = await service.engine.createRun({ prompt: 'one' });
    const expired = await service.engine.createRun({ prompt: 'two' });
    const items = [await service.item(approved.id), await service.item(expired.id)];
    await service.status(approved.id, 'input_required');
    await service.status(expired.id, 'input_required');
    await service.kill();
    const next = await openService({
      script: callsThenAnswer([[{ name: 'w__write' }]]),
      tools,
      dataDir: service.dataDir,
      clock: service.clock,
    });
    await next.engine.respond(items[0]!.id, { action: 'approve' });
    expect(await next.settled(approved.id)).toMatchObject({ status: 'completed' });
    expect(effects).toEqual(['write']);
    next.clock.advance(86_400_000);
    expect(await next.settled(expired.id)).toMatchObject({ status: 'completed' });
    expect((await next.read.inboxItem(items[1]!.id))?.state).toBe('expired');
    expect(effects).toEqual(['write']);
  });

  test('waiting for a person: its item expires when a store that refused writes accepts them again', async () => {
    const { tools } = world();
    const script = callsThenAnswer([[{ name: 'w__write' }]]);
    const service = await openService({ script, tools });
    const waiting = await service.engine.createRun({
      prompt: 'go',
      limits: { inboxExpiryMs: 60_000 },
    });
    const [item] = [await service.item(waiting.id)];
    await service.status(waiting.id, 'input_required');
    await service.kill();
    const store = { isFull: true };
    const next = await openService({
      script,
      tools,
      dataDir: service.dataDir,
      clock: service.clock,
      isFull: () => store.isFull,
    });
    next.clock.advance(60_000);
    await next.until(async () => (next.errors.length > 0 ? true : undefined));
    expect(next.errors[0]).toContain('a sweep could not continue a run');
    store.isFull = false;
    next.clock.advance(2000);
    expect(await next.settled(waiting.id)).toMatchObject({ status: 'completed' });
    expect((await next.read.inboxItem(item.id))?.state).toBe('expired');
  });

  test.runIf(IN_SQLITE).each([
    ['limits', "update runs set limits = '{broken' where id = ?"],
    ['result', "update tool_calls set result = '{broken' where run_id = ?"],
  ])(
    'with damaged stored %s: it fails with the reason, and other runs continue',
    async (column, damage) => {
      const { tools } = world();
      const script = callsThenAnswer([[{ name: 'w__write' }]]);
      const service = await openService({ script, tools });
      const [damaged, whole] = [
        await service.engine.createRun({ prompt: 'go' }),
        await service.engine.createRun({ prompt: 'go' }),
      ];
      for (const { id } of [damaged, whole]) await service.status(id, 'input_required');
      await service.kill();
      const database = new Sqlite(join(service.dataDir, 'signalbox.sqlite'));
      database.prepare(damage).run(damaged.id);
      database.close();
      const next = await openService({
        script,
        tools,
        dataDir: service.dataDir,
        clock: service.clock,
      });
      await next.engine.respond((await next.item(whole.id)).id, { action: 'deny' });
      expect(await next.settled(whole.id)).toMatchObject({ status: 'completed' });
      next.clock.advance(86_400_000);
      expect(await next.settled(damaged.id)).toMatchObject({
        status: 'failed',
        statusReason: 'damaged_row',
      });
      expect((await next.event(damaged.id, 'run.failed')).data).toMatchObject({
        error: {
          message: `The run cannot continue: the stored ${column} is damaged and cannot be read`,
        },
      });
      await next.kill();
    },
  );

  test('waiting for an approval that expired meanwhile: the run continues without the call', async () => {
    const { tools } = world();
    const service = await openService({ script: callsThenAnswer([[{ name: 'w__write' }]]), tools });
    const { id } = await service.engine.createRun({
      prompt: 'go',
      limits: { inboxExpiryMs: 1000 },
    });
    await service.item(id);
    await service.status(id, 'input_required');
    await service.kill();
    service.clock.advance(1000);
    const next = await openService({
      script: callsThenAnswer([[{ name: 'w__write' }]]),
      tools,
      dataDir: service.dataDir,
      clock: service.clock,
    });
    expect(await next.settled(id)).toMatchObject({ status: 'completed' });
  });

  test.each([
    ['read-only', READ_ONLY, 'planned'],
    ['a write', {}, 'unknown'],
  ] as const)(
    'answering a form for a server, whose call is %s: the form is void',
    async (_case, annotations, state) => {
      const tools: { readonly [name: string]: FakeTool } = {
        w__ask: {
          annotations,
          call: async ({ inputHandlers }) =>
            ok(
              JSON.stringify(
                await inputHandlers.elicit!(FORM, {
                  signal: new AbortController().signal,
                  meta: {},
                }),
              ),
            ),
        },
      };
      const script = callsThenAnswer([[{ name: 'w__ask' }]]);
      const service = await openService({ script, tools, policies: AUTO });
      const { id } = await service.engine.createRun({ prompt: 'go' });
      const item = await service.item(id);
      await service.status(id, 'input_required');
      await service.kill();
      const next = await openService({
        script,
        tools,
        policies: AUTO,
        dataDir: service.dataDir,
        clock: service.clock,
      });
      await expect(next.engine.respond(item.id, { action: 'decline' })).rejects.toMatchObject({
        code: 'inbox_item_not_open',
      });
      const open = await next.until(async () =>
        (await next.read.inboxItems({ runId: id, state: 'open' })).find(
          (other) => other.id !== item.id,
        ),
      );
      expect((await next.read.inboxItem(item.id))?.state).toBe('void');
      expect(open.kind).toBe(state === 'planned' ? 'elicitation_form' : 'outcome_unknown');
      await next.engine.respond(open.id, { action: state === 'planned' ? 'decline' : 'fail' });
      expect(await next.settled(id)).toMatchObject({ status: 'completed' });
    },
  );

  test('being cancelled: it is cancelled, and a sent write is shown as unknown', async () => {
    const tools = {
      w__write: { call: () => never },
      r__read: { annotations: READ_ONLY, call: () => never },
    };
    const script = callsThenAnswer([[{ name: 'w__write' }, { name: 'r__read' }]]);
    const service = await openService({ script, tools, policies: AUTO });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.until(async () => service.registry.sent[1]);
    await service.engine.cancelRun(id, 'stop');
    await service.kill();
    const next = await openService({ script, tools, policies: AUTO, dataDir: service.dataDir });
    expect(await next.settled(id)).toMatchObject({ status: 'cancelled', statusReason: 'stop' });
    expect((await next.read.toolCalls(id)).map((call) => call.state)).toEqual([
      'unknown',
      'unknown',
    ]);
    expect(await next.read.inboxItems({ runId: id })).toEqual([]);
  });

  test('over its wall clock while no service ran: it expires', async () => {
    const service = await openService({ script: () => ({ text: 'x', hold: never }) });
    const { id } = await service.engine.createRun({ prompt: 'go', limits: { wallClockMs: 1000 } });
    await service.event(id, 'turn.started');
    await service.kill();
    service.clock.advance(1000);
    const next = await openService({
      script: () => ({ text: 'x' }),
      dataDir: service.dataDir,
      clock: service.clock,
    });
    expect(await next.settled(id)).toMatchObject({ status: 'expired' });
    expect(next.llm.requests).toEqual([]);
  });

  test('many runs at all stages: each ends, and every write is done at most once', async () => {
    const { effects, tools } = world();
    const script = callsThenAnswer([
      [{ name: 'r__read' }, { name: 'w__write' }],
      [{ name: 'r__read' }],
    ]);
    const first = await openService({ script, tools, policies: AUTO, dieAfterCommits: 120 });
    const runs = await Promise.all(
      Array.from({ length: 20 }, () => first.engine.createRun({ prompt: 'go' })),
    );
    await first.crashed;
    await first.kill();
    const next = await openService({
      script,
      tools,
      policies: AUTO,
      dataDir: first.dataDir,
      clock: first.clock,
    });
    const unknown = await next.read.inboxItems({ state: 'open' });
    await Promise.all(unknown.map((item) => next.engine.respond(item.id, { action: 'mark_done' })));
    const settled = await Promise.all(runs.map((run) => next.settled(run.id)));
    expect(settled.map((run) => run.status)).toEqual(runs.map(() => 'completed'));
    const writes = effects.filter((effect) => effect === 'write').length;
    expect(writes).toBeLessThanOrEqual(20);
    expect(writes + unknown.length).toBeGreaterThanOrEqual(20);
    const counts = await Promise.all(
      runs.map(
        async (run) =>
          (await next.read.toolCalls(run.id)).filter(
            (call) => call.wireName === 'w__write' && call.attempt > 1,
          ).length,
      ),
    );
    expect(Math.max(...counts)).toBe(0);
  });
});

describe('close', () => {
  test('interrupts a turn without ending its run, and the next service repeats the turn', async () => {
    const service = await openService({ script: () => ({ text: 'half', hold: never }) });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.event(id, 'turn.started');
    await service.until(async () => service.llm.requests[0]);
    await service.engine.close();
    expect(await service.read.run(id)).toMatchObject({ status: 'running' });
    expect((await service.event(id, 'turn.interrupted')).data).toMatchObject({
      reason: 'shutdown',
    });
    await service.kill();
    const next = await openService({ script: () => ({ text: 'whole' }), dataDir: service.dataDir });
    expect(await next.settled(id)).toMatchObject({ status: 'completed', answer: 'whole' });
  });

  test('during the claim of a run starts no turn', async () => {
    const service = await openService({ script: () => ({ text: 'x', hold: never }) });
    const closed = Promise.withResolvers<void>();
    const unsubscribe = service.onSignal((signal) => {
      if (signal.type !== 'events' || signal.lastSeq < 2) return;
      unsubscribe();
      service.engine.close().then(closed.resolve, closed.reject);
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await closed.promise;
    expect(await service.types(id)).toEqual(['run.queued', 'run.started']);
    expect(service.llm.requests).toEqual([]);
  });

  test('gives a call its grace period and keeps a result that arrives in time', async () => {
    const end = Promise.withResolvers<void>();
    const service = await openService({
      script: callsThenAnswer([[{ name: 'w__write' }]]),
      tools: { w__write: { call: () => end.promise.then(() => ok('in time')) } },
      policies: AUTO,
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.until(async () => service.registry.sent[0]);
    const closing = service.engine.close({ graceMs: 1000 });
    end.resolve();
    await closing;
    expect(await service.call(id)).toMatchObject({ state: 'succeeded' });
    expect(service.llm.requests).toHaveLength(1);
  });

  test('leaves a longer call to the next start, and refuses its late result', async () => {
    const end = Promise.withResolvers<void>();
    const service = await openService({
      script: callsThenAnswer([[{ name: 'w__write' }]]),
      tools: { w__write: { call: () => end.promise.then(() => ok('too late')) } },
      policies: AUTO,
    });
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.until(async () => service.registry.sent[0]);
    const closing = service.engine.close({ graceMs: 1000 });
    service.clock.advance(1000);
    await closing;
    end.resolve();
    await service.store.write({}, () => Promise.resolve());
    expect(await service.call(id)).toMatchObject({ state: 'dispatched' });
    expect(await service.types(id)).not.toContain('tool_call.completed');
    await service.kill();
    const next = await openService({
      script: callsThenAnswer([]),
      tools: { w__write: { call: untilCancelled() } },
      dataDir: service.dataDir,
    });
    expect(await next.item(id)).toMatchObject({ kind: 'outcome_unknown' });
  });

  test('accepts no more requests', async () => {
    const service = await openService({ script: () => ({ text: 'hi' }) });
    await service.engine.close();
    const refusal = new EngineError(
      'shutting_down',
      'The service is shutting down. Try again when it is back.',
    );
    await expect(service.engine.createRun({ prompt: 'go' })).rejects.toEqual(refusal);
    await expect(service.engine.cancelRun('any')).rejects.toEqual(refusal);
    expect((await service.read.runs({ limit: 1 })).data).toEqual([]);
  });
});
