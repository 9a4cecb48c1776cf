import {
  MAX_AGENT_VERSIONS,
  type Agent,
  type AgentReader,
  type AgentVersion,
  type AgentWriter,
} from '../ports/store/agent.ts';
import { decodeCursor } from './cursor.ts';
import { agentCodec, agentVersionCodec } from './database.ts';
import { pageByTime, pageOfRows } from './pages.ts';
import type { Rows } from './rows.ts';

/** Creates the reads of stored agents. */
export function createAgentReader({ kysely: db }: Rows): AgentReader {
  return {
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

    async agentVersion(agentId, version) {
      const row = await db
        .selectFrom('agentVersions')
        .selectAll()
        .where('agentId', '=', agentId)
        .where('version', '=', version)
        .executeTakeFirst();
      return row && agentVersionCodec.decode(row);
    },

    async agentVersions(agentId, { limit, cursor }) {
      let query = db
        .selectFrom('agentVersions')
        .select(['agentId', 'version', 'name', 'apiKey', 'createdAt'])
        .where('agentId', '=', agentId)
        .orderBy('version', 'desc')
        .limit(limit + 1);
      if (cursor !== undefined) query = query.where('version', '<', decodeCursor(cursor)[0]);
      const rows = await query.execute();
      return pageOfRows(
        rows.map((row) => agentVersionCodec.decode(row)),
        limit,
        (entry) => [entry.version, entry.agentId],
      );
    },
  };
}

/** Creates the writes of stored agents. */
export function createAgentWriter(connection: Rows): AgentWriter {
  const db = connection.kysely;
  const insertVersion = async (agent: Agent, apiKey: string): Promise<void> => {
    await db
      .insertInto('agentVersions')
      .values(agentVersionCodec.encode(versionOf(agent, apiKey)))
      .execute();
  };
  return {
    async insertAgent(agent, apiKey) {
      await db.insertInto('agents').values(agentCodec.encode(agent)).execute();
      await insertVersion(agent, apiKey);
    },

    async agentToChange(id) {
      await connection.lock(`agent ${id}`);
      const row = await db.selectFrom('agents').selectAll().where('id', '=', id).executeTakeFirst();
      return row && agentCodec.decode(row);
    },

    async replaceAgent(agent, apiKey) {
      const { id, createdAt: _createdAt, ...patch } = agent;
      await db.updateTable('agents').set(agentCodec.encode(patch)).where('id', '=', id).execute();
      await insertVersion(agent, apiKey);
      await db
        .deleteFrom('agentVersions')
        .where('agentId', '=', id)
        .where('version', '<=', agent.version - MAX_AGENT_VERSIONS)
        .execute();
    },

    async deleteAgent(id) {
      const { numDeletedRows } = await db
        .deleteFrom('agents')
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function versionOf(
  { id: agentId, updatedAt, createdAt: _createdAt, ...definition }: Agent,
  apiKey: string,
): AgentVersion {
  return { agentId, ...definition, apiKey, createdAt: updatedAt };
}
