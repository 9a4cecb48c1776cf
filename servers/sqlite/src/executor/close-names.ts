const MAX_NAMES = 20;

/**
 * Returns at most 20 names similar to `wanted`, nearest first; without any, the first names in
 * their order.
 */
export function closeNames(wanted: string, names: readonly string[]): string[] {
  const target = wanted.slice(0, 64).toLowerCase();
  const near = names
    .map((name) => ({ name, distance: distanceTo(target, name.slice(0, 64).toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(2, target.length / 2))
    .toSorted((left, right) => left.distance - right.distance)
    .map(({ name }) => name);
  return (near.length > 0 ? near : names).slice(0, MAX_NAMES);
}

/** Returns the edit distance in characters; a name that contains the other counts as one edit. */
function distanceTo(left: string, right: string): number {
  if (left !== '' && right !== '' && (left.includes(right) || right.includes(left)))
    return left === right ? 0 : 1;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [row, leftCharacter] of Array.from(left).entries()) {
    const current = [row + 1];
    for (const [column, rightCharacter] of Array.from(right).entries()) {
      const replaced = (previous[column] ?? 0) + (leftCharacter === rightCharacter ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
