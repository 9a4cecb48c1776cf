import { describe, expect, test } from 'vitest';
import { EngineError } from '../../ports/run-engine.ts';
import { callsThenAnswer, type Script } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';
import { IN_SQLITE } from '../../store/testing/open-test-store.ts';

const TOOLS = {
  r__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('42')) },
  r__slow: { annotations: READ_ONLY, call: untilCancelled() },
};

async function withThread(
  script: Script,
): Promise<{ readonly service: Service; readonly threadId: string }> {
  const service = await openService({ script, tools: TOOLS });
  await service.store.write({}, (sql) =>
    sql.insertThread({ id: 't1', title: undefined, metadata: {}, createdAt: 1, updatedAt: 1 }),
  );
  return { service, threadId: 't1' };
}

const said = (service: Service, request: number): readonly string[] =>
  service.llm.requests[request]!.messages.map(
    ({ role, content }) =>
      `${role}: ${content.map((block) => ('text' in block ? block.text : `<${block.type}>`)).join(' ')}`,
  );

const refusalOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.catch((caught: unknown) => caught);
  return error instanceof EngineError ? error.code : 'no refusal';
};

describe('a run of a thread', () => {
  test('begins with the messages of the earlier runs, including tool calls', async () => {
    const { service, threadId } = await withThread((request, index) =>
      index === 0 ? { calls: [{ name: 'r__read' }] } : { text: `answer ${index}` },
    );
    const first = await service.engine.createRun({ prompt: 'one', threadId });
    await service.settled(first.id);
    const second = await service.engine.createRun({ prompt: 'two', threadId });
    expect(await service.settled(second.id)).toMatchObject({
      status: 'completed',
      threadId,
      threadPosition: 1,
      turns: 1,
      answer: 'answer 2',
    });
    expect(said(service, 2)).toEqual([
      'user: one',
      'assistant: <tool_use>',
      'user: <tool_result>',
      'assistant: answer 1',
      'user: two',
    ]);
    expect(
      (await service.read.threadMessages(threadId)).map(({ runId, position }) => [
        runId === first.id,
        position,
      ]),
    ).toEqual([
      [true, 0],
      [true, 1],
      [true, 2],
      [true, 3],
      [false, 0],
      [false, 1],
    ]);
  });

  test('is refused while another run is not settled, unless it sets on_busy', async () => {
    const { service, threadId } = await withThread(callsThenAnswer([[{ name: 'r__slow' }]]));
    const first = await service.engine.createRun({ prompt: 'one', threadId });
    await service.event(first.id, 'tool_call.dispatched');
    expect(await refusalOf(service.engine.createRun({ prompt: 'two', threadId }))).toBe(
      'thread_busy',
    );
    expect((await service.read.runs({ limit: 9 })).data).toHaveLength(1);
    await service.engine.cancelRun(first.id);
    await service.settled(first.id);
    expect(await refusalOf(service.engine.createRun({ prompt: 'three', threadId }))).toBe(
      'no refusal',
    );
  });

  test('that is enqueued waits for the earlier runs in order, without what a run said that was cancelled before it began', async () => {
    const held = Promise.withResolvers<void>();
    const { service, threadId } = await withThread(({ messages }) =>
      messages.length === 1
        ? { text: 'first', hold: held.promise }
        : { text: `after ${messages.length}` },
    );
    const enqueue = (prompt: string) =>
      service.engine.createRun({ prompt, threadId, onBusy: 'enqueue' });
    const [first, second, third] = [
      await enqueue('one'),
      await enqueue('two'),
      await enqueue('three'),
    ];
    await service.event(first.id, 'turn.started');
    await service.engine.cancelRun(second.id);
    expect((await service.settled(second.id)).status).toBe('cancelled');
    expect((await service.read.run(third.id))?.status).toBe('queued');
    held.resolve();
    expect(await service.settled(third.id)).toMatchObject({ status: 'completed' });
    expect(said(service, 1)).toEqual(['user: one', 'assistant: first', 'user: three']);
    expect(await service.read.messages(second.id)).toHaveLength(1);
    const listed = await service.read.threadMessages(threadId);
    expect(listed.map(({ runId }) => runId)).not.toContain(second.id);
  });

  test('that interrupts runs in the queue begins with what they said', async () => {
    const held = Promise.withResolvers<void>();
    const { service, threadId } = await withThread(({ messages }) =>
      messages.length === 1 ? { text: 'first', hold: held.promise } : { text: 'done' },
    );
    const first = await service.engine.createRun({ prompt: 'one', threadId });
    const second = await service.engine.createRun({ prompt: 'two', threadId, onBusy: 'enqueue' });
    await service.event(first.id, 'turn.started');
    const third = await service.engine.createRun({
      prompt: 'three',
      threadId,
      onBusy: 'interrupt',
    });
    held.resolve();
    expect(await service.settled(third.id)).toMatchObject({ status: 'completed' });
    expect(await service.read.run(second.id)).toMatchObject({
      status: 'cancelled',
      statusReason: 'superseded',
    });
    expect(said(service, 1).at(-1)).toContain('two three');
  });

  test('that interrupts cancels the previous run, starts when it has ended, and sees its calls as cancelled', async () => {
    const { service, threadId } = await withThread(({ messages }) =>
      messages.length === 1 ? { calls: [{ name: 'r__slow' }] } : { text: 'done' },
    );
    const first = await service.engine.createRun({ prompt: 'one', threadId });
    await service.event(first.id, 'tool_call.dispatched');
    const second = await service.engine.createRun({ prompt: 'two', threadId, onBusy: 'interrupt' });
    expect(await service.settled(second.id)).toMatchObject({ status: 'completed' });
    expect(await service.read.run(first.id)).toMatchObject({
      status: 'cancelled',
      statusReason: 'superseded',
    });
    expect(said(service, 1)).toEqual([
      'user: one',
      'assistant: <tool_use>',
      'user: <tool_result> two',
    ]);
    expect(JSON.stringify(service.llm.requests[1]!.messages)).toContain('This call was cancelled.');
  });

  test('that interrupts starts also when the run in its way is deleted before it is cancelled', async () => {
    const busy = { id: '' };
    const service = await openService({
      script: ({ messages }) =>
        messages.length === 1 && messages[0]?.content[0]?.type === 'text'
          ? { calls: [{ name: 'r__slow' }] }
          : { text: 'done' },
      tools: TOOLS,
      changeStore: (store) => ({
        ...store,
        get workerId() {
          return store.workerId;
        },
        write: async (locks, work, options) => {
          const result = await store.write(locks, work, options);
          // The first write that sees the run in the way is followed by its end and deletion.
          if (locks.thread !== undefined && busy.id !== '') {
            const { id } = busy;
            busy.id = '';
            await store.write({ run: id }, async (sql) => {
              await sql.updateRun(id, { status: 'completed' });
              await sql.eraseRun(id);
            });
          }
          return result;
        },
      }),
    });
    await service.store.write({}, (sql) =>
      sql.insertThread({ id: 't1', title: undefined, metadata: {}, createdAt: 1, updatedAt: 1 }),
    );
    const first = await service.engine.createRun({ prompt: 'one', threadId: 't1' });
    await service.event(first.id, 'tool_call.dispatched');
    busy.id = first.id;
    const second = await service.engine.createRun({
      prompt: 'two',
      threadId: 't1',
      onBusy: 'interrupt',
    });
    expect(busy.id).toBe('');
    expect(await service.read.run(first.id)).toBeUndefined();
    expect(await service.read.run(second.id)).toMatchObject({ threadId: 't1' });
    await service.kill();
  });

  test.runIf(IN_SQLITE)('waits also across a crash of the service', async () => {
    const script: Script = ({ messages }) => ({ text: `after ${messages.length}` });
    const service = await openService({ script, crashAt: 'before-model-call' });
    await service.store.write({}, (sql) =>
      sql.insertThread({ id: 't1', title: undefined, metadata: {}, createdAt: 1, updatedAt: 1 }),
    );
    const first = await service.engine.createRun({ prompt: 'one', threadId: 't1' });
    const second = await service.engine.createRun({
      prompt: 'two',
      threadId: 't1',
      onBusy: 'enqueue',
    });
    await service.crashed;
    await service.kill();
    const next = await openService({ script, dataDir: service.dataDir, clock: service.clock });
    expect(await next.settled(second.id)).toMatchObject({ status: 'completed', answer: 'after 3' });
    expect((await next.read.run(first.id))!.finishedAt).toBeLessThanOrEqual(
      (await next.read.run(second.id))!.startedAt!,
    );
  });

  test('continues after a run that ended at a limit with calls that were not made', async () => {
    const { service, threadId } = await withThread(({ messages }) =>
      messages.length === 1
        ? { calls: [{ name: 'r__read' }, { name: 'r__read' }] }
        : { text: 'done' },
    );
    const first = await service.engine.createRun({
      prompt: 'one',
      threadId,
      limits: { toolCalls: 1 },
    });
    expect((await service.settled(first.id)).status).toBe('failed');
    const second = await service.engine.createRun({ prompt: 'two', threadId });
    expect((await service.settled(second.id)).status).toBe('completed');
    expect(JSON.stringify(service.llm.requests[1]!.messages)).toContain('This call was not made');
  });

  test('that names an unknown thread or agent is refused', async () => {
    const { service } = await withThread(() => ({ text: 'done' }));
    expect(await refusalOf(service.engine.createRun({ prompt: 'one', threadId: 'nowhere' }))).toBe(
      'unknown_thread',
    );
    expect(await refusalOf(service.engine.createRun({ prompt: 'one', agentId: 'nobody' }))).toBe(
      'unknown_agent',
    );
  });
});

