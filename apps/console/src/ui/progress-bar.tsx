import type { ReactNode } from 'react';
import { printable } from './printable.ts';

interface ProgressBarProps {
  readonly value: number;
  /** Absent where the end is not known. */
  readonly total: number | undefined;
  /** Action in progress; a text of a server. */
  readonly label: string;
}

/** Shows the progress of an action. */
export function ProgressBar({ value, total, label }: ProgressBarProps): ReactNode {
  const text = printable(label);
  return (
    <div className="progress">
      <progress aria-label={text} max={total} value={total === undefined ? undefined : value} />
      <span className="faint">
        <bdi>{text}</bdi> {total === undefined ? value : `${value} / ${total}`}
      </span>
    </div>
  );
}
