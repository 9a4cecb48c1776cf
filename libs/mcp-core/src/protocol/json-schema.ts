type Properties<S> = S extends { readonly properties: infer P } ? P : object;
type RequiredKeys<S> = S extends { readonly required: readonly (infer K)[] }
  ? K & keyof Properties<S>
  : never;

type ObjectOf<S> = { readonly [K in RequiredKeys<S>]: FromSchema<Properties<S>[K]> } & {
  readonly [K in Exclude<keyof Properties<S>, RequiredKeys<S>>]?: FromSchema<Properties<S>[K]>;
};

interface TypeOfName {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

/**
 * The TypeScript type of the values that a JSON Schema literal accepts; `unknown` for schemas with
 * other keywords.
 */
export type FromSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] } | { readonly oneOf: readonly (infer A)[] }
      ? FromSchema<A>
      : S extends { readonly type: readonly (infer T)[] }
        ? OfType<S, T>
        : S extends { readonly type: infer T }
          ? OfType<S, T>
          : unknown;

/** Distributes over the type names. */
type OfType<S, T> = T extends keyof TypeOfName
  ? TypeOfName[T]
  : T extends 'array'
    ? S extends { readonly items: infer I }
      ? readonly FromSchema<I>[]
      : readonly unknown[]
    : T extends 'object'
      ? S extends { readonly properties: unknown }
        ? ObjectOf<S>
        : { readonly [key: string]: unknown }
      : unknown;
