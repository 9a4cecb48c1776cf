import { useInfiniteQuery } from '@tanstack/react-query';
import { unwrap, type Agent } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { printable } from '../ui/printable.ts';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';

/** The stored agents, newest first. */
export function AgentList(): ReactNode {
  const { api } = useClient();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    {
      queryKey: ['agents', 'pages'],
      queryFn: ({ pageParam, signal }) =>
        unwrap(
          api.GET('/v1/agents', {
            params: { query: pageParam === undefined ? {} : { cursor: pageParam } },
            signal,
          }),
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next_cursor }) => next_cursor,
    },
  );
  const agents = data?.pages.flatMap((page) => page.data);
  return (
    <>
      <PageHeader title="Agents" actions={<NewAgentLink />}>
        <p className="faint">
          Instructions, servers and limits under a name, for runs that begin alike.
        </p>
      </PageHeader>
      {error !== null && (
        <ErrorNotice
          title="The agents could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {agents === undefined && error === null && <Spinner label="Loading the agents" />}
      {agents?.length === 0 && (
        <EmptyState title="No agents yet" icon="agents">
          <p>
            An agent keeps what you would write into every run: how to answer, which servers to use,
            what it may cost. A run takes all of it with one choice, and can override any part.
          </p>
          <NewAgentLink />
        </EmptyState>
      )}
      {agents !== undefined && agents.length > 0 && <AgentTable agents={agents} />}
      {hasNextPage && (
        <div className="more">
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

function NewAgentLink(): ReactNode {
  return (
    <Link className="button primary" href="/agents/new">
      <Icon name="plus" />
      New agent
    </Link>
  );
}

function AgentTable({ agents }: { readonly agents: readonly Agent[] }): ReactNode {
  return (
    <DataTable
      label="Agents"
      rows={agents}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'name',
          title: 'Name',
          cell: ({ id, name, instructions }) => (
            <div className="agent-name">
              <Link href={`/agents/${encodeURIComponent(id)}`}>
                <PlainText text={name} />
              </Link>
              {instructions !== undefined && (
                <span className="faint agent-instructions">
                  <PlainText text={instructions.slice(0, 200)} />
                </span>
              )}
            </div>
          ),
        },
        {
          id: 'model',
          title: 'Model',
          cell: ({ model }) =>
            model === undefined ? (
              <span className="faint">The configured one</span>
            ) : (
              <PlainText text={model} />
            ),
        },
        {
          id: 'servers',
          title: 'Servers',
          cell: ({ servers }) =>
            servers === undefined ? (
              <span className="faint">All</span>
            ) : (
              <PlainText text={servers.join(', ')} />
            ),
        },
        {
          id: 'limits',
          title: 'Limits',
          isNumeric: true,
          cell: ({ limits }) => Object.keys(limits).length,
        },
        { id: 'changed', title: 'Changed', cell: ({ updated_at }) => <Time at={updated_at} /> },
        {
          id: 'start',
          title: 'Start',
          cell: ({ id, name }) => (
            <Link
              className="button quiet"
              href={`/runs/new?agent=${encodeURIComponent(id)}`}
              aria-label={`Start a run with ${printable(name)}`}
            >
              <Icon name="play" />
              Run
            </Link>
          ),
        },
      ]}
    />
  );
}
