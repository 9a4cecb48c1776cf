import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { navigate, useQueryParam } from '../app/router.ts';
import type { PageProps } from '../app/routes.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { ClosedItems } from './closed-items.tsx';
import './inbox.css';
import { ItemList } from './item-list.tsx';
import { ItemView } from './item-view.tsx';
import { NotificationButton } from './notification-button.tsx';
import { MAX_OPEN_ITEMS, useOpenItems } from './open-items.ts';
import { RememberedApprovals } from './remembered-approvals.tsx';
import { ShortcutHelp } from './shortcut-help.tsx';
import { ACTION_KEYS, useShortcuts } from './shortcuts.ts';

/** Width from which the list and an item are side by side. */
const WIDE = '(min-width: 64rem)';

/** The requests that wait for a person. Beside the list, on a wide screen, is the item of the address. */
export function InboxPage({ params: { id } }: PageProps): ReactNode {
  const [shown, setShown] = useQueryParam('show');
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const { data, error, refetch } = useOpenItems();
  const items = useMemo(() => data?.items ?? [], [data]);
  const first = items[0];
  const view = shown === 'closed' || shown === 'remembered' ? shown : 'open';

  useEffect(() => {
    if (id === undefined && first !== undefined && view === 'open' && matchMedia(WIDE).matches)
      navigate(`/inbox/${encodeURIComponent(first.id)}`, { replace: true });
  }, [id, first, view]);

  const handlers = useMemo(() => {
    const place = items.findIndex((item) => item.id === id);
    const show = (index: number): void => {
      const item = items[index];
      if (item !== undefined)
        navigate(`/inbox/${encodeURIComponent(item.id)}`, { replace: id !== undefined });
    };
    return {
      j: () => show(place + 1),
      k: () => show(place < 0 ? items.length - 1 : place - 1),
      '?': () => setIsHelpOpen(true),
      ...Object.fromEntries(Object.values(ACTION_KEYS).map((key) => [key, () => focusOn(key)])),
    };
  }, [items, id]);
  useShortcuts(handlers);

  return (
    <div className={id === undefined ? 'inbox' : 'inbox has-item'}>
      <PageHeader
        title="Inbox"
        actions={
          <>
            <NotificationButton />
            <Button onClick={() => setIsHelpOpen(true)}>Keyboard</Button>
          </>
        }
      >
        <p className="faint">What runs cannot decide, people do here.</p>
      </PageHeader>
      {isHelpOpen && <ShortcutHelp onClose={() => setIsHelpOpen(false)} />}
      <Tabs
        label="Items"
        tabs={[
          { id: 'open', label: 'Open', count: data?.items.length },
          { id: 'closed', label: 'Closed' },
          { id: 'remembered', label: 'Remembered' },
        ]}
        chosen={view}
        onChoose={(next) => {
          if (next !== 'closed' && id !== undefined) navigate('/inbox', { replace: true });
          setShown(next === 'open' ? '' : next);
        }}
      >
        {view === 'remembered' ? (
          <RememberedApprovals />
        ) : (
          <div className="inbox-columns">
            <div className="inbox-queue">
              {view === 'closed' ? (
                <ClosedItems chosen={id} />
              ) : (
                <>
                  {error !== null && (
                    <ErrorNotice
                      title="The inbox could not be loaded"
                      error={error}
                      onRetry={() => void refetch()}
                    />
                  )}
                  {data === undefined && error === null && <Spinner label="Loading the inbox" />}
                  {items.length > 0 && <ItemList label="Open items" items={items} chosen={id} />}
                  {data?.hasMore === true && (
                    <p className="faint">
                      The oldest {MAX_OPEN_ITEMS} are shown; more follow when they are answered.
                    </p>
                  )}
                  {data !== undefined && items.length === 0 && (
                    <NothingOpen hasItem={id !== undefined} />
                  )}
                </>
              )}
            </div>
            {id !== undefined && (
              <div className="inbox-detail">
                <p className="back">
                  <Link href={view === 'closed' ? '/inbox?show=closed' : '/inbox'}>
                    Back to the list
                  </Link>
                </p>
                <ItemView id={id} next={items.find((item) => item.id !== id)} />
              </div>
            )}
          </div>
        )}
      </Tabs>
    </div>
  );
}

function NothingOpen({ hasItem }: { readonly hasItem: boolean }): ReactNode {
  if (hasItem) return <p className="faint">Nothing else waits for you.</p>;
  return (
    <EmptyState title="Nothing waits for you" icon="inbox">
      <p>
        Runs come here when only a person can continue: a tool that changes something needs an
        approval, a server asks a question, names a page to open or wants to use the model, or the
        result of a call was lost.
      </p>
      <p>
        To see one, call a tool that changes something, such as <code>write_file</code>, on the page
        of its <Link href="/servers">server</Link>, or <Link href="/runs/new">start a run</Link>.
      </p>
    </EmptyState>
  );
}

/** Moves the focus to the action or the first field of a key, and shows it. */
function focusOn(key: string): void {
  const place = document.querySelector(`[data-shortcut="${key}"]`);
  const target = place?.querySelector<HTMLElement>('button, input, textarea, select');
  target?.focus();
  if (key === ACTION_KEYS.edit && target instanceof HTMLButtonElement) target.click();
}
