import { useMemo, useSyncExternalStore } from 'react';

/** Whether this browser shows notifications of new items. `blocked`: the person forbade them in the browser. */
export type NotificationState = 'unsupported' | 'blocked' | 'off' | 'on';

/** The setting and how to change it. `turnOn` asks the person, so it is called only by a button. */
export interface NotificationSetting {
  readonly state: NotificationState;
  readonly turnOn: () => Promise<NotificationState>;
  readonly turnOff: () => void;
}

const STORED_SETTING = 'signalbox.notifications';
const CHANGED = 'signalbox:notifications';

/** Returns the setting of this browser, off at first. */
export function useNotificationSetting(): NotificationSetting {
  const state = useSyncExternalStore(subscribe, notificationState);
  return useMemo(() => ({ state, turnOn, turnOff }), [state]);
}

/** Returns the state at this moment. */
export function notificationState(): NotificationState {
  if (!('Notification' in globalThis)) return 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  const isWanted = localStorage.getItem(STORED_SETTING) === 'on';
  return isWanted && Notification.permission === 'granted' ? 'on' : 'off';
}

async function turnOn(): Promise<NotificationState> {
  if (notificationState() === 'unsupported') return 'unsupported';
  if ((await Notification.requestPermission()) === 'granted')
    localStorage.setItem(STORED_SETTING, 'on');
  dispatchEvent(new Event(CHANGED));
  return notificationState();
}

function turnOff(): void {
  localStorage.removeItem(STORED_SETTING);
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
