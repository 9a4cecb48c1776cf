/** Content that an approval is bound to. Every field but `call` is a SHA-256 digest in hex. */
export interface ApprovalBinding {
  /** Id of the tool call. */
  readonly call: string;
  /** Digest of the server's launch definition. */
  readonly server: string;
  /** Digest of the tool's definition. */
  readonly tool: string;
  readonly arguments: string;
}

/**
 * Permission for further calls of a tool with any arguments, given with an earlier approval. Valid as
 * long as the definitions of server and tool do not change.
 */
export interface RememberedApproval {
  readonly id: string;
  /** Run of the approved call. The permission is deleted with the run. */
  readonly runId: string;
  /** Set when the permission is valid for all runs of the thread. */
  readonly threadId: string | undefined;
  /** Inbox item whose response gave the permission. */
  readonly itemId: string;
  readonly server: string;
  readonly tool: string;
  readonly serverDigest: string;
  readonly toolDigest: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

export interface ApprovalReader {
  /** Returns the permissions that are valid for a run, or all of them, oldest first. */
  rememberedApprovals(filter?: {
    readonly runId: string;
    readonly threadId?: string | undefined;
  }): Promise<readonly RememberedApproval[]>;
}

export interface ApprovalWriter {
  rememberApproval(approval: RememberedApproval): Promise<void>;
  /** Deletes the permission. Returns whether it existed. */
  forgetApproval(id: string): Promise<boolean>;
}
