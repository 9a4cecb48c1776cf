import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LlmError } from '../ports/llm-provider.ts';
import { callsThenAnswer } from '../run/testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled, type FakeTool } from '../run/testing/fake-registry.ts';
import { openService, type Service, type ServiceOptions } from '../run/testing/service.ts';
import { copyDatabase } from '../store/copy-database.ts';
import { replayRun, type ReplayReport } from './replay-run.ts';

const logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const read = (text: string): FakeTool => ({
  annotations: READ_ONLY,
  call: () => Promise.resolve(ok(text)),
});
const write: FakeTool = {
  call: ({ arguments: args }) => Promise.resolve(ok(`written ${JSON.stringify(args)}`)),
};

/** Records a run with a person who gives these answers in order. */
async function record(
  options: Omit<ServiceOptions, 'dataDir'>,
  answers: readonly { readonly [field: string]: unknown }[] = [],
): Promise<{ readonly service: Service; readonly runId: string }> {
  const service = await openService(options);
  const { id: runId } = await service.engine.createRun({ prompt: 'go' });
  for (const answer of answers)
    await service.engine.respond((await service.item(runId)).id, answer);
  await service.settled(runId);
  return { service, runId };
}

function replay({
  service,
  runId,
}: {
  readonly service: Service;
  readonly runId: string;
}): Promise<ReplayReport> {
  return replayRun({ source: { dataDir: service.dataDir }, runId, logger, idleMs: 60_000 });
}

/** Returns a copy of the data directory with changed records. */
async function tampered({ dataDir }: Service, statement: string): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), 'tampered-'));
  await copyDatabase(dataDir, copy);
  const database = new Sqlite(join(copy, 'signalbox.sqlite'));
  expect(database.prepare(statement).run().changes).toBeGreaterThan(0);
  database.close();
  return copy;
}

