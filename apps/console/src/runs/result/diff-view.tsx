import type { ReactNode } from 'react';
import { printable } from '../../ui/printable.ts';
import { diffLines, type DiffLine } from './diff.ts';

/** Lines that are shown at once. */
const MAX_LINES = 400;

const NAMES: { readonly [kind in DiffLine['kind']]: string } = {
  added: 'added: ',
  removed: 'removed: ',
  hunk: '',
  header: '',
  same: '',
};

/** A unified diff with marked lines. */
export function DiffView({ diff }: { readonly diff: string }): ReactNode {
  const lines = diffLines(diff);
  return (
    // A scrolling region must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="diff" role="region" aria-label="Difference" tabIndex={0}>
      {lines.slice(0, MAX_LINES).map(({ kind, text }, index) => (
        // Lines have no other identity than their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={index} className={`diff-line ${kind}`}>
          <span className="visually-hidden">{NAMES[kind]}</span>
          {printable(text) || ' '}
        </div>
      ))}
      {lines.length > MAX_LINES && (
        <p className="faint">{lines.length - MAX_LINES} more lines are in the text below.</p>
      )}
    </div>
  );
}
