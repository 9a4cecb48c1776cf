import { sql } from 'kysely';
import type { ArtifactReader, ArtifactWriter } from '../ports/store/artifact.ts';
import type { Connection } from './connection.ts';
import { artifactCodec, type Database } from './database.ts';
import { pageByTime } from './pages.ts';

/**
 * The table as its index with everything but the content. SQLite would choose the primary key, and
 * walk over the content to the columns after it.
 */
const WITHOUT_CONTENT = sql<Database['artifacts']>`artifacts`.as<'artifacts'>(
  sql`artifacts indexed by artifact_lists`,
);

/** Creates the reads of artifacts. */
export function createArtifactReader({ kysely: db }: Connection): ArtifactReader {
  return {
    async artifact(id) {
      const row = await db
        .selectFrom('artifacts')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row && artifactCodec.decode(row);
    },

    artifacts: (runId, page) =>
      pageByTime(
        db
          .selectFrom(WITHOUT_CONTENT)
          .select(['id', 'runId', 'callId', 'mediaType', 'bytes', 'originalBytes', 'createdAt'])
          .where('id', 'in', (owned) =>
            owned.selectFrom('artifactOwners').select('artifactId').where('runId', '=', runId),
          ),
        page,
        { order: 'oldest first', decode: (row) => row },
      ),

    async ownsArtifact({ id, threadId }, artifactId) {
      let query = db
        .selectFrom('artifactOwners')
        .innerJoin('runs', 'runs.id', 'artifactOwners.runId')
        .select('runs.id')
        .where('artifactId', '=', artifactId);
      query =
        threadId === undefined
          ? query.where('runs.id', '=', id)
          : query.where((where) =>
              where.or([where('runs.id', '=', id), where('threadId', '=', threadId)]),
            );
      return (await query.limit(1).executeTakeFirst()) !== undefined;
    },
  };
}

/** Creates the writes of artifacts. */
export function createArtifactWriter({ kysely: db }: Connection): ArtifactWriter {
  return {
    async insertArtifact(artifact) {
      await db.insertInto('artifacts').values(artifactCodec.encode(artifact)).execute();
      await db
        .insertInto('artifactOwners')
        .values({ runId: artifact.runId, artifactId: artifact.id })
        .execute();
    },

    async shareArtifacts({ id, threadId, threadPosition = 0 }, to) {
      let runs = db.selectFrom('runs').select('id').where('id', '=', id);
      if (threadId !== undefined)
        runs = db
          .selectFrom('runs')
          .select('id')
          .where('threadId', '=', threadId)
          .where('threadPosition', '<=', threadPosition);
      const owned = await db
        .selectFrom('artifactOwners')
        .select('artifactId')
        .distinct()
        .where('runId', 'in', runs)
        .execute();
      if (owned.length > 0)
        await db
          .insertInto('artifactOwners')
          .values(owned.map(({ artifactId }) => ({ runId: to, artifactId })))
          .execute();
    },
  };
}