describe('a run of a stored agent', () => {
  test('begins with its definition, the fields of the run win, and later changes of the agent have no effect', async () => {
    const held = Promise.withResolvers<void>();
    const service = await openService({
      script: (_request, index) =>
        index === 0 ? { calls: [{ name: 'r__read' }] } : { text: 'done', hold: held.promise },
      tools: TOOLS,
    });
    const agent = {
      id: 'a1',
      version: 1,
      name: 'reader',
      instructions: 'Read first.',
      model: 'large',
      servers: ['r'],
      limits: { turns: 7, toolCalls: 3 },
      modelSettings: undefined,
      toolRules: undefined,
      createdAt: 1,
      updatedAt: 1,
    };
    await service.store.write({}, (sql) => sql.insertAgent(agent, 'anonymous'));
    const { id } = await service.engine.createRun({
      prompt: 'go',
      agentId: 'a1',
      limits: { toolCalls: 5 },
    });
    await service.event(id, 'tool_call.completed');
    await service.store.write({}, (sql) => sql.deleteAgent('a1'));
    held.resolve();
    expect(await service.settled(id)).toMatchObject({
      status: 'completed',
      agentId: 'a1',
      model: 'large',
      servers: ['r'],
      limits: { turns: 7, toolCalls: 5 },
    });
    expect(
      service.llm.requests.map(({ system, model }) => [system?.endsWith('\n\nRead first.'), model]),
    ).toEqual([
      [true, 'large'],
      [true, 'large'],
    ]);
  });
});

