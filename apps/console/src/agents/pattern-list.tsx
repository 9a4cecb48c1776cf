import { useRef, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useRowFocus } from '../ui/use-row-focus.ts';

interface PatternListProps {
  readonly label: string;
  /** Name of one pattern, such as `Allowed pattern`. */
  readonly rowLabel: string;
  readonly hint: string;
  readonly patterns: readonly string[];
  /** Patterns that the browser suggests. */
  readonly suggestions: readonly string[];
  readonly onChange: (patterns: readonly string[]) => void;
  /** Returns the problem of the pattern at a place. */
  readonly problem: (place: number) => string | undefined;
}

/** Patterns of tools, one a row. Rows that are left empty do not count. */
export function PatternList({
  label,
  rowLabel,
  hint,
  patterns,
  suggestions,
  onChange,
  problem,
}: PatternListProps): ReactNode {
  const list = useRef<HTMLFieldSetElement>(null);
  const moveFocus = useRowFocus(list);
  return (
    <fieldset ref={list} className="field">
      <legend>{label}</legend>
      <p className="faint">{hint}</p>
      {patterns.length > 0 && (
        <ul className="field-rows">
          {patterns.map((pattern, place) => (
            // Rows have no other identity than their place.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={place} className="field-row">
              <TextField
                label={`${rowLabel} ${place + 1}`}
                value={pattern}
                limits={{ maxLength: 100 }}
                suggestions={suggestions}
                onChange={(value) => onChange(patterns.with(place, value))}
                error={problem(place)}
              />
              <Button
                kind="quiet"
                icon="close"
                label={`Remove ${rowLabel.toLowerCase()} ${place + 1}`}
                onClick={() => {
                  moveFocus('add-button');
                  onChange(patterns.toSpliced(place, 1));
                }}
              >
                {null}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button
          icon="plus"
          onClick={() => {
            moveFocus('last-row');
            onChange([...patterns, '']);
          }}
        >
          Add {rowLabel.toLowerCase()}
        </Button>
      </div>
    </fieldset>
  );
}
