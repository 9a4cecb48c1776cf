import { useMemo, useState, type ReactNode } from 'react';
import { Button } from '../button.tsx';
import { printable } from '../printable.ts';
import './diff-view.css';
import { diffLines, type ComparedLine } from './diff-lines.ts';

interface DiffViewProps {
  /** Name for screen readers. */
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** Equal lines that are shown around a change. */
const CONTEXT = 3;
/** Lines that are shown at first. */
const MAX_LINES = 300;
const MARKS: { readonly [kind in ComparedLine['kind']]: string } = {
  same: ' ',
  added: '+',
  removed: '−',
};
const NAMES: { readonly [kind in ComparedLine['kind']]: string } = {
  same: '',
  added: 'added: ',
  removed: 'removed: ',
};

/** The difference of two texts, line by line. Equal lines far from a change are left out. */
export function DiffView({ label, before, after }: DiffViewProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const lines = useMemo(() => nearChanges(diffLines(before, after)), [before, after]);
  if (before === after) return <p className="faint">Nothing differs.</p>;
  return (
    // A scrolling region must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="compared" role="region" aria-label={label} tabIndex={0}>
      {(isWhole ? lines : lines.slice(0, MAX_LINES)).map((line, index) =>
        line === undefined ? (
          // Lines have no other identity than their place.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className="compared-gap" aria-hidden="true">
            ⋯
          </div>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className={`compared-line ${line.kind}`}>
            <span className="compared-number" aria-hidden="true">
              {line.number}
            </span>
            <span aria-hidden="true">{MARKS[line.kind]}</span>
            <span className="visually-hidden">{NAMES[line.kind]}</span>
            <bdi>{printable(line.text)}</bdi>
          </div>
        ),
      )}
      {lines.length > MAX_LINES && (
        <Button kind="quiet" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${lines.length} lines`}
        </Button>
      )}
    </div>
  );
}

/** Replaces equal lines that are far from a change by undefined, once for each gap. */
function nearChanges(lines: readonly ComparedLine[]): readonly (ComparedLine | undefined)[] {
  const isNear = lines.map(() => false);
  for (const [index, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(true, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  return lines.flatMap((line, index) => {
    if (isNear[index] === true) return [line];
    return index === 0 || isNear[index - 1] === true ? [undefined] : [];
  });
}
