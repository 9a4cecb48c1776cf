import { describe, expect, test } from 'vitest';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { queuedRun } from '../testing/queued-run.ts';
import { catalogueTool } from '../testing/catalogue-tool.ts';
import { eraseRun } from '../testing/erase-run.ts';

const ONE = [catalogueTool('x')];
const TWO = [catalogueTool('x'), catalogueTool('y')];
const EPOCH = {
  id: 'e',
  system: 'be kind',
  tools: [{ name: 'a__x', description: 'x', inputSchema: {} }],
  policies: { a: { approval: 'ask' } },
} as const;

/** Describes the behavior of every store adapter for epochs and catalogues. */
export function epochContract(name: string, open: OpenStore): void {
  describe(`store contract, epochs: ${name}`, () => {
    const openStore = openForTest(open);

    /** Opens a store in which `r1` and `r2` have an epoch and a catalogue. */
    async function openWithRuns() {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const id of ['r1', 'r2']) {
          await sql.insertRun(queuedRun(id));
          await sql.insertEpoch({ runId: id, ...EPOCH });
          await sql.insertCatalogue(id, { turn: 1, point: 'begin', tools: ONE });
        }
      });
      return store;
    }

    test('an epoch is returned with its run and is gone with it', async () => {
      const store = await openWithRuns();
      expect(await store.read.epoch('r1')).toEqual({ runId: 'r1', ...EPOCH });
      expect(await store.read.epoch('r3')).toBeUndefined();
      await eraseRun(store, 'r1');
      expect(await store.read.epoch('r1')).toBeUndefined();
      expect(await store.read.catalogues('r1')).toEqual([]);
      expect(await store.read.catalogues('r2')).toHaveLength(1);
    });

    test('catalogues are returned in order, and the last of each kind is found', async () => {
      const store = await openWithRuns();
      await store.write({}, async (sql) => {
        await sql.insertCatalogue('r1', { turn: 2, point: 'plan', tools: TWO });
        await sql.insertCatalogue('r1', { turn: 2, point: 'begin', tools: ONE });
      });
      const { read } = store;
      expect(await read.catalogues('r1')).toEqual([
        { turn: 1, point: 'begin', tools: ONE },
        { turn: 2, point: 'begin', tools: ONE },
        { turn: 2, point: 'plan', tools: TWO },
      ]);
      expect(await read.lastCatalogue('r1')).toEqual({ turn: 2, point: 'plan', tools: TWO });
      expect(await read.lastCatalogue('r1', 'begin')).toEqual({
        turn: 2,
        point: 'begin',
        tools: ONE,
      });
      expect(
        await Promise.all([
          read.isLastCatalogue('r1', TWO),
          read.isLastCatalogue('r1', ONE),
          read.isLastCatalogue('r1', ONE, 'begin'),
          read.isLastCatalogue('r3', ONE),
        ]),
      ).toEqual([true, false, true, false]);
    });
  });
}