describe('a recorded run has the same decisions', () => {
  test('with parallel calls, error results, wrong names, wrong arguments and text in between', async () => {
    const recorded = await record({
      script: callsThenAnswer([
        [
          { name: 'a__x', input: { n: 1 } },
          { name: 'a__x', input: { n: 2 } },
          { name: 'a__nothing' },
        ],
        [{ name: 'a__bad' }, { name: 'a__x', invalid: 'not JSON' }],
      ]),
      tools: {
        a__x: {
          annotations: READ_ONLY,
          call: ({ arguments: args }) => Promise.resolve(ok(`got ${JSON.stringify(args)}`)),
        },
        a__bad: {
          annotations: READ_ONLY,
          call: () => Promise.resolve({ type: 'error', message: 'broken' }),
        },
      },
    });
    expect(await replay(recorded)).toMatchObject({
      difference: undefined,
      isStopped: false,
      calls: 5,
      run: { status: 'completed', turns: 3 },
    });
  });

  test('with approvals: given, changed, remembered and denied', async () => {
    const call = (text: string) => [{ name: 'a__write', input: { text } }];
    const recorded = await record(
      {
        script: callsThenAnswer([call('one'), call('two'), call('three'), call('four')]),
        tools: { a__write: write },
      },
      [
        { action: 'approve' },
        { action: 'deny', note: 'not today' },
        { action: 'approve', arguments: { text: 'edited' }, remember: 'run' },
      ],
    );
    expect(
      (await recorded.service.read.toolCalls(recorded.runId)).map(({ state }) => state),
    ).toEqual(['succeeded', 'failed', 'succeeded', 'succeeded']);
    expect((await replay(recorded)).difference).toBeUndefined();
  });

  test('with an approval that expired', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__write' }]]),
      tools: { a__write: write },
    });
    const { id: runId } = await service.engine.createRun({ prompt: 'go' });
    await service.item(runId);
    service.clock.advance(86_400_000);
    await service.settled(runId);
    expect((await replay({ service, runId })).difference).toBeUndefined();
  });

  test('with a call of unknown outcome that a person settled', async () => {
    const lost: FakeTool = {
      call: () => Promise.resolve({ type: 'lost', message: 'the connection broke' }),
    };
    const policies = { a: { approval: 'auto', sampling: 'ask' } } as const;
    for (const action of ['mark_done', 'fail']) {
      const recorded = await record(
        { script: callsThenAnswer([[{ name: 'a__send' }]]), tools: { a__send: lost }, policies },
        [{ action }],
      );
      expect((await replay(recorded)).difference).toBeUndefined();
    }
  });

  test('with tools that were added, removed and searched', async () => {
    const tools: { [wireName: string]: FakeTool } = { a__x: read('x') };
    tools['a__grow'] = {
      annotations: READ_ONLY,
      call: () => {
        tools['a__later'] = write;
        delete tools['a__x'];
        return Promise.resolve(ok('grown'));
      },
    };
    const script = callsThenAnswer([
      [{ name: 'a__grow' }],
      [{ name: 'find_tools', input: { query: 'later' } }, { name: 'a__x' }],
      [{ name: 'call_tool', input: { name: 'a__later', arguments: { q: 1 } } }],
    ]);
    const recorded = await record({ script, tools }, [{ action: 'approve' }]);
    expect((await replay(recorded)).difference).toBeUndefined();
  });

  test('with rules that excluded a tool, denied one and asked for another', async () => {
    const script = callsThenAnswer([
      [{ name: 'a__x' }, { name: 'b__y' }],
      [{ name: 'a__deny' }, { name: 'a__ask' }],
    ]);
    const tools = { a__x: read('x'), a__deny: read('d'), a__ask: read('a'), b__y: read('y') };
    const service = await openService({ script, tools, isStarted: false });
    service.registry.status = { a: { instructions: 'Of a.' }, b: { instructions: 'Of b.' } };
    await service.engine.start();
    const { id: runId } = await service.engine.createRun({
      prompt: 'go',
      toolRules: {
        allow: ['a__*'],
        approvals: [
          { tools: 'a__deny', policy: 'deny' },
          { tools: 'a__ask', policy: 'ask' },
        ],
      },
    });
    await service.engine.respond((await service.item(runId)).id, { action: 'approve' });
    await service.settled(runId);
    expect(service.registry.sent.map(({ wireName }) => wireName)).toEqual(['a__x', 'a__ask']);
    expect(await replay({ service, runId })).toMatchObject({ calls: 4, difference: undefined });
  });

  test('with an artifact that the model read in parts', async () => {
    const long = read('line\n'.repeat(50_000));
    const service = await openService({
      script: ({ messages }, index) => {
        const id = /artifact (\S+): read on/.exec(JSON.stringify(messages))?.[1];
        if (index === 0) return { calls: [{ name: 'a__long' }] };
        return index === 1
          ? { calls: [{ name: 'artifact_read', input: { id: id ?? '', offset: 100, limit: 50 } }] }
          : { text: 'done' };
      },
      tools: { a__long: long },
    });
    const { id: runId } = await service.engine.createRun({ prompt: 'go' });
    await service.settled(runId);
    expect((await service.call(runId, 0)).state).toBe('succeeded');
    expect((await service.read.toolCalls(runId))[1]?.state).toBe('succeeded');
    expect((await replay({ service, runId })).difference).toBeUndefined();
  });

  test('when the model call failed, and when a limit ended it', async () => {
    const failed = await record({ script: () => ({ fail: new LlmError('quota', 'no money') }) });
    expect(await replay(failed)).toMatchObject({
      run: { status: 'failed' },
      difference: undefined,
    });
    const service = await openService({
      script: () => ({ calls: [{ name: 'a__x' }] }),
      tools: { a__x: read('x') },
    });
    const { id: runId } = await service.engine.createRun({ prompt: 'go', limits: { turns: 3 } });
    await service.settled(runId);
    expect(await replay({ service, runId })).toMatchObject({
      run: { status: 'failed', statusReason: 'turn_limit' },
      difference: undefined,
    });
  });

  test('when model calls failed and were retried, before and after a run was resumed', async () => {
    const turns = callsThenAnswer([[{ name: 'a__x' }]]);
    const service = await openService({
      script: (request, index) => {
        if (index === 1)
          return { text: 'half', fail: new LlmError('overloaded', 'too much to do') };
        return index === 2 ? { fail: new LlmError('auth', 'set the key') } : turns(request, index);
      },
      tools: { a__x: read('x') },
    });
    const { id: runId } = await service.engine.createRun({ prompt: 'go' });
    await service.event(runId, 'turn.failed');
    service.clock.advance(2000);
    await service.settled(runId);
    await service.engine.resumeRun(runId);
    await service.settled(runId);
    expect(await replay({ service, runId })).toMatchObject({
      run: { status: 'completed', turns: 2 },
      calls: 1,
      difference: undefined,
    });
  });

  test('up to the point where its wall clock limit ended it while it waited for its model', async () => {
    const turns = callsThenAnswer([[{ name: 'a__x' }]]);
    const service = await openService({
      script: (request, index) =>
        index === 0
          ? turns(request, index)
          : { fail: new LlmError('overloaded', 'too much to do') },
      tools: { a__x: read('x') },
    });
    const { id: runId } = await service.engine.createRun({
      prompt: 'go',
      limits: { wallClockMs: 60_000 },
    });
    await service.event(runId, 'turn.failed');
    service.clock.advance(60_000);
    await service.settled(runId);
    expect(await replay({ service, runId })).toMatchObject({
      run: { status: 'expired' },
      isStopped: true,
      difference: undefined,
    });
  });

  test('with an answer that had to fit a schema, at the first or the second attempt', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    for (const first of ['{"n":1}', 'one']) {
      const service = await openService({
        script: (_request, index) => ({ text: index === 0 ? first : '{"n":1}' }),
      });
      const { id: runId } = await service.engine.createRun({ prompt: 'go', outputSchema });
      await service.settled(runId);
      expect(await replay({ service, runId })).toMatchObject({
        run: { output: { n: 1 } },
        difference: undefined,
      });
    }
  });

  test('up to the point where a person cancelled it: in a call, in a model call, at an input request', async () => {
    const held = Promise.withResolvers<void>();
    for (const [options, type] of [
      [
        {
          script: callsThenAnswer([[{ name: 'a__slow' }]]),
          tools: { a__slow: { annotations: READ_ONLY, call: untilCancelled() } },
        },
        'tool_call.dispatched',
      ],
      [
        {
          script: (_request: unknown, index: number) =>
            index === 0 ? { calls: [{ name: 'a__x' }] } : { text: 'so', hold: held.promise },
          tools: { a__x: read('x') },
        },
        'tool_call.completed',
      ],
      [
        { script: callsThenAnswer([[{ name: 'a__write' }]]), tools: { a__write: write } },
        'inbox.opened',
      ],
    ] as const) {
      const service = await openService(options);
      const { id: runId } = await service.engine.createRun({ prompt: 'go' });
      await service.event(runId, type);
      await service.engine.cancelRun(runId);
      await service.settled(runId);
      expect(await replay({ service, runId })).toMatchObject({
        isStopped: true,
        difference: undefined,
      });
    }
  });

  test('in a thread with later runs', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__x' }]]),
      tools: { a__x: read('x') },
    });
    await service.store.write({}, (sql) =>
      sql.insertThread({ id: 't1', title: undefined, metadata: {}, createdAt: 1, updatedAt: 1 }),
    );
    const ids: string[] = [];
    for (const prompt of ['one', 'two', 'three']) {
      const { id } = await service.engine.createRun({ prompt, threadId: 't1' });
      await service.settled(id);
      ids.push(id);
    }
    for (const runId of ids) expect((await replay({ service, runId })).difference).toBeUndefined();
  });

  test('while the service runs, and without changing files while it does not', async () => {
    const { service, runId } = await record({
      script: callsThenAnswer([[{ name: 'a__x' }]]),
      tools: { a__x: read('x') },
    });
    expect((await replay({ service, runId })).difference).toBeUndefined();
    await service.engine.close();
    await service.kill();
    const files = (): readonly string[] =>
      readdirSync(service.dataDir).map(
        (name) =>
          `${name} ${createHash('sha256')
            .update(readFileSync(join(service.dataDir, name)))
            .digest('hex')}`,
      );
    const before = files();
    expect((await replay({ service, runId })).difference).toBeUndefined();
    expect(files()).toEqual(before);
  });
});

