import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isSettled, unwrap, type Client, type NewRun, type Run } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { allPages } from '../app/all-pages.ts';
import { useRequestKey } from '../app/request-key.ts';
import { navigate } from '../app/router.ts';
import { useClient, useSession } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { describeError, ErrorNotice } from '../ui/error-notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useToast } from '../ui/toast.tsx';
import { curlCommand, newRunLike } from './curl.ts';
import { ResumeDialog } from './resume-dialog.tsx';
import { runQueryKey } from './timeline/run-timeline.ts';

interface RunActionsProps {
  readonly run: Run;
  readonly onResumed: () => void;
  readonly onFork: () => void;
}

/** Cancel, resume, run again, fork, copy and delete, as far as the state of the run allows. */
export function RunActions({ run, onResumed, onFork }: RunActionsProps): ReactNode {
  const [dialog, setDialog] = useState<'cancel' | 'resume' | 'delete'>();
  const { client, apiKey } = useSession();
  const close = (): void => setDialog(undefined);
  const isEnded = isSettled(run);
  const isAgent = run.kind === 'agent';
  return (
    <>
      {!isEnded && run.status !== 'cancelling' && (
        <Button kind="danger" icon="cancel" onClick={() => setDialog('cancel')}>
          Cancel
        </Button>
      )}
      {(run.status === 'failed' || run.status === 'expired') && (
        <Button kind="primary" icon="play" onClick={() => setDialog('resume')}>
          Resume
        </Button>
      )}
      {isAgent && isEnded && <RunAgain run={run} />}
      {isAgent && run.turns > 0 && (
        <Button icon="fork" onClick={onFork}>
          Fork
        </Button>
      )}
      {isAgent && (
        <CopyButton
          label="Copy as curl"
          text={async () =>
            curlCommand(`${location.origin}/v1/runs`, await sameRun(client, run), {
              needsKey: apiKey !== undefined,
            })
          }
        />
      )}
      {isEnded && (
        <Button kind="quiet" onClick={() => setDialog('delete')}>
          Delete
        </Button>
      )}
      {dialog === 'cancel' && <CancelDialog run={run} onClose={close} />}
      {dialog === 'resume' && <ResumeDialog run={run} onClose={close} onResumed={onResumed} />}
      {dialog === 'delete' && <DeleteDialog run={run} onClose={close} />}
    </>
  );
}

function RunAgain({ run }: { readonly run: Run }): ReactNode {
  const client = useClient();
  const toast = useToast();
  const key = useRequestKey();
  const again = useMutation({
    mutationFn: async () => {
      const body = await sameRun(client, run);
      return client.runs.create(body, { idempotencyKey: key.of(body) });
    },
    onSuccess: ({ id }) => navigate(`/runs/${id}`),
    onError: (error) => toast(describeError(error), 'bad'),
  });
  return (
    <Button icon="retry" isBusy={again.isPending} onClick={() => again.mutate()}>
      Run again
    </Button>
  );
}

/** Returns the body of a request that starts the same run again, with its files. */
async function sameRun(client: Client, run: Run): Promise<NewRun> {
  const files = await attachedFiles(client, run.id);
  return { ...newRunLike(run), ...(files.length > 0 && { artifacts: files }) };
}

/** Returns the ids of the files that a person attached to a run. */
async function attachedFiles({ api }: Client, id: string): Promise<string[]> {
  const files = await allPages((at) =>
    unwrap(api.GET('/v1/runs/{id}/artifacts', { params: { path: { id }, query: at } })),
  );
  return files.filter(({ call_id }) => call_id === undefined).map((file) => file.id);
}

interface DialogProps {
  readonly run: Run;
  readonly onClose: () => void;
}

function CancelDialog({ run, onClose }: DialogProps): ReactNode {
  const client = useClient();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const cancel = useMutation({
    mutationFn: () => client.runs.cancel(run.id, reason === '' ? {} : { reason }),
    onSuccess: (changed) => {
      queries.setQueryData<Run>(runQueryKey(run.id), changed);
      onClose();
    },
  });
  return (
    <Dialog
      title="Cancel this run?"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep it running</Button>
          <Button kind="danger" isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel the run
          </Button>
        </>
      }
    >
      <p>
        Its calls in progress are cancelled, too. A call that was sent and cannot be cancelled may
        still have its effect.
      </p>
      <TextField
        label="Reason"
        hint="Shown in the events of the run"
        value={reason}
        onChange={setReason}
      />
      {cancel.error !== null && (
        <ErrorNotice title="The run could not be cancelled" error={cancel.error} />
      )}
    </Dialog>
  );
}

function DeleteDialog({ run, onClose }: DialogProps): ReactNode {
  const { api } = useClient();
  const queries = useQueryClient();
  const toast = useToast();
  const erase = useMutation({
    mutationFn: () => unwrap(api.DELETE('/v1/runs/{id}', { params: { path: { id: run.id } } })),
    onSuccess: () => {
      toast('The run was deleted');
      void queries.invalidateQueries({ queryKey: ['runs'] });
      navigate('/runs', { replace: true });
    },
  });
  return (
    <Dialog
      title="Delete this run?"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button kind="danger" isBusy={erase.isPending} onClick={() => erase.mutate()}>
            Delete the run
          </Button>
        </>
      }
    >
      <p>
        All its data are erased: events, messages, calls, results and files. The entries of the
        audit stay.
      </p>
      {erase.error !== null && (
        <ErrorNotice title="The run could not be deleted" error={erase.error} />
      )}
    </Dialog>
  );
}
