import type { RunEvent } from '@signalbox/client';
import { useMemo, useState, type ReactNode } from 'react';
import { EmptyState } from '../../ui/empty-state.tsx';
import { JsonTree } from '../../ui/json-tree.tsx';
import { PlainText } from '../../ui/plain-text.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { EventPlace } from '../timeline/row-tools.tsx';

interface EventLogProps {
  readonly events: readonly RunEvent[];
  /** Number of the event to show and mark. */
  readonly target: number | undefined;
}

const GROUPS = ['run', 'turn', 'message', 'tool_call', 'inbox', 'limit', 'usage'];
const ROW_HEIGHT = 34;
const PREVIEW = 200;

/** Every stored event of a run. */
export function EventLog({ events, target }: EventLogProps): ReactNode {
  const [group, setGroup] = useState('');
  const [open, setOpen] = useState<ReadonlySet<number>>(
    new Set(target === undefined ? [] : [target]),
  );
  const shown = useMemo(
    () => (group === '' ? events : events.filter(({ type }) => type.startsWith(`${group}.`))),
    [events, group],
  );
  const toggle = (seq: number): void => {
    const next = new Set(open);
    if (!next.delete(seq)) next.add(seq);
    setOpen(next);
  };
  return (
    <div className="event-log">
      <SelectField
        label="Events"
        value={group}
        choices={[
          { value: '', label: 'All events' },
          ...GROUPS.map((each) => ({ value: each, label: `${each}.*` })),
        ]}
        onChange={setGroup}
      />
      {shown.length === 0 && (
        <EmptyState title="No events of this kind" icon="runs">
          <p>Choose another kind, or wait until the run has some.</p>
        </EmptyState>
      )}
      <VirtualList
        label="Events"
        items={shown}
        keyOf={({ seq }) => String(seq)}
        estimate={() => ROW_HEIGHT}
        target={target === undefined ? undefined : String(target)}
      >
        {(event) => (
          <div className={`event${event.seq === target ? ' target' : ''}`}>
            <button
              type="button"
              className="event-line"
              aria-expanded={open.has(event.seq)}
              onClick={() => toggle(event.seq)}
            >
              <span className="numeric faint">{event.seq}</span>
              <code>{event.type}</code>
              <code className="faint event-preview">
                <PlainText text={JSON.stringify(event.data).slice(0, PREVIEW)} />
              </code>
            </button>
            <EventPlace seq={event.seq} at={event.at} />
            {open.has(event.seq) && <JsonTree value={event.data} />}
          </div>
        )}
      </VirtualList>
    </div>
  );
}
