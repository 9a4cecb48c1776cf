import type { Kysely, NotNull } from 'kysely';
import type { Retry } from '../ports/store/progress.ts';
import type { Database } from './database.ts';

type Db = Kysely<Database>;

export const selectRetries = (
  db: Db,
  {
    until,
    after,
    limit,
  }: { readonly until: number; readonly after: Retry | undefined; readonly limit: number },
) => {
  let query = db
    .selectFrom('runs')
    .select(['id as runId', 'retryAt'])
    .where('retryAt', '<=', until)
    .orderBy('retryAt')
    .orderBy('id')
    .limit(limit);
  if (after !== undefined)
    query = query.where((where) =>
      where(where.refTuple('retryAt', 'id'), '>', where.tuple(after.retryAt, after.runId)),
    );
  return query.$narrowType<{ retryAt: NotNull }>();
};
