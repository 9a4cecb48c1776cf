import type { ReactNode } from 'react';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** The stored agents. */
export function AgentsPage(): ReactNode {
  return (
    <>
      <PageHeader title="Agents" />
      <EmptyState title="No agents" icon="agents">
        <p>An agent is a stored set of instructions, servers and limits.</p>
      </EmptyState>
    </>
  );
}
