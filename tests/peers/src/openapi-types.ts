import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';

/** Docstrings of the declarations that openapi-typescript writes. */
const DOCSTRINGS: { readonly [name: string]: string } = {
  paths: 'Methods of each path, with their parameters, bodies and responses.',
  components: 'Schemas, responses and headers by name.',
  operations: 'Parameters, bodies and responses of each operation by its id.',
};

/** Returns the TypeScript types of an OpenAPI document, as a module with `paths`, `components` and `operations`. */
export async function typesOfDocument(text: string): Promise<string> {
  const document = JSON.parse(text) as OpenAPI3;
  const types = astToString(await openapiTypes(document))
    .replaceAll(/^export type (?:webhooks|\$defs) = .*\n/gm, '')
    .replaceAll(
      /^export interface (\w+)/gm,
      (declaration, name: string) => `/** ${DOCSTRINGS[name] ?? name} */\n${declaration}`,
    );
  return `// Generated from the OpenAPI document of the service.\n${types}`;
}
