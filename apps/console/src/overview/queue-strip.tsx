import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { useClient } from '../app/session.tsx';
import { Badge } from '../ui/badge.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { formatCount } from '../ui/format.ts';
import { Time } from '../ui/time.tsx';

const REFRESH_MS = 3000;

/** Runs that wait or are in progress, and the processes that work on them. */
export function QueueStrip(): ReactNode {
  const { api } = useClient();
  const queue = useQuery({
    queryKey: ['queue'],
    queryFn: ({ signal }) => unwrap(api.GET('/v1/queue', { signal })),
    refetchInterval: REFRESH_MS,
  });
  const workers = useQuery({
    queryKey: ['workers'],
    queryFn: ({ signal }) => unwrap(api.GET('/v1/workers', { signal })),
    refetchInterval: REFRESH_MS,
  });
  const runs = queue.data?.runs;
  const processes = workers.data?.data ?? [];
  const alive = processes.filter(({ is_alive }) => is_alive).length;
  if (queue.error !== null)
    return (
      <ErrorNotice
        title="The queue could not be loaded"
        error={queue.error}
        onRetry={() => void queue.refetch()}
      />
    );
  return (
    <section className="card now" aria-label="Now">
      <dl className="tiles">
        <Tile label="Queued" value={runs?.queued} href="/runs?status=queued" />
        <Tile label="Running" value={runs?.running} href="/runs?status=running" />
        <Tile label="Need input" value={runs?.input_required} href="/inbox" isUrgent />
        <Tile label="Cancelling" value={runs?.cancelling} href="/runs?status=cancelling" />
        {processes.length > 0 && <Tile label="Processes" value={alive} />}
      </dl>
      {processes.length > 0 && (
        <details className="plot-table">
          <summary>Processes and waiting jobs</summary>
          <DataTable
            label="Processes of the service"
            rows={processes}
            keyOf={({ id }) => id}
            columns={[
              {
                id: 'state',
                title: 'State',
                cell: ({ is_alive }) => (
                  <Badge tone={is_alive ? 'good' : 'bad'}>{is_alive ? 'Alive' : 'Lost'}</Badge>
                ),
              },
              { id: 'role', title: 'Role', cell: ({ role }) => role },
              { id: 'pid', title: 'Process', isNumeric: true, cell: ({ pid }) => pid },
              {
                id: 'models',
                title: 'Model calls',
                isNumeric: true,
                cell: ({ model_calls }) => model_calls,
              },
              {
                id: 'tools',
                title: 'Tool calls',
                isNumeric: true,
                cell: ({ tool_calls }) => tool_calls,
              },
              { id: 'since', title: 'Since', cell: ({ started_at }) => <Time at={started_at} /> },
              {
                id: 'heartbeat',
                title: 'Heartbeat',
                cell: ({ heartbeat_at }) => <Time at={heartbeat_at} />,
              },
            ]}
          />
          <p className="faint">{jobsText(queue.data?.jobs)}</p>
        </details>
      )}
    </section>
  );
}

interface TileProps {
  readonly label: string;
  /** Undefined while it is loading. */
  readonly value: number | undefined;
  readonly href?: string;
  /** Whether a value above 0 calls for the attention of a person. */
  readonly isUrgent?: boolean;
}

function Tile({ label, value, href, isUrgent = false }: TileProps): ReactNode {
  const text = value === undefined ? '–' : formatCount(value);
  return (
    <div className={isUrgent && (value ?? 0) > 0 ? 'tile urgent' : 'tile'}>
      <dt>{label}</dt>
      <dd>
        {href === undefined || value === undefined || value === 0 ? (
          text
        ) : (
          <Link href={href} aria-label={`${text} ${label}`}>
            {text}
          </Link>
        )}
      </dd>
    </div>
  );
}

function jobsText(jobs: { readonly [type: string]: number } | undefined): string {
  if (jobs === undefined) return 'The queue does not answer.';
  const waiting = Object.entries(jobs).filter(([, count]) => count > 0);
  if (waiting.length === 0) return 'No job is waiting.';
  return `Waiting jobs: ${waiting.map(([type, count]) => `${type} ${formatCount(count)}`).join(', ')}`;
}
