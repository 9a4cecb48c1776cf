import { useId, useState, type ReactNode } from 'react';
import { printable } from '../printable.ts';
import { SelectField } from '../select-field.tsx';
import { FieldNotes, TextField, type InputLimits } from '../text-field.tsx';
import type { SchemaChoice, TextInput } from './field-kind.ts';
import { fromLocalTime, toLocalTime } from './local-time.ts';

/** Texts around an input. */
export interface LabelledProps {
  readonly label: string;
  readonly hint: string | undefined;
  readonly error: string | undefined;
  readonly isRequired: boolean;
}

/** Value of an input; undefined while it is empty. */
export interface ValueProps extends LabelledProps {
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

interface InputProps extends ValueProps {
  readonly limits: InputLimits;
}

interface TextInputProps extends InputProps {
  readonly input: TextInput;
}

/** An input for a text, a date or a time. */
export function TextInputField({
  input,
  limits,
  value,
  onChange,
  ...rest
}: TextInputProps): ReactNode {
  const text = typeof value === 'string' ? value : '';
  const isTime = input === 'datetime-local';
  const { minLength, maxLength } = limits;
  return (
    <TextField
      {...rest}
      type={input}
      // A date or a time has no length.
      limits={
        isTime || input === 'date'
          ? { step: 'any' }
          : {
              ...(minLength !== undefined && { minLength }),
              ...(maxLength !== undefined && { maxLength }),
            }
      }
      value={isTime ? toLocalTime(text) : text}
      onChange={(next) => {
        const changed = isTime ? fromLocalTime(next) : next;
        onChange(changed === '' ? undefined : changed);
      }}
    />
  );
}

/** An input for a number. */
export function NumberField({ value, onChange, ...rest }: InputProps): ReactNode {
  const [text, setText] = useState(() => (typeof value === 'number' ? String(value) : ''));
  return (
    <TextField
      {...rest}
      type="number"
      value={text}
      onChange={(next) => {
        setText(next);
        const number = Number(next);
        onChange(next.trim() === '' || Number.isNaN(number) ? undefined : number);
      }}
    />
  );
}

/** A check box, or with a third choice where the value may be absent. */
export function BooleanField({
  label,
  hint,
  error,
  isRequired,
  value,
  onChange,
}: ValueProps): ReactNode {
  const id = useId();
  if (!isRequired)
    return (
      <SelectField
        label={label}
        hint={hint}
        error={error}
        value={typeof value === 'boolean' ? String(value) : ''}
        choices={[
          { value: '', label: 'Not set' },
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
        onChange={(next) => onChange(next === '' ? undefined : next === 'true')}
      />
    );
  return (
    <div className="field">
      <label className="check">
        <input
          type="checkbox"
          checked={value === true}
          aria-describedby={`${id}-hint`}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
      <FieldNotes id={`${id}-hint`} hint={hint} error={error} />
    </div>
  );
}

interface ChoiceBoxesProps {
  readonly choices: readonly SchemaChoice[];
  readonly value: readonly unknown[];
  readonly onChange: (value: readonly unknown[]) => void;
}

/** A check box for each value. The values keep the order of the choices. */
export function ChoiceBoxes({ choices, value, onChange }: ChoiceBoxesProps): ReactNode {
  const isChosen = (choice: SchemaChoice): boolean =>
    value.some((chosen) => isSame(chosen, choice.value));
  return choices.map((choice) => (
    <label key={JSON.stringify(choice.value)} className="check">
      <input
        type="checkbox"
        checked={isChosen(choice)}
        onChange={(event) =>
          onChange(
            choices
              .filter((each) => (each === choice ? event.target.checked : isChosen(each)))
              .map((each) => each.value),
          )
        }
      />
      {printable(choice.label)}
    </label>
  ));
}

/** Whether two JSON values are the same. */
export function isSame(left: unknown, right: unknown): boolean {
  return left === right || (right !== undefined && JSON.stringify(left) === JSON.stringify(right));
}
