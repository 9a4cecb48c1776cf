import type { ReactNode } from 'react';

/** Says how servers can be edited in the console. */
export function EditingHint(): ReactNode {
  return (
    <p className="faint">
      Servers cannot be edited here. Start the service with <code>--edit-servers remote</code> or{' '}
      <code>all</code> to allow it.
    </p>
  );
}
