import { useCallback, useState } from 'react';

/** Beginning of the names of drafts in the storage of the tab. */
const PREFIX = 'signalbox.draft.';

/**
 * Returns a text that a person edits, `''` at first, and a function that changes it. The tab keeps the text, so that neither a reload
 * nor a visit of another page loses it. The empty text removes it.
 */
export function useDraft(name: string): readonly [string, (next: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(PREFIX + name) ?? '');
  const change = useCallback(
    (next: string) => {
      setText(next);
      keepDraft(name, next);
    },
    [name],
  );
  return [text, change];
}

/** Keeps a text in the tab under the name of a draft. The empty text removes it. */
export function keepDraft(name: string, text: string): void {
  if (text === '') sessionStorage.removeItem(PREFIX + name);
  else store(PREFIX + name, text);
}

/** Moves the text of a draft to another draft, if there is a text. */
export function moveDraft(from: string, to: string): void {
  const text = sessionStorage.getItem(PREFIX + from) ?? '';
  if (text === '') return;
  keepDraft(to, text);
  keepDraft(from, '');
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
