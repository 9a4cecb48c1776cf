import { describe, expect, test } from 'vitest';
import { openForTest, type OpenStore } from '../testing/open-for-test.ts';
import type { Schedule } from './schedule.ts';

const schedule = (id: string, fields: Partial<Schedule> = {}): Schedule => ({
  id,
  apiKey: 'anonymous',
  name: 'nightly',
  cron: '0 3 * * *',
  timeZone: 'Europe/Berlin',
  run: { prompt: 'go', limits: { turns: 3 }, metadata: { a: 'b' } },
  onBusy: 'skip',
  enabled: true,
  nextAt: 100,
  lastAt: undefined,
  lastOutcome: undefined,
  lastRunId: undefined,
  lastError: undefined,
  createdAt: 1,
  updatedAt: 1,
  ...fields,
});

/** Describes the behavior of every store adapter for schedules. */
export function scheduleContract(name: string, open: OpenStore): void {
  describe(`${name}: schedules`, () => {
    const openStore = openForTest(open);

    test('schedules are listed newest first and read back as they were written', async () => {
      const store = await openStore();
      const all = [
        schedule('s1', { apiKey: 'anonymous' }),
        schedule('s2', { createdAt: 2, name: undefined, enabled: false, nextAt: undefined }),
        schedule('s3', { createdAt: 3, apiKey: 'ci' }),
      ] as const;
      await store.write({}, async (sql) => {
        for (const each of all) await sql.insertSchedule(each);
      });
      const page = await store.read.schedules({ limit: 2 });
      expect(page.data).toEqual([all[2], all[1]]);
      const rest = await store.read.schedules({ limit: 2, cursor: page.nextCursor ?? '' });
      expect(rest).toEqual({ data: [all[0]], nextCursor: undefined });
      expect(await store.read.schedule('s2')).toEqual(all[1]);
      expect([await store.read.schedule('none'), await store.read.countSchedules()]).toEqual([
        undefined,
        3,
      ]);
    });

    test('a schedule is changed or deleted by one of several who read it', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertSchedule(schedule('s1')));
      const rename = (newName: string) =>
        store.write({}, (sql) => sql.updateSchedule('s1', { name: newName, updatedAt: 2 }, 1));
      expect([await rename('a'), await rename('b')]).toEqual([true, false]);
      expect(await store.read.schedule('s1')).toEqual(schedule('s1', { name: 'a', updatedAt: 2 }));
      const remove = (updatedAt: number) =>
        store.write({}, (sql) => sql.deleteSchedule('s1', updatedAt));
      expect([await remove(1), await remove(2), await remove(2)]).toEqual([false, true, false]);
    });

    test('due schedules are read soonest first and in pages', async () => {
      const store = await openStore();
      await store.write({}, async (sql) => {
        for (const [id, nextAt] of [
          ['s3', 5],
          ['s1', 9],
          ['s2', 5],
          ['s4', 11],
          ['off', undefined],
        ] as const)
          await sql.insertSchedule(schedule(id, { nextAt }));
      });
      const page = await store.read.dueSchedules({ until: 10, limit: 2 });
      expect(page).toEqual([
        { id: 's2', at: 5 },
        { id: 's3', at: 5 },
      ]);
      expect(await store.read.dueSchedules({ until: 10, limit: 2, after: page[1] })).toEqual([
        { id: 's1', at: 9 },
      ]);
    });

    test('a time of a schedule is decided about once', async () => {
      const store = await openStore();
      await store.write({}, (sql) => sql.insertSchedule(schedule('s1')));
      const decide = (lastRunId: string) =>
        store.write({}, (sql) =>
          sql.decideTime(
            { id: 's1', at: 100 },
            { nextAt: 200, lastOutcome: 'started', lastError: undefined, lastRunId },
          ),
        );
      const decided = await Promise.all([decide('r1'), decide('r2')]);
      expect(decided.filter((isOurs) => isOurs)).toHaveLength(1);
      const lastRunId = decided[0] ? 'r1' : 'r2';
      const started = { nextAt: 200, lastAt: 100, lastOutcome: 'started', lastRunId } as const;
      expect(await store.read.schedule('s1')).toEqual(schedule('s1', started));
      await store.write({}, (sql) =>
        sql.decideTime(
          { id: 's1', at: 200 },
          { nextAt: undefined, lastOutcome: 'failed', lastError: 'no agent' },
        ),
      );
      expect(await store.read.schedule('s1')).toEqual(
        schedule('s1', {
          nextAt: undefined,
          lastAt: 200,
          lastOutcome: 'failed',
          lastError: 'no agent',
          lastRunId,
        }),
      );
    });
  });
}
