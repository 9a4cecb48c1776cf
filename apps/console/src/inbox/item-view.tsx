import type { InboxItem } from '@signalbox/client';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { JsonTree } from '../ui/json-tree.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';
import { ItemBody } from './item-body.tsx';
import { ItemOrigin } from './item-origin.tsx';
import { itemTitle, kindText } from './item-title.ts';
import { useItem } from './open-items.ts';
import { actionLabel } from './use-respond.ts';

const STATES: { readonly [state in InboxItem['state']]: readonly [label: string, tone: Tone] } = {
  open: ['Waits for you', 'warn'],
  answered: ['Answered', 'good'],
  delivered: ['Answered', 'good'],
  void: ['Withdrawn', 'neutral'],
  expired: ['Expired', 'bad'],
};

interface ItemViewProps {
  readonly id: string;
  /** Open item that follows this one. */
  readonly next: InboxItem | undefined;
}

/** An item: who asks for what, and the answers to it or the answer that it got. */
export function ItemView({ id, next }: ItemViewProps): ReactNode {
  const { data: item, error, refetch } = useItem(id);
  if (item === undefined)
    return error === null ? (
      <Spinner label="Loading the item" />
    ) : (
      <ErrorNotice
        title="The item could not be loaded"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  return <LoadedItem item={item} next={next} />;
}

interface LoadedItemProps {
  readonly item: InboxItem;
  readonly next: InboxItem | undefined;
}

function LoadedItem({ item, next }: LoadedItemProps): ReactNode {
  const [label, tone] = STATES[item.state];
  const heading = useRef<HTMLHeadingElement>(null);
  const isOpen = item.state === 'open';
  // The heading says which item is shown, and after an answer that it is no longer open.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [item.id, isOpen]);
  return (
    <article className="card inbox-item" aria-labelledby={`title-${item.id}`}>
      <header>
        <p className="item-kind">
          <Icon name={kindText(item.kind).icon} />
          {kindText(item.kind).label}
          <Badge tone={tone}>{label}</Badge>
        </p>
        <h2 id={`title-${item.id}`} ref={heading} tabIndex={-1}>
          {itemTitle(item)}
        </h2>
        <ItemOrigin item={item} />
      </header>
      {isOpen ? <ItemBody key={item.id} item={item} /> : <ClosedItem item={item} next={next} />}
    </article>
  );
}

function ClosedItem({ item, next }: LoadedItemProps): ReactNode {
  const { response } = item;
  return (
    <>
      {response === undefined ? (
        <p>
          {item.state === 'expired'
            ? 'Nobody answered in time. The call ended without an answer.'
            : 'An answer is no longer needed: the call or its run ended.'}
        </p>
      ) : (
        <section>
          <h3>
            {actionLabel(response.action)}
            {item.answered_at !== undefined && (
              <span className="faint">
                {' '}
                <Time at={item.answered_at} />
              </span>
            )}
          </h3>
          {response.note !== undefined && (
            <p>
              Note: <PlainText text={response.note} />
            </p>
          )}
          {response.remember !== undefined && response.remember !== 'call' && (
            <p>
              Later calls of the tool in the same {response.remember} are approved as well.{' '}
              <Link href="/inbox?show=remembered">See what is remembered</Link>
            </p>
          )}
          {response.arguments !== undefined && <JsonTree value={response.arguments} />}
          {response.content !== undefined && <JsonTree value={response.content} />}
        </section>
      )}
      {item.kind === 'elicitation_url' && response?.action === 'accept' && (
        <p role="status">
          {item.request.is_completed === true
            ? 'The server reports that the page is complete.'
            : 'Complete the page in your browser; the server reports when it is done.'}
        </p>
      )}
      <div className="actions">
        {next !== undefined && (
          <Link className="button primary" href={`/inbox/${encodeURIComponent(next.id)}`}>
            Next: {itemTitle(next)}
          </Link>
        )}
        <Link className="button" href={`/runs/${encodeURIComponent(item.run_id)}`}>
          See the run
        </Link>
      </div>
      <details className="raw">
        <summary>Request</summary>
        <JsonTree value={item.request} openLevels={1} />
      </details>
    </>
  );
}
