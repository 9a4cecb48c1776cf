import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { ProblemError, type InboxItem, type ResponseTo } from '@signalbox/client';
import { useClient } from '../app/session.tsx';
import { useToast } from '../ui/toast.tsx';

const DONE: { readonly [action: string]: string } = {
  approve: 'Approved',
  deny: 'Denied',
  accept: 'Accepted',
  decline: 'Declined',
  cancel: 'Dismissed',
  retry: 'Sent again',
  mark_done: 'Marked as done',
  fail: 'Marked as failed',
};

/** Returns the name of an answer that was given. */
export function actionLabel(action: string): string {
  return DONE[action] ?? action;
}

/** The answer to an item that is being sent. */
export type Respond<Kind extends InboxItem['kind']> = UseMutationResult<
  InboxItem,
  Error,
  ResponseTo<Kind>
>;

/** Returns the mutation that answers an item once. */
export function useRespond<Kind extends InboxItem['kind']>(item: {
  readonly id: string;
  readonly kind: Kind;
}): Respond<Kind> {
  const { inbox } = useClient();
  const queries = useQueryClient();
  const toast = useToast();
  const { id, kind } = item;
  return useMutation({
    mutationFn: (response: ResponseTo<Kind>) => inbox.respond({ id, kind }, response),
    onSuccess: async (answered, { action }) => {
      toast(actionLabel(action));
      queries.setQueryData(['inbox', 'item', id], answered);
      await queries.invalidateQueries({ queryKey: ['inbox'] });
    },
    onError: async (error) => {
      if (error instanceof ProblemError && error.code === 'inbox_item_not_open')
        await queries.invalidateQueries({ queryKey: ['inbox'] });
    },
  });
}
