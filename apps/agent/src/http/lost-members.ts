/** A member that a schema drops without an error, because its name is special in JavaScript. */
const DROPPED = '__proto__';

/**
 * Returns the paths of the members named `__proto__` that validation removed from a value. Members
 * within parts that the schema leaves as they are, such as nested arguments of a tool, are kept and
 * not returned.
 */
export function lostMembers(
  before: unknown,
  after: unknown,
  path: readonly string[] = [],
): readonly (readonly string[])[] {
  if (before === after || !isObject(before) || !isObject(after)) return [];
  const isLost = Object.hasOwn(before, DROPPED) && !Object.hasOwn(after, DROPPED);
  const own = isLost ? [[...path, DROPPED]] : [];
  const kept = Object.keys(after).filter((name) => Object.hasOwn(before, name));
  return [
    ...own,
    ...kept.flatMap((name) => lostMembers(before[name], after[name], [...path, name])),
  ];
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}
