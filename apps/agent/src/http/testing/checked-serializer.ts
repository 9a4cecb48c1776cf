import type { FastifySerializerCompiler } from 'fastify';
import type * as z from 'zod';

/**
 * Serializes responses as the service does, and throws when a response differs from the OpenAPI
 * document: a value of another type, or an undocumented field.
 */
export const checkedSerializer: FastifySerializerCompiler<z.ZodType> =
  ({ schema, method, url }) =>
  (data) => {
    const sent = JSON.stringify(data);
    const fields = unnamedFields(schema, JSON.parse(sent));
    if (fields.length > 0)
      throw new Error(
        `the response of ${method} ${url} has fields that its schema does not name: ${fields.join(', ')}`,
      );
    return sent;
  };

/**
 * Returns the paths of values that the schema does not name.
 * @throws ZodError for an invalid body
 */
export function unnamedFields(schema: z.ZodType, body: unknown): readonly string[] {
  const named = new Set(fieldsOf(JSON.stringify(schema.encode(body))));
  return fieldsOf(JSON.stringify(body)).filter((field) => !named.has(field));
}

/** Returns the paths of all values of a JSON text. */
function fieldsOf(json: string): string[] {
  const paths: string[] = [];
  const visit = (value: unknown, path: string): void => {
    paths.push(path);
    if (typeof value === 'object' && value !== null)
      for (const [key, child] of Object.entries(value)) visit(child, `${path}/${key}`);
  };
  visit(JSON.parse(json), '');
  return paths;
}
