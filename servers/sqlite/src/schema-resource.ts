import { defineResource, type ResourceDefinition } from '@signalbox/mcp-core/server';
import { compactJson } from './executor/compact-json.ts';
import type { ExecutorPool } from './executor-pool.ts';

/** Returns the resource `sqlite://main` with the schema of the database. */
export function schemaResource(pool: ExecutorPool): ResourceDefinition {
  return defineResource({
    uri: 'sqlite://main',
    name: 'schema',
    title: 'Database schema',
    description: 'Tables and views with their columns, as list_tables gives them',
    mimeType: 'application/json',
    read: async ({ signal }) =>
      compactJson(await pool.run('list-tables', { includeViews: true }, signal)),
  });
}
