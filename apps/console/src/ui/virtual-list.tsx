import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type ReactNode,
} from 'react';
import { isFocusFree } from '../app/lost-focus.ts';

interface VirtualListProps<Item> {
  /** Name of the list for screen readers. */
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** Height of an item in pixels before it was measured. */
  readonly estimate: (item: Item) => number;
  readonly children: (item: Item) => ReactNode;
  /** Key of the item that is scrolled into view when it changes. It gets the focus if no control has it. */
  readonly target?: string | undefined;
  /** Whether the end stays in view while items are added. Default: no. */
  readonly followsEnd?: boolean;
}

/** Pixels from the end of the page within which the reader is taken to follow the end. */
const NEAR_END_PX = 120;

/** A list that scrolls with the page and renders only the items in view, and the one that had the focus last. */
export function VirtualList<Item>({
  label,
  items,
  keyOf,
  estimate,
  children,
  target,
  followsEnd = false,
}: VirtualListProps<Item>): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  const [focused, setFocused] = useState<string>();
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => {
      const item = items[index];
      return item === undefined ? 0 : estimate(item);
    },
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    overscan: 8,
    rangeExtractor: (range) => {
      const inView = defaultRangeExtractor(range);
      const index = focused === undefined ? -1 : items.findIndex((item) => keyOf(item) === focused);
      return index < 0 || inView.includes(index)
        ? inView
        : [...inView, index].toSorted((one, other) => one - other);
    },
    scrollMargin: top,
  });

  // The content above the list moves it: the position is read after every layout, and is the same after the second.
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
  useLayoutEffect(() => {
    const element = list.current;
    if (element !== null) setTop(Math.round(element.getBoundingClientRect().top + scrollY));
  });

  const targetIndex = target === undefined ? -1 : items.findIndex((item) => keyOf(item) === target);
  useEffect(() => {
    if (targetIndex >= 0) virtualizer.scrollToIndex(targetIndex, { align: 'center' });
    // The virtualizer is the same object at every rendering.
  }, [targetIndex, virtualizer]);

  // The link to the target may be gone with the view before. A focus that the reader has elsewhere stays, such as on a tab.
  const shownTarget = useRef<string>(undefined);
  useEffect(() => {
    const row = list.current?.querySelector<HTMLElement>(':scope > [tabindex]');
    if (row === undefined || row === null || shownTarget.current === target) return;
    shownTarget.current = target;
    if (isFocusFree()) row.focus({ preventScroll: true });
  });

  useFollowEnd(followsEnd, virtualizer.getTotalSize());

  // A row that leaves the page takes the focus with it.
  const keepRow = ({ target: control }: FocusEvent): void => {
    const index = control.closest<HTMLElement>('[data-index]')?.dataset['index'];
    const item = index === undefined ? undefined : items[Number(index)];
    if (item !== undefined) setFocused(keyOf(item));
  };

  return (
    // The focus belongs to the controls inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <ul
      ref={list}
      className="virtual-list"
      onFocus={keepRow}
      aria-label={label}
      style={{ height: virtualizer.getTotalSize() }}
    >
      {virtualizer.getVirtualItems().map((row) => {
        const item = items[row.index];
        return item === undefined ? null : (
          <li
            key={row.key}
            ref={virtualizer.measureElement}
            data-index={row.index}
            tabIndex={row.index === targetIndex ? -1 : undefined}
            aria-setsize={items.length}
            aria-posinset={row.index + 1}
            style={{ transform: `translateY(${row.start - top}px)` }}
          >
            {children(item)}
          </li>
        );
      })}
    </ul>
  );
}

/** Scrolls to the end of the page when its height changes, as long as the reader stays near the end. */
function useFollowEnd(isOn: boolean, height: number): void {
  const isNearEnd = useRef(true);
  useEffect(() => {
    if (!isOn) return;
    const onScroll = (): void => {
      const { scrollHeight, clientHeight } = document.documentElement;
      isNearEnd.current = scrollHeight - clientHeight - scrollY < NEAR_END_PX;
    };
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, [isOn]);
  useLayoutEffect(() => {
    if (isOn && isNearEnd.current) scrollTo(0, document.documentElement.scrollHeight);
  }, [isOn, height]);
}
