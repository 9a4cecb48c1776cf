/**
 * The prompt or resource template whose argument is completed.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  /** `uri` is the URI template. */
  | { readonly type: 'ref/resource'; readonly uri: string };

/** Parameters of `completion/complete`. */
export interface CompleteParams {
  readonly ref: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
  /** Values of arguments that are already set. */
  readonly context?: { readonly arguments?: { readonly [name: string]: string } };
}

/** Suggested values for an argument. */
export type Completion = {
  /** At most 100, most relevant first. */
  readonly values: readonly string[];
  /** Number of all matching values. */
  readonly total?: number;
  readonly hasMore?: boolean;
};
