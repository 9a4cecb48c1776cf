import type { Uses } from '../core/engine-parts.ts';

/**
 * Deletes the rows of erased runs in small transactions, between which other writers run. If it is
 * interrupted, the next retention sweep deletes the rest.
 */
export async function deleteErasedRows({ store }: Uses<'store'>): Promise<void> {
  while (await store.write({}, (sql) => sql.deleteErased()));
}
