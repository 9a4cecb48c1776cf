import { expect, test } from 'vitest';
import type { Store, StoreTransaction } from '../../ports/store.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';
import { openService } from '../testing/service.ts';

/** Opens a service that counts the reads of whole rows and histories in its write transactions. */
async function openCounted(turns: number) {
  const counts = { run: 0, messages: 0, threadMessages: 0 };
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

test('a turn with a call reads the whole row of its run once in its transactions, and no history', async () => {
  const { service, counts } = await openCounted(3);
  const { id } = await service.engine.createRun({ prompt: 'go' });
  expect(await service.settled(id)).toMatchObject({ turns: 4 });
  expect(counts).toEqual({ run: 4, messages: 0, threadMessages: 0 });
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
