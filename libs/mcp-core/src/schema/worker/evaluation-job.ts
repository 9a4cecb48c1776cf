/** A value to check against a schema, both as JSON text. */
export interface EvaluationJob {
  readonly schema: string;
  readonly value: string;
}

/**
 * `unusable`: the reason why the schema cannot be used. `problems`: one sentence each; empty when
 * the value conforms.
 */
export type EvaluationResult =
  | { readonly unusable: string; readonly problems?: undefined }
  | { readonly problems: readonly string[]; readonly unusable?: undefined };
