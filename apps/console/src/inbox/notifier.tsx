import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { InboxItem } from '@signalbox/client';
import { itemTitle } from './item-title.ts';
import { createNotifications } from './notifications.ts';
import { useNotificationSetting } from './notification-setting.ts';
import { useOpenItems } from './open-items.ts';

/**
 * Announces items that open to screen readers, on every page. Once notifications are on, each that opens while the person looks
 * elsewhere is a desktop notification, in one tab of the browser.
 */
export function Notifier(): ReactNode {
  const { state } = useNotificationSetting();
  const { data } = useOpenItems();
  const [notifications] = useState(createNotifications);
  const known = useRef<ReadonlySet<string>>(undefined);
  const [opened, setOpened] = useState<readonly InboxItem[]>([]);

  useEffect(() => {
    if (data === undefined) return;
    const before = known.current;
    known.current = new Set(data.items.map(({ id }) => id));
    notifications.keep(known.current);
    if (before === undefined) return;
    const added = data.items.filter(({ id }) => !before.has(id));
    if (added.length > 0) setOpened(added);
    if (state !== 'on' || document.hasFocus()) return;
    for (const item of added) notifications.show(item);
  }, [data, state, notifications]);

  const [first] = opened;
  return (
    <div className="visually-hidden" role="status">
      {/* A text that is the same as the last one is announced only as a new element. */}
      {first !== undefined && <span key={first.id}>{announcement(first, opened.length)}</span>}
    </div>
  );
}

function announcement(first: InboxItem, count: number): string {
  return count === 1 ? `New in the inbox: ${itemTitle(first)}` : `${count} new items in the inbox`;
}
