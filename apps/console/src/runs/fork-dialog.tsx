import { useMutation } from '@tanstack/react-query';
import { unwrap, type Run } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { useRequestKey } from '../app/request-key.ts';
import { navigate } from '../app/router.ts';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { TextField } from '../ui/text-field.tsx';

interface ForkDialogProps {
  readonly run: Run;
  /** Turn to begin with. */
  readonly turn: number;
  readonly onClose: () => void;
}

/** Starts a run with the history of another one up to a turn. */
export function ForkDialog({ run, turn, onClose }: ForkDialogProps): ReactNode {
  const { api } = useClient();
  const [atTurn, setAtTurn] = useState(turn);
  const [prompt, setPrompt] = useState('');
  // After its last turn a completed conversation has nothing left to do.
  const needsMessage = run.status === 'completed' && atTurn === run.turns;
  const canStart = !needsMessage || prompt.trim() !== '';
  const key = useRequestKey();
  const fork = useMutation({
    mutationFn: () => {
      const body = { at_turn: atTurn, ...(prompt.trim() === '' ? {} : { prompt }) };
      const params = { path: { id: run.id }, header: { 'Idempotency-Key': key.of(body) } };
      return unwrap(api.POST('/v1/runs/{id}/fork', { params, body }));
    },
    onSuccess: ({ id }) => {
      onClose();
      navigate(`/runs/${id}`);
    },
  });
  return (
    <Dialog
      title="Fork this run"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button
            kind="primary"
            icon="fork"
            isBusy={fork.isPending}
            isDisabled={!canStart}
            onClick={() => fork.mutate()}
          >
            Start the fork
          </Button>
        </>
      }
    >
      <p>
        A new run begins with the conversation up to a turn of this one. Calls of these turns are
        not repeated.
      </p>
      {fork.error !== null && (
        <ErrorNotice title="The fork could not be started" error={fork.error} />
      )}
      <SelectField
        label="Keep the conversation"
        value={String(atTurn)}
        choices={Array.from({ length: run.turns + 1 }, (_, index) => ({
          value: String(index),
          label: index === 0 ? 'of the task only' : `up to turn ${index}`,
        }))}
        onChange={(value) => setAtTurn(Number(value))}
      />
      <TextField
        label="Next message"
        type="multiline"
        value={prompt}
        onChange={setPrompt}
        isRequired={needsMessage}
        hint={hintOf(atTurn, needsMessage)}
      />
    </Dialog>
  );
}

function hintOf(atTurn: number, needsMessage: boolean): string {
  if (atTurn === 0) return 'Replaces the task. Without it the run begins again.';
  return needsMessage
    ? 'Follows the answer, such as a further question.'
    : 'Follows the kept turns. Without it the model continues.';
}
