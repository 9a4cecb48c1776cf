import { ProblemError } from '../problem-error.ts';

/** Whether the same request can succeed later. An error of `fetch` has a different class in each runtime. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ProblemError) return error.isRetryable;
  return !(error instanceof SyntaxError);
}
