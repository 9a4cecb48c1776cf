import type { ReactNode } from 'react';
import { Icon } from '../ui/icon.tsx';
import { Time } from '../ui/time.tsx';
import { ChangedDefinition } from './changed-definition.tsx';
import { useServer } from './server-queries.ts';

interface PinNoticeProps {
  readonly server: string;
  readonly tool: string;
}

/** Says since when the definition of a tool is the same, or shows its change that waits for approval. */
export function PinNotice({ server, tool }: PinNoticeProps): ReactNode {
  const { data } = useServer(server);
  const pin = data?.pins.find((each) => each.tool === tool);
  if (pin === undefined) return null;
  if (pin.quarantined === undefined)
    return (
      <p className="faint">
        Its definition is the pinned one, first seen <Time at={pin.first_seen_at} />
        {pin.accepted_at !== undefined && (
          <>
            {' '}
            and changed <Time at={pin.accepted_at} />
          </>
        )}
        .
      </p>
    );
  return (
    <div className="notice bad">
      <Icon name="alert" />
      <div>
        <strong>The server changed the definition of this tool</strong>
        <p>The call is not sent before the change is approved on the page of the server.</p>
        <ChangedDefinition pin={pin} />
      </div>
    </div>
  );
}
