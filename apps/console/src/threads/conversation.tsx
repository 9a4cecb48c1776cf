import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { isSettled, unwrap } from '@signalbox/client';
import { useEffect, useState, type ReactNode } from 'react';
import { useRequestKey } from '../app/request-key.ts';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { printable } from '../ui/printable.ts';
import { Spinner } from '../ui/spinner.tsx';
import { Composer } from './composer.tsx';
import { Exchange } from './exchange.tsx';
import { BackToThreads, STARTED } from './new-conversation.tsx';
import { ThreadActions } from './thread-actions.tsx';
import { useThreadChoices } from './thread-choices.ts';
import { useFollowEnd } from './use-follow-end.ts';

/** Runs of a conversation that are loaded at once, the newest first. */
const PAGE = 20;
/** Milliseconds between requests for runs that others start in the thread. */
const REFRESH_MS = 3000;

/** A thread with the messages of its runs, and the field for the next one. */
export function Conversation({ id }: { readonly id: string }): ReactNode {
  const client = useClient();
  const queries = useQueryClient();
  const [isStarted] = useState(() => history.state === STARTED);
  // A later visit of the same entry of the history begins at the top of the page.
  useEffect(() => history.replaceState(undefined, ''), []);
  const thread = useQuery({
    queryKey: ['thread', id],
    queryFn: ({ signal }) =>
      unwrap(client.api.GET('/v1/threads/{id}', { params: { path: { id } }, signal })),
  });
  const runsKey = ['runs', 'of-thread', id];
  const runs = useInfiniteQuery({
    queryKey: runsKey,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        client.api.GET('/v1/runs', {
          params: {
            query: {
              thread_id: id,
              limit: PAGE,
              ...(pageParam !== undefined && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: REFRESH_MS,
  });
  const key = useRequestKey();
  const list = useFollowEnd();
  const error = thread.error ?? runs.error;
  const title = thread.data?.title ?? 'Untitled';
  const newestFirst = runs.data?.pages.flatMap((page) => page.data);
  const [choices, setChoices] = useThreadChoices(id, newestFirst?.[0]);
  return (
    <>
      <BackToThreads />
      <PageHeader
        title={thread.data === undefined ? 'Thread' : printable(title)}
        actions={thread.data !== undefined && <ThreadActions thread={thread.data} />}
      />
      {error !== null && (
        <ErrorNotice
          title="The thread could not be loaded"
          error={error}
          onRetry={() => {
            void thread.refetch();
            void runs.refetch();
          }}
        />
      )}
      {newestFirst === undefined && error === null && <Spinner label="Loading the thread" />}
      {runs.hasNextPage && (
        <div className="more">
          <Button isBusy={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
            Show earlier messages
          </Button>
        </div>
      )}
      <div ref={list} className="exchanges">
        {newestFirst?.toReversed().map((run) => (
          <Exchange key={run.id} run={run} />
        ))}
      </div>
      {(newestFirst !== undefined || isStarted) && (
        <Composer
          draftName={id}
          isBusy={newestFirst?.some((run) => !isSettled(run)) ?? true}
          choices={choices}
          onChoose={setChoices}
          takesFocus={isStarted}
          onSend={async (run) => {
            const body = { ...run, thread_id: id };
            await client.runs.create(body, { idempotencyKey: key.of(body) });
            key.renew();
            await queries.invalidateQueries({ queryKey: runsKey });
          }}
        />
      )}
    </>
  );
}
