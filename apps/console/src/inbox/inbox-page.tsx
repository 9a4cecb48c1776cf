import type { ReactNode } from 'react';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** The questions that wait for a person. */
export function InboxPage(): ReactNode {
  return (
    <>
      <PageHeader title="Inbox" />
      <EmptyState title="Nothing waits for you" icon="inbox">
        <p>Approvals and questions of servers appear here.</p>
      </EmptyState>
    </>
  );
}
