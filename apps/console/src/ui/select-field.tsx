import { useId, type ReactNode } from 'react';
import { FieldNotes } from './text-field.tsx';

/** A choice of a select field. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectFieldProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
}

/** A labelled choice of one value. */
export function SelectField({
  label,
  value,
  choices,
  onChange,
  hint,
  error,
  isRequired = false,
}: SelectFieldProps): ReactNode {
  const id = useId();
  const isOffered = value === '' || choices.some((choice) => choice.value === value);
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isRequired && <span className="required"> (required)</span>}
      </label>
      <select
        id={id}
        value={value}
        required={isRequired}
        aria-invalid={error !== undefined}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      >
        {/* Without its own option, the browser would show the first choice in place of the value. */}
        {!isOffered && <option value={value}>{value} (not available)</option>}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      <FieldNotes id={`${id}-hint`} hint={hint} error={error} />
    </div>
  );
}
