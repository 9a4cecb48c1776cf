import type { InboxItem, Run } from './run-store.ts';

export interface NewRun {
  readonly prompt: string;
  readonly servers?: readonly string[];
  readonly model?: string;
  readonly limits?: Partial<Run['limits']>;
}

/** Refused by the engine; `http/problem.ts` maps the code to a status. */
export class EngineError extends Error {
  readonly code: 'run_not_found' | 'unknown_server' | 'inbox_item_not_found' | 'inbox_item_not_open' | 'approval_not_found' | 'invalid_response' | 'shutting_down';

  /** What is wrong with which field of the input; the path is a JSON pointer into it. */
  readonly problems: readonly { readonly path: string; readonly message: string }[] | undefined;

  constructor(code: EngineError['code'], message: string, problems?: EngineError['problems']) {
    super(message);
    this.name = 'EngineError';
    this.code = code;
    this.problems = problems;
  }
}

/** What the edge may ask of the engine; everything else it reads from the store. */
export interface RunEngine {
  /** Resolves when the run is committed: from then on it reaches a terminal, visible state whatever dies. @throws EngineError `unknown_server` */
  createRun(input: NewRun): Promise<Run>;
  /** Idempotent; a settled run is returned as it is. @throws EngineError `run_not_found` */
  cancelRun(id: string, reason?: string): Promise<Run>;
  /**
   * Answers an open inbox item; any answer may have a `note`. The shape depends on the item's kind: `tool_approval`: `{action: approve | deny,
   * arguments?, remember?}`, arguments checked against the tool's schema; `sampling_approval`, `sampling_reply`: `{action: approve | deny, content?}`
   * with what a person changed of the request or the reply; `elicitation_form`: `{action: accept | decline | cancel, content?}`, content checked against
   * the requested schema; `elicitation_url`: `{action}`; `outcome_unknown`: `{action: retry | mark_done | fail}`.
   * @throws EngineError `inbox_item_not_found`, `inbox_item_not_open`, `invalid_response`
   */
  respond(itemId: string, response: { readonly [key: string]: unknown }): Promise<InboxItem>;
  /** From here on calls that a person approved with an earlier one are asked about again. @throws EngineError `approval_not_found` */
  forgetApproval(id: string): Promise<void>;
  /** Settles or continues what an earlier process left, then takes work. */
  start(): Promise<void>;
  /** Takes no more runs, waits for nothing longer than `graceMs`, leaves the rest to the next start. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
