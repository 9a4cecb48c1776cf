import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { useClient } from '../app/session.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';
import { StatusBadge } from './run-status.tsx';

/** The runs, newest first. */
export function RunsPage(): ReactNode {
  const { api } = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['runs'],
    queryFn: ({ signal }) => unwrap(api.GET('/v1/runs', { signal })),
    refetchInterval: 2000,
  });
  return (
    <>
      <PageHeader title="Runs" />
      {error !== null && (
        <ErrorNotice
          title="The runs could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined && error === null && <Spinner label="Loading the runs" />}
      {data?.data.length === 0 && (
        <EmptyState title="No runs yet" icon="runs">
          <p>Start one to watch it work.</p>
        </EmptyState>
      )}
      {data !== undefined && data.data.length > 0 && (
        <DataTable
          label="Runs"
          rows={data.data}
          keyOf={(run) => run.id}
          columns={[
            { id: 'status', title: 'Status', cell: (run) => <StatusBadge status={run.status} /> },
            {
              id: 'prompt',
              title: 'Prompt',
              cell: (run) => (
                <Link href={`/runs/${run.id}`}>
                  <PlainText text={run.prompt} />
                </Link>
              ),
            },
            { id: 'created', title: 'Started', cell: (run) => <Time at={run.created_at} /> },
          ]}
        />
      )}
    </>
  );
}
