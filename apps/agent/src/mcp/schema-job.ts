/** Work for the schema worker. Schemas and values travel as JSON text. */
export type SchemaJob =
  | { readonly kind: 'compile'; readonly schema: string }
  | { readonly kind: 'arguments'; readonly schema: string; readonly value: string }
  /** `root` names the value in what is said of it. */
  | {
      readonly kind: 'output';
      readonly schema: string;
      readonly value: string;
      readonly root: string;
    };

/** `unusable`: why the schema cannot be used. `problems`: what is wrong with the value, one line each; empty when it conforms. */
export type SchemaReply =
  | { readonly unusable: string; readonly problems?: undefined }
  | { readonly problems: readonly string[]; readonly unusable?: undefined };