describe('the first difference is reported', () => {
  const options = {
    script: callsThenAnswer([
      [{ name: 'a__x', input: { n: 1 } }],
      [{ name: 'a__write', input: { text: 'hi' } }],
    ]),
    tools: { a__x: read('x'), a__write: write },
  };

  test.each<[string, string, RegExp]>([
    [
      'another policy',
      "update epochs set policies = json_object('a', json_object('approval', 'deny', 'sampling', 'ask'))",
      /^turn 1, call 1 \(a__x\): decision was "auto" and is "deny"$/,
    ],
    [
      'less trust',
      'update tool_sets set tools = replace(tools, \'"trusted":true\', \'"trusted":false\')',
      /^turn 1, call 1 \(a__x\): decision was "auto" and is "ask"$/,
    ],
    [
      'other arguments in a message',
      'update messages set content = replace(content, \'"n":1\', \'"n":2\')',
      /^turn 1, call 1 \(a__x\): planned_arguments\.n was 1 and is 2$/,
    ],
    [
      'another tool in a message',
      "update messages set content = replace(content, 'a__write', 'a__wrote')",
      /^turn 2, call 1 \(a__write\): name was "a__write" and is "a__wrote"$/,
    ],
    [
      'a person of whom nothing is known',
      'delete from inbox_items',
      /^turn 2, call 1 \(a__write\): a person is asked \(tool_approval\), but not in the recorded run$/,
    ],
    [
      'another result',
      'update messages set content = replace(content, \'"text":"x"\', \'"text":"y"\') where role = \'user\' and turn = 1',
      /^turn 1, call 1 \(a__x\): the model receives a different result: content\[0\]\.text was "y" and is "x"$/,
    ],
    [
      'another answer',
      "update runs set answer = 'other'",
      /^the outcome: answer was "other" and is "done"$/,
    ],
    [
      'a missing turn',
      'delete from messages where turn = 3',
      /^turn 3: the model is called, but the recorded run had ended \(completed\) after turn 2$/,
    ],
    [
      'a result that is gone',
      "update tool_calls set wire_name = 'a__y' where turn = 1",
      /^turn 1(, call 1 \(a__y\): name was "a__y" and is "a__x"|: a__x is called with .*)$/,
    ],
  ])('%s', async (_what, statement, message) => {
    const recorded = await record(options, [{ action: 'approve' }]);
    const dataDir = await tampered(recorded.service, statement);
    expect(
      (await replayRun({ source: { dataDir }, runId: recorded.runId, logger, idleMs: 60_000 }))
        .difference,
    ).toMatch(message);
  });
});

