import { describe, expect, test } from 'vitest';
import { searchWords } from '../../text/search-text.ts';
import { eraseRun } from '../testing/erase-run.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import { queuedRun } from '../testing/queued-run.ts';
import { storedAgent } from '../testing/stored-agent.ts';
import type { Store } from '../store.ts';
import { InvalidCursorError } from './errors.ts';
import type { RunFilter } from './list.ts';

/** A time that needs more than 32 bits. */
const ENDED_AT = 1_800_000_000_000;

/** Describes the behavior of every store adapter for the search of runs. */
export function runSearchContract(name: string, open: OpenStore): void {
  describe(`store contract, search of runs: ${name}`, () => {
    const openStore = openForTest(open);

    const search = async (
      store: Store,
      query: string,
      filter: RunFilter = {},
    ): Promise<readonly string[]> =>
      (await store.read.runs({ limit: 9, ...filter, words: searchWords(query) })).data.map(
        ({ id }) => id,
      );

    test('a run is found by each word of its prompt, of its id, of the name of its agent, of its answer and of its error', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertAgent(storedAgent('agent-7', { name: 'Billing Bot' }), 'ci');
        await sql.insertRun(
          queuedRun('Run-1', { prompt: 'Sum the OPEN orders\nof café', agentId: 'agent-7' }),
        );
        await sql.insertRun(queuedRun('other', { prompt: 'Sum nothing' }));
      });
      for (const query of [
        'orders',
        'open sum',
        'Order',
        'CAFE',
        'run-1',
        'billing',
        'bot orders',
        'orders\u0000sum',
        'OR\u00adDERS',
      ])
        expect([query, await search(store, query)]).toEqual([query, ['Run-1']]);
      for (const query of ['invoices', 'sum invoices', 'billingbot', 'agent-7', 'limit_reached'])
        expect([query, await search(store, query)]).toEqual([query, []]);
      await store.write({ run: 'Run-1' }, async (sql) => {
        await sql.runCore('Run-1');
        await sql.updateRun('Run-1', {
          status: 'failed',
          answer: 'Two Invoices',
          error: { code: 'limit_reached', message: 'the turns are used up' },
          finishedAt: ENDED_AT,
        });
      });
      for (const query of ['invoices', 'sum invoices', 'limit_reached', 'TURNS orders'])
        expect([query, await search(store, query)]).toEqual([query, ['Run-1']]);
    });

    test('a run that was resumed is not found by its earlier outcome', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertRun(queuedRun('r1')));
      const answer = 'partial answer';
      await store.write({}, (sql) => sql.updateRun('r1', { answer, finishedAt: ENDED_AT }));
      expect(await search(store, 'partial')).toEqual(['r1']);
      await store.write({ run: 'r1' }, (sql) =>
        sql.updateRun('r1', { answer: undefined, error: undefined, finishedAt: undefined }),
      );
      expect(await search(store, 'partial')).toEqual([]);
      await store.write({}, (sql) =>
        sql.updateRun('r1', { answer: 'whole', finishedAt: ENDED_AT + 1 }),
      );
      expect(await search(store, 'whole')).toEqual(['r1']);
    });

    test('the characters of a search are text, in any script', async () => {
      const store = await openStore();
      const prompts = {
        quotes: `it's "quoted" NEAR(a b) AND title:* - ^ % _ \\ $$ ( '' ;--`,
        chinese: '查询订单的总数',
        arabic: '\u202eأوامر الشراء\u202c',
        emoji: 'a 👩‍🚀 flies',
        escape: 'x\u{10FFFE}0y',
      };
      await store.write({}, async (sql) => {
        for (const [id, prompt] of Object.entries(prompts))
          await sql.insertRun(queuedRun(id, { prompt }));
      });
      for (const [id, query] of [
        ['quotes', `"quoted"`],
        ['quotes', `it's`],
        ['quotes', `'' ;--`],
        ['quotes', 'near(a'],
        ['quotes', 'title:*'],
        ['quotes', '% _ \\ $$ ('],
        ['chinese', '订单'],
        ['arabic', 'الشراء'],
        ['emoji', '👩🚀'],
        ['escape', '\u{10FFFE}0'],
      ] as const)
        expect([query, await search(store, query)]).toEqual([query, [id]]);
      for (const query of [`' OR 1=1 --`, 'quo%', 'quote_', '"near', 'AND NOT', '订订'])
        expect([query, await search(store, query)]).toEqual([query, []]);
    });

    test('found runs are listed newest first, in pages, and match the other filters', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries())
          await sql.insertRun(
            queuedRun(id, {
              createdAt: index < 3 ? 1 : 2,
              status: id === 'b' ? 'failed' : 'queued',
              prompt: id === 'd' ? 'nothing' : 'count orders',
              metadata: { even: String(index % 2 === 0) },
            }),
          );
      });
      const words = ['orders'];
      const first = await store.read.runs({ limit: 2, words });
      await store.write({}, (sql) => sql.insertRun(queuedRun('z', { createdAt: 9 })));
      const second = await store.read.runs({ limit: 2, words, cursor: first.nextCursor ?? '' });
      expect([first, second].map((page) => page.data.map(({ id }) => id))).toEqual([
        ['e', 'c'],
        ['b', 'a'],
      ]);
      expect(second.nextCursor).toBeUndefined();
      expect(await search(store, 'orders', { status: ['failed'] })).toEqual(['b']);
      expect(await search(store, 'orders', { metadata: { even: 'true' } })).toEqual([
        'e',
        'c',
        'a',
      ]);
      expect(await search(store, 'orders', { kind: 'call' })).toEqual([]);
      await expect(store.read.runs({ limit: 1, words, cursor: 'x' })).rejects.toBeInstanceOf(
        InvalidCursorError,
      );
    });

    test('only the first 4,000 characters of a prompt and of an answer are searched', async () => {
      const store = await openStore();
      const long = `${'x '.repeat(1997)}found lost`;
      await store.write({}, (sql) => sql.insertRun(queuedRun('r1', { prompt: long })));
      await store.write({}, (sql) =>
        sql.updateRun('r1', {
          answer: long.replaceAll('found lost', 'FIND__ lose'),
          finishedAt: 2,
        }),
      );
      expect(await search(store, 'found find__')).toEqual(['r1']);
      expect(await search(store, 'lost')).toEqual([]);
      expect(await search(store, 'lose')).toEqual([]);
    });

    test('a search reads several thousand runs in order', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (let index = 0; index < 4500; index += 1)
          await sql.insertRun(
            queuedRun(`r${String(index).padStart(4, '0')}`, {
              createdAt: index >> 1,
              prompt: index % 1500 === 7 ? 'needle' : 'hay',
            }),
          );
      });
      const ids = ['r3007', 'r1507', 'r0007'];
      expect(await search(store, 'needle')).toEqual(ids);
      const page = await store.read.runs({ limit: 2, words: ['needle'] });
      const next = await store.read.runs({
        limit: 2,
        words: ['needle'],
        cursor: page.nextCursor ?? '',
      });
      expect([...page.data, ...next.data].map(({ id }) => id)).toEqual(ids);
    });

    test('an erased run is not found, and no text is missing for it', async () => {
      const store = await openStore();
      await store.write({}, (sql) =>
        sql.insertRun(queuedRun('r1', { status: 'completed', finishedAt: 2, answer: 'orders' })),
      );
      expect(await search(store, 'orders')).toEqual(['r1']);
      await store.write({}, (sql) => sql.eraseRun('r1'));
      expect(await search(store, 'orders')).toEqual([]);
      expect(await store.read.lacksTexts()).toBe(false);
      expect(await store.write({}, (sql) => sql.addMissingTexts(9))).toBe(0);
      await eraseRun(store, 'r1');
      expect(await search(store, 'orders')).toEqual([]);
    });
  });
}
