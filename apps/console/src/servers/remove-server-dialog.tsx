import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { navigate } from '../app/router.ts';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { useToast } from '../ui/toast.tsx';
import { removeServer } from './definition-store.ts';

interface RemoveServerDialogProps {
  readonly name: string;
  /** Whether the configuration file defines the server. */
  readonly isConfigured: boolean;
  readonly onClose: () => void;
}

/** Asks before a server is removed. */
export function RemoveServerDialog({
  name,
  isConfigured,
  onClose,
}: RemoveServerDialogProps): ReactNode {
  const client = useClient();
  const queries = useQueryClient();
  const toast = useToast();
  const remove = useMutation({
    mutationFn: () => removeServer(client, name),
    onSuccess: () => {
      toast('The server was removed');
      void queries.invalidateQueries({ queryKey: ['servers'], exact: true });
      navigate('/servers', { replace: true });
    },
  });
  return (
    <Dialog
      title="Remove this server?"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button kind="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
            Remove the server
          </Button>
        </>
      }
    >
      <p>
        <strong>
          <PlainText text={name} />
        </strong>{' '}
        gets no new calls and ends once those in flight have ended. Runs continue without its tools.
      </p>
      {isConfigured && (
        <p className="faint">
          The configuration file still has it, but the service leaves it out from now on, also after
          a restart.
        </p>
      )}
      {remove.error !== null && (
        <ErrorNotice title="The server could not be removed" error={remove.error} />
      )}
    </Dialog>
  );
}
