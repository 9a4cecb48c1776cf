import { afterEach, describe, expect, test } from 'vitest';
import {
  InvalidCursorError,
  type AuditEntry,
  type InboxItem,
  type RememberedApproval,
  type Run,
  type RunStore,
  type ToolCall,
} from './run-store.ts';
import { queuedRun } from './testing/queued-run.ts';

/** What every adapter of the run store must do. `open` gives a store that is empty. */
export function runStoreContract(name: string, open: () => Promise<RunStore>): void {
  describe(`run store contract: ${name}`, () => {
    let opened: RunStore | undefined;
    const openStore = async (): Promise<RunStore> => (opened = await open());
    afterEach(async () => {
      await opened?.close();
      opened = undefined;
    });

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
      await store.write((sql) => sql.insertRun(run));
      expect(await store.read.run('r1')).toEqual(run);
      expect(await store.read.run('r2')).toBeUndefined();
    });

    test('a patch sets the fields it names, clears those it names with undefined and leaves the rest', async () => {
      const store = await openStore();
      await store.write((sql) =>
        sql.insertRun({ ...queuedRun('r1'), statusReason: 'asked', answer: 'half' }),
      );
      await store.write((sql) =>
        sql.updateRun('r1', {
          status: 'running',
          statusReason: undefined,
          error: { code: 'x', message: 'y' },
        }),
      );
      await store.write((sql) => sql.updateRun('r1', {}));
      expect(await store.read.run('r1')).toMatchObject({
        status: 'running',
        statusReason: undefined,
        answer: 'half',
        error: { code: 'x', message: 'y' },
      });
    });

    test('events take the next numbers in commit order, without gap or duplicate, under concurrent writers', async () => {
      const store = await openStore();
      await store.write((sql) => sql.insertRun(queuedRun('r1')));
      const last = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          store.write((sql) =>
            sql.append('r1', [
              { type: 'a', data: { index } },
              { type: 'b', data: { index } },
            ]),
          ),
        ),
      );
      const events = await store.read.events('r1', { after: 0, limit: 1000 });
      expect(events.map((event) => event.seq)).toEqual(
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
      expect(new Set(last).size).toBe(30);
      expect(
        events
          .filter((_, index) => index % 2 === 1)
          .every((event, pair) => event.data['index'] === events[pair * 2]?.data['index']),
      ).toBe(true);
      expect((await store.read.run('r1'))?.lastSeq).toBe(60);
    });

    test('a page of events starts after a number and is limited', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.append(
          'r1',
          ['a', 'b', 'c', 'd'].map((type) => ({ type, data: {} })),
        );
      });
      expect(
        (await store.read.events('r1', { after: 1, limit: 2 })).map((event) => event.type),
      ).toEqual(['b', 'c']);
      expect(await store.read.events('r1', { after: 4, limit: 2 })).toEqual([]);
    });

    test('a transaction that throws leaves nothing, its event numbers included', async () => {
      const store = await openStore();
      await store.write((sql) => sql.insertRun(queuedRun('r1')));
      const failed = store.write(async (sql) => {
        await sql.append('r1', [{ type: 'lost', data: {} }]);
        await sql.updateRun('r1', { status: 'running' });
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      expect(await store.read.run('r1')).toMatchObject({ status: 'queued', lastSeq: 0 });
      expect(await store.write((sql) => sql.append('r1', [{ type: 'kept', data: {} }]))).toBe(1);
    });

    test('an event of a run that does not exist is refused', async () => {
      const store = await openStore();
      await expect(
        store.write((sql) => sql.append('nobody', [{ type: 'a', data: {} }])),
      ).rejects.toBeInstanceOf(Error);
    });

    test('readers see nothing of a transaction before its commit, the transaction sees its own writes', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        expect(await sql.run('r1')).toBeDefined();
        expect(await store.read.run('r1')).toBeUndefined();
      });
      expect(await store.read.run('r1')).toBeDefined();
    });

    test('runs are listed newest first in pages that survive new runs, and by status', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries())
          await sql.insertRun({
            ...queuedRun(id),
            createdAt: index < 3 ? 1 : 2,
            status: id === 'b' ? 'failed' : 'queued',
          });
      });
      const first = await store.read.runs({ limit: 2 });
      await store.write((sql) => sql.insertRun({ ...queuedRun('z'), createdAt: 9 }));
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

    test('messages keep their order, blocks and native items', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertMessage('r1', {
          id: 'm2',
          turn: 0,
          role: 'user',
          content: [{ type: 'text', text: '{"not":"parsed"}' }],
        });
        await sql.insertMessage('r1', {
          id: 'm1',
          turn: 1,
          role: 'assistant',
          content: [],
          native: { provider: 'p', model: 'm', items: [{ b: 1, a: 2 }] },
        });
      });
      expect(await store.read.messages('r1')).toEqual([
        { id: 'm2', turn: 0, role: 'user', content: [{ type: 'text', text: '{"not":"parsed"}' }] },
        {
          id: 'm1',
          turn: 1,
          role: 'assistant',
          content: [],
          native: { provider: 'p', model: 'm', items: [{ b: 1, a: 2 }] },
        },
      ]);
    });

    test('a tool call changes only from an expected state and attempt', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertToolCall(callRow('c1'));
      });
      const update = (
        state: ToolCall['state'],
        attempt: number,
        patch: Partial<ToolCall>,
      ): Promise<boolean> =>
        store.write((sql) => sql.updateToolCall('c1', { state: [state], attempt }, patch));
      expect(await update('planned', 1, { state: 'failed' })).toBe(false);
      expect(await update('dispatched', 0, { state: 'failed' })).toBe(false);
      expect(await update('planned', 0, { state: 'dispatched', attempt: 1, owner: 'boot' })).toBe(
        true,
      );
      expect(await store.read.toolCall('c1')).toEqual({
        ...callRow('c1'),
        state: 'dispatched',
        attempt: 1,
        owner: 'boot',
      });
      expect(
        await store.write((sql) =>
          sql.updateToolCall(
            'c1',
            { state: ['input_required', 'dispatched'] },
            { state: 'succeeded', owner: undefined },
          ),
        ),
      ).toBe(true);
      expect((await store.read.toolCall('c1'))?.owner).toBeUndefined();
    });

    test('tool calls come by turn and position and can be filtered', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertToolCall({ ...callRow('c1'), turn: 2, state: 'unknown' });
        await sql.insertToolCall({ ...callRow('c2'), position: 1 });
        await sql.insertToolCall(callRow('c3'));
      });
      const ids = async (
        filter: Parameters<RunStore['read']['toolCalls']>[1],
      ): Promise<readonly string[]> =>
        (await store.read.toolCalls('r1', filter)).map((call) => call.id);
      expect(await ids(undefined)).toEqual(['c3', 'c2', 'c1']);
      expect(await ids({ turn: 1 })).toEqual(['c3', 'c2']);
      expect(await ids({ state: ['unknown', 'failed'] })).toEqual(['c1']);
    });

    test('of several answers to an inbox item one wins', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertInboxItem(itemRow('i1'));
      });
      const answers = await Promise.all(
        [1, 2, 3].map((n) =>
          store.write((sql) =>
            sql.updateInboxItem('i1', 'open', {
              state: 'answered',
              response: { n },
              answeredAt: n,
            }),
          ),
        ),
      );
      expect(answers).toEqual([true, false, false]);
      expect(await store.read.inboxItem('i1')).toEqual({
        ...itemRow('i1'),
        state: 'answered',
        response: { n: 1 },
        answeredAt: 1,
      });
    });

    test('inbox items are listed oldest first, by run and state', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertRun(queuedRun('r2'));
        await sql.insertInboxItem({ ...itemRow('i1'), createdAt: 5 });
        await sql.insertInboxItem({ ...itemRow('i2'), runId: 'r2', createdAt: 3 });
        await sql.insertInboxItem({ ...itemRow('i3'), state: 'void', createdAt: 4 });
      });
      const ids = async (
        options: Parameters<RunStore['read']['inboxItems']>[0],
      ): Promise<readonly string[]> =>
        (await store.read.inboxItems(options)).map((item) => item.id);
      expect(await ids({})).toEqual(['i2', 'i3', 'i1']);
      expect(await ids({ runId: 'r1', state: 'open' })).toEqual(['i1']);
    });

    test('the inbox is paged oldest first, and no item is left out or given twice', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        for (const id of ['i3', 'i1', 'i2'])
          await sql.insertInboxItem({ ...itemRow(id), createdAt: 7 });
        await sql.insertInboxItem({ ...itemRow('i0'), createdAt: 9 });
        await sql.insertInboxItem({ ...itemRow('i4'), createdAt: 6, state: 'void' });
      });
      const first = await store.read.inbox({ limit: 2 });
      const second = await store.read.inbox({ limit: 2, cursor: first.nextCursor ?? '' });
      const third = await store.read.inbox({ limit: 2, cursor: second.nextCursor ?? '' });
      expect([first, second, third].map(({ data }) => data.map(({ id }) => id))).toEqual([
        ['i4', 'i1'],
        ['i2', 'i3'],
        ['i0'],
      ]);
      expect(third.nextCursor).toBeUndefined();
      expect(
        (await store.read.inbox({ limit: 9, runId: 'r1', state: 'void' })).data.map(({ id }) => id),
      ).toEqual(['i4']);
      await expect(store.read.inbox({ limit: 2, cursor: 'forged' })).rejects.toBeInstanceOf(
        InvalidCursorError,
      );
    });

    test('a list shows a long question cut, and the item itself has all of it', async () => {
      const store = await openStore();
      const request = {
        server: 'a',
        message: 'm'.repeat(8000),
        requested_schema: {
          type: 'object',
          properties: { f: { type: 'string', description: 'd'.repeat(60_000) } },
        },
      };
      await store.write(async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertInboxItem({ ...itemRow('i1'), request });
        await sql.insertInboxItem({ ...itemRow('i2'), request: { message: 'short' } });
      });
      const [long, short] = (await store.read.inbox({ limit: 9 })).data;
      expect(long).toMatchObject({
        id: 'i1',
        isShortened: true,
        request: { server: 'a', message: `${'m'.repeat(500)}…`, requested_schema: {} },
      });
      expect(short).toMatchObject({ id: 'i2', isShortened: false, request: { message: 'short' } });
      expect((await store.read.inboxItem('i1'))?.request).toEqual(request);
      await store.write((sql) =>
        sql.updateInboxItem('i2', 'open', { request: { message: 'n'.repeat(9000) } }),
      );
      expect((await store.read.inbox({ limit: 9 })).data[1]).toMatchObject({
        isShortened: true,
        request: { message: `${'n'.repeat(500)}…` },
      });
    });

    test('the open items of several runs are read at once, the oldest 20 of each', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        for (const id of ['r1', 'r2', 'r3']) await sql.insertRun(queuedRun(id));
        for (let count = 0; count < 25; count += 1)
          await sql.insertInboxItem({ ...itemRow(`a${count}`), createdAt: count });
        await sql.insertInboxItem({ ...itemRow('b1'), runId: 'r2', createdAt: 3 });
        await sql.insertInboxItem({ ...itemRow('b2'), runId: 'r2', createdAt: 2, state: 'void' });
        await sql.insertInboxItem({ ...itemRow('c1'), runId: 'r3' });
      });
      const items = await store.read.openInbox(['r1', 'r2']);
      expect(items.filter(({ runId }) => runId === 'r1').map(({ id }) => id)).toEqual(
        Array.from({ length: 20 }, (_, index) => `a${index}`),
      );
      expect(items.filter(({ runId }) => runId !== 'r1').map(({ id }) => id)).toEqual(['b1']);
      expect(await store.read.openInbox([])).toEqual([]);
    });

    test('a list of runs has long texts cut and long values left out, and the run itself has all of them', async () => {
      const store = await openStore();
      const long = {
        prompt: 'p'.repeat(3000),
        instructions: 'i'.repeat(3000),
        answer: 'a'.repeat(3000),
        output: { text: 'o'.repeat(5000) },
      };
      await store.write(async (sql) => {
        await sql.insertRun({ ...queuedRun('r1'), ...long, createdAt: 2 });
        await sql.insertRun({
          ...queuedRun('r2'),
          outputSchema: { type: 'object', description: 's'.repeat(5000) },
          createdAt: 1,
        });
        await sql.insertRun({ ...queuedRun('r3'), output: { a: 1 }, createdAt: 0 });
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
        output: { a: 1 },
        createdAt: 0,
        isShortened: false,
      });
      expect(await store.read.run('r1')).toMatchObject(long);
    });

    test('the tool calls of a run are paged in order of turn and position', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        for (const [id, turn, position] of [
          ['c4', 2, 1],
          ['c1', 1, 0],
          ['c3', 2, 0],
          ['c2', 1, 1],
        ] as const)
          await sql.insertToolCall({ ...callRow(id), turn, position });
      });
      const first = await store.read.toolCallPage('r1', { limit: 3 });
      const second = await store.read.toolCallPage('r1', {
        limit: 3,
        cursor: first.nextCursor ?? '',
      });
      expect([first, second].map(({ data }) => data.map(({ id }) => id))).toEqual([
        ['c1', 'c2', 'c3'],
        ['c4'],
      ]);
      expect(second.nextCursor).toBeUndefined();
    });

    test('the partial text of a run is one row that is overwritten and removed', async () => {
      const store = await openStore();
      await store.write((sql) => sql.insertRun(queuedRun('r1')));
      await store.write((sql) => sql.savePartial('r1', { messageId: 'm1', text: 'a' }));
      await store.write((sql) => sql.savePartial('r1', { messageId: 'm1', text: 'ab' }));
      expect(await store.read.partial('r1')).toEqual({ messageId: 'm1', text: 'ab' });
      await store.write((sql) => sql.savePartial('r1', undefined));
      expect(await store.read.partial('r1')).toBeUndefined();
    });

    test('an attempt of a turn ends once', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.startTurn({ runId: 'r1', turn: 1, owner: 'boot', messageId: 'm1' });
      });
      expect(await store.read.activeTurn('r1')).toEqual({
        turn: 1,
        owner: 'boot',
        messageId: 'm1',
      });
      expect(await store.write((sql) => sql.endTurn('m1', 'interrupted'))).toBe(true);
      expect(await store.write((sql) => sql.endTurn('m1', 'completed'))).toBe(false);
      expect(await store.read.activeTurn('r1')).toBeUndefined();
    });

    test('approvals that are remembered count for their run, and where they say so for its thread, until they are forgotten', async () => {
      const store = await openStore();
      const approval = (id: string, runId: string, threadId?: string): RememberedApproval => ({
        id,
        runId,
        threadId,
        itemId: 'i',
        server: 's',
        tool: 't',
        serverDigest: 'a',
        toolDigest: 'b',
        createdAt: 1,
      });
      await store.write(async (sql) => {
        for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id));
        for (const each of [approval('p1', 'r1'), approval('p2', 'r2'), approval('p3', 'r2', 'th')])
          await sql.rememberApproval(each);
      });
      const ids = async (filter: {
        readonly runId: string;
        readonly threadId?: string;
      }): Promise<readonly string[]> =>
        (await store.read.rememberedApprovals(filter)).map(({ id }) => id);
      expect(await ids({ runId: 'r1' })).toEqual(['p1']);
      expect(await ids({ runId: 'r1', threadId: 'th' })).toEqual(['p1', 'p3']);
      expect(await store.write((sql) => sql.forgetApproval('p3'))).toBe(true);
      expect(await store.write((sql) => sql.forgetApproval('p3'))).toBe(false);
      expect(await store.read.rememberedApprovals()).toEqual([
        approval('p1', 'r1'),
        approval('p2', 'r2'),
      ]);
    });

    test('S-241: audit entries are numbered in the order of commits, and one that is rolled back leaves no trace', async () => {
      const store = await openStore();
      const entry: AuditEntry = {
        who: 'policy',
        runId: 'r1',
        callId: 'c',
        itemId: undefined,
        kind: 'tool_call',
        server: 's',
        tool: 't',
        argumentsSha256: 'x',
        decision: 'asked',
        outcome: undefined,
      };
      await store.write((sql) => sql.appendAudit([entry, { ...entry, runId: 'r2' }]));
      const failing = store.write(async (sql) => {
        await sql.appendAudit([entry]);
        throw new Error('changed my mind');
      });
      await expect(failing).rejects.toThrow('changed my mind');
      await store.write((sql) => sql.appendAudit([]));
      const entries = await store.read.audit({ after: 0, limit: 10 });
      expect(entries).toEqual([
        { ...entry, seq: 1, at: expect.any(Number) as number },
        { ...entry, runId: 'r2', seq: 2, at: expect.any(Number) as number },
      ]);
      expect(await store.read.audit({ runId: 'r2', after: 0, limit: 10 })).toEqual([entries[1]]);
      expect(await store.read.audit({ after: 1, limit: 1 })).toEqual([entries[1]]);
    });

    test('the requests of a server for the model are counted by run', async () => {
      const store = await openStore();
      await store.write(async (sql) => {
        for (const id of ['r1', 'r2']) await sql.insertRun(queuedRun(id));
      });
      const count = (runId: string, server: string): Promise<number> =>
        store.write((sql) => sql.countSampling(runId, server));
      expect([
        await count('r1', 'a'),
        await count('r1', 'a'),
        await count('r1', 'b'),
        await count('r2', 'a'),
      ]).toEqual([1, 2, 1, 1]);
    });

    test('unsettled runs are those in no terminal status', async () => {
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
      await store.write(async (sql) => {
        for (const [createdAt, status] of statuses.entries())
          await sql.insertRun({ ...queuedRun(status), status, createdAt });
      });
      expect(
        await store.read.runIds(['input_required', 'queued', 'running', 'cancelling']),
      ).toEqual(['queued', 'running', 'input_required', 'cancelling']);
    });
  });
}

function callRow(id: string): ToolCall {
  return {
    id,
    runId: 'r1',
    turn: 1,
    position: 0,
    toolUseId: `use-${id}`,
    wireName: 'files__read',
    server: 'files',
    tool: 'read',
    arguments: { path: 'a' },
    modelArguments: undefined,
    state: 'planned',
    attempt: 0,
    owner: undefined,
    idempotencyKey: `key-${id}`,
    repeatable: false,
    result: undefined,
    error: undefined,
    cancel: undefined,
    cancelRequestedAt: undefined,
    parked: undefined,
    taskId: undefined,
    createdAt: 1,
    finishedAt: undefined,
  };
}

function itemRow(id: string): InboxItem {
  return {
    id,
    runId: 'r1',
    callId: undefined,
    kind: 'tool_approval',
    state: 'open',
    request: { q: 1 },
    response: undefined,
    owner: undefined,
    questionKey: undefined,
    binding: undefined,
    createdAt: 1,
    expiresAt: 2,
    answeredAt: undefined,
  };
}
