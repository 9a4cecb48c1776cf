import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Rows } from './rows.ts';

/** Returns the condition that a column of metadata has the entry. */
export function hasMetadata(
  { dialect }: Pick<Rows, 'dialect'>,
  column: string,
  [name, value]: readonly [string, string],
): RawBuilder<SqlBool> {
  if (dialect === 'postgres')
    return sql<SqlBool>`(${sql.ref(column)})::json ->> ${name} = ${value}`;
  return sql<SqlBool>`exists (select 1 from json_each(${sql.ref(column)}) where "key" = ${name} and "value" = ${value})`;
}
