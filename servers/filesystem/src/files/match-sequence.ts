/** Stands for any number of items, also none. */
export const anything = Symbol('anything');

/** What each item in turn has to satisfy. */
export type SequencePattern<Item> = readonly (typeof anything | ((item: Item) => boolean))[];

/** Whether the whole sequence fits. Takes at most as many steps as the two lengths multiplied: only the last `anything` is ever tried again. */
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
    // Inside the bounds that the loop keeps.
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
