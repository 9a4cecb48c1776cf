import { useEffect, useSyncExternalStore } from 'react';

/** A key of the inbox and its effect. */
export interface Shortcut {
  readonly key: string;
  readonly effect: string;
}

/** Keys that move the focus to an action, which Enter then executes. */
export const ACTION_KEYS = {
  approve: 'a',
  deny: 'd',
  edit: 'e',
  note: 'n',
} as const;

/** Every key of the inbox, for the help. */
export const SHORTCUTS: readonly Shortcut[] = [
  { key: 'j', effect: 'Next item' },
  { key: 'k', effect: 'Previous item' },
  { key: ACTION_KEYS.approve, effect: 'Go to Approve, Accept or the first action' },
  { key: ACTION_KEYS.deny, effect: 'Go to Deny or Decline' },
  { key: ACTION_KEYS.edit, effect: 'Edit the arguments, or go to the first field' },
  { key: ACTION_KEYS.note, effect: 'Go to the note' },
  { key: '?', effect: 'Show this help' },
];

/** Elements in which letters have a meaning of their own. */
const TYPED = 'input:not([type="radio"], [type="checkbox"]), textarea, select';
const STORED_SETTING = 'signalbox.shortcuts';
const CHANGED = 'signalbox:shortcuts';

/** Returns whether single keys are shortcuts, which is the default, and a function that changes it for this browser. */
export function useShortcutSetting(): readonly [boolean, (isOn: boolean) => void] {
  return [useSyncExternalStore(subscribe, areShortcutsOn), turnShortcuts];
}

/**
 * Calls the handler of a key that is pressed without Ctrl, Alt or Meta, outside of inputs and dialogs, while shortcuts are on.
 * @see https://www.w3.org/WAI/WCAG22/Understanding/character-key-shortcuts
 */
export function useShortcuts(handlers: { readonly [key: string]: () => void }): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const handler = Object.hasOwn(handlers, event.key) ? handlers[event.key] : undefined;
      if (handler === undefined || !isFree(event) || !areShortcutsOn()) return;
      event.preventDefault();
      handler();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [handlers]);
}

/** Whether a key press belongs to no input, dialog or command of the browser. */
function isFree(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (document.querySelector('dialog[open]') !== null) return false;
  const { target } = event;
  return !(target instanceof HTMLElement && target.closest(TYPED) !== null);
}

function areShortcutsOn(): boolean {
  return localStorage.getItem(STORED_SETTING) !== 'off';
}

function turnShortcuts(isOn: boolean): void {
  if (isOn) localStorage.removeItem(STORED_SETTING);
  else localStorage.setItem(STORED_SETTING, 'off');
  dispatchEvent(new Event(CHANGED));
}

function subscribe(onChange: () => void): () => void {
  addEventListener(CHANGED, onChange);
  addEventListener('storage', onChange);
  return () => {
    removeEventListener(CHANGED, onChange);
    removeEventListener('storage', onChange);
  };
}
