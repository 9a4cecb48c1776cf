/** What is wrong with one field of an answer. */
export interface FieldProblem {
  /** The names that lead to it. */
  readonly path: readonly string[];
  readonly message: string;
}

export function fieldProblem(path: readonly string[], message: string): FieldProblem {
  return { path, message };
}

/** All of them on one line, for people. */
export function joinProblems(problems: readonly FieldProblem[]): string {
  return problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
