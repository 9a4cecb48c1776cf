import { expect, test } from 'vitest';
import type { Store, StoreTransaction } from '../../ports/store.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService } from '../testing/service.ts';

/** Opens a service that counts reads in its write transactions. */
async function openCounted(turns: number) {
  const counts = {
    run: 0,
    messages: 0,
    threadMessages: 0,
    runCore: 0,
    activeTurn: 0,
    inboxEntries: 0,
  };
  const counted = (sql: StoreTransaction): StoreTransaction => ({
    ...sql,
    run: (id) => {
      counts.run += 1;
      return sql.run(id);
    },
    messages: (id) => {
      counts.messages += 1;
      return sql.messages(id);
    },
    runCore: (id) => {
      counts.runCore += 1;
      return sql.runCore(id);
    },
    activeTurn: (id) => {
      counts.activeTurn += 1;
      return sql.activeTurn(id);
    },
    inboxEntries: (options) => {
      counts.inboxEntries += 1;
      return sql.inboxEntries(options);
    },
    threadMessages: (id, options) => {
      counts.threadMessages += 1;
      return sql.threadMessages(id, options);
    },
  });
  const service = await openService({
    script: callsThenAnswer(Array.from({ length: turns }, () => [{ name: 'a__b' }])),
    tools: { a__b: { annotations: READ_ONLY, call: () => Promise.resolve(ok('done')) } },
    changeStore: (store): Store => ({
      ...store,
      write: (locks, work, options) => store.write(locks, (sql) => work(counted(sql)), options),
    }),
  });
  return { service, counts };
}

test('the turns of a run read its whole row once in their transactions, and no history', async () => {
  const { service, counts } = await openCounted(3);
  const { id } = await service.engine.createRun({ prompt: 'go' });
  expect(await service.settled(id)).toMatchObject({ turns: 4 });
  expect(counts).toMatchObject({ run: 1, messages: 0, threadMessages: 0 });
});

test('the transactions of a turn read the state of its run, turn and inbox only where it decides something', async () => {
  const totals = async (turns: number) => {
    const { service, counts } = await openCounted(turns);
    const { id } = await service.engine.createRun({ prompt: 'go' });
    await service.settled(id);
    return counts;
  };
  const [some, more] = [await totals(2), await totals(3)];
  // The start of a turn, the message of the model and the dispatch of a call read the run. The start of a turn and the end
  // of the last call look for a turn, and also for items, of which the call may have its own.
  expect({
    runCore: more.runCore - some.runCore,
    activeTurn: more.activeTurn - some.activeTurn,
    inboxEntries: more.inboxEntries - some.inboxEntries,
  }).toEqual({ runCore: 3, activeTurn: 2, inboxEntries: 3 });
});

test('a fork reads the history before its transaction', async () => {
  const { service, counts } = await openCounted(1);
  const { id: threadId } = await service.engine.createThread({ title: undefined, metadata: {} });
  const { id } = await service.engine.createRun({ prompt: 'go', threadId });
  await service.settled(id);
  Object.assign(counts, { run: 0 });
  const fork = await service.engine.forkRun(id, { prompt: 'again' });
  await service.settled(fork.id);
  expect(counts).toMatchObject({ messages: 0, threadMessages: 0 });
  expect((await service.read.messages(fork.id)).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
});
