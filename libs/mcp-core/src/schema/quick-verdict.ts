/** The first problem of a value. */
export interface QuickProblem {
  /** Names and indexes of the members that lead to the problem, outermost first. */
  readonly path: readonly (string | number)[];
  /** The violated requirement, without a subject ("must be of type string"). */
  readonly text: string;
}

/**
 * The result of a check: `fits`, the first problem, or why the value is undecided: `keyword` when
 * an unsupported keyword decides (such as a regular expression), `long` when the check needs more
 * steps than allowed.
 */
export type QuickVerdict = 'fits' | QuickProblem | 'keyword' | 'long';

/** Prepends a member name or index to the path of a problem. */
export function within(step: string | number, verdict: QuickVerdict): QuickVerdict {
  return typeof verdict === 'object'
    ? { path: [step, ...verdict.path], text: verdict.text }
    : verdict;
}

/** Returns `fits` or a problem at the value itself. */
export function unless(isFitting: boolean, text: () => string): QuickVerdict {
  return isFitting ? 'fits' : { path: [], text: text() };
}
