import type { ReactNode } from 'react';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** A run. */
export function RunPage(): ReactNode {
  return (
    <>
      <PageHeader title="Run" />
      <EmptyState title="Run" icon="runs">
        <p>Events</p>
      </EmptyState>
    </>
  );
}
