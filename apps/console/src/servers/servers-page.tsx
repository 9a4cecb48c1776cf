import type { ReactNode } from 'react';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';

/** The MCP servers of the service. */
export function ServersPage(): ReactNode {
  return (
    <>
      <PageHeader title="Servers" />
      <EmptyState title="No servers" icon="servers">
        <p>Add servers to signalbox.json.</p>
      </EmptyState>
    </>
  );
}
