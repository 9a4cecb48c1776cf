import { useInfiniteQuery } from '@tanstack/react-query';
import { unwrap, type Thread } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';

const REFRESH_MS = 10_000;

interface ThreadListProps {
  /** Id of the open thread. */
  readonly chosen: string | undefined;
  /** Whether no conversation is open, so that the heading of the list is that of the page. */
  readonly isPage: boolean;
}

/** Links to the threads, newest first. */
export function ThreadList({ chosen, isPage }: ThreadListProps): ReactNode {
  const { api } = useClient();
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    {
      queryKey: ['threads'],
      queryFn: ({ pageParam, signal }) =>
        unwrap(
          api.GET('/v1/threads', {
            params: { query: pageParam === undefined ? {} : { cursor: pageParam } },
            signal,
          }),
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next_cursor }) => next_cursor,
      refetchInterval: REFRESH_MS,
    },
  );
  const threads = data?.pages.flatMap((page) => page.data);
  return (
    <>
      {isPage ? (
        <PageHeader title="Threads" actions={<NewThreadLink />} />
      ) : (
        <div className="list-heading">
          <h2>Threads</h2>
          <NewThreadLink />
        </div>
      )}
      {error !== null && (
        <ErrorNotice
          title="The threads could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {threads === undefined && error === null && <Spinner label="Loading the threads" />}
      {threads?.length === 0 && (
        <p className="faint">
          None yet. A thread is a conversation: each message starts a run that knows the earlier
          ones.
        </p>
      )}
      {threads !== undefined && threads.length > 0 && (
        <ul>
          {threads.map((thread) => (
            <ThreadLink key={thread.id} thread={thread} isChosen={thread.id === chosen} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}

function NewThreadLink(): ReactNode {
  return (
    <Link className="button" href="/threads/new">
      <Icon name="plus" />
      New thread
    </Link>
  );
}

interface ThreadLinkProps {
  readonly thread: Thread;
  readonly isChosen: boolean;
}

function ThreadLink({ thread: { id, title, updated_at }, isChosen }: ThreadLinkProps): ReactNode {
  return (
    <li>
      <Link
        href={`/threads/${encodeURIComponent(id)}`}
        aria-current={isChosen ? 'true' : undefined}
      >
        <span className="thread-title">
          <PlainText text={title ?? 'Untitled'} />
        </span>
        <span className="faint">
          <Time at={updated_at} />
        </span>
      </Link>
    </li>
  );
}
