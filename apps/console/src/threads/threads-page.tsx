import type { ReactNode } from 'react';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** The conversations. */
export function ThreadsPage(): ReactNode {
  return (
    <>
      <PageHeader title="Threads" />
      <EmptyState title="No threads" icon="threads">
        <p>A thread is a conversation of several runs.</p>
      </EmptyState>
    </>
  );
}
