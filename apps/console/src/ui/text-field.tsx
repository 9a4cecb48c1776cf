import { useId, type ReactNode } from 'react';

interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Text below the field. */
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** Type of the input, or `multiline`. Default: `text`. */
  readonly type?:
    | 'text'
    | 'password'
    | 'search'
    | 'number'
    | 'date'
    | 'datetime-local'
    | 'email'
    | 'url'
    | 'multiline';
  readonly name?: string;
  readonly autoComplete?: string;
  readonly isRequired?: boolean;
  /** Limits that the browser checks. */
  readonly limits?: InputLimits | undefined;
  /** Values that the browser suggests. */
  readonly suggestions?: readonly string[] | undefined;
}

/** Limits of an input, which the browser checks when its form is submitted. */
export interface InputLimits {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number | 'any';
}

/** A labelled input for a text, with a hint and an error. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  error,
  type = 'text',
  isRequired = false,
  limits,
  suggestions,
  ...rest
}: TextFieldProps): ReactNode {
  const id = useId();
  const shared = {
    ...rest,
    ...limits,
    id,
    value,
    required: isRequired,
    'aria-invalid': error !== undefined,
    'aria-describedby': `${id}-hint`,
  };
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isRequired && <span className="required"> (required)</span>}
      </label>
      {type === 'multiline' ? (
        <textarea {...shared} rows={3} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input
          {...shared}
          type={type}
          list={suggestions === undefined ? undefined : `${id}-suggestions`}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      {suggestions !== undefined && (
        <datalist id={`${id}-suggestions`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion}>{suggestion}</option>
          ))}
        </datalist>
      )}
      <FieldNotes id={`${id}-hint`} hint={hint} error={error} />
    </div>
  );
}

interface FieldNotesProps {
  readonly id: string;
  readonly hint: string | undefined;
  readonly error: string | undefined;
}

/** Hint and error of a field, which names this element in `aria-describedby`. */
export function FieldNotes({ id, hint, error }: FieldNotesProps): ReactNode {
  return (
    <div id={id} className="field-notes">
      {error !== undefined && <span className="field-error">{error}</span>}
      {hint !== undefined && <span>{hint}</span>}
    </div>
  );
}
