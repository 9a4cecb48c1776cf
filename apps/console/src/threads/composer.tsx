import { useMutation } from '@tanstack/react-query';
import { ProblemError, type NewRun } from '@signalbox/client';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useDraft } from '../app/drafts.ts';
import { isFocusFree } from '../app/lost-focus.ts';
import { useUploads } from '../runs/use-uploads.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { AttachmentChips } from './attachment-chips.tsx';
import { ComposerOptions, optionsOf, type RunChoices } from './composer-options.tsx';

interface ComposerProps {
  /** Id of the thread, or `new`, under which the tab keeps a text that was not sent. */
  readonly draftName: string;
  /** Whether a run of the thread is not settled, so that a person must say what a further message does. */
  readonly isBusy: boolean;
  readonly choices: RunChoices;
  readonly onChoose: (choices: RunChoices) => void;
  /** Whether the field gets the focus when it appears, unless a control has it. Default: no. */
  readonly takesFocus?: boolean;
  /** Starts a run. The text stays when it rejects. */
  readonly onSend: (run: NewRun) => Promise<void>;
  /** Called after `onSend`, when the draft has only the text that was typed meanwhile. */
  readonly onSent?: () => void;
}

/** Text and ids of the files of a message that is being sent. */
interface Message {
  readonly text: string;
  readonly files: readonly string[];
}

type OnBusy = NonNullable<NewRun['on_busy']>;

const ON_BUSY: readonly { readonly value: OnBusy; readonly label: string }[] = [
  { value: 'enqueue', label: 'Wait until the run is done' },
  { value: 'interrupt', label: 'Cancel the run, then start' },
  { value: 'reject', label: 'Do not send while it runs' },
];

/** The field for a message, with attachments and the choices of its run. Files can also be pasted or dropped. */
export function Composer({
  draftName,
  isBusy,
  choices,
  onChoose,
  takesFocus = false,
  onSend,
  onSent,
}: ComposerProps): ReactNode {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [prompt, setPrompt] = useDraft(`thread.${draftName}`);
  const newest = useRef(prompt);
  const [onBusy, setOnBusy] = useState<OnBusy>('enqueue');
  const [isDropping, setIsDropping] = useState(false);
  const [wasBusy, setWasBusy] = useState(false);
  const uploads = useUploads();
  useEffect(() => {
    if (takesFocus && isFocusFree()) field.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  // Another client may have started a run that this page does not know yet.
  const mustChoose = isBusy || wasBusy;

  const change = (text: string): void => {
    newest.current = text;
    setPrompt(text);
  };
  const send = useMutation({
    mutationFn: ({ text, files }: Message) =>
      onSend({
        prompt: text.trim(),
        ...optionsOf(choices),
        ...(files.length > 0 && { artifacts: [...files] }),
        ...(mustChoose && { on_busy: onBusy }),
      }),
    onError: (error) => setWasBusy(isThreadBusy(error)),
    onSuccess: (_result, { text, files }) => {
      // A text that was typed while the message was sent belongs to the next message, and so do files.
      const { current } = newest;
      change(current.startsWith(text) ? current.slice(text.length).trimStart() : current);
      setWasBusy(false);
      for (const file of files) uploads.remove(file);
      field.current?.focus();
      onSent?.();
    },
  });
  const canSend = prompt.trim() !== '' && !uploads.isUploading;
  const submit = (): void => {
    if (canSend && !send.isPending)
      send.mutate({ text: prompt, files: uploads.stored.map((each) => each.id) });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    // Enter also ends the input of a character that is composed of several keys.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form
      className={isDropping ? 'composer is-dropping' : 'composer'}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {send.error !== null && <ErrorNotice title="The message was not sent" error={send.error} />}
      {uploads.error !== null && (
        <ErrorNotice title="A file could not be stored" error={uploads.error} />
      )}
      <AttachmentChips uploads={uploads} />
      <label className="visually-hidden" htmlFor={id}>
        Message
      </label>
      <textarea
        ref={field}
        id={id}
        rows={Math.min(8, Math.max(2, prompt.split('\n').length))}
        maxLength={200_000}
        placeholder="Write a message"
        value={prompt}
        aria-describedby={`${id}-hint`}
        onChange={(event) => change(event.target.value)}
        onKeyDown={onKeyDown}
        onDragOver={(event) => {
          event.preventDefault();
          setIsDropping(true);
        }}
        onDragLeave={() => setIsDropping(false)}
        onDrop={(event) => {
          event.preventDefault();
          setIsDropping(false);
          uploads.add([...event.dataTransfer.files]);
        }}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (files.length === 0) return;
          event.preventDefault();
          uploads.add(files);
        }}
      />
      {mustChoose && prompt !== '' && (
        <SelectField
          label="A run is in progress"
          value={onBusy}
          choices={ON_BUSY}
          onChange={(value) => setOnBusy(value as OnBusy)}
        />
      )}
      <div className="composer-bar">
        <input
          ref={picker}
          hidden
          type="file"
          multiple
          aria-label="Files to attach"
          onChange={(event) => {
            uploads.add([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        <Button icon="link" isBusy={uploads.isUploading} onClick={() => picker.current?.click()}>
          Attach
        </Button>
        <ComposerOptions choices={choices} onChange={onChoose} />
        <span className="composer-hint faint" id={`${id}-hint`}>
          <kbd>Enter</kbd> sends, <kbd>Shift</kbd> <kbd>Enter</kbd> begins a line
        </span>
        <Button type="submit" kind="primary" isDisabled={!canSend} isBusy={send.isPending}>
          Send
        </Button>
      </div>
    </form>
  );
}

function isThreadBusy(error: Error): boolean {
  return error instanceof ProblemError && error.code === 'thread_busy';
}
