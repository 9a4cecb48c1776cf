import type { AgentReader, AgentWriter } from '../ports/store/agent.ts';
import type { ThreadReader, ThreadWriter } from '../ports/store/thread.ts';
import { changed } from './changed.ts';
import type { Rows } from './rows.ts';
import { agentCodec, threadCodec } from './database.ts';
import { hasMetadata } from './metadata-filter.ts';
import { pageByTime } from './pages.ts';
import { hideRuns } from './retention-rows.ts';

/** Creates the reads of threads and stored agents. */
export function createThreadReader(connection: Rows): ThreadReader & AgentReader {
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

    async agent(id) {
      const row = await db.selectFrom('agents').selectAll().where('id', '=', id).executeTakeFirst();
      return row && agentCodec.decode(row);
    },

    async agents(page) {
      return pageByTime(db.selectFrom('agents').selectAll(), page, {
        order: 'newest first',
        decode: (row) => agentCodec.decode(row),
      });
    },
  };
}

/** Creates the writes of threads and stored agents. */
export function createThreadWriter({ kysely: db }: Rows): ThreadWriter & AgentWriter {
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

    async insertAgent(agent) {
      await db.insertInto('agents').values(agentCodec.encode(agent)).execute();
    },

    async updateAgent(id, patch, updatedAt) {
      let query = db.updateTable('agents').set(agentCodec.encode(patch)).where('id', '=', id);
      if (updatedAt !== undefined) query = query.where('updatedAt', '=', updatedAt);
      return changed(query);
    },

    async deleteAgent(id, updatedAt) {
      let query = db.deleteFrom('agents').where('id', '=', id);
      if (updatedAt !== undefined) query = query.where('updatedAt', '=', updatedAt);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}
