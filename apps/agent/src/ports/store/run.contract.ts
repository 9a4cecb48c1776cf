import { describe, expect, test } from 'vitest';
import { queuedRun } from '../testing/queued-run.ts';
import { InvalidCursorError } from './errors.ts';
import type { Run } from './run.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';

/** Describes the behavior of every store adapter for runs. */
export function runContract(name: string, open: OpenStore): void {
  describe(`store contract, runs: ${name}`, () => {
    const openStore = openForTest(open);

    test('a run is read back as it was written, absent fields included', async () => {
      const store = await openStore();
      const run: Run = {
        ...queuedRun('r1'),
        servers: ['a', 'b'],
        prompt: '[1,2]',
        usage: {
          input: 1,
          cacheRead: 0,
          cacheWrite: 0,
          output: 2,
          reasoning: 0,
          source: 'reported',
        },
      };
      await store.write({}, (sql) => sql.insertRun(run));
      expect(await store.read.run('r1')).toEqual(run);
      expect(await store.read.run('r2')).toBeUndefined();
    });

    test('a patch sets its fields, clears its undefined fields and leaves the other fields', async () => {
      const store = await openStore();
      await store.write({}, (sql) =>
        sql.insertRun({ ...queuedRun('r1'), statusReason: 'asked', answer: 'half' }),
      );
      await store.write({}, (sql) =>
        sql.updateRun('r1', {
          status: 'running',
          statusReason: undefined,
          error: { code: 'x', message: 'y' },
        }),
      );
      await store.write({}, (sql) => sql.updateRun('r1', {}));
      expect(await store.read.run('r1')).toMatchObject({
        status: 'running',
        statusReason: undefined,
        answer: 'half',
        error: { code: 'x', message: 'y' },
      });
    });

    test('a transaction reads its own writes of the run that it locks, and stores them with its events', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id, { status: 'running' }));
      });
      const seen = await store.write({ run: 'r1' }, async (sql) => {
        const before = await sql.runCore('r1');
        await sql.updateRun('r1', { turns: 1 });
        await sql.updateRun('r1', { toolCalls: 2 });
        await sql.updateRun('r2', { turns: 5 });
        const counted = [await sql.runCore('r1'), await sql.run('r1'), await sql.runCore('r2')];
        const first = await sql.append('r1', [{ type: 'a', data: {} }]);
        await sql.updateRun('r1', { status: 'failed', statusReason: 'why' });
        const last = await sql.append('r1', [
          { type: 'b', data: {} },
          { type: 'c', data: {} },
        ]);
        await sql.updateRun('r1', { cutTurns: 3 });
        const seqs = [first, last, await sql.append('r2', [{ type: 'd', data: {} }])];
        return {
          before,
          counted,
          seqs,
          ended: [await sql.runStatus('r1'), await sql.activeRun('r1')],
        };
      });
      expect(seen).toMatchObject({
        before: { turns: 0, toolCalls: 0, lastSeq: 0 },
        counted: [
          { turns: 1, toolCalls: 2 },
          { turns: 1, toolCalls: 2, prompt: queuedRun('r1').prompt },
          { turns: 5 },
        ],
        seqs: [1, 3, 1],
        ended: ['failed', undefined],
      });
      expect(await store.read.run('r1')).toEqual({
        ...queuedRun('r1'),
        status: 'failed',
        statusReason: 'why',
        turns: 1,
        toolCalls: 2,
        cutTurns: 3,
        lastSeq: 3,
      });
      const types = (await store.read.events('r1', { after: 0, limit: 9 })).map(({ type }) => type);
      expect(types).toEqual(['a', 'b', 'c']);
    });

    test('a transaction that locks a run does not read it any more when it erased it, and reads one that it inserted', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertRun(queuedRun('old')));
      const erased = await store.write({ run: 'old' }, async (sql) => {
        const before = await sql.runStatus('old');
        await sql.eraseRun('old');
        return [before, await sql.runStatus('old'), await sql.run('old')];
      });
      expect(erased).toEqual(['queued', undefined, undefined]);
      expect(await store.write({ run: 'old' }, (sql) => sql.runStatus('old'))).toBeUndefined();
      const inserted = await store.write({ run: 'new' }, async (sql) => {
        const before = await sql.runStatus('new');
        await sql.insertRun(queuedRun('new'));
        await sql.updateRun('new', { turns: 1 });
        return [
          before,
          (await sql.runCore('new'))?.turns,
          await sql.append('new', [{ type: 'a', data: {} }]),
        ];
      });
      expect(inserted).toEqual([undefined, 1, 1]);
      const unread = await store.write({ run: 'r' }, async (sql) => {
        await sql.insertRun(queuedRun('r', { status: 'running' }));
        return (await sql.activeRun('r'))?.id;
      });
      expect(unread).toBe('r');
    });

    test("transactions on one run at once see each other's writes", async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertRun(queuedRun('r1')));
      await Promise.all(
        Array.from({ length: 20 }, () =>
          store.write({ run: 'r1' }, async (sql) => {
            const turns = ((await sql.runCore('r1'))?.turns ?? 0) + 1;
            await sql.updateRun('r1', { turns });
            await sql.append('r1', [{ type: 'a', data: { turns } }]);
          }),
        ),
      );
      expect(await store.read.run('r1')).toMatchObject({ turns: 20, lastSeq: 20 });
      const events = await store.read.events('r1', { after: 0, limit: 30 });
      expect(events.map(({ data }) => data['turns'])).toEqual(events.map(({ seq }) => seq));
    });

    test('runs are listed newest first, in pages that are stable when runs are added, and by status', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries())
          await sql.insertRun({
            ...queuedRun(id),
            createdAt: index < 3 ? 1 : 2,
            status: id === 'b' ? 'failed' : 'queued',
          });
      });
      const first = await store.read.runs({ limit: 2 });
      await store.write({}, (sql) => sql.insertRun({ ...queuedRun('z'), createdAt: 9 }));
      const second = await store.read.runs({ limit: 2, cursor: first.nextCursor ?? '' });
      const third = await store.read.runs({ limit: 2, cursor: second.nextCursor ?? '' });
      expect([first, second, third].map((page) => page.data.map((run) => run.id))).toEqual([
        ['e', 'd'],
        ['c', 'b'],
        ['a'],
      ]);
      expect(third.nextCursor).toBeUndefined();
      expect(
        (await store.read.runs({ limit: 10, status: ['failed'] })).data.map((run) => run.id),
      ).toEqual(['b']);
    });

    test.each([
      '',
      'x',
      'bm9wZQ',
      Buffer.from('[1,2]').toString('base64url'),
      Buffer.from('["1","x"]').toString('base64url'),
    ])('cursor %j is refused', async (cursor) => {
      const store = await openStore();
      await expect(store.read.runs({ limit: 1, cursor })).rejects.toBeInstanceOf(
        InvalidCursorError,
      );
    });

    test('a list of runs has long texts truncated and long values left out, and the run has the whole values', async () => {
      const store = await openStore();
      const long = {
        prompt: 'p'.repeat(3000),
        instructions: 'i'.repeat(3000),
        answer: 'a'.repeat(3000),
        output: { text: 'o'.repeat(5000) },
      };
      await store.write({}, async (sql) => {
        await sql.insertRun({ ...queuedRun('r1'), ...long, createdAt: 2 });
        await sql.insertRun({
          ...queuedRun('r2'),
          outputSchema: { type: 'object', description: 's'.repeat(5000) },
          createdAt: 1,
        });
        await sql.insertRun({
          ...queuedRun('r3'),
          modelSettings: { maxTokens: 9, effort: 'low' },
          output: { a: 1 },
          createdAt: 0,
        });
      });
      const [first, second, third] = (await store.read.runs({ limit: 9 })).data;
      expect(first).toMatchObject({
        id: 'r1',
        isShortened: true,
        prompt: `${'p'.repeat(1000)}…`,
        instructions: `${'i'.repeat(1000)}…`,
        answer: `${'a'.repeat(1000)}…`,
        output: undefined,
      });
      expect(second).toMatchObject({ id: 'r2', isShortened: true, outputSchema: undefined });
      expect(third).toEqual({
        ...queuedRun('r3'),
        modelSettings: { maxTokens: 9, effort: 'low' },
        output: { a: 1 },
        createdAt: 0,
        isShortened: false,
      });
      expect(await store.read.run('r1')).toMatchObject(long);
    });

    test('the sampling requests of a server are counted by run', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id));
      });
      const count = (runId: string, server: string): Promise<number> =>
        store.write({}, (sql) => sql.countSampling(runId, server));
      expect([
        await count('r1', 'a'),
        await count('r1', 'a'),
        await count('r1', 'b'),
        await count('r2', 'a'),
      ]).toEqual([1, 2, 1, 1]);
    });

    test('runs of an API key that are in progress are counted', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.lockApiKey('a');
        for (const status of ['queued', 'running', 'input_required', 'cancelling', 'completed'])
          await sql.insertRun(queuedRun(status, { apiKey: 'a', status: status as Run['status'] }));
        await sql.insertRun(queuedRun('call', { apiKey: 'a', status: 'running', kind: 'call' }));
        await sql.insertRun(queuedRun('other', { apiKey: 'b', status: 'running' }));
      });
      expect([
        await store.read.runsInProgress('a'),
        await store.read.runsInProgress('b'),
        await store.read.runsInProgress('c'),
      ]).toEqual([2, 1, 0]);
    });

    test('the time of the nth latest run of an API key is returned if it is late enough', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const createdAt of [1, 2, 3, 5])
          await sql.insertRun(queuedRun(`r${createdAt}`, { apiKey: 'a', createdAt }));
        await sql.insertRun(queuedRun('other', { apiKey: 'b', createdAt: 4 }));
      });
      const at = (nth: number, since: number): Promise<number | undefined> =>
        store.read.createdAtOfLatest('a', { nth, since });
      expect([await at(1, 0), await at(2, 0), await at(4, 0), await at(5, 0)]).toEqual([
        5,
        3,
        1,
        undefined,
      ]);
      expect([await at(2, 2), await at(2, 3)]).toEqual([3, undefined]);
    });

    test('due retries are read in pages, earliest first', async () => {
      const store = await openStore();
      const times = { late: 9, due: 5, b: 3, a: 3, first: 1 };
      await store.write({}, async (sql) => {
        for (const [id, retryAt] of Object.entries(times))
          await sql.insertRun({ ...queuedRun(id), status: 'running', retryAt });
        await sql.insertRun({ ...queuedRun('none'), status: 'running' });
      });
      const page = await store.read.retries({ until: 5, limit: 2 });
      expect(page).toEqual([
        { runId: 'first', retryAt: 1 },
        { runId: 'a', retryAt: 3 },
      ]);
      expect(await store.read.retries({ until: 5, limit: 9, after: page[1] })).toEqual([
        { runId: 'b', retryAt: 3 },
        { runId: 'due', retryAt: 5 },
      ]);
      await store.write({}, (sql) => sql.updateRun('first', { retryAt: undefined }));
      expect(await store.read.retries({ until: 2, limit: 9 })).toEqual([]);
    });

    test('unsettled runs are the runs without a terminal status', async () => {
      const store = await openStore();
      const statuses: readonly Run['status'][] = [
        'queued',
        'running',
        'input_required',
        'cancelling',
        'completed',
        'failed',
        'cancelled',
        'expired',
      ];
      await store.write({}, async (sql) => {
        for (const [createdAt, status] of statuses.entries())
          await sql.insertRun({ ...queuedRun(status), status, createdAt });
      });
      expect(
        await store.read.runIds(['input_required', 'queued', 'running', 'cancelling']),
      ).toEqual(['queued', 'running', 'input_required', 'cancelling']);
    });
  });
}
