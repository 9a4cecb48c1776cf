import { LocalError, type CallToolResult, type JsonObject } from '@signalbox/mcp-core';
import type { RequestOptions } from '@signalbox/mcp-core/client';
import type { Clock } from '../ports/clock.ts';
import { resourceResult, WATCH_SECONDS } from './resource-tool.ts';
import type { ServerConnection } from './server-connection.ts';

type Ending = 'changed' | 'unchanged' | 'unfollowed' | 'aborted';

const ENDING_TEXT = {
  changed: () => 'The resource has changed.',
  unchanged: (seconds: number) => `The resource did not change within ${seconds} s.`,
  unfollowed: () => 'The server ended the subscription, so changes may have been missed.',
} as const;

/**
 * Waits for the first change of a resource from the acknowledged subscription on, and returns the
 * contents of the resource after the change, or after `seconds` without one. A change that may have
 * been missed counts as a change. Reports progress once, when the server has acknowledged the
 * subscription.
 * @throws LocalError, also `invalid-argument` when the server refuses the subscription; ProtocolError
 */
export async function watchResource(
  client: Pick<ServerConnection['client'], 'watch' | 'readResource'>,
  args: JsonObject,
  { clock, ...options }: RequestOptions & { readonly clock: Clock },
): Promise<CallToolResult> {
  const uri = String(args['uri']);
  const seconds = typeof args['seconds'] === 'number' ? args['seconds'] : WATCH_SECONDS.default;
  const { signal, maxTotalMs = Number.POSITIVE_INFINITY } = options;
  const ending = Promise.withResolvers<Ending>();
  const changed = (): void => ending.resolve('changed');
  const abort = (): void => ending.resolve('aborted');
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  const watch = await client.watch({
    resources: [uri],
    onResourceUpdated: changed,
    onMissed: changed,
  });
  const stopTimer = clock.after(Math.min(seconds * 1000, maxTotalMs), () =>
    ending.resolve('unchanged'),
  );
  try {
    if (watch.filter.resourceSubscriptions?.includes(uri) !== true)
      throw new LocalError('invalid-argument', `${uri} is not a resource that can be followed`);
    void watch.ended.then(() => ending.resolve('unfollowed'));
    options.onProgress?.({ progress: 0, message: `waiting for a change of ${uri}` });
    const reached = await ending.promise;
    if (reached === 'aborted')
      throw new LocalError('request-cancelled', `the wait for a change of ${uri} was cancelled`, {
        sent: true,
      });
    const { content } = resourceResult(
      await client.readResource(uri, { ...options, cache: 'refresh' }),
    );
    const text = `${ENDING_TEXT[reached](seconds)} Its contents:`;
    return { content: [{ type: 'text', text }, ...content] };
  } finally {
    stopTimer();
    signal?.removeEventListener('abort', abort);
    await watch.close();
  }
}
