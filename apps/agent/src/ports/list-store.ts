import type {
  InboxItem,
  InboxState,
  Page,
  RememberedApproval,
  Run,
  RunStatus,
  ToolCall,
} from './run-store.ts';
import type { Metadata, PageOptions } from './thread-store.ts';

/** A row as a list shows it: where `isShortened`, long texts are cut, and long lists, objects and values are left out. */
export type Listed<T> = T & { readonly isShortened: boolean };

/** The open items of one run that a view of the run shows; `GET /v1/inbox?run_id=` has all of them. */
export const MAX_OPEN_ITEMS_SHOWN = 20;

/** A run is listed when it fits all of the given fields. */
export interface RunFilter {
  /** Any of these. */
  readonly status?: readonly RunStatus[];
  readonly kind?: Run['kind'];
  readonly threadId?: string;
  readonly agentId?: string;
  /** Entries that the metadata of the run must have, among others. */
  readonly metadata?: Metadata;
}

/** Pages of lists. `cursor` is opaque; a bad one throws `InvalidCursorError`. */
export interface ListReader {
  /** Newest first. */
  runs(options: PageOptions & RunFilter): Promise<Page<Listed<Run>>>;
  /** Oldest first. */
  inbox(
    options: PageOptions & { readonly runId?: string; readonly state?: InboxState },
  ): Promise<Page<Listed<InboxItem>>>;
  /** The oldest open items of each run, at most `MAX_OPEN_ITEMS_SHOWN` a run, in one query. */
  openInbox(runIds: readonly string[]): Promise<readonly Listed<InboxItem>[]>;
  /** Oldest first. */
  approvals(options: PageOptions & { readonly runId?: string }): Promise<Page<RememberedApproval>>;
  /** In order of turn and position. */
  toolCallPage(runId: string, options: PageOptions): Promise<Page<ToolCall>>;
}
