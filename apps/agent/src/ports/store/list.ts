import type { RememberedApproval } from './approval.ts';
import type { InboxItem, InboxState } from './inbox.ts';
import type { Page, PageOptions } from './page.ts';
import type { Run, RunStatus } from './run.ts';
import type { ToolCall } from './tool-call.ts';
import type { Metadata } from './metadata.ts';

/**
 * A row as shown in a list. `isShortened`: long texts are truncated, and long lists, objects and
 * values are omitted.
 */
export type Listed<T> = T & { readonly isShortened: boolean };

/**
 * Maximum number of open items in the view of a run. `GET /v1/inbox?run_id=` returns all of them.
 */
export const MAX_OPEN_ITEMS_SHOWN = 20;

/** Filter for runs. A run must match every given field. */
export interface RunFilter {
  /** Any of these statuses. */
  readonly status?: readonly RunStatus[];
  readonly kind?: Run['kind'];
  readonly threadId?: string;
  readonly agentId?: string;
  /** Entries that the run's metadata must contain. */
  readonly metadata?: Metadata;
  /**
   * Words in the form of `foldText`, each of which must occur in the id of the run, the name that its
   * agent had when the run was created, the first 4,000 characters of its prompt or of its answer, or its error.
   */
  readonly words?: readonly string[];
}

/** Pages of lists. An invalid `cursor` throws `InvalidCursorError`. */
export interface ListReader {
  /**
   * Returns runs newest first. With `words` a page reads at most 200,000 runs: it may have fewer runs
   * than its limit, or none, and a cursor to continue.
   */
  runs(options: PageOptions & RunFilter): Promise<Page<Listed<Run>>>;
  /** Returns inbox items oldest first. */
  inbox(
    options: PageOptions & { readonly runId?: string; readonly state?: InboxState },
  ): Promise<Page<Listed<InboxItem>>>;
  /**
   * Returns the oldest open items of each run, at most `MAX_OPEN_ITEMS_SHOWN` per run, in one
   * query.
   */
  openInbox(runIds: readonly string[]): Promise<readonly Listed<InboxItem>[]>;
  /** Returns remembered approvals oldest first. */
  approvals(options: PageOptions & { readonly runId?: string }): Promise<Page<RememberedApproval>>;
  /** Returns tool calls in order of turn and position. */
  toolCallPage(runId: string, options: PageOptions): Promise<Page<ToolCall>>;
}
