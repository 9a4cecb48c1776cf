/** @typedef {typeof import('../../../tests/peers/src/sdk-v2-server-api.mjs').z} Zod */

/**
 * The arguments of a tool, as servers on the official SDK declare them.
 * @param {Zod} z
 * @param {import('../catalog.mjs').ToolSpec['fields']} fields
 */
export function zodShape(z, fields) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const type = zodType(z, field).describe(field.description);
      return [name, field.isOptional === true ? type.optional() : type];
    }),
  );
}

/** @param {Zod} z @param {import('../catalog.mjs').Field} field */
function zodType(z, field) {
  switch (field.kind) {
    case 'string':
      return z.string();
    case 'boolean':
      return z.boolean();
    case 'strings':
      return z.array(z.string());
    case 'integer':
      return z.number().int().min(field.minimum).max(field.maximum);
    case 'choice':
      return z.enum([...field.values]);
  }
}
