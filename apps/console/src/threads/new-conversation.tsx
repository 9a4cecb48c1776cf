import { useQueryClient } from '@tanstack/react-query';
import { newIdempotencyKey, unwrap } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { navigate, useAddress } from '../app/router.ts';
import { useClient } from '../app/session.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Composer } from './composer.tsx';
import { titleOf } from './thread-title.ts';

interface NewConversationProps {
  /** Whether it is the page, and not only the place beside the list. */
  readonly isPage: boolean;
}

/** The first message of a conversation. The thread is created when it is sent. `?agent=` chooses an agent. */
export function NewConversation({ isPage }: NewConversationProps): ReactNode {
  const client = useClient();
  const queries = useQueryClient();
  const agentId = useAddress().searchParams.get('agent') ?? '';
  // Kept after a rejected first message, so that a second attempt creates no second thread.
  const [created, setCreated] = useState<string>();
  return (
    <>
      {isPage && (
        <>
          <BackToThreads />
          <PageHeader title="New thread" />
        </>
      )}
      <EmptyState title="Start a conversation" icon="threads">
        <p>
          Each message starts a run. It knows the messages before it, and you see its text and its
          tool calls as they happen.
        </p>
      </EmptyState>
      <Composer
        draftName="new"
        isBusy={false}
        agentId={agentId}
        onSend={async (run) => {
          const id =
            created ??
            (
              await unwrap(
                client.api.POST('/v1/threads', {
                  params: { header: { 'Idempotency-Key': newIdempotencyKey() } },
                  body: { title: titleOf(run.prompt) },
                }),
              )
            ).id;
          setCreated(id);
          await client.runs.create({ ...run, thread_id: id });
          void queries.invalidateQueries({ queryKey: ['threads'] });
          navigate(`/threads/${encodeURIComponent(id)}`, { replace: isPage });
        }}
      />
    </>
  );
}

/** The way back to the list on a phone, which shows no list beside a conversation. */
export function BackToThreads(): ReactNode {
  return (
    <p className="back only-phone">
      <Link href="/threads">
        <Icon name="chevron" />
        All threads
      </Link>
    </p>
  );
}
