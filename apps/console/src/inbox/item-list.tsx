import type { InboxItem } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { Icon } from '../ui/icon.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { Time } from '../ui/time.tsx';
import { itemTitle, kindText } from './item-title.ts';

interface ItemListProps {
  readonly label: string;
  readonly items: readonly InboxItem[];
  /** Id of the item that is shown. */
  readonly chosen: string | undefined;
  /** Query of the addresses, such as `?show=closed`. */
  readonly query?: string;
}

/** Items, each a link to its page. */
export function ItemList({ label, items, chosen, query = '' }: ItemListProps): ReactNode {
  return (
    <ul className="item-list" aria-label={label}>
      {items.map((item) => (
        <li key={item.id}>
          <Link
            href={`/inbox/${encodeURIComponent(item.id)}${query}`}
            aria-current={item.id === chosen ? 'true' : undefined}
          >
            <Icon name={kindText(item.kind).icon} />
            <span className="item-title">
              <strong>{itemTitle(item)}</strong>
              <span className="faint">{textOf(item)}</span>
            </span>
            <span className="faint">
              <Time at={item.created_at} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Characters of the arguments in the line of a call. */
const MAX_PREVIEW = 200;

function textOf(item: InboxItem): ReactNode {
  if ('message' in item.request) return <PlainText text={item.request.message} />;
  // Calls of the same tool differ in their arguments.
  if (item.kind === 'tool_approval' && Object.keys(item.request.arguments).length > 0)
    return <PlainText text={JSON.stringify(item.request.arguments).slice(0, MAX_PREVIEW)} />;
  return kindText(item.kind).label;
}
