import type { InboxItem, Run } from './run-store.ts';

export interface NewRun {
  readonly prompt: string;
  readonly servers?: readonly string[];
  readonly model?: string;
  readonly limits?: Partial<Run['limits']>;
}

/** Refused by the engine; `http/problem.ts` maps the code to a status. */
export class EngineError extends Error {
  readonly code: 'run_not_found' | 'unknown_server' | 'inbox_item_not_found' | 'inbox_item_not_open' | 'invalid_response' | 'shutting_down';

  constructor(code: EngineError['code'], message: string) {
    super(message);
    this.name = 'EngineError';
    this.code = code;
  }
}

/** What the edge may ask of the engine; everything else it reads from the store. */
export interface RunEngine {
  /** Resolves when the run is committed: from then on it reaches a terminal, visible state whatever dies. @throws EngineError `unknown_server` */
  createRun(input: NewRun): Promise<Run>;
  /** Idempotent; a settled run is returned as it is. @throws EngineError `run_not_found` */
  cancelRun(id: string, reason?: string): Promise<Run>;
  /**
   * Answers an open inbox item. The shape depends on the item's kind: `tool_approval`, `sampling_approval`: `{action: approve | deny}`;
   * `elicitation_form`: `{action: accept | decline | cancel, content?}`, content checked against the requested schema; `elicitation_url`:
   * `{action}`; `outcome_unknown`: `{action: retry | mark_done | fail, note?}`.
   * @throws EngineError `inbox_item_not_found`, `inbox_item_not_open`, `invalid_response`
   */
  respond(itemId: string, response: { readonly [key: string]: unknown }): Promise<InboxItem>;
  /** Settles or continues what an earlier process left, then takes work. */
  start(): Promise<void>;
  /** Takes no more runs, waits for nothing longer than `graceMs`, leaves the rest to the next start. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
