import type { InboxItem } from '@signalbox/client';
import { navigate } from '../app/router.ts';
import { itemTitle, kindText } from './item-title.ts';

/** Desktop notifications of items, each in one of the tabs of the browser. */
export interface Notifications {
  /** Shows the notification of an item unless another tab has shown it. */
  readonly show: (item: InboxItem) => void;
  /** Forgets the items of this tab that are no longer open. */
  readonly keep: (open: ReadonlySet<string>) => void;
}

/** Returns the notifications of a tab. A lock with the id of an item, held while the item is open, tells the other tabs. */
export function createNotifications(): Notifications {
  const releases = new Map<string, () => void>();
  return {
    show(item) {
      const name = `signalbox.notification.${item.id}`;
      void navigator.locks.request(name, { ifAvailable: true }, (lock) => {
        if (lock === null) return undefined;
        notify(item);
        const closed = Promise.withResolvers<void>();
        releases.set(item.id, closed.resolve);
        return closed.promise;
      });
    },
    keep(open) {
      for (const [id, release] of releases) {
        if (open.has(id)) continue;
        releases.delete(id);
        release();
      }
    },
  };
}

function notify(item: InboxItem): void {
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
