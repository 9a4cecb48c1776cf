import type { Store } from '../store.ts';

/** Erases a run and deletes all of its rows. */
export async function eraseRun(store: Pick<Store, 'write'>, id: string): Promise<void> {
  await store.write({ run: id }, (sql) => sql.eraseRun(id));
  while (await store.write({}, (sql) => sql.deleteErased()));
}
