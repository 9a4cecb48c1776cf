import type { Artifact } from '../store/artifact.ts';

/** Returns the row of a short artifact of run `a`. */
export function textArtifact(id: string, runId = 'a'): Artifact {
  return {
    id,
    runId,
    callId: 'c',
    mediaType: 'text/plain',
    text: 'x',
    data: undefined,
    bytes: 1,
    originalBytes: 1,
    createdAt: 1,
  };
}
