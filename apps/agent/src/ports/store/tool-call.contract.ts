import { describe, expect, test } from 'vitest';
import { plannedCall } from '../testing/planned-call.ts';
import { queuedRun } from '../testing/queued-run.ts';
import type { ToolCall } from './tool-call.ts';
import type { Store } from '../store.ts';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';

/** Describes the behavior of every store adapter for tool calls. */
export function toolCallContract(name: string, open: OpenStore): void {
  describe(`store contract, tool calls: ${name}`, () => {
    const openStore = openForTest(open);

    test('a tool call changes only from an expected state and attempt', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertToolCall(plannedCall('c1'));
      });
      const update = (
        state: ToolCall['state'],
        attempt: number,
        patch: Partial<ToolCall>,
      ): Promise<boolean> =>
        store.write({}, (sql) => sql.updateToolCall('c1', { state: [state], attempt }, patch));
      expect(await update('planned', 1, { state: 'failed' })).toBe(false);
      expect(await update('dispatched', 0, { state: 'failed' })).toBe(false);
      expect(await update('planned', 0, { state: 'dispatched', attempt: 1, owner: 'boot' })).toBe(
        true,
      );
      expect(await store.read.toolCall('c1')).toEqual({
        ...plannedCall('c1'),
        state: 'dispatched',
        attempt: 1,
        owner: 'boot',
      });
      expect(
        await store.write({}, (sql) =>
          sql.updateToolCall(
            'c1',
            { state: ['input_required', 'dispatched'] },
            { state: 'succeeded', owner: undefined },
          ),
        ),
      ).toBe(true);
      expect((await store.read.toolCall('c1'))?.owner).toBeUndefined();
    });

    test('of transactions at once, each learns whether its change of a call took effect, and all are stored once', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const id of ['r1', 'r2', 'r3']) await sql.insertRun(queuedRun(id));
        await sql.insertToolCall({ ...plannedCall('ended'), runId: 'r3', state: 'failed' });
        for (const id of ['c1', 'c2'])
          await sql.insertToolCall({ ...plannedCall(id), runId: id.replace('c', 'r') });
      });
      const dispatch = (id: string, run: string): Promise<readonly unknown[]> =>
        store.write({ run }, async (sql) => {
          const isDone = await sql.updateToolCall(
            id,
            { state: ['planned'] },
            { state: 'dispatched' },
          );
          const lastSeq = await sql.append(run, [{ type: isDone ? 'sent' : 'not_sent', data: {} }]);
          return [isDone, lastSeq, (await sql.toolCall(id))?.state];
        });
      expect(
        await Promise.all([dispatch('c1', 'r1'), dispatch('ended', 'r3'), dispatch('c2', 'r2')]),
      ).toEqual([
        [true, 1, 'dispatched'],
        [false, 1, 'failed'],
        [true, 1, 'dispatched'],
      ]);
      const types = await Promise.all(
        ['r1', 'r2', 'r3'].map(async (id) =>
          (await store.read.events(id, { after: 0, limit: 9 })).map(({ type }) => type),
        ),
      );
      expect(types).toEqual([['sent'], ['sent'], ['not_sent']]);
    });

    test('tool calls are ordered by turn and position and can be filtered', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        await sql.insertToolCall({ ...plannedCall('c1'), turn: 2, state: 'unknown' });
        await sql.insertToolCall({ ...plannedCall('c2'), position: 1 });
        await sql.insertToolCall(plannedCall('c3'));
      });
      const ids = async (
        filter: Parameters<Store['read']['toolCalls']>[1],
      ): Promise<readonly string[]> =>
        (await store.read.toolCalls('r1', filter)).map((call) => call.id);
      expect(await ids(undefined)).toEqual(['c3', 'c2', 'c1']);
      expect(await ids({ turn: 1 })).toEqual(['c3', 'c2']);
      expect(await ids({ state: ['unknown', 'failed'] })).toEqual(['c1']);
    });

    test('the tool calls of a run are paged in order of turn and position', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        await sql.insertRun(queuedRun('r1'));
        for (const [id, turn, position] of [
          ['c4', 2, 1],
          ['c1', 1, 0],
          ['c3', 2, 0],
          ['c2', 1, 1],
        ] as const)
          await sql.insertToolCall({ ...plannedCall(id), turn, position });
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
  });
}
