import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { useToast } from '../ui/toast.tsx';
import { useNotificationSetting } from './notification-setting.ts';

/** Turns desktop notifications of new items on and off. Only a click asks the browser for permission. */
export function NotificationButton(): ReactNode {
  const { state, turnOn, turnOff } = useNotificationSetting();
  const toast = useToast();
  if (state === 'unsupported') return null;
  if (state === 'on') return <Button onClick={turnOff}>Notifications are on</Button>;
  const ask = async (): Promise<void> => {
    const next = await turnOn();
    if (next === 'on') toast('New items are announced while this page is open in the background');
    if (next === 'blocked')
      toast('The browser blocks notifications of this page; allow them in its settings', 'bad');
  };
  return <Button onClick={() => void ask()}>Notify me</Button>;
}
