import type { JsonRpcResponse } from './messages.ts';

/** Maximum number of messages in a batch. */
export const MAX_BATCH = 100;

/**
 * Records the response to a batch entry; `undefined` when the entry gets none. Call it once.
 * Resolves when the whole batch is sent.
 */
export type BatchEntry = (response: JsonRpcResponse | undefined) => Promise<void>;

/**
 * Collects the responses to the entries of a batch and sends them as one array, in the order of the
 * entries.
 */
export function batchEntries(
  count: number,
  send: (responses: readonly JsonRpcResponse[]) => Promise<void> | undefined,
): readonly BatchEntry[] {
  const { promise, resolve } = Promise.withResolvers<void>();
  const responses: (JsonRpcResponse | undefined)[] = Array.from({ length: count }, () => undefined);
  let missing = count;
  return responses.map((_none, index) => (response) => {
    responses[index] = response;
    missing -= 1;
    if (missing === 0) {
      const present = responses.filter((each) => each !== undefined);
      resolve(present.length === 0 ? undefined : send(present));
    }
    return promise;
  });
}
