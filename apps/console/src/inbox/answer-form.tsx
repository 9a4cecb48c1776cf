import type { KeyboardEvent, ReactNode, SyntheticEvent } from 'react';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import type { IconName } from '../ui/icon.tsx';
import { TextField } from '../ui/text-field.tsx';
import { ACTION_KEYS } from './shortcuts.ts';

/** An answer that is chosen by a button of its own. */
export interface OtherAnswer {
  readonly label: string;
  readonly kind?: 'secondary' | 'danger' | 'quiet';
  readonly onChoose: () => void;
}

interface AnswerFormProps {
  /** Fields of the answer. */
  readonly children: ReactNode;
  /** The answer that the submission of the form gives. */
  readonly primary: {
    readonly label: string;
    readonly icon: IconName;
    readonly onSubmit: () => void;
  };
  /** Further answers. The first is the one that denies or declines. */
  readonly others: readonly OtherAnswer[];
  /** The note to the model; absent where the kind has none. */
  readonly note?: { readonly value: string; readonly onChange: (note: string) => void };
  /** The answer that is being sent, and the error of the last one. */
  readonly answer: { readonly isPending: boolean; readonly error: unknown };
}

/** Fields and buttons that answer an item. Ctrl and Enter in a field gives the primary answer. */
export function AnswerForm({
  children,
  primary,
  others,
  note,
  answer,
}: AnswerFormProps): ReactNode {
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!answer.isPending) primary.onSubmit();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.currentTarget.requestSubmit();
  };
  return (
    // The keys belong to the fields inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form className="answer-form" onSubmit={submit} onKeyDown={onKeyDown}>
      {children}
      {note !== undefined && (
        <div data-shortcut={ACTION_KEYS.note}>
          <TextField
            label="Note to the model"
            hint="Optional. The model reads it with the decision."
            limits={{ maxLength: 2000 }}
            value={note.value}
            onChange={note.onChange}
          />
        </div>
      )}
      {answer.error !== null && (
        <ErrorNotice title="The answer was not accepted" error={answer.error} />
      )}
      <div className="actions answer-actions">
        <span data-shortcut={ACTION_KEYS.approve}>
          <Button type="submit" kind="primary" icon={primary.icon} isBusy={answer.isPending}>
            {primary.label}
          </Button>
        </span>
        {others.map(({ label, kind = 'secondary', onChoose }, index) => (
          <span key={label} data-shortcut={index === 0 ? ACTION_KEYS.deny : undefined}>
            <Button kind={kind} isBusy={answer.isPending} onClick={onChoose}>
              {label}
            </Button>
          </span>
        ))}
      </div>
    </form>
  );
}

/** Returns a note as a member of a response, or nothing while it is empty. */
export function withNote(note: string): { readonly note?: string } {
  return note.trim() === '' ? {} : { note: note.trim() };
}
