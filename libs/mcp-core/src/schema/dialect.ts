import type { JsonSchema } from '../protocol/tools.ts';

export type Dialect = '2020-12' | 'draft-07';

/** Dialects by `$schema`, without its protocol and empty fragment. */
const DIALECTS: { readonly [dialect: string]: Dialect } = {
  '//json-schema.org/draft/2020-12/schema': '2020-12',
  '//json-schema.org/draft-07/schema': 'draft-07',
};
const DEFAULT_DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Returns the dialect that a schema declares; 2020-12 by default.
 * @throws Error when it is neither 2020-12 nor draft-07.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#json-schema-usage
 */
export function dialectOf({ $schema = DEFAULT_DIALECT }: JsonSchema): Dialect {
  const name = String($schema)
    .replace(/^https?:/u, '')
    .replace(/#$/u, '');
  const dialect = Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
  if (dialect === undefined) {
    throw new Error(
      `Schemas of the dialect ${JSON.stringify($schema)} are not supported; use 2020-12 (${DEFAULT_DIALECT}) or draft-07`,
    );
  }
  return dialect;
}
