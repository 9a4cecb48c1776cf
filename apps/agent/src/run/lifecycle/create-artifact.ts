import type { NewArtifact, OnCommit } from '../../ports/run-engine.ts';
import type { Artifact } from '../../ports/store/artifact.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Stores a text of a client as an artifact, for the runs that name it. */
export function createArtifact(
  { store, clock, newId }: Uses<'store' | 'clock' | 'newId'>,
  { mediaType, text }: NewArtifact,
  onCommit?: OnCommit<Artifact>,
): Promise<Artifact> {
  return store.write({}, async (sql) => {
    const bytes = Buffer.byteLength(text);
    const artifact: Artifact = {
      id: newId(),
      runId: '',
      callId: '',
      mediaType,
      text,
      data: undefined,
      bytes,
      originalBytes: bytes,
      createdAt: clock.now(),
    };
    await sql.insertArtifact(artifact);
    await onCommit?.(sql, artifact);
    return artifact;
  });
}
