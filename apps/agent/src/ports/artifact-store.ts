/** A part of a tool result that is too long to keep in the conversation. */
export interface Artifact {
  readonly id: string;
  /** The run of the call. It may be erased while a fork still has the artifact. */
  readonly runId: string;
  readonly callId: string;
  /** `text/plain` for texts; otherwise as the server gave it. */
  readonly mediaType: string;
  /** Empty where there is `data`. */
  readonly text: string;
  /** The bytes of an image, a sound or another file. */
  readonly data: Buffer | undefined;
  /** Of the kept text, in UTF-8, or of the data. */
  readonly bytes: number;
  /** Of the text as it came; more than `bytes` where its end was not kept. */
  readonly originalBytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

export interface ArtifactReader {
  artifact(id: string): Promise<Artifact | undefined>;
  /** Whether the artifact belongs to the run, or to a run of its thread. */
  ownsArtifact(
    run: { readonly id: string; readonly threadId: string | undefined },
    artifactId: string,
  ): Promise<boolean>;
}

export interface ArtifactWriter {
  /** The artifact belongs to its run. */
  insertArtifact(artifact: Artifact): Promise<void>;
  /** Lets a run own all artifacts of another one, and of the runs before that in its thread. */
  shareArtifacts(
    from: {
      readonly id: string;
      readonly threadId: string | undefined;
      readonly threadPosition: number | undefined;
    },
    to: string,
  ): Promise<void>;
}
