import type { JsonRpcResponse } from './messages.ts';

/** Takes what answers one entry of a batch, `undefined` for nothing; to be called once. Resolves when the whole batch is answered. */
export type BatchEntry = (response: JsonRpcResponse | undefined) => Promise<void>;

/** Where the entries of one batch put their answers. When all are there they are sent as one array, in the order of the entries. */
export function batchEntries(
  count: number,
  send: (responses: readonly JsonRpcResponse[]) => Promise<void>,
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
