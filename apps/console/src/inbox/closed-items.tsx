import { useInfiniteQuery } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { ItemList } from './item-list.tsx';

const STATES = [
  { value: 'delivered', label: 'Answered' },
  { value: 'expired', label: 'Expired' },
  { value: 'void', label: 'Withdrawn' },
] as const;
const FIRST_PAGE: { readonly cursor?: string } = {};
type ClosedState = (typeof STATES)[number]['value'];

/** Items that are no longer open, oldest first. */
export function ClosedItems({ chosen }: { readonly chosen: string | undefined }): ReactNode {
  const { api } = useClient();
  const [state, setState] = useState<ClosedState>('delivered');
  const pages = useInfiniteQuery({
    queryKey: ['inbox', 'closed', state],
    initialPageParam: FIRST_PAGE,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/v1/inbox', { params: { query: { state, limit: 100, ...pageParam } }, signal }),
      ),
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === undefined ? undefined : { cursor }),
  });
  const items = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      <SelectField
        label="State"
        value={state}
        choices={STATES}
        onChange={(next) => setState(STATES.find(({ value }) => value === next)?.value ?? state)}
      />
      {pages.error !== null && (
        <ErrorNotice
          title="The items could not be loaded"
          error={pages.error}
          onRetry={() => void pages.refetch()}
        />
      )}
      {pages.isPending && <Spinner label="Loading the items" />}
      {pages.data !== undefined && items.length === 0 && (
        <EmptyState title="None yet" icon="inbox">
          <p>Requests are kept here with their answers until their run is deleted.</p>
        </EmptyState>
      )}
      {items.length > 0 && (
        <ItemList label="Closed items" items={items} chosen={chosen} query="?show=closed" />
      )}
      {pages.hasNextPage && (
        <Button isBusy={pages.isFetching} onClick={() => void pages.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}
