import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  readonly title: string;
  readonly icon: IconName;
  /** Explains how the place is filled, with the action that does it. */
  readonly children: ReactNode;
}

/** Stands where a list has no entries, and teaches how to get some. */
export function EmptyState({ title, icon, children }: EmptyStateProps): ReactNode {
  return (
    <div className="empty-state">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
