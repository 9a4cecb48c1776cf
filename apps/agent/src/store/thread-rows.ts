import type { ThreadReader, ThreadWriter } from '../ports/store/thread.ts';
import { changed } from './changed.ts';
import type { Rows } from './rows.ts';
import { threadCodec } from './database.ts';
import { hasMetadata } from './metadata-filter.ts';
import { pageByTime } from './pages.ts';
import { hideRuns } from './retention-rows.ts';

/** Creates the reads of threads. */
export function createThreadReader(connection: Rows): ThreadReader {
  const db = connection.kysely;
  return {
    async thread(id) {
      const row = await db
        .selectFrom('threads')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row && threadCodec.decode(row);
    },

    async threads({ metadata, ...page }) {
      let query = db.selectFrom('threads').selectAll();
      for (const entry of Object.entries(metadata ?? {}))
        query = query.where(hasMetadata(connection, 'threads.metadata', entry));
      return pageByTime(query, page, {
        order: 'newest first',
        decode: (row) => threadCodec.decode(row),
      });
    },
  };
}

/** Creates the writes of threads. */
export function createThreadWriter({ kysely: db }: Rows): ThreadWriter {
  return {
    async insertThread(thread) {
      await db.insertInto('threads').values(threadCodec.encode(thread)).execute();
    },

    async updateThread(id, patch) {
      return changed(db.updateTable('threads').set(threadCodec.encode(patch)).where('id', '=', id));
    },

    async deleteThread(id) {
      await hideRuns(db, db.selectFrom('runs').select('id').where('threadId', '=', id));
      return (
        (await db.deleteFrom('threads').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
      );
    },
  };
}
