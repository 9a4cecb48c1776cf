import { fieldKind, resolve, type JsonSchema } from './field-kind.ts';
import type { FormValue } from './form-value.ts';

/** Returns the values with which a form begins: the defaults of its fields, and `false` for a required check box. */
export function initialValue(schema: JsonSchema): FormValue {
  const kind = fieldKind(schema, schema);
  if (kind.kind !== 'object') return {};
  return Object.fromEntries(
    kind.properties.flatMap(({ name, schema: own, isRequired }) => {
      const { default: preset } = resolve(own, schema);
      if (preset !== undefined) return [[name, preset]];
      return isRequired && fieldKind(own, schema).kind === 'boolean' ? [[name, false]] : [];
    }),
  );
}
