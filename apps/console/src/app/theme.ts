import { useSyncExternalStore } from 'react';

/** Colors of the pages: light, dark, or those of the system. */
export type Theme = 'auto' | 'light' | 'dark';

const STORED_THEME = 'signalbox.theme';
const CHANGED = 'signalbox:theme';

/** Returns the chosen theme, and renders again when it changes. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, storedTheme);
}

/** Chooses a theme for this browser. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORED_THEME, theme);
  applyTheme();
  dispatchEvent(new Event(CHANGED));
}

/** Gives the document the colors of the chosen theme. */
export function applyTheme(): void {
  const theme = storedTheme();
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

function storedTheme(): Theme {
  const stored = localStorage.getItem(STORED_THEME);
  return stored === 'light' || stored === 'dark' ? stored : 'auto';
}

function subscribe(onChange: () => void): () => void {
  addEventListener(CHANGED, onChange);
  addEventListener('storage', onChange);
  return () => {
    removeEventListener(CHANGED, onChange);
    removeEventListener('storage', onChange);
  };
}
