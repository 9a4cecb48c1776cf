import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import type { ReactNode } from 'react';
import { allPages } from '../app/all-pages.ts';
import { Link } from '../app/link.tsx';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { describeError, ErrorNotice } from '../ui/error-notice.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';

const QUERY_KEY = ['approvals'];

/** Approvals that apply to later calls, and how to forget them. */
export function RememberedApprovals(): ReactNode {
  const { api } = useClient();
  const queries = useQueryClient();
  const toast = useToast();
  const { data, error, refetch } = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) =>
      allPages((at) => unwrap(api.GET('/v1/approvals', { params: { query: at }, signal }))),
  });
  const forget = useMutation({
    mutationFn: (id: string) =>
      unwrap(api.DELETE('/v1/approvals/{id}', { params: { path: { id } } })),
    onSuccess: () => {
      toast('Forgotten: the next call asks again');
      void queries.invalidateQueries({ queryKey: QUERY_KEY });
    },
    onError: (failure) => toast(describeError(failure), 'bad'),
  });
  if (error !== null)
    return (
      <ErrorNotice
        title="The approvals could not be loaded"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <Spinner label="Loading the approvals" />;
  if (data.length === 0)
    return (
      <EmptyState title="No approval is remembered" icon="approve">
        <p>
          When you approve a call for its whole run or thread, later calls of the same tool are sent
          unasked. Such approvals are listed here, and you can forget them at any time.
        </p>
      </EmptyState>
    );
  return (
    <DataTable
      label="Remembered approvals"
      rows={data}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'tool',
          title: 'Tool',
          cell: ({ server, tool }) => <PlainText text={`${server} · ${tool}`} />,
        },
        {
          id: 'scope',
          title: 'Applies to',
          cell: ({ thread_id: thread, run_id: run }) =>
            thread === undefined ? (
              <Link href={`/runs/${encodeURIComponent(run)}`}>this run</Link>
            ) : (
              <Link href={`/threads/${encodeURIComponent(thread)}`}>this thread</Link>
            ),
        },
        { id: 'at', title: 'Approved', cell: ({ created_at: at }) => <Time at={at} /> },
        {
          id: 'forget',
          title: 'Action',
          cell: ({ id, tool }) => (
            <Button
              kind="danger"
              label={`Forget the approval of ${tool}`}
              isBusy={forget.isPending}
              onClick={() => forget.mutate(id)}
            >
              Forget
            </Button>
          ),
        },
      ]}
    />
  );
}
