import { useEffect, useRef } from 'react';
import { navigate } from '../app/router.ts';
import { itemTitle, kindText } from './item-title.ts';
import { useNotificationSetting } from './notification-setting.ts';
import { useOpenItems } from './open-items.ts';

/** Shows a desktop notification for each item that opens while the person looks elsewhere, once notifications are on. */
export function Notifier(): null {
  const { state } = useNotificationSetting();
  const { data } = useOpenItems();
  const known = useRef<ReadonlySet<string>>(undefined);

  useEffect(() => {
    if (data === undefined) return;
    const before = known.current;
    known.current = new Set(data.items.map(({ id }) => id));
    if (state !== 'on' || before === undefined || document.hasFocus()) return;
    for (const item of data.items) {
      if (before.has(item.id)) continue;
      const notification = new Notification(itemTitle(item), {
        body: kindText(item.kind).label,
        icon: '/favicon.svg',
        tag: item.id,
      });
      notification.addEventListener('click', () => {
        focus();
        navigate(`/inbox/${encodeURIComponent(item.id)}`);
        notification.close();
      });
    }
  }, [data, state]);

  return null;
}
