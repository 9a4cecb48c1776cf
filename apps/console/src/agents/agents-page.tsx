import type { ReactNode } from 'react';
import type { PageProps } from '../app/routes.tsx';
import { AgentEditor } from './agent-editor.tsx';
import { AgentList } from './agent-list.tsx';
import './agents.css';

/** Address of the form for a new agent, in place of an id. */
const NEW = 'new';

/** The agents, or the editor of one of them. */
export function AgentsPage({ params }: PageProps): ReactNode {
  const { id } = params;
  if (id === undefined) return <AgentList />;
  // Values of the form of an agent must not appear in that of another.
  return <AgentEditor key={id} id={id === NEW ? undefined : id} />;
}
