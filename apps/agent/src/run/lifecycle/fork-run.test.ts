import { expect, test } from 'vitest';
import { EngineError, type Fork } from '../../ports/run-engine.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY, untilCancelled } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

/** A settled run of three turns: two reads, then the answer. */
async function settledRun(): Promise<{ readonly service: Service; readonly id: string }> {
  const service = await openService({
    script: callsThenAnswer(
      [[{ name: 'r__read', input: { page: 1 } }], [{ name: 'r__read', input: { page: 2 } }]],
      'the answer',
    ),
    tools: {
      r__read: {
        annotations: READ_ONLY,
        call: ({ arguments: { page } }) => Promise.resolve(ok(`page ${String(page)}`)),
      },
      r__slow: { annotations: READ_ONLY, call: untilCancelled() },
    },
  });
  const { id } = await service.engine.createRun({
    prompt: 'read',
    instructions: 'Be brief.',
    metadata: { team: 'a' },
  });
  await service.settled(id);
  return { service, id };
}

const firstRequestOf = (service: Service, before: number): string =>
  service.llm.requests[before]!.messages.map(
    ({ role, content }) =>
      `${role}:${content.map((block) => ('text' in block ? block.text : block.type)).join('+')}`,
  ).join(' | ');

test.each<[string, Fork, string, number]>([
  [
    'after the last turn goes on with what the user says',
    { prompt: 'more' },
    'user:read | assistant:tool_use | user:tool_result | assistant:tool_use | user:tool_result | assistant:the answer | user:more',
    2,
  ],
  [
    'in the middle asks the model again without repeating a call',
    { atTurn: 1 },
    'user:read | assistant:tool_use | user:tool_result',
    3,
  ],
  [
    'in the middle may say something',
    { atTurn: 2, prompt: 'shorter' },
    'user:read | assistant:tool_use | user:tool_result | assistant:tool_use | user:tool_result+shorter',
    2,
  ],
  ['before the first turn begins anew', { atTurn: 0 }, 'user:read', 4],
  ['before the first turn may ask something else', { atTurn: 0, prompt: 'write' }, 'user:write', 4],
])('a fork %s', async (_name, fork, expected, sent) => {
  const { service, id } = await settledRun();
  const forked = await service.engine.forkRun(id, fork);
  expect(forked).toMatchObject({
    status: 'queued',
    forkedFrom: { runId: id, turn: fork.atTurn ?? 3 },
    instructions: 'Be brief.',
    metadata: { team: 'a' },
    turns: 0,
  });
  expect(await service.settled(forked.id)).toMatchObject({
    status: 'completed',
    answer: 'the answer',
  });
  expect(firstRequestOf(service, 3)).toBe(expected);
  expect(service.registry.sent).toHaveLength(sent);
  expect((await service.read.messages(id)).length).toBe(6);
});

test.each<[string, Fork, RegExp]>([
  ['after the answer without a prompt', {}, /Give the next message of the user in prompt/],
  ['at a turn that was never taken', { atTurn: 4 }, /at_turn can be 0 to 3/],
])('a fork %s is refused', async (_name, fork, message) => {
  const { service, id } = await settledRun();
  const error = await service.engine.forkRun(id, fork).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(EngineError);
  expect(error).toMatchObject({
    code: 'invalid_fork',
    message: expect.stringMatching(message) as unknown,
  });
  expect((await service.read.runs({ limit: 9 })).data).toHaveLength(1);
});

test('a run in progress is forked after the last turn whose calls have ended, and continues itself', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'r__read' }], [{ name: 'r__slow' }]]),
    tools: {
      r__read: { annotations: READ_ONLY, call: () => Promise.resolve(ok('page')) },
      r__slow: { annotations: READ_ONLY, call: untilCancelled() },
    },
  });
  const { id } = await service.engine.createRun({ prompt: 'read' });
  await service.until(async () =>
    service.registry.sent.find(({ wireName }) => wireName === 'r__slow'),
  );
  await expect(service.engine.forkRun(id, { atTurn: 2 })).rejects.toMatchObject({
    code: 'invalid_fork',
  });
  const fork = await service.engine.forkRun(id, { prompt: 'stop there' });
  expect(fork.forkedFrom).toEqual({ runId: id, turn: 1 });
  await service.until(async () => (service.registry.sent.length === 3 ? true : undefined));
  expect((await service.read.run(id))?.status).toBe('running');
  for (const each of [id, fork.id]) await service.engine.cancelRun(each);
  for (const each of [id, fork.id]) expect((await service.settled(each)).status).toBe('cancelled');
});

test('a fork of a run in a thread has the conversation before it, and is in no thread', async () => {
  const service = await openService({
    script: ({ messages }) => ({ text: `received ${messages.length}` }),
  });
  await service.store.write({}, (sql) =>
    sql.insertThread({ id: 't1', title: undefined, metadata: {}, createdAt: 1, updatedAt: 1 }),
  );
  for (const prompt of ['one', 'two'])
    await service.settled((await service.engine.createRun({ prompt, threadId: 't1' })).id);
  const [last] = (await service.read.runs({ limit: 1 })).data;
  const fork = await service.engine.forkRun(last!.id, { prompt: 'three' });
  expect(await service.settled(fork.id)).toMatchObject({
    answer: 'received 5',
    threadId: undefined,
  });
});

test('a fork that fails at once has no answer', async () => {
  const service = await openService({
    script: (_request, index) =>
      index === 0 ? { text: 'the first answer' } : { stop: 'refusal', text: '' },
  });
  const { id } = await service.engine.createRun({ prompt: 'one' });
  await service.settled(id);
  const fork = await service.engine.forkRun(id, { prompt: 'two' });
  expect(await service.settled(fork.id)).toMatchObject({ status: 'failed', answer: undefined });
});

test('a fork may have a different model, servers, instructions, limits and metadata; native items of the other model are left out', async () => {
  const { service, id } = await settledRun();
  const changes = {
    model: 'other-model',
    servers: ['r'],
    instructions: 'Be long.',
    limits: { turns: 7 },
    metadata: { team: 'b' },
    outputSchema: { type: 'object' },
  };
  const forked = await service.engine.forkRun(id, { atTurn: 1, ...changes });
  const { limits: _limits, ...others } = changes;
  expect(forked).toMatchObject({ ...others, limits: { turns: 7, toolCalls: 200 } });
  expect(
    (await service.read.messages(forked.id)).filter(({ native }) => native !== undefined),
  ).toEqual([]);
  await service.settled(forked.id);
  expect(service.llm.requests[3]).toMatchObject({ model: 'other-model' });
  await expect(
    service.engine.forkRun(id, { prompt: 'more', servers: ['nowhere'] }),
  ).rejects.toMatchObject({ code: 'unknown_server' });
});

test('a fork of a run that is deleted during the fork is refused, since its artifacts may be gone', async () => {
  const service = await openService({
    script: callsThenAnswer([]),
    changeStore: (store) => ({
      ...store,
      get workerId() {
        return store.workerId;
      },
      write: (locks, work, options) =>
        store.write(
          locks,
          (sql) =>
            work({
              ...sql,
              shareArtifacts: async (source, to) => {
                await sql.eraseRun(source.id);
                await sql.shareArtifacts(source, to);
              },
            }),
          options,
        ),
    }),
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  await expect(service.engine.forkRun(id, { prompt: 'again' })).rejects.toMatchObject({
    code: 'run_not_found',
  });
  expect((await service.read.runs({ limit: 9 })).data).toHaveLength(1);
});
