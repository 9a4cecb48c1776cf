import type { Page, PageOptions } from './page.ts';

/** A file that a client uploaded, or a part of a tool result that is too long for the conversation. */
export interface Artifact {
  readonly id: string;
  /** The run of the call, which may be erased while a fork still has the artifact. Empty for an upload. */
  readonly runId: string;
  /** Empty for an upload. */
  readonly callId: string;
  /** Media type: `text/plain` for texts of results, otherwise that of the server or client. */
  readonly mediaType: string;
  /** Empty when `data` is present. */
  readonly text: string;
  /** Bytes of an image, a sound or another file. */
  readonly data: Buffer | undefined;
  /** Size of the stored UTF-8 text or of `data`. */
  readonly bytes: number;
  /** Size of the original text; larger than `bytes` if the text was truncated. */
  readonly originalBytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** An artifact without its content. */
export type ListedArtifact = Omit<Artifact, 'text' | 'data'>;

export interface ArtifactReader {
  artifact(id: string): Promise<Artifact | undefined>;
  /** Returns the artifacts that belong to a run, oldest first. Their content is not read. */
  artifacts(runId: string, page: PageOptions): Promise<Page<ListedArtifact>>;
  /** Returns the uploads that belong to no run, newest first. Their content is not read. */
  unusedUploads(page: PageOptions): Promise<Page<ListedArtifact>>;
  /** Whether the artifact belongs to the run, or to a run of its thread. */
  ownsArtifact(
    run: { readonly id: string; readonly threadId: string | undefined },
    artifactId: string,
  ): Promise<boolean>;
}

export interface ArtifactWriter {
  /** Stores an artifact that belongs to its run; an upload belongs to no run yet. */
  insertArtifact(artifact: Artifact): Promise<void>;
  /** Makes a run a further owner of an artifact. Returns the artifact; undefined if it does not exist. */
  attachArtifact(artifactId: string, runId: string): Promise<ListedArtifact | undefined>;
  /** Deletes some uploads of that time or before that belong to no run. Returns whether some may remain. */
  deleteUploads(before: number): Promise<boolean>;
  /**
   * Makes a run a further owner of all artifacts of another run, and of that run's predecessors in
   * its thread.
   */
  shareArtifacts(
    from: {
      readonly id: string;
      readonly threadId: string | undefined;
      readonly threadPosition: number | undefined;
    },
    to: string,
  ): Promise<void>;
}
