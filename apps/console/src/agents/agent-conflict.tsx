import type { ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { DiffView } from '../ui/diff/diff-view.tsx';
import { Icon } from '../ui/icon.tsx';
import { Time } from '../ui/time.tsx';
import { definitionOf, definitionText, draftOf } from './agent-draft.ts';
import type { TaggedAgent } from './agent-store.ts';

interface AgentConflictProps {
  /** The version that is stored now. */
  readonly theirs: TaggedAgent;
  /** Text of the values in the form. */
  readonly mine: string;
  readonly isBusy: boolean;
  readonly onOverwrite: () => void;
  readonly onTakeTheirs: () => void;
}

/** Shows how a version that another person stored differs from the form, and offers both. */
export function AgentConflict({
  theirs,
  mine,
  isBusy,
  onOverwrite,
  onTakeTheirs,
}: AgentConflictProps): ReactNode {
  return (
    <div className="notice warn conflict" role="alert">
      <Icon name="alert" />
      <div>
        <strong>The agent was changed meanwhile</strong>
        <p>
          Another version was stored <Time at={theirs.agent.updated_at} />. Your changes are not
          saved. Lines with − are of the stored version, lines with + are yours.
        </p>
        <DiffView
          label="Differences between the stored version and yours"
          before={definitionText(definitionOf(draftOf(theirs.agent)))}
          after={mine}
        />
        <div className="actions">
          <Button kind="danger" isBusy={isBusy} onClick={onOverwrite}>
            Replace it with mine
          </Button>
          <Button onClick={onTakeTheirs}>Take the stored version</Button>
        </div>
      </div>
    </div>
  );
}
