import { useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { FieldNotes } from '../text-field.tsx';

interface JsonFieldProps {
  readonly label: string;
  readonly value: unknown;
  /** Called with undefined when the text is empty, and not while it is no JSON. */
  readonly onChange: (value: unknown) => void;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
}

/** A text field for a JSON value. While its text is no JSON, the form around it cannot be submitted. */
export function JsonField({
  label,
  value,
  onChange,
  hint,
  error,
  isRequired = false,
}: JsonFieldProps): ReactNode {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(() =>
    value === undefined ? '' : JSON.stringify(value, undefined, 2),
  );
  const problem = problemOf(text);
  useEffect(() => area.current?.setCustomValidity(problem ?? ''), [problem]);
  const change = (next: string): void => {
    setText(next);
    if (next.trim() === '') onChange(undefined);
    else if (problemOf(next) === undefined) onChange(JSON.parse(next));
  };
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isRequired && <span className="required"> (required)</span>}
      </label>
      <textarea
        ref={area}
        id={id}
        className="code"
        rows={Math.min(16, Math.max(3, text.split('\n').length))}
        spellCheck={false}
        value={text}
        required={isRequired}
        aria-invalid={problem !== undefined || error !== undefined}
        aria-describedby={`${id}-hint`}
        onChange={(event) => change(event.target.value)}
      />
      <FieldNotes id={`${id}-hint`} hint={hint} error={problem ?? error} />
    </div>
  );
}

function problemOf(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
