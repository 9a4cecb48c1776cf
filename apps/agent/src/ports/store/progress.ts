import type { InboxItem, InboxState } from './inbox.ts';
import type { StoredMessage } from './message.ts';
import type { Run, RunCore, RunStatus } from './run.ts';
import type { ToolCall } from './tool-call.ts';

export type { RunCore } from './run.ts';

/** An inbox item without its request and response. */
export type InboxEntry = Pick<
  InboxItem,
  'id' | 'runId' | 'callId' | 'kind' | 'state' | 'owner' | 'questionKey' | 'expiresAt'
>;

/** A call that has not ended, without its arguments and its result. */
export type OpenCall = Pick<ToolCall, 'id' | 'state' | 'attempt' | 'owner'>;

/** Small reads within write transactions, for deciding the next step of a run. */
export interface ProgressReader {
  runCore(id: string): Promise<RunCore | undefined>;
  /** Returns the ids of runs with one of the statuses, oldest first. */
  runIds(statuses: readonly RunStatus[]): Promise<readonly string[]>;
  /**
   * Returns the run if it is neither queued nor settled. The columns of other runs, which can be
   * damaged, are not read.
   */
  activeRun(id: string): Promise<RunCore | undefined>;
  /** Returns the status without reading columns that can be damaged. */
  runStatus(id: string): Promise<RunStatus | undefined>;
  countRuns(filter: { readonly status: RunStatus; readonly kind?: Run['kind'] }): Promise<number>;
  /** Returns the calls of a run that have not ended. */
  openCalls(runId: string): Promise<readonly OpenCall[]>;
  /** Returns the calls, among those given, that a client asked to cancel. */
  cancelledCalls(ids: readonly string[]): Promise<readonly string[]>;
  /** Returns the items of a run or of one call, oldest first. */
  inboxEntries(options: {
    readonly runId: string;
    readonly callId?: string | undefined;
    readonly states: readonly InboxState[];
  }): Promise<readonly InboxEntry[]>;
  hasMessage(runId: string, message: Pick<StoredMessage, 'turn' | 'role'>): Promise<boolean>;
  /** Returns the last message of a run, optionally before a position or of one role. */
  lastMessage(
    runId: string,
    options?: { readonly before?: number; readonly role?: StoredMessage['role'] },
  ): Promise<(StoredMessage & { readonly position: number }) | undefined>;
}
