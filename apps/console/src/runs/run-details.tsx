import type { Run } from '@signalbox/client';
import type { ReactNode } from 'react';
import { CopyButton } from '../ui/copy-button.tsx';
import { JsonTree } from '../ui/json-tree.tsx';
import { LongText } from '../ui/plain-text.tsx';

/** Settings, limits and metadata of a run, and the run as the API returns it. */
export function RunDetails({ run }: { readonly run: Run }): ReactNode {
  return (
    <div className="run-details">
      {run.instructions !== undefined && (
        <section className="card">
          <h2>Instructions</h2>
          <LongText text={run.instructions} />
        </section>
      )}
      <section className="card">
        <div className="row-title">
          <h2>The run as JSON</h2>
          <CopyButton label="Copy id" text={run.id} />
          <CopyButton label="Copy JSON" text={() => JSON.stringify(run, undefined, 2)} />
        </div>
        <JsonTree value={run} />
      </section>
    </div>
  );
}
