import { sql, type RawBuilder, type SqlBool } from 'kysely';

/** Returns the condition that a column of metadata has the entry. */
export function hasMetadata(column: string, name: string, value: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`exists (select 1 from json_each(${sql.ref(column)}) where "key" = ${name} and "value" = ${value})`;
}
