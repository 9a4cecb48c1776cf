import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { describeError } from '../ui/error-notice.tsx';
import { useToast } from '../ui/toast.tsx';
import { useFocusAfterAnswer } from './use-focus-after-answer.ts';

/** Approves or denies a call as it is; the inbox has the details and every other answer. */
export function QuickApproval({ itemId }: { readonly itemId: string }): ReactNode {
  const client = useClient();
  const queries = useQueryClient();
  const toast = useToast();
  const buttons = useFocusAfterAnswer<HTMLDivElement>();
  const answer = useMutation({
    mutationFn: (action: 'approve' | 'deny') =>
      client.inbox.respond({ id: itemId, kind: 'tool_approval' }, { action }),
    onSuccess: (_item, action) => {
      toast(action === 'approve' ? 'Approved' : 'Denied');
      void queries.invalidateQueries({ queryKey: ['inbox'] });
    },
    onError: (error) => toast(describeError(error), 'bad'),
  });
  // After the answer, the next event of the run removes the buttons.
  const isBusy = answer.isPending || answer.isSuccess;
  return (
    <div ref={buttons} className="actions">
      <Button kind="primary" icon="check" isBusy={isBusy} onClick={() => answer.mutate('approve')}>
        Approve
      </Button>
      <Button kind="danger" isBusy={isBusy} onClick={() => answer.mutate('deny')}>
        Deny
      </Button>
    </div>
  );
}
