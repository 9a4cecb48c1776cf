import { useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import { useRef, useState, type ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { moveDraft } from '../app/drafts.ts';
import { useRequestKey } from '../app/request-key.ts';
import { navigate, useAddress } from '../app/router.ts';
import { useClient } from '../app/session.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { NO_OPTIONS, type RunChoices } from './composer-options.tsx';
import { Composer } from './composer.tsx';
import { keepChoices } from './thread-choices.ts';
import { titleOf } from './thread-title.ts';

/** State of the history for a thread that was started in this tab: its page continues in the message field. */
export const STARTED = 'started';

interface NewConversationProps {
  /** Whether it is the page, and not only the place beside the list. */
  readonly isPage: boolean;
}

/** The first message of a conversation. The thread is created when it is sent. `?agent=` chooses an agent. */
export function NewConversation({ isPage }: NewConversationProps): ReactNode {
  const client = useClient();
  const queries = useQueryClient();
  const agentId = useAddress().searchParams.get('agent') ?? '';
  const [choices, setChoices] = useState<RunChoices>({ ...NO_OPTIONS, agentId });
  const threadKey = useRequestKey();
  const runKey = useRequestKey();
  // Kept after a rejected first message, so that a second attempt creates no second thread.
  const created = useRef<string>(undefined);
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
        choices={choices}
        onChoose={setChoices}
        onSend={async (run) => {
          const thread = { title: titleOf(run.prompt) };
          const params = { header: { 'Idempotency-Key': threadKey.of(thread) } };
          const id =
            created.current ??
            (await unwrap(client.api.POST('/v1/threads', { params, body: thread }))).id;
          created.current = id;
          const body = { ...run, thread_id: id };
          await client.runs.create(body, { idempotencyKey: runKey.of(body) });
          void queries.invalidateQueries({ queryKey: ['threads'] });
          keepChoices(id, choices);
        }}
        onSent={() => {
          const id = created.current ?? '';
          moveDraft('thread.new', `thread.${id}`);
          navigate(`/threads/${encodeURIComponent(id)}`, { replace: isPage, state: STARTED });
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
