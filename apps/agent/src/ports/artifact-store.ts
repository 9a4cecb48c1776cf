/** The text of a tool result that was too long to keep in the conversation. */
export interface Artifact {
  readonly id: string;
  readonly runId: string;
  readonly callId: string;
  readonly text: string;
  /** Of the kept text, in UTF-8. */
  readonly bytes: number;
  /** Of the text as it came; more than `bytes` where its end was not kept. */
  readonly originalBytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

export interface ArtifactReader {
  artifact(id: string): Promise<Artifact | undefined>;
}

export interface ArtifactWriter {
  insertArtifact(artifact: Artifact): Promise<void>;
}
