import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap, type Thread } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { navigate } from '../app/router.ts';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useToast } from '../ui/toast.tsx';

interface ThreadActionsProps {
  readonly thread: Thread;
}

/** Renames or deletes a thread. */
export function ThreadActions({ thread }: ThreadActionsProps): ReactNode {
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const close = (): void => setDialog(undefined);
  return (
    <>
      <Button onClick={() => setDialog('rename')}>Rename</Button>
      <Button kind="danger" onClick={() => setDialog('delete')}>
        Delete
      </Button>
      {dialog === 'rename' && <RenameDialog thread={thread} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog thread={thread} onClose={close} />}
    </>
  );
}

interface DialogProps extends ThreadActionsProps {
  readonly onClose: () => void;
}

function RenameDialog({ thread, onClose }: DialogProps): ReactNode {
  const { api } = useClient();
  const queries = useQueryClient();
  const [title, setTitle] = useState(thread.title ?? '');
  const rename = useMutation({
    mutationFn: () =>
      unwrap(
        api.PATCH('/v1/threads/{id}', {
          params: { path: { id: thread.id } },
          body: { title: title.trim() === '' ? null : title.trim() },
        }),
      ),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries({ queryKey: ['thread', thread.id] });
      await queries.invalidateQueries({ queryKey: ['threads'] });
    },
  });
  return (
    <Dialog
      title="Rename the thread"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" isBusy={rename.isPending} onClick={() => rename.mutate()}>
            Rename
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        <TextField
          label="Title"
          value={title}
          onChange={setTitle}
          limits={{ maxLength: 500 }}
          hint="Empty: no title"
        />
      </form>
      {rename.error !== null && (
        <ErrorNotice title="The thread could not be renamed" error={rename.error} />
      )}
    </Dialog>
  );
}

function DeleteDialog({ thread, onClose }: DialogProps): ReactNode {
  const { api } = useClient();
  const queries = useQueryClient();
  const toast = useToast();
  const erase = useMutation({
    mutationFn: () =>
      unwrap(api.DELETE('/v1/threads/{id}', { params: { path: { id: thread.id } } })),
    onSuccess: async () => {
      toast('The thread was deleted');
      await queries.invalidateQueries({ queryKey: ['threads'] });
      navigate('/threads', { replace: true });
    },
  });
  return (
    <Dialog
      title="Delete this thread?"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button kind="danger" isBusy={erase.isPending} onClick={() => erase.mutate()}>
            Delete the thread
          </Button>
        </>
      }
    >
      <p>
        Its runs are erased with all their messages, calls and files. Cancel a run in progress
        first.
      </p>
      {erase.error !== null && (
        <ErrorNotice title="The thread could not be deleted" error={erase.error} />
      )}
    </Dialog>
  );
}
