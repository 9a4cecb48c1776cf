import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Versions of agents, and tool rules of agents and runs. The definition of each agent becomes its
 * version 1. Not additive: processes of earlier versions would ignore the tool rules of a run.
 */
export const agentVersions: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['runs', 'agents'])
      await db.schema.alterTable(table).addColumn('tool_rules', 'text').execute();
    await db.schema.alterTable('runs').addColumn('agent_version', 'integer').execute();
    await db.schema
      .alterTable('agents')
      .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    await db.schema
      .createTable('agent_versions')
      .addColumn('agent_id', 'text', (column) =>
        column.notNull().references('agents.id').onDelete('cascade'),
      )
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('api_key', 'text')
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('instructions', 'text')
      .addColumn('model', 'text')
      .addColumn('servers', 'text')
      .addColumn('limits', 'text', (column) => column.notNull())
      .addColumn('model_settings', 'text')
      .addColumn('tool_rules', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('agent_versions_key', ['agent_id', 'version'])
      .execute();
    await sql`insert into agent_versions
      (agent_id, version, name, instructions, model, servers, limits, model_settings, created_at)
      select id, 1, name, instructions, model, servers, limits, model_settings, updated_at
      from agents`.execute(db);
  },
};
