/**
 * Returns parts of a definition of a tool as a text of lines that can be compared: JSON with sorted names, where a text of several
 * lines has a line for each.
 */
export function definitionText(
  definition: { readonly [part: string]: unknown },
  parts: readonly string[],
): string {
  return parts
    .filter((part) => definition[part] !== undefined)
    .map((part) => `${part}: ${partText(definition[part])}`)
    .join('\n');
}

function partText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(sorted(value), undefined, 2);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => sorted(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}
