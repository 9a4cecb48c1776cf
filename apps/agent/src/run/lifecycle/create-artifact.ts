import type { NewArtifact, OnCommit } from '../../ports/run-engine.ts';
import type { Artifact } from '../../ports/store/artifact.ts';
import type { Uses } from '../core/engine-parts.ts';

/** Stores a text or another file of a client as an artifact, for the runs that name it. */
export function createArtifact(
  { store, clock, newId }: Uses<'store' | 'clock' | 'newId'>,
  { mediaType, content }: NewArtifact,
  onCommit?: OnCommit<Artifact>,
): Promise<Artifact> {
  return store.write({}, async (sql) => {
    const bytes = Buffer.byteLength(content);
    const artifact: Artifact = {
      id: newId(),
      runId: '',
      callId: '',
      mediaType,
      text: typeof content === 'string' ? content : '',
      data: typeof content === 'string' ? undefined : content,
      bytes,
      originalBytes: bytes,
      createdAt: clock.now(),
    };
    await sql.insertArtifact(artifact);
    await onCommit?.(sql, artifact);
    return artifact;
  });
}
