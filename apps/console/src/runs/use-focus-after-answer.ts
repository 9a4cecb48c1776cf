import { useLayoutEffect, useRef, type RefObject } from 'react';

/**
 * Returns the ref of an element whose buttons answer a question. If they have the focus when they leave the page, it moves to the title
 * of the next open question, or else to the question that was answered, so that Enter answers nothing unread. Titles of questions have
 * the attribute `data-question`, whose value is `open` until the answer.
 */
export function useFocusAfterAnswer<Place extends HTMLElement>(): RefObject<Place | null> {
  const buttons = useRef<Place>(null);
  useLayoutEffect(() => {
    const { current } = buttons;
    return () => {
      if (current?.contains(document.activeElement) !== true) return;
      const place = current.closest<HTMLElement>('article, li');
      requestAnimationFrame(() => {
        if (place?.isConnected === true && document.activeElement === document.body) leave(place);
      });
    };
  }, []);
  return buttons;
}

function leave(place: HTMLElement): void {
  const open = [...document.querySelectorAll<HTMLElement>('[data-question=open]')];
  const next = open.find(
    (title) => place.compareDocumentPosition(title) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  const answered = place.querySelector<HTMLElement>('[data-question]');
  (next ?? open[0] ?? answered ?? place).focus();
}
