import { useCallback, useState } from 'react';

/** Beginning of the names of drafts in the storage of the tab. */
const PREFIX = 'signalbox.draft.';

/**
 * Returns a text that a person edits, `''` at first, and a function that changes it. The tab keeps the text, so that neither a reload
 * nor a visit of another page loses it. The empty text removes it.
 */
export function useDraft(name: string): readonly [string, (next: string) => void] {
  const key = PREFIX + name;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '');
  const change = useCallback(
    (next: string) => {
      setText(next);
      if (next === '') sessionStorage.removeItem(key);
      else store(key, next);
    },
    [key],
  );
  return [text, change];
}

/** Removes all drafts of the tab. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

function store(key: string, text: string): void {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // The storage is full: the text is kept by the page alone.
    sessionStorage.removeItem(key);
  }
}
