/** A pattern element that matches any number of items, including none. */
export const anything = Symbol('anything');

/** The conditions of the items, in order. */
export type SequencePattern<Item> = readonly (typeof anything | ((item: Item) => boolean))[];

/**
 * Whether the whole sequence matches. Takes at most the product of both lengths in steps, because
 * only the last `anything` is retried.
 */
export function matchSequence<Item>(
  pattern: SequencePattern<Item>,
  items: ArrayLike<Item>,
): boolean {
  let next = 0;
  let position = 0;
  let retry: { readonly next: number; position: number } | undefined;
  while (position < items.length) {
    const wanted = pattern[next];
    if (wanted === anything) {
      next += 1;
      retry = { next, position };
      continue;
    }
    // The loop keeps the index in bounds.
    if (wanted?.(items[position] as Item) === true) {
      next += 1;
      position += 1;
      continue;
    }
    if (retry === undefined) return false;
    retry.position += 1;
    ({ next, position } = retry);
  }
  return pattern.slice(next).every((rest) => rest === anything);
}
