import { useEffect, useRef, type RefObject } from 'react';

/** Pixels from the end of the page within which the reader is taken to follow the end. */
const NEAR_END_PX = 160;

/** Keeps the end of the page in view while the element grows, as long as the reader stays near the end. Begins at the end. */
export function useFollowEnd(): RefObject<HTMLDivElement | null> {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    let isNearEnd = true;
    const page = document.documentElement;
    const onScroll = (): void => {
      isNearEnd = page.scrollHeight - page.clientHeight - scrollY < NEAR_END_PX;
    };
    const observer = new ResizeObserver(() => {
      if (isNearEnd) scrollTo(0, page.scrollHeight);
    });
    observer.observe(current);
    addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      removeEventListener('scroll', onScroll);
    };
  }, []);
  return element;
}
