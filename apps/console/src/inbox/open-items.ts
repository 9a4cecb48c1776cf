import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { unwrap, type InboxItem } from '@signalbox/client';
import { useClient } from '../app/session.tsx';
import { useNotificationSetting } from './notification-setting.ts';

/** Open items that are loaded at once. */
export const MAX_OPEN_ITEMS = 100;
const REFRESH_MS = 2000;

/** Open items, oldest first, and whether there are more of them. */
export interface OpenItems {
  readonly items: readonly InboxItem[];
  readonly hasMore: boolean;
}

/** Returns the open items. They are loaded every two seconds, in a hidden tab only while notifications are on. */
export function useOpenItems(): UseQueryResult<OpenItems> {
  const { api } = useClient();
  const isNotifying = useNotificationSetting().state === 'on';
  return useQuery({
    queryKey: ['inbox', 'open'],
    queryFn: async ({ signal }) => {
      const query = { state: 'open', limit: MAX_OPEN_ITEMS } as const;
      const { data, next_cursor } = await unwrap(
        api.GET('/v1/inbox', { params: { query }, signal }),
      );
      return { items: data, hasMore: next_cursor !== undefined };
    },
    refetchInterval: REFRESH_MS,
    refetchIntervalInBackground: isNotifying,
    retry: false,
  });
}

/** Returns an item in full. An open item is loaded every two seconds, because it can expire or be answered elsewhere. */
export function useItem(id: string): UseQueryResult<InboxItem> {
  const { inbox } = useClient();
  return useQuery({
    queryKey: ['inbox', 'item', id],
    queryFn: ({ signal }) => inbox.get(id, { signal }),
    refetchInterval: ({ state }) =>
      state.data === undefined || isWaiting(state.data) ? REFRESH_MS : false,
  });
}

/** Whether the item can still change: it is open, or its server has not reported the end of the page that it named. */
function isWaiting(item: InboxItem): boolean {
  if (item.state === 'open' || item.state === 'answered') return true;
  return item.kind === 'elicitation_url' && item.request.is_completed !== true;
}

/** Returns a function that loads everything of the inbox again. */
export function useRefreshInbox(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['inbox'] });
}
