/** A job for the schema worker. Schemas and values are JSON text. */
export type SchemaJob =
  | { readonly kind: 'compile'; readonly schema: string }
  | { readonly kind: 'arguments'; readonly schema: string; readonly value: string }
  /** `root`: name of the value in problem texts. */
  | {
      readonly kind: 'output';
      readonly schema: string;
      readonly value: string;
      readonly root: string;
    };

/** `unusable`: reason why the schema cannot be used. `problems`: one line each; empty for a valid value. */
export type SchemaReply =
  | { readonly unusable: string; readonly problems?: undefined }
  | { readonly problems: readonly string[]; readonly unusable?: undefined };
