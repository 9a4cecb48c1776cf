/** A problem with one field of a response. */
export interface FieldProblem {
  /** Names that lead to the field. */
  readonly path: readonly string[];
  readonly message: string;
}

export function fieldProblem(path: readonly string[], message: string): FieldProblem {
  return { path, message };
}

/** Joins problems to one line of text. */
export function joinProblems(problems: readonly FieldProblem[]): string {
  return problems.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
