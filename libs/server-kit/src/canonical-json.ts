/**
 * Returns the JSON text of a value with the members of each object sorted by name, so that equal
 * values have equal texts.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    isPlainObject(member) ? sorted(member) : member,
  );
}

function isPlainObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(object: { readonly [name: string]: unknown }): object {
  return Object.fromEntries(
    Object.entries(object).toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );
}