describe('runs that cannot be replayed are refused', () => {
  test('an unknown run, an unsettled run, a single call, a run of an earlier version', async () => {
    const held = Promise.withResolvers<void>();
    const service = await openService({
      script: (_request, index) =>
        index === 0 ? { text: 'old' } : { text: 'a', hold: held.promise },
      tools: { a__x: read('x') },
    });
    const old = await service.engine.createRun({ prompt: 'go' });
    await service.settled(old.id);
    const { run: call } = await service.engine.startCall({ wireName: 'a__x', arguments: {} });
    await service.settled(call.id);
    const running = await service.engine.createRun({ prompt: 'go' });
    await service.event(running.id, 'turn.started');
    const refusal = async (runId: string): Promise<unknown> =>
      replay({ service, runId }).catch((error: unknown) => String(error));
    expect(await refusal('nope')).toBe('ReplayError: no run nope in this data directory');
    expect(await refusal(running.id)).toContain('is not settled: it is running');
    expect(await refusal(call.id)).toContain('is a single tool call');
    const older = await tampered(service, 'delete from epochs');
    await expect(replayRun({ source: { dataDir: older }, runId: old.id, logger })).rejects.toThrow(
      'an earlier version recorded it',
    );
    held.resolve();
    await service.settled(running.id);
  });

  test('a run that was stopped by a limit and resumed', async () => {
    const service = await openService({
      script: callsThenAnswer([[{ name: 'a__x' }]]),
      tools: { a__x: read('x') },
    });
    const { id: runId } = await service.engine.createRun({ prompt: 'go', limits: { turns: 1 } });
    await service.settled(runId);
    await service.engine.resumeRun(runId, { turns: 9 });
    await service.settled(runId);
    await expect(replay({ service, runId })).rejects.toThrow('was stopped by a limit and resumed');
  });

  test('a folder without a database', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'empty-'));
    await expect(replayRun({ source: { dataDir }, runId: 'x', logger })).rejects.toThrow(
      `There is no database in ${dataDir}`,
    );
    expect(readdirSync(dataDir)).toEqual([]);
  });
});

test('the thread that checks the answer of a replayed run ends with the replay', async () => {
  const service = await openService({
    script: (_request, index) => ({ text: index === 0 ? '{}' : '{"n":1}' }),
  });
  const outputSchema = { type: 'object', required: ['n'] };
  const { id: runId } = await service.engine.createRun({ prompt: 'go', outputSchema });
  await service.settled(runId);
  const started: Worker[] = [];
  const onWorker = (worker: Worker): void => void started.push(worker);
  process.on('worker', onWorker);
  onTestFinished(() => void process.off('worker', onWorker));
  expect((await replay({ service, runId })).difference).toBeUndefined();
  expect(started.map(({ threadId }) => threadId)).toEqual([-1]);
});
