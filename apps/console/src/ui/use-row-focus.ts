import { useEffect, useRef, type RefObject } from 'react';

/** Target of the focus after the next change of the rows. */
export type RowFocus = 'last-row' | 'add-button';

/**
 * Returns a function that moves the focus within a list of rows after their next rendering: to the
 * first field of the last row, or to the last button, which adds rows.
 */
export function useRowFocus(list: RefObject<HTMLElement | null>): (focus: RowFocus) => void {
  const wanted = useRef<RowFocus>(undefined);
  useEffect(() => {
    const focus = wanted.current;
    wanted.current = undefined;
    if (focus === undefined) return;
    const selector = focus === 'last-row' ? '.field-row:last-child input' : ':scope > div > button';
    list.current?.querySelector<HTMLElement>(selector)?.focus();
  });
  return (focus) => {
    wanted.current = focus;
  };
}
