/** Schemas deeper than this are `unknown`, which also ends recursive references. */
type MaxDepth = 12;

type Deeper<Depth extends readonly 0[]> = readonly [...Depth, 0];

/**
 * The TypeScript type of the values that a JSON Schema literal accepts: `type`, `const`, `enum`, `properties`, `required`, `additionalProperties`, `items`,
 * `prefixItems`, `anyOf`, `oneOf`, `allOf` and `$ref` to `#/$defs`. Other keywords are ignored; a schema without any of these, or deeper than 12 levels, is
 * `unknown`.
 */
export type FromSchema<
  S,
  Root = S,
  Depth extends readonly 0[] = readonly [],
> = Depth['length'] extends MaxDepth
  ? unknown
  : S extends boolean
    ? S extends false
      ? never
      : unknown
    : FromValues<S, Root, Deeper<Depth>> &
        FromAlternatives<S, 'anyOf', Root, Deeper<Depth>> &
        FromAlternatives<S, 'oneOf', Root, Deeper<Depth>> &
        (S extends { readonly allOf: infer All } ? FromAll<All, Root, Deeper<Depth>> : unknown) &
        (S extends { readonly $ref: infer Ref }
          ? FromReference<Ref, Root, Deeper<Depth>>
          : unknown);

type FromValues<S, Root, Depth extends readonly 0[]> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly type: readonly (infer Name)[] }
      ? FromType<S, Name, Root, Depth>
      : S extends { readonly type: infer Name }
        ? FromType<S, Name, Root, Depth>
        : unknown;

type FromAlternatives<
  S,
  Keyword extends 'anyOf' | 'oneOf',
  Root,
  Depth extends readonly 0[],
> = S extends { readonly [K in Keyword]: readonly (infer Alternative)[] }
  ? FromSchema<Alternative, Root, Depth>
  : unknown;

type FromAll<All, Root, Depth extends readonly 0[]> = All extends readonly [
  infer First,
  ...infer Rest,
]
  ? FromSchema<First, Root, Depth> & FromAll<Rest, Root, Depth>
  : unknown;

type FromReference<Ref, Root, Depth extends readonly 0[]> = Ref extends `#/$defs/${infer Name}`
  ? Root extends { readonly $defs: { readonly [K in Name]: infer Definition } }
    ? FromSchema<Definition, Root, Depth>
    : unknown
  : Ref extends '#'
    ? FromSchema<Root, Root, Depth>
    : unknown;

interface TypeOfName {
  readonly string: string;
  readonly number: number;
  readonly integer: number;
  readonly boolean: boolean;
  readonly null: null;
}

/** Distributes over the type names. */
type FromType<S, Name, Root, Depth extends readonly 0[]> = Name extends keyof TypeOfName
  ? TypeOfName[Name]
  : Name extends 'array'
    ? FromArray<S, Root, Depth>
    : Name extends 'object'
      ? FromObject<S, Root, Depth>
      : unknown;

type FromArray<S, Root, Depth extends readonly 0[]> = S extends {
  readonly prefixItems: readonly (infer First)[];
}
  ? S extends { readonly items: infer Rest }
    ? readonly (FromSchema<First, Root, Depth> | FromSchema<Rest, Root, Depth>)[]
    : readonly unknown[]
  : S extends { readonly items: infer Item }
    ? readonly FromSchema<Item, Root, Depth>[]
    : readonly unknown[];

type FromObject<S, Root, Depth extends readonly 0[]> = S extends {
  readonly properties: infer Properties;
}
  ? FromProperties<Properties, RequiredOf<S>, Root, Depth> & FromAdditional<S>
  : [RequiredOf<S>] extends [never]
    ? FromMap<S, Root, Depth>
    : FromMap<S, Root, Depth> & { readonly [Name in RequiredOf<S>]: unknown };

type FromProperties<Properties, Required extends string, Root, Depth extends readonly 0[]> = Flat<
  {
    readonly [Name in keyof Properties as Name extends Required ? Name : never]: FromSchema<
      Properties[Name],
      Root,
      Depth
    >;
  } & {
    readonly [Name in keyof Properties as Name extends Required ? never : Name]?: FromSchema<
      Properties[Name],
      Root,
      Depth
    >;
  } & { readonly [Name in Exclude<Required, keyof Properties>]: unknown }
>;

/** Members beside `properties` are typed only if the schema names the keyword. */
type FromAdditional<S> = S extends { readonly additionalProperties: infer Additional }
  ? Additional extends false
    ? unknown
    : { readonly [name: string]: unknown }
  : unknown;

type FromMap<S, Root, Depth extends readonly 0[]> = {
  readonly [name: string]: S extends { readonly patternProperties: unknown }
    ? unknown
    : S extends { readonly additionalProperties: infer Additional }
      ? FromSchema<Additional, Root, Depth>
      : unknown;
};

/** The names of `required` if they are literals. */
type RequiredOf<S> = S extends { readonly required: readonly (infer Name extends string)[] }
  ? string extends Name
    ? never
    : Name
  : never;

type Flat<T> = T extends infer U ? { readonly [K in keyof U]: U[K] } : never;
