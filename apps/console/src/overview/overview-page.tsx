import type { ReactNode } from 'react';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** The state of the service over time. */
export function OverviewPage(): ReactNode {
  return (
    <>
      <PageHeader title="Overview" />
      <EmptyState title="No figures" icon="overview">
        <p>Turns, tokens and errors over time appear here.</p>
      </EmptyState>
    </>
  );
}
