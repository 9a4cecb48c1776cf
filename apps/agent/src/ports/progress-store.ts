import type {
  InboxItem,
  InboxState,
  Run,
  RunStatus,
  StoredMessage,
  ToolCall,
} from './run-store.ts';

/** A run without its texts and values, which may be long. */
export type RunCore = Omit<Run, 'prompt' | 'instructions' | 'answer' | 'outputSchema' | 'output'>;

/** An inbox item without what is asked and answered. */
export type InboxEntry = Pick<
  InboxItem,
  'id' | 'runId' | 'callId' | 'kind' | 'state' | 'owner' | 'questionKey' | 'expiresAt'
>;

/** Narrow reads for decisions about the next step of a run, which are made within write transactions. */
export interface ProgressReader {
  runCore(id: string): Promise<RunCore | undefined>;
  /** Runs with one of the statuses, oldest first. */
  runIds(statuses: readonly RunStatus[]): Promise<readonly string[]>;
  /** Reads nothing that can be damaged. */
  runStatus(id: string): Promise<RunStatus | undefined>;
  countRuns(filter: { readonly status: RunStatus; readonly kind?: Run['kind'] }): Promise<number>;
  /** The calls of a run that have not ended. */
  openCalls(runId: string): Promise<readonly Pick<ToolCall, 'id' | 'state'>[]>;
  /** Of a run or of one call, oldest first. */
  inboxEntries(options: {
    readonly runId: string;
    readonly callId?: string | undefined;
    readonly states: readonly InboxState[];
  }): Promise<readonly InboxEntry[]>;
  hasMessage(runId: string, message: Pick<StoredMessage, 'turn' | 'role'>): Promise<boolean>;
  /** The last message of a run, or the last one before a position, of one role when given. */
  lastMessage(
    runId: string,
    options?: { readonly before?: number; readonly role?: StoredMessage['role'] },
  ): Promise<(StoredMessage & { readonly position: number }) | undefined>;
}
