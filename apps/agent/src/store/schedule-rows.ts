import type { ScheduleReader, ScheduleWriter } from '../ports/store/schedule.ts';
import { changed } from './changed.ts';
import { scheduleCodec } from './database.ts';
import { pageByTime } from './pages.ts';
import type { Rows } from './rows.ts';

/** Creates the reads of schedules. */
export function createScheduleReader({ kysely: db }: Rows): ScheduleReader {
  return {
    async schedule(id) {
      const row = await db
        .selectFrom('schedules')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row && scheduleCodec.decode(row);
    },

    async schedules(page) {
      return pageByTime(db.selectFrom('schedules').selectAll(), page, {
        order: 'newest first',
        decode: (row) => scheduleCodec.decode(row),
      });
    },

    async countSchedules() {
      const { count } = await db
        .selectFrom('schedules')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    async dueSchedules({ until, after, limit }) {
      let query = db
        .selectFrom('schedules')
        .select(['id', 'nextAt'])
        .where('nextAt', '<=', until)
        .orderBy('nextAt')
        .orderBy('id')
        .limit(limit);
      if (after !== undefined)
        query = query.where((where) =>
          where(where.refTuple('nextAt', 'id'), '>', where.tuple(after.at, after.id)),
        );
      const rows = await query.execute();
      // The query compares `nextAt`, which is set in every row that it returns.
      return rows.map(({ id, nextAt }) => ({ id, at: nextAt ?? 0 }));
    },
  };
}

/** Creates the writes of schedules. */
export function createScheduleWriter({ kysely: db }: Rows): ScheduleWriter {
  return {
    async insertSchedule(schedule) {
      await db.insertInto('schedules').values(scheduleCodec.encode(schedule)).execute();
    },

    async updateSchedule(id, patch, updatedAt) {
      return changed(
        db
          .updateTable('schedules')
          .set(scheduleCodec.encode(patch))
          .where('id', '=', id)
          .where('updatedAt', '=', updatedAt),
      );
    },

    async deleteSchedule(id, updatedAt) {
      const { numDeletedRows } = await db
        .deleteFrom('schedules')
        .where('id', '=', id)
        .where('updatedAt', '=', updatedAt)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async decideTime({ id, at }, decision) {
      return changed(
        db
          .updateTable('schedules')
          .set({ ...scheduleCodec.encode(decision), lastAt: at })
          .where('id', '=', id)
          .where('nextAt', '=', at),
      );
    },
  };
}
