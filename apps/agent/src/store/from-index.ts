import { sql, type AliasedRawBuilder } from 'kysely';
import type { Database } from './database.ts';
import type { Rows } from './rows.ts';

/**
 * Returns a table that SQLite reads from one of its indexes, where it would choose a worse one.
 * PostgreSQL, which knows how many rows an index has, chooses by itself.
 */
export function fromIndex<T extends keyof Database>(
  dialect: Rows['dialect'],
  table: T,
  index: string,
): AliasedRawBuilder<Database[T], T> {
  const name = sql.ref(table);
  return sql<Database[T]>`${name}`.as<T>(
    dialect === 'sqlite' ? sql`${name} indexed by ${sql.ref(index)}` : name,
  );
}
