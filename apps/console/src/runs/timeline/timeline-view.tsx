import { memo, useCallback, useMemo, useState, type ReactNode } from 'react';
import type { Run } from '@signalbox/client';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { CallRow } from './call-row.tsx';
import type { Entry } from './entries.ts';
import { MessageRow } from './message-row.tsx';
import { EndRow, NoteRow, PromptRow } from './note-rows.tsx';
import { QuestionRow } from './question-row.tsx';
import { TurnRow } from './turn-row.tsx';

interface TimelineViewProps {
  readonly run: Run;
  readonly entries: readonly Entry[];
  /** Key of the row to show and mark. */
  readonly target: string | undefined;
  /** Whether the page follows new rows. */
  readonly followsEnd: boolean;
  readonly onFork: (turn: number) => void;
}

/** Heights of rows in pixels before they are measured. */
const HEIGHTS: { readonly [kind in Entry['kind']]: number } = {
  prompt: 90,
  turn: 44,
  message: 80,
  call: 92,
  question: 90,
  note: 40,
  end: 120,
};

/** The rows of a run. */
export function TimelineView({
  run,
  entries,
  target,
  followsEnd,
  onFork,
}: TimelineViewProps): ReactNode {
  // Rows are unmounted when they leave the view; what is open is remembered here.
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((key: string) => {
    setOpen((current) => {
      const next = new Set(current);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  const shown = useMemo(
    () => entries.filter((entry, index) => !isRepeated(entry, entries[index + 1])),
    [entries],
  );
  return (
    <VirtualList
      label="Timeline"
      items={shown}
      keyOf={keyOf}
      estimate={estimate}
      target={target}
      followsEnd={followsEnd}
    >
      {(entry) => (
        <Row
          entry={entry}
          run={run}
          isOpen={open.has(entry.key)}
          isTarget={entry.key === target}
          onToggle={toggle}
          onFork={onFork}
        />
      )}
    </VirtualList>
  );
}

interface RowProps {
  readonly entry: Entry;
  readonly run: Run;
  readonly isOpen: boolean;
  readonly isTarget: boolean;
  readonly onToggle: (key: string) => void;
  readonly onFork: (turn: number) => void;
}

const Row = memo(function Row({ entry, isTarget, ...rest }: RowProps): ReactNode {
  return (
    <div className={`row is-${entry.kind}${isTarget ? ' target' : ''}`}>
      <RowContent entry={entry} {...rest} />
    </div>
  );
}, isSameRow);

/** The run changes with every event; only the rows that show it are rendered again. */
function isSameRow(before: RowProps, after: RowProps): boolean {
  return (
    before.entry === after.entry &&
    before.isOpen === after.isOpen &&
    before.isTarget === after.isTarget &&
    before.run.status === after.run.status
  );
}

function RowContent({
  entry,
  run,
  isOpen,
  onToggle,
  onFork,
}: Omit<RowProps, 'isTarget'>): ReactNode {
  switch (entry.kind) {
    case 'prompt':
      return <PromptRow entry={entry} />;
    case 'turn':
      return <TurnRow entry={entry} run={run} onFork={onFork} />;
    case 'message':
      return <MessageRow entry={entry} />;
    case 'call':
      return (
        <CallRow entry={entry} run={run} isOpen={isOpen} onToggle={() => onToggle(entry.key)} />
      );
    case 'question':
      return <QuestionRow entry={entry} />;
    case 'note':
      return <NoteRow entry={entry} />;
    case 'end':
      return <EndRow entry={entry} />;
  }
}

/** Whether a row would show nothing, such as the message of a turn that only calls tools, or the answer that the row after it shows. */
function isRepeated(entry: Entry, next: Entry | undefined): boolean {
  if (entry.kind !== 'message' || entry.state === 'writing' || entry.reasoning !== '') return false;
  const answer =
    next?.kind === 'end' && 'answer' in next.event.data ? next.event.data.answer : undefined;
  return entry.text === '' || entry.text === answer;
}

function keyOf(entry: Entry): string {
  return entry.key;
}

function estimate(entry: Entry): number {
  return HEIGHTS[entry.kind];
}
