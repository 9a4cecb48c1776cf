import type { ReactNode } from 'react';

/** A sign that something is loading, with its name for screen readers. */
export function Spinner({ label }: { readonly label: string }): ReactNode {
  return (
    <div className="spinner" role="status">
      <span className="visually-hidden">{label}</span>
    </div>
  );
}
