/** Parts of an OpenAPI document that the service describes. */
export interface ApiDocument {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly schemas: { readonly [name: string]: object } };
  readonly [member: string]: unknown;
}

export interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema?: { readonly type?: string };
  readonly style?: string;
  readonly explode?: boolean;
}

export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: object;
  readonly responses?: { readonly [status: string]: object };
  readonly [member: string]: unknown;
}
