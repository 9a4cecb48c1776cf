import { useEffect, type RefObject } from 'react';

/** Elements around a control that say where the reader is, such as a row, a list or a form. */
const PLACES =
  'li, ul, tr, form, fieldset, article, section, dialog, [role=region], [role=tabpanel]';
/** Attribute of a place that has the focus of a lost control. */
const MARK = 'data-lost-focus';

/**
 * Moves the focus to the nearest place around a control that lost it, because it left the page or was disabled. The browser would move it
 * to the start of the document. Components that choose a better place come first.
 */
export function useLostFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { current } = main;
    if (current === null) return;
    let control: HTMLElement | undefined;
    let places: readonly HTMLElement[] = [current];
    const onFocusIn = ({ target }: FocusEvent): void => {
      control = target instanceof HTMLElement ? target : undefined;
      // A message outside of the page passes the focus back to the page.
      if (control !== undefined && current.contains(control))
        places = [control, ...placesAround(control), current];
    };
    const onFocusOut = (): void => {
      requestAnimationFrame(() => {
        if (document.activeElement === document.body && !isLost(control)) control = undefined;
      });
    };
    const move = (): void => {
      if (!isLost(control) || document.activeElement !== document.body) return;
      const place = places.find(isUsable);
      if (place !== undefined) focusPlace(place);
    };
    const observer = new MutationObserver(() => {
      // Effects of the components have run after the second frame.
      if (isLost(control)) requestAnimationFrame(() => requestAnimationFrame(move));
    });
    document.addEventListener('focusin', onFocusIn);
    document.addEventListener('focusout', onFocusOut);
    observer.observe(document.body, {
      childList: true,
      subtree: true,
      attributeFilter: ['disabled'],
    });
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', onFocusIn);
      document.removeEventListener('focusout', onFocusOut);
    };
  }, [main]);
}

/** Whether no control has the focus, so that a page may choose its place. */
export function isFocusFree(): boolean {
  return document.activeElement?.matches(`body, main, [${MARK}]`) === true;
}

function* placesAround(control: HTMLElement): Generator<HTMLElement> {
  let place = control.parentElement?.closest<HTMLElement>(PLACES);
  while (place !== undefined && place !== null) {
    yield place;
    place = place.parentElement?.closest<HTMLElement>(PLACES);
  }
}

function isLost(control: HTMLElement | undefined): boolean {
  return control !== undefined && (!control.isConnected || control.matches(':disabled'));
}

/** Whether a control or place can still have the focus. A list without rows shows nothing. */
function isUsable(element: HTMLElement): boolean {
  if (!element.isConnected || element.matches(':disabled')) return false;
  return element.tabIndex >= 0 || element.childElementCount > 0;
}

function focusPlace(place: HTMLElement): void {
  if (place.tabIndex >= 0) {
    place.focus({ preventScroll: true });
    return;
  }
  const isFocusable = place.hasAttribute('tabindex');
  if (!isFocusable) place.tabIndex = -1;
  place.setAttribute(MARK, '');
  place.addEventListener(
    'blur',
    () => {
      place.removeAttribute(MARK);
      if (!isFocusable) place.removeAttribute('tabindex');
    },
    { once: true },
  );
  place.focus({ preventScroll: true });
}
