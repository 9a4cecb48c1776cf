import type { Completion } from '../../protocol/completion.ts';
import type { RequestContext } from '../requests/request-context.ts';

/** The other arguments of a completion, and the context of its request. */
export interface CompletionInput {
  /** The values of the other arguments that were chosen before. */
  readonly arguments: { readonly [name: string]: string };
  readonly context: RequestContext;
}

/** Suggested values, most relevant first. At most the first 100 are sent. */
export type CompletionOutput = readonly string[] | Completion;

/** Suggests values for the text so far, which may be empty. */
export type Completer = (
  value: string,
  input: CompletionInput,
) => Promise<CompletionOutput> | CompletionOutput;
