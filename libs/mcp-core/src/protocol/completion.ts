/** What is being completed. @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  /** `uri` is the URI template. */
  | { readonly type: 'ref/resource'; readonly uri: string };

export interface CompleteParams {
  readonly ref: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
  /** Arguments that were chosen before. */
  readonly context?: { readonly arguments?: { readonly [name: string]: string } };
}

export interface Completion {
  /** At most 100, most relevant first. */
  readonly values: readonly string[];
  /** How many there are in all. */
  readonly total?: number;
  readonly hasMore?: boolean;
}
