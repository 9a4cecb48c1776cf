import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';

/** Docstrings of the declarations that openapi-typescript writes. */
const DOCSTRINGS: { readonly [name: string]: string } = {
  paths: 'Methods of each path, with their parameters, bodies and responses.',
  components: 'Schemas, responses and headers by name.',
  operations: 'Parameters, bodies and responses of each operation by its id.',
};

/** Tags of comments that repeat the type below them. */
const REPEATED =
  /^ *(?:\/\*\* @(?:enum \{string\}|constant) \*\/|\* @(?:enum \{string\}|constant))\n/gm;
/** Description of a property that openapi-typescript narrows to the value of its variant. */
const NARROWED = /^ *\* @description discriminator enum property added by openapi-typescript\n/gm;
const EMPTY_COMMENT = /^ *\/\*\*\n *\*\/\n/gm;

/** Returns the TypeScript types of an OpenAPI document, as a module with `paths`, `components` and `operations`. */
export async function typesOfDocument(text: string): Promise<string> {
  const document = JSON.parse(text) as OpenAPI3;
  const types = astToString(await openapiTypes(document))
    .replaceAll(/^export type (?:webhooks|\$defs) = .*\n/gm, '')
    .replaceAll(REPEATED, '')
    .replaceAll(NARROWED, '')
    .replaceAll(EMPTY_COMMENT, '')
    // Not a tag that documentation tools know.
    .replaceAll(/^( *\*) (.+)\n\1 @description /gm, '$1 $2\n$1\n$1 ')
    .replaceAll('@description ', '')
    .replaceAll(
      /^export interface (\w+)/gm,
      (declaration, name: string) => `/** ${DOCSTRINGS[name] ?? name} */\n${declaration}`,
    );
  return `// Generated from the OpenAPI document of the service.\n${types}`;
}