describe('erasing', () => {
  test('a settled run leaves only its audit entries, and the next run of its thread has none of its messages', async () => {
    const { service, threadId } = await withThread(callsThenAnswer([[{ name: 'r__read' }]]));
    const first = await service.engine.createRun({ prompt: 'secret', threadId });
    await service.settled(first.id);
    const { id: callId } = await service.call(first.id);
    await service.engine.deleteRun(first.id);
    expect([
      await service.read.run(first.id),
      await service.read.toolCall(callId),
      await service.read.messages(first.id),
      await service.events(first.id),
    ]).toEqual([undefined, undefined, [], []]);
    expect(
      (await service.read.audit({ runId: first.id, after: 0, limit: 9 })).length,
    ).toBeGreaterThan(0);
    const second = await service.engine.createRun({ prompt: 'next', threadId });
    await service.settled(second.id);
    expect(JSON.stringify(service.llm.requests.at(-1)!.messages)).not.toContain('secret');
  });

  test('is refused for a run that is not settled, and for its thread', async () => {
    const { service, threadId } = await withThread(callsThenAnswer([[{ name: 'r__slow' }]]));
    const { id } = await service.engine.createRun({ prompt: 'one', threadId });
    await service.event(id, 'tool_call.dispatched');
    expect([
      await refusalOf(service.engine.deleteRun(id)),
      await refusalOf(service.engine.deleteThread(threadId)),
    ]).toEqual(['run_not_settled', 'thread_busy']);
    expect([
      await refusalOf(service.engine.deleteRun('nobody')),
      await refusalOf(service.engine.deleteThread('nowhere')),
    ]).toEqual(['run_not_found', 'thread_not_found']);
    await service.engine.cancelRun(id);
    await service.settled(id);
    await service.engine.deleteThread(threadId);
    expect([await service.read.thread(threadId), await service.read.run(id)]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
