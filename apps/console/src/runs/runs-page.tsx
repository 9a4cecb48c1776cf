import { useInfiniteQuery } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { useQueryParam } from '../app/router.ts';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { formatCount } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { VirtualList } from '../ui/virtual-list.tsx';
import { parseSearch, STATUS_GROUPS } from './run-filter.ts';
import { RunFilters } from './run-filters.tsx';
import { RunLine } from './run-line.tsx';
import './runs-page.css';

const ROW_HEIGHT = 76;
const PAGE = 50;
/** Milliseconds between refreshes of the list; each loaded page is a request. */
const REFRESH_MS = 2000;
/** Milliseconds between refreshes of a search, which may read every run. */
const SEARCH_REFRESH_MS = 10_000;

/** The runs, newest first, with their live states. */
export function RunsPage(): ReactNode {
  return (
    <>
      <PageHeader
        title="Runs"
        actions={
          <Link className="button primary" href="/runs/new">
            <Icon name="plus" />
            New run
          </Link>
        }
      />
      <RunFilters />
      <RunList />
    </>
  );
}

function RunList(): ReactNode {
  const [group] = useQueryParam('status');
  const [agent] = useQueryParam('agent');
  const [search] = useQueryParam('q');
  const { metadata, words } = parseSearch(search);
  const statuses = STATUS_GROUPS.find(({ id }) => id === group)?.statuses ?? [];
  const query = useRuns({
    limit: PAGE,
    ...(words === '' ? {} : { q: words }),
    ...(statuses.length === 0 ? {} : { status: [...statuses] }),
    ...(agent === '' ? {} : { agent_id: agent }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  });
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  const { isPlaceholderData } = query;
  if (data === undefined)
    return error === null ? (
      <Spinner label="Loading the runs" />
    ) : (
      <ErrorNotice
        title="The runs could not be loaded"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  const runs = data.pages.flatMap((page) => page.data);
  const isFiltered = group !== '' || agent !== '' || search !== '';
  return (
    <>
      <p className="faint run-count" role="status">
        {words !== '' && !isPlaceholderData && matchesText(runs.length, hasNextPage)}
      </p>
      {runs.length === 0 ? (
        <NoRuns isFiltered={isFiltered} />
      ) : (
        <VirtualList label="Runs" items={runs} keyOf={(run) => run.id} estimate={() => ROW_HEIGHT}>
          {(run) => <RunLine run={run} />}
        </VirtualList>
      )}
      {hasNextPage && (
        <div className="load-more">
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {words === '' ? 'Load older runs' : 'Search older runs'}
          </Button>
        </div>
      )}
    </>
  );
}

function matchesText(count: number, hasMore: boolean): string {
  if (hasMore) return `The newest ${formatCount(count)} runs that match`;
  return count === 1 ? '1 run matches' : `${formatCount(count)} runs match`;
}

interface RunQuery {
  readonly limit: number;
  readonly q?: string;
  readonly status?: (typeof STATUS_GROUPS)[number]['statuses'][number][];
  readonly agent_id?: string;
  readonly metadata?: { [name: string]: string };
}

function useRuns(query: RunQuery) {
  const { api } = useClient();
  return useInfiniteQuery({
    queryKey: ['runs', query],
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/v1/runs', {
          params: { query: { ...query, ...(pageParam === '' ? {} : { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) =>
      (query.q === undefined ? REFRESH_MS : SEARCH_REFRESH_MS) *
      Math.max(1, state.data?.pages.length ?? 1),
    placeholderData: (previous) => previous,
  });
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  if (isFiltered)
    return (
      <EmptyState title="No run matches" icon="search">
        <p>
          Every word of a search must occur in the task, the answer or the error of a run, in the
          name of its agent or in its id. <code>team=support</code> finds the runs with this
          metadata. <Link href="/runs">Show all runs</Link>
        </p>
      </EmptyState>
    );
  return (
    <EmptyState title="No runs yet" icon="runs">
      <p>
        A run solves one task with the tools of your MCP servers. You see each step while it
        happens, and approve what changes something.
      </p>
      <Link className="button primary" href="/runs/new">
        <Icon name="plus" />
        Start the first run
      </Link>
    </EmptyState>
  );
}
