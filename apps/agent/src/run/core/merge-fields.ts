/** Fields of a request. Null removes an inherited value. */
type Requested<T> = { readonly [Name in keyof T]?: T[Name] | null };

/**
 * Merges objects field by field; later ones take precedence, and null removes a field. Returns
 * undefined when no field is left.
 */
export function mergeFields<T extends object>(
  layers: readonly (Requested<T> | undefined)[],
): T | undefined {
  const merged = layers.reduce<Requested<T>>((all, layer) => ({ ...all, ...layer }), {});
  const set = Object.entries(merged).filter(([, value]) => value !== null);
  // The entries are those of the layers without the null ones.
  return set.length === 0 ? undefined : (Object.fromEntries(set) as T);
}
