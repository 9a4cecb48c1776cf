import type { components } from '@signalbox/client';
import type { ReactNode } from 'react';
import { DiffView } from '../ui/diff/diff-view.tsx';
import './changed-definition.css';
import { definitionText } from './definition-text.ts';

/** The pinned definition of a tool. */
export type Pin = components['schemas']['PinnedTool'];

const PARTS: { readonly [part: string]: string } = {
  title: 'title',
  description: 'description',
  inputSchema: 'input schema',
  outputSchema: 'output schema',
  annotations: 'hints',
};

/** The parts of a definition that changed, as a difference to the pinned definition. */
export function ChangedDefinition({ pin }: { readonly pin: Pin }): ReactNode {
  const { quarantined } = pin;
  if (quarantined === undefined) return null;
  const { changed, definition, pinned_definition: approved } = quarantined;
  return (
    <div className="changed-definition">
      <p>
        Changed: <strong>{changed.map((part) => PARTS[part] ?? part).join(', ')}</strong>
      </p>
      {approved === undefined && (
        <p className="faint">
          The earlier text of the definition was not stored, so only the new one can be shown.
        </p>
      )}
      <DiffView
        label={`Change of the definition of ${pin.tool}`}
        before={approved === undefined ? '' : definitionText(approved, changed)}
        after={definitionText(definition, changed)}
      />
    </div>
  );
}
