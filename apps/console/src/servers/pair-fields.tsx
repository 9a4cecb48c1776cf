import { useId, useRef, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { FieldNotes, TextField } from '../ui/text-field.tsx';
import { useRowFocus } from '../ui/use-row-focus.ts';
import { SECRET_MARK, type Pair } from './definition-draft.ts';

interface PairFieldsProps {
  /** Name of the list, such as `Headers`. */
  readonly title: string;
  /** Name of one entry, such as `header`. */
  readonly entry: string;
  readonly pairs: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
  /** Returns the error of the value with a name. */
  readonly problemOf: (name: string) => string | undefined;
  /** Error of the whole list. */
  readonly error: string | undefined;
}

/** A list of names with values that are secrets. */
export function PairFields({
  title,
  entry,
  pairs,
  onChange,
  problemOf,
  error,
}: PairFieldsProps): ReactNode {
  const id = useId();
  const list = useRef<HTMLFieldSetElement>(null);
  const moveFocus = useRowFocus(list);
  const set = (changed: Pair): void =>
    onChange(pairs.map((pair) => (pair.id === changed.id ? changed : pair)));
  const add = (): void => {
    const last = Math.max(-1, ...pairs.map((pair) => pair.id));
    moveFocus('last-row');
    onChange([...pairs, { id: last + 1, name: '', value: '' }]);
  };
  const remove = (pair: Pair): void => {
    moveFocus('add-button');
    onChange(pairs.filter((each) => each.id !== pair.id));
  };
  return (
    <fieldset ref={list} className="field" aria-describedby={`${id}-hint`}>
      <legend>{title}</legend>
      {pairs.length > 0 && (
        <div className="field-rows">
          {pairs.map((pair, index) => (
            <div
              key={pair.id}
              className="field-row"
              role="group"
              aria-label={`${title} ${index + 1}`}
            >
              <TextField
                label={`Name of ${entry} ${index + 1}`}
                value={pair.name}
                autoComplete="off"
                onChange={(name) => set({ ...pair, name })}
              />
              <TextField
                label={`Value of ${entry} ${index + 1}`}
                type={pair.value.includes('${') ? 'text' : 'password'}
                value={pair.value}
                autoComplete="off"
                hint={
                  pair.value === SECRET_MARK ? 'Stored; write a new value to replace it' : undefined
                }
                error={problemOf(pair.name)}
                onChange={(value) => set({ ...pair, value })}
              />
              <Button
                kind="quiet"
                icon="close"
                label={`Remove ${entry} ${index + 1}`}
                onClick={() => remove(pair)}
              >
                {null}
              </Button>
            </div>
          ))}
        </div>
      )}
      <div>
        <Button icon="plus" onClick={add}>
          Add a {entry}
        </Button>
      </div>
      <FieldNotes
        id={`${id}-hint`}
        hint="Values are secrets: the service stores them and never shows them again."
        error={error}
      />
    </fieldset>
  );
}
