import { useQuery } from '@tanstack/react-query';
import { ProblemError, unwrap } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { Badge } from '../ui/badge.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';

const REFRESH_MS = 2000;

/** The last lines of the log of a server, newest first. */
export function ServerLog({ server }: { readonly server: string }): ReactNode {
  const { api } = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['servers', server, 'log'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/v1/servers/{name}/log', { params: { path: { name: server } }, signal })),
    refetchInterval: REFRESH_MS,
  });
  if (error instanceof ProblemError && error.code === 'not_connected_here')
    return (
      <EmptyState title="The log is kept elsewhere" icon="servers">
        <p>
          <PlainText text={error.message} />
        </p>
      </EmptyState>
    );
  if (error !== null)
    return (
      <ErrorNotice
        title="The log could not be loaded"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <Spinner label="Loading the log" />;
  if (data.lines.length === 0)
    return (
      <EmptyState title="The log is empty" icon="servers">
        <p>
          What the server writes to stderr, its log messages and its failures appear here, the last
          200 lines since the start of the service.
        </p>
      </EmptyState>
    );
  return (
    <ol className="server-log" aria-label="Log, newest first">
      {data.lines.toReversed().map(({ at, level, text }, index, { length }) => (
        <li key={`${at}-${length - index}`}>
          <Time at={at} form="clock" />
          <Badge tone={level === 'warn' ? 'warn' : 'neutral'}>{level}</Badge>
          <PlainText text={text} />
        </li>
      ))}
    </ol>
  );
}
