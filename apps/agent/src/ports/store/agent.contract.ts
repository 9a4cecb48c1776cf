import { describe, expect, test } from 'vitest';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { storedAgent } from '../testing/stored-agent.ts';
import { MAX_AGENT_VERSIONS } from './agent.ts';
import { InvalidCursorError } from './errors.ts';

const FULL = storedAgent('a2', {
  instructions: 'Be brief.',
  model: 'm',
  servers: ['x'],
  limits: { turns: 3 },
  modelSettings: { temperature: 0.5, toolChoice: 'none' },
  toolRules: { allow: ['x__*'], approvals: [{ tools: '*', policy: 'ask' }] },
  createdAt: 2,
  updatedAt: 3,
});

/** Describes the behavior of every store adapter for agents. */
export function agentContract(name: string, open: OpenStore): void {
  describe(`store contract, agents: ${name}`, () => {
    const openStore = openForTest(open);

    test('agents are read back as they were written, and listed newest first', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const each of [storedAgent('a1'), FULL]) await sql.insertAgent(each, 'ci');
      });
      expect(await store.read.agent('a2')).toEqual(FULL);
      expect(await store.read.agent('none')).toBeUndefined();
      expect(await store.read.agents({ limit: 9 })).toEqual({
        data: [FULL, storedAgent('a1')],
        nextCursor: undefined,
      });
      await expect(store.read.agents({ limit: 9, cursor: 'forged' })).rejects.toBeInstanceOf(
        InvalidCursorError,
      );
    });

    test('each definition of an agent is kept as a version with its API key and its time', async () => {
      const store = await openStore();
      const second = storedAgent('a2', { name: 'new', version: 2, createdAt: 2, updatedAt: 9 });
      await store.write({}, async (sql) => {
        await sql.insertAgent(storedAgent('a1'), 'other');
        await sql.insertAgent(FULL, 'ci');
        await sql.replaceAgent(second, 'ada');
      });
      expect(await store.read.agent('a2')).toEqual(second);
      const { id: agentId, createdAt: _createdAt, updatedAt, ...definition } = FULL;
      expect(await store.read.agentVersion('a2', 1)).toEqual({
        agentId,
        ...definition,
        apiKey: 'ci',
        createdAt: updatedAt,
      });
      expect(await store.read.agentVersion('a2', 2)).toMatchObject({ name: 'new', apiKey: 'ada' });
      expect(await store.read.agentVersion('a2', 3)).toBeUndefined();
      const entry = { agentId: 'a2', name: 'new', version: 2, apiKey: 'ada', createdAt: 9 };
      const first = await store.read.agentVersions('a2', { limit: 1 });
      expect(first.data).toEqual([entry]);
      const rest = await store.read.agentVersions('a2', {
        limit: 1,
        cursor: first.nextCursor ?? '',
      });
      expect([rest.data.map(({ version }) => version), rest.nextCursor]).toEqual([[1], undefined]);
      await expect(
        store.read.agentVersions('a2', { limit: 9, cursor: 'forged' }),
      ).rejects.toBeInstanceOf(InvalidCursorError);
    });

    test('the oldest versions beyond the maximum are deleted with the change that exceeds it', async () => {
      const store = await openStore();
      const versions = async (id: string): Promise<readonly number[]> =>
        (await store.read.agentVersions(id, { limit: 200 })).data.map(({ version }) => version);
      await store.write({}, async (sql) => {
        for (const id of ['a1', 'a2']) await sql.insertAgent(storedAgent(id), 'ci');
        for (let version = 2; version <= MAX_AGENT_VERSIONS; version += 1)
          await sql.replaceAgent(storedAgent('a1', { version }), 'ci');
      });
      expect(await versions('a1')).toHaveLength(MAX_AGENT_VERSIONS);
      await store.write({}, (sql) =>
        sql.replaceAgent(storedAgent('a1', { version: MAX_AGENT_VERSIONS + 1 }), 'ci'),
      );
      const kept = await versions('a1');
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([
        MAX_AGENT_VERSIONS,
        MAX_AGENT_VERSIONS + 1,
        2,
      ]);
      expect(await versions('a2')).toEqual([1]);
    });

    test('changes of an agent at the same time make one version each', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertAgent(storedAgent('a1'), 'ci'));
      const change = (changed: string): Promise<void> =>
        store.write({}, async (sql) => {
          const found = await sql.agentToChange('a1');
          const version = (found?.version ?? 0) + 1;
          await sql.replaceAgent(storedAgent('a1', { name: changed, version }), 'ci');
        });
      await Promise.all(['x', 'y', 'z'].map(change));
      const { data } = await store.read.agentVersions('a1', { limit: 9 });
      expect(data.map(({ version }) => version)).toEqual([4, 3, 2, 1]);
      expect(data.map((entry) => entry.name).toSorted()).toEqual(['agent', 'x', 'y', 'z']);
    });

    test('an agent is deleted with its versions', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertAgent(storedAgent('a1'), 'ci'));
      const removed = await store.write({}, async (sql) => [
        await sql.deleteAgent('a1'),
        await sql.deleteAgent('a1'),
      ]);
      expect(removed).toEqual([true, false]);
      expect([
        await store.read.agent('a1'),
        await store.read.agentVersion('a1', 1),
        await store.write({}, (sql) => sql.agentToChange('a1')),
      ]).toEqual([undefined, undefined, undefined]);
    });
  });
}
