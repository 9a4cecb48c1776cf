import type { Kysely, Transaction } from 'kysely';
import type { ArtifactReader, ArtifactWriter } from '../ports/artifact-store.ts';
import { artifactCodec, type Database } from './database.ts';

/** Reads of artifacts. */
export function createArtifactReader(db: Kysely<Database>): ArtifactReader {
  return {
    async artifact(id) {
      const row = await db.selectFrom('artifacts').selectAll().where('id', '=', id).executeTakeFirst();
      return row && artifactCodec.decode(row);
    },
  };
}

/** Writes of artifacts. */
export function createArtifactWriter(db: Transaction<Database>): ArtifactWriter {
  return {
    async insertArtifact(artifact) {
      await db.insertInto('artifacts').values(artifactCodec.encode(artifact)).execute();
    },
  };
}
