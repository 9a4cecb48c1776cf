import type { ApiDocument } from '../../api-document.ts';

type Schema = { readonly [keyword: string]: unknown };

/**
 * Returns the document with readable schemas for generators: without the bounds of safe integers
 * and the pattern beside `format: date-time`, open for new response fields, and with a
 * `discriminator` for unions of components.
 */
export function plainSchemas(document: ApiDocument): ApiDocument {
  const { schemas } = document.components;
  const plain = (value: unknown, isClosed: boolean): unknown => {
    if (Array.isArray(value)) return value.map((each) => plain(each, isClosed));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(
      ([keyword, member]) =>
        !isNoise(value as Schema, keyword, member) &&
        (isClosed || keyword !== 'additionalProperties' || member !== false),
    );
    return {
      ...Object.fromEntries(entries.map(([keyword, member]) => [keyword, plain(member, isClosed)])),
      ...discriminatorOf(value as Schema, schemas),
    };
  };
  // Requests refuse unknown fields; responses may gain new ones.
  const plainComponents = Object.entries(schemas).map(([name, schema]) => [
    name,
    plain(schema, name.endsWith('Input')),
  ]);
  return {
    ...(plain(document, true) as ApiDocument),
    components: {
      ...document.components,
      schemas: Object.fromEntries(plainComponents) as ApiDocument['components']['schemas'],
    },
  };
}

function isNoise(schema: Schema, keyword: string, member: unknown): boolean {
  if (keyword === 'minimum') return member === Number.MIN_SAFE_INTEGER;
  if (keyword === 'maximum') return member === Number.MAX_SAFE_INTEGER;
  return keyword === 'pattern' && schema['format'] === 'date-time';
}

const PREFIX = '#/components/schemas/';

/**
 * Returns the discriminator of a union.
 * @see https://spec.openapis.org/oas/v3.1.0#discriminator-object
 */
function discriminatorOf({ oneOf }: Schema, schemas: ApiDocument['components']['schemas']): object {
  if (!Array.isArray(oneOf)) return {};
  const variants = (oneOf as readonly Schema[]).map(({ $ref: reference }) => ({
    reference,
    schema: schemas[String(reference).slice(PREFIX.length)] as Schema | undefined,
  }));
  for (const propertyName of ['type', 'kind']) {
    const mapping = variants.flatMap(({ reference, schema }) =>
      namesIn(schema, propertyName).map((name) => [name, reference]),
    );
    if (
      mapping.length >= variants.length &&
      variants.every(({ schema }) => namesIn(schema, propertyName).length > 0)
    )
      return { discriminator: { propertyName, mapping: Object.fromEntries(mapping) as object } };
  }
  return {};
}

function namesIn(schema: Schema | undefined, propertyName: string): readonly string[] {
  const property = (schema?.['properties'] as { readonly [name: string]: Schema } | undefined)?.[
    propertyName
  ];
  if (typeof property?.['const'] === 'string') return [property['const']];
  return property !== undefined && Array.isArray(property['enum']) && propertyName === 'type'
    ? (property['enum'] as readonly string[])
    : [];
}
