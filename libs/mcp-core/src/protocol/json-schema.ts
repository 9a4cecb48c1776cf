type Properties<S> = S extends { readonly properties: infer P } ? P : object;
type RequiredKeys<S> = S extends { readonly required: readonly (infer K)[] } ? K & keyof Properties<S> : never;

type ObjectOf<S> = { readonly [K in RequiredKeys<S>]: FromSchema<Properties<S>[K]> } & {
  readonly [K in Exclude<keyof Properties<S>, RequiredKeys<S>>]?: FromSchema<Properties<S>[K]>;
};

/** The TypeScript type of the values a JSON Schema written as a literal accepts; `unknown` for keywords outside the common ones. */
export type FromSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly type: 'string' }
      ? string
      : S extends { readonly type: 'number' | 'integer' }
        ? number
        : S extends { readonly type: 'boolean' }
          ? boolean
          : S extends { readonly type: 'array'; readonly items: infer I }
            ? readonly FromSchema<I>[]
            : S extends { readonly type: 'object'; readonly properties: unknown }
              ? ObjectOf<S>
              : unknown;
