import { ResourceNotFoundError } from '@signalbox/mcp-core';
import type { ResourceProvider } from '@signalbox/mcp-core/server';
import { compactJson } from './executor/compact-json.ts';
import type { ExecutorPool } from './executor-pool.ts';

const RESOURCE = {
  uri: 'sqlite://main',
  name: 'schema',
  title: 'Database schema',
  description: 'Tables and views with their columns, as list_tables gives them',
  mimeType: 'application/json',
} as const;

/** Returns the resource `sqlite://main` with the schema of the database. */
export function schemaResource(pool: ExecutorPool): ResourceProvider {
  return {
    list: () => Promise.resolve({ resources: [RESOURCE] }),
    read: async (uri, context) => {
      if (uri !== RESOURCE.uri) throw new ResourceNotFoundError(uri);
      const schema = await pool.run('list-tables', { includeViews: true }, context.signal);
      return { contents: [{ uri, mimeType: RESOURCE.mimeType, text: compactJson(schema) }] };
    },
  };
}
