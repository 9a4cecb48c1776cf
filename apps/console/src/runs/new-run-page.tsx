import type { ReactNode } from 'react';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** The form for a new run. */
export function NewRunPage(): ReactNode {
  return (
    <>
      <PageHeader title="New run" />
      <EmptyState title="Run" icon="runs">
        <p>Form</p>
      </EmptyState>
    </>
  );
}
