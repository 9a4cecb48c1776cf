import { defineResource, type ResourceDefinition } from '@signalbox/mcp-core/server';
import { compactJson } from './executor/compact-json.ts';
import type { ServedDatabase } from './databases.ts';

/** Returns the resource `sqlite://<name>` with the schema of the database. */
export function schemaResource({ name, readers }: ServedDatabase): ResourceDefinition {
  return defineResource({
    uri: `sqlite://${name}`,
    name: `schema of ${name}`,
    title: 'Database schema',
    description: 'Tables and views with their columns, as list_tables gives them',
    mimeType: 'application/json',
    read: async ({ signal }) =>
      compactJson(await readers.run('list-tables', { includeViews: true }, signal)),
  });
}
