import { useMutation } from '@tanstack/react-query';
import { unwrap, type Run } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { navigate } from '../app/router.ts';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { TextField } from '../ui/text-field.tsx';

/** A button that starts a run of its own with the conversation up to a turn of this answer. */
export function ForkHere({ run }: { readonly run: Run }): ReactNode {
  const { api } = useClient();
  const [isOpen, setIsOpen] = useState(false);
  const [turn, setTurn] = useState(String(run.turns));
  const [prompt, setPrompt] = useState('');
  const fork = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/v1/runs/{id}/fork', {
          params: {
            path: { id: run.id },
            header: { 'Idempotency-Key': crypto.randomUUID() },
          },
          body: {
            at_turn: Number(turn),
            ...(prompt.trim() !== '' && { prompt: prompt.trim() }),
          },
        }),
      ),
    onSuccess: ({ id }) => navigate(`/runs/${encodeURIComponent(id)}`),
  });
  return (
    <>
      <Button kind="quiet" icon="fork" onClick={() => setIsOpen(true)}>
        Fork
      </Button>
      {isOpen && (
        <Dialog
          title="Fork from this message"
          onClose={() => setIsOpen(false)}
          actions={
            <>
              <Button onClick={() => setIsOpen(false)}>Close</Button>
              <Button
                kind="primary"
                icon="fork"
                isBusy={fork.isPending}
                onClick={() => fork.mutate()}
              >
                Start the fork
              </Button>
            </>
          }
        >
          <p>
            A run of its own begins with the conversation up to here. No call is repeated, and this
            thread stays as it is.
          </p>
          <SelectField
            label="Keep"
            value={turn}
            choices={Array.from({ length: run.turns + 1 }, (_none, index) => ({
              value: String(index),
              label: turnLabel(index, run.turns),
            }))}
            onChange={setTurn}
          />
          <TextField
            label="Next message"
            type="multiline"
            value={prompt}
            onChange={setPrompt}
            hint={turn === '0' ? 'It replaces the message.' : undefined}
          />
          {fork.error !== null && (
            <ErrorNotice title="The fork could not be started" error={fork.error} />
          )}
        </Dialog>
      )}
    </>
  );
}

function turnLabel(turn: number, last: number): string {
  if (turn === 0) return 'Only the conversation before this message';
  return turn === last ? 'The whole answer' : `The answer up to turn ${turn} of ${last}`;
}
