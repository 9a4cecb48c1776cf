import type { ReactNode } from 'react';
import type { PageProps } from '../app/routes.tsx';
import { Conversation } from './conversation.tsx';
import { NewConversation } from './new-conversation.tsx';
import { ThreadList } from './thread-list.tsx';
import './threads.css';

/** Address of a new conversation, in place of the id of a thread. */
const NEW = 'new';

/** The threads, beside the conversation of one of them. A phone shows one of both. */
export function ThreadsPage({ params }: PageProps): ReactNode {
  const { id } = params;
  return (
    <div className={id === undefined ? 'threads' : 'threads is-open'}>
      <section className="thread-list" aria-label="All threads">
        <ThreadList chosen={id} isPage={id === undefined} />
      </section>
      <section className="conversation" aria-label="Conversation">
        {id === undefined || id === NEW ? (
          <NewConversation isPage={id === NEW} />
        ) : (
          // Texts that a person typed in one conversation must not appear in another.
          <Conversation key={id} id={id} />
        )}
      </section>
    </div>
  );
}
