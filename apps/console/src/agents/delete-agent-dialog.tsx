import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Agent } from '@signalbox/client';
import type { ReactNode } from 'react';
import { navigate } from '../app/router.ts';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { useToast } from '../ui/toast.tsx';
import { deleteAgent } from './agent-store.ts';

interface DeleteAgentDialogProps {
  readonly agent: Agent;
  readonly onClose: () => void;
}

/** Asks before an agent is deleted. */
export function DeleteAgentDialog({ agent, onClose }: DeleteAgentDialogProps): ReactNode {
  const client = useClient();
  const queries = useQueryClient();
  const toast = useToast();
  const erase = useMutation({
    mutationFn: () => deleteAgent(client, agent.id),
    onSuccess: () => {
      toast('The agent was deleted');
      void queries.invalidateQueries({ queryKey: ['agents'] });
      navigate('/agents', { replace: true });
    },
  });
  return (
    <Dialog
      title="Delete this agent?"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button kind="danger" isBusy={erase.isPending} onClick={() => erase.mutate()}>
            Delete the agent
          </Button>
        </>
      }
    >
      <p>
        <strong>
          <PlainText text={agent.name} />
        </strong>{' '}
        can no longer be chosen for new runs. Runs that have it keep its settings.
      </p>
      {erase.error !== null && (
        <ErrorNotice title="The agent could not be deleted" error={erase.error} />
      )}
    </Dialog>
  );
}
